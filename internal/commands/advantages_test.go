package commands

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/repotest"
)

// advantageRun is a made run of groups with the advantages that some rule gives.
type advantageRun struct {
	steps, groups, size int
	partial             bool // rewards between right and wrong
	rewards             [][][]float64
	lengths             [][][]int
	advantages          [][][]float64
}

// newAdvantageRun makes rewards that rise a little. rule gives the advantages of a step.
func newAdvantageRun(seed uint64, partial bool, rule stepRule) *advantageRun {
	random := rand.New(rand.NewPCG(seed, 11))
	r := &advantageRun{steps: 24, groups: 8, size: 8, partial: partial}
	for step := range r.steps {
		var rewards [][]float64
		var lengths [][]int
		for range r.groups {
			p := min(0.9, max(0.1, 0.2+0.5*random.Float64()+0.01*float64(step)))
			group, of := make([]float64, r.size), make([]int, r.size)
			for i := range group {
				of[i] = 10 + random.IntN(50)
				if random.Float64() < p {
					group[i] = 1
				}
				if partial {
					group[i] = math.Round(1000*(0.6*group[i]+0.4*random.Float64())) / 1000
				}
			}
			rewards, lengths = append(rewards, group), append(lengths, of)
		}
		r.rewards, r.lengths = append(r.rewards, rewards), append(r.lengths, lengths)
		r.advantages = append(r.advantages, rule(step, rewards, lengths))
	}
	return r
}

type stepRule func(step int, rewards [][]float64, lengths [][]int) [][]float64

// perGroup is the rule that gives each group its own.
func perGroup(rule func(rewards []float64) []float64) stepRule {
	return func(_ int, rewards [][]float64, _ [][]int) (all [][]float64) {
		for _, group := range rewards {
			all = append(all, rule(group))
		}
		return all
	}
}

func meanAndStd(values []float64, ddof int) (mean, std float64) {
	for _, x := range values {
		mean += x / float64(len(values))
	}
	for _, x := range values {
		std += (x - mean) * (x - mean) / float64(len(values)-ddof)
	}
	return mean, math.Sqrt(std)
}

// grpo is (r − mean) / (std + 1e-4), with ddof 1.
func grpo(rewards []float64) []float64 {
	mean, std := meanAndStd(rewards, 1)
	return mapped(rewards, func(_ int, r float64) float64 { return (r - mean) / (std + 1e-4) })
}

func mapped(values []float64, f func(i int, x float64) float64) []float64 {
	all := make([]float64, len(values))
	for i, x := range values {
		all[i] = f(i, x)
	}
	return all
}

// over applies something to the advantages that grpo gives.
func over(f func(i int, a float64) float64) stepRule {
	return perGroup(func(rewards []float64) []float64 { return mapped(grpo(rewards), f) })
}

// from has one rule until a step, and another from there on.
func from(step int, before, after stepRule) stepRule {
	return func(at int, rewards [][]float64, lengths [][]int) [][]float64 {
		if at < step {
			return before(at, rewards, lengths)
		}
		return after(at, rewards, lengths)
	}
}

func flat(groups [][]float64) []float64 { return slices.Concat(groups...) }

// pythonList is a list as json.dumps writes it, with NaN.
func pythonList[T any](values []T) string {
	return "[" + strings.Join(mappedText(values, func(x T) string { return fmt.Sprint(x) }), ",") + "]"
}

func mappedText[T any](values []T, f func(T) string) []string {
	all := make([]string, len(values))
	for i, x := range values {
		all[i] = f(x)
	}
	return all
}

// write writes the run as a trainer does, and returns where.
func (r *advantageRun) write(t *testing.T, trainer string) string {
	t.Helper()
	dir := t.TempDir()
	var text strings.Builder
	for step := range r.steps {
		var oneStep strings.Builder
		var prompts, completions []string
		for g, rewards := range r.rewards[step] {
			for i, reward := range rewards {
				answer := fmt.Sprintf("%q", strings.Repeat("so it is, ", r.lengths[step][g][i]/10)+fmt.Sprintf("%d of %d and %d", i*7919%101, g, step))
				prompt := fmt.Sprintf(`"question %d of %d"`, g, step)
				prompts, completions = append(prompts, prompt), append(completions, answer)
				advantage := r.advantages[step][g][i]
				tokens := make([]int, r.lengths[step][g][i])
				for k := range tokens {
					tokens[k] = 7 + (k*i+step)%91
				}
				switch trainer {
				case "jsonl":
					fmt.Fprintf(&text, `{"step":%d,"group_id":"%d-%d","prompt":%s,"response":%s,"reward":%v,"advantage":%v}`+"\n", step+1, step, g, prompt, answer, reward, advantage)
				case "open-instruct":
					fmt.Fprintf(&text, `{"step":%d,"sample_idx":%d,"prompt_idx":%d,"prompt_tokens":[1,%d,%d],"response_tokens":%s,"reward":%v,"advantage":%v,"ground_truth":[1]}`+"\n",
						step+1, i, step*r.groups+g, step, g, pythonList(tokens), reward, advantage)
				case "nemo-rl":
					mask := make([]int, len(tokens)+1)
					perToken := make([]float64, len(tokens)+1)
					for k := range tokens {
						mask[k+1], perToken[k+1] = 1, advantage
					}
					fmt.Fprintf(&oneStep, `{"content":[[%s,%s]],"rewards":[%v],"token_ids":[%s],"token_loss_mask":[%s],"advantages":[%s],"idx":%d}`+"\n",
						prompt, answer, reward, pythonList(append([]int{1}, tokens...)), pythonList(mask), pythonList(perToken), g*r.size+i)
				}
			}
		}
		switch trainer {
		case "nemo-rl":
			filetest.Write(t, filepath.Join(dir, fmt.Sprintf("train_data_step%d.jsonl", step+1)), oneStep.String())
		case "ms-swift":
			steps := slices.Repeat([]string{fmt.Sprintf(`"%d"`, step+1)}, len(prompts))
			fmt.Fprintf(&text, `{"step":%s,"prompt":%s,"completion":%s,"Accuracy":%s,"advantages":%s}`+"\n",
				pythonList(steps), pythonList(prompts), pythonList(completions), pythonList(flat(r.rewards[step])), pythonList(flat(r.advantages[step])))
		}
	}
	if text.Len() > 0 {
		name := map[string]string{"jsonl": "log.jsonl", "open-instruct": "x_rollouts_000000.jsonl", "ms-swift": "completions.jsonl"}[trainer]
		filetest.Write(t, filepath.Join(dir, name), text.String())
	}
	return dir
}

type foundKind struct {
	Kind, Severity, Title string
	Since                 int
}

func findingsOf(t *testing.T, path string) []foundKind {
	t.Helper()
	var out struct{ Findings []foundKind }
	text := runCommand(t, "summary", path, "--json")
	if err := json.Unmarshal([]byte(strings.TrimSpace(text)), &out); err != nil {
		t.Fatal(err, text)
	}
	return out.Findings
}

func trainersOfAdvantages() []string {
	return []string{"jsonl", "ms-swift", "open-instruct", "nemo-rl"}
}

// What contradicts the rule of a trainer is an alarm that says it in figures, whoever wrote the log. Each is tried in plain rows, and in
// the logs of one or two trainers in turn.
func TestAdvantagesThatContradictTheRule(t *testing.T) {
	repotest.OneGoroutine(t)
	healthy := over(func(_ int, a float64) float64 { return a })
	for i, c := range []struct {
		name    string
		partial bool
		rule    stepRule
		title   string
		since   int
		watch   bool // of a log of an unknown trainer
	}{
		{"pushed the wrong way", false, over(func(_ int, a float64) float64 { return -a }), "100% of the right answers are pushed down", 1, false},
		{"those of the neighbour", true, perGroup(func(r []float64) []float64 { a := grpo(r); return append(a[1:], a[0]) }), "are pushed down", 1, false},
		{"from a step on", false, from(12, healthy, over(func(_ int, a float64) float64 { return -a })), "100% of the right answers are pushed down", 13, false},
		{"the first is the baseline", false, perGroup(func(r []float64) []float64 { return mapped(r, func(_ int, x float64) float64 { return x - r[0] }) }), "the reward of the first sample of each group", 1, false},
		{"the last is the baseline", true, perGroup(func(r []float64) []float64 {
			return mapped(r, func(_ int, x float64) float64 { return 0.7 * (x - r[len(r)-1]) })
		}), "the reward of the last sample of each group", 1, false},
		{"divided twice", true, perGroup(func(r []float64) []float64 {
			_, std := meanAndStd(r, 1)
			return mapped(grpo(r), func(_ int, a float64) float64 { return a / (std + 1e-4) })
		}), "divided by the deviation twice", 1, false},
		{"one value", false, over(func(int, float64) float64 { return 0.25 }), "all logged advantages of a step are one value", 1, false},
		{"no sign", true, over(func(_ int, a float64) float64 { return math.Abs(a) }), "nothing is pushed down", 1, true},
		{"NaN", false, over(func(int, float64) float64 { return math.NaN() }), "the logged advantages are NaN in 1536 of 1536 samples: no sample trains", 1, false},
		{"NaN from a step on", false, from(8, healthy, over(func(int, float64) float64 { return math.NaN() })), "the logged advantages are NaN in 1024 of 1024 samples", 9, false},
		{"0 from a step on", false, from(8, healthy, over(func(int, float64) float64 { return 0 })), "are 0", 9, false},
		{"longer is worth less", true, func(_ int, rewards [][]float64, lengths [][]int) (all [][]float64) {
			for g := range rewards {
				same := mapped(rewards[g], func(_ int, r float64) float64 { return math.Round(r) })
				copy(rewards[g], same)
				all = append(all, mapped(grpo(same), func(i int, a float64) float64 { return a - float64(lengths[g][i])/125 }))
			}
			return all
		}, "samples of equal reward have different advantages", 1, true},
	} {
		for k, trainer := range trainersOfAdvantages() {
			if k > 0 && (i+k)%2 == 1 {
				continue
			}
			t.Run(c.name+" "+trainer, func(t *testing.T) {
				repotest.OneIn(t, 5)
				path := newAdvantageRun(1, c.partial, c.rule).write(t, trainer)
				found := findingsOf(t, path)
				at := slices.IndexFunc(found, func(f foundKind) bool { return f.Kind == "advantages_differ" })
				if at < 0 {
					t.Fatalf("not found: %v", found)
				}
				f := found[at]
				severity := "alarm"
				if c.watch && trainer == "jsonl" {
					severity = "watch"
				}
				if f.Severity != severity || f.Since != c.since || !strings.Contains(f.Title, c.title) {
					t.Errorf("%+v", f)
				}
			})
		}
	}
}

// What trainers do to advantages contradicts nothing: rounding, clipping, other scales, leaving one out, a baseline of the batch, filters.
// Each rule is tried in the logs of all trainers, with rewards of one kind or the other.
func TestHealthyAdvantagesContradictNothing(t *testing.T) {
	repotest.OneGoroutine(t)
	round := func(digits float64) func(int, float64) float64 {
		return func(_ int, a float64) float64 { return math.Round(a*digits) / digits }
	}
	for i, c := range []struct {
		name string
		rule stepRule
	}{
		{"grpo", over(func(_ int, a float64) float64 { return a })},
		{"four decimals", over(round(1e4))},
		{"three decimals", over(round(1e3))},
		{"two decimals", over(round(1e2))},
		{"clipped", over(func(_ int, a float64) float64 { return max(-1, min(1, a)) })},
		{"float32", over(func(_ int, a float64) float64 { return float64(float32(a)) })},
		{"no scale", perGroup(func(r []float64) []float64 {
			mean, _ := meanAndStd(r, 1)
			return mapped(r, func(_ int, x float64) float64 { return x - mean })
		})},
		{"leave one out", perGroup(func(r []float64) []float64 {
			mean, _ := meanAndStd(r, 1)
			n := float64(len(r))
			return mapped(r, func(_ int, x float64) float64 { return n / (n - 1) * (x - mean) })
		})},
		{"deviation of the others", perGroup(func(r []float64) []float64 {
			return mapped(r, func(i int, x float64) float64 {
				mean, std := meanAndStd(slices.Delete(slices.Clone(r), i, i+1), 0)
				return (x - mean) / (std + 1)
			})
		})},
		{"deviation of the batch", func(_ int, rewards [][]float64, _ [][]int) (all [][]float64) {
			_, std := meanAndStd(flat(rewards), 1)
			for _, group := range rewards {
				mean, _ := meanAndStd(group, 1)
				all = append(all, mapped(group, func(_ int, x float64) float64 { return (x - mean) / (std + 1e-4) }))
			}
			return all
		}},
		{"its own factor", over(func(_ int, a float64) float64 { return 0.37 * a })},
		{"masked ones are 0", over(func(i int, a float64) float64 {
			if i%5 == 3 {
				return 0
			}
			return a
		})},
		{"only the best are kept", over(func(_ int, a float64) float64 { return max(a, -0.2) })},
	} {
		for j, partial := range []bool{false, true} {
			for k, trainer := range trainersOfAdvantages() {
				if (i+j+k)%2 == 1 {
					continue
				}
				t.Run(fmt.Sprint(c.name, partial, trainer), func(t *testing.T) {
					repotest.OneIn(t, 10)
					path := newAdvantageRun(2, partial, c.rule).write(t, trainer)
					for _, f := range findingsOf(t, path) {
						if f.Kind == "advantages_differ" || f.Kind == "few_outweigh" || f.Kind == "group_mixup" {
							t.Errorf("%+v", f)
						}
					}
				})
			}
		}
	}
}
