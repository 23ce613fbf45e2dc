package scalars

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"vantage/model"
	"vantage/model/diagnosis"
)

// witnessRun is a run of so many steps of 8 prompts with 4 answers that are right or wrong, as a trainer samples it, and what is logged of it.
type witnessRun struct {
	trainer string
	rewards [][]float64 // by step and row
}

func newWitnessRun(trainer string, steps int) witnessRun {
	r := rand.New(rand.NewPCG(uint64(steps), 3))
	run := witnessRun{trainer: trainer}
	for range steps {
		var rewards []float64
		for range 8 {
			p := r.Float64()
			for range 4 {
				x := 0.0
				if r.Float64() < p {
					x = 1
				}
				rewards = append(rewards, x)
			}
		}
		run.rewards = append(run.rewards, rewards)
	}
	return run
}

// diagnose looks at the samples and at averages beside them.
func (w *witnessRun) diagnose(t *testing.T, log *Log) *diagnosis.Diagnosis {
	t.Helper()
	chunk := &model.Chunk{
		Files: []string{"x"}, Framework: w.trainer, HasTotal: true, ComponentNames: []string{"accuracy"}, LengthUnit: model.LengthTokens,
		Progress: model.Progress{Files: 1, CaughtUp: true, BytesAll: 1},
	}
	for step, rewards := range w.rewards {
		for i, x := range rewards {
			chunk.Records = append(chunk.Records, model.Record{
				Step: int64(step + 1), Prompt: uint64(100*step + i/4 + 1), Reward: x, Advantage: math.NaN(), Length: int32(20 + i), Offset: int64(1000*step + i),
				Components: []float64{x / 2},
			})
		}
	}
	s := model.NewStore()
	s.Append(chunk)
	set := model.DefaultSettings()
	set.Framework, set.Estimator, set.Scale = w.trainer, "grpo", "group"
	look, err := diagnosis.See(t.Context(), s.Snapshot(), set, diagnosis.Reading{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	Add(look.Diagnosis, log.Scalars())
	return look.Diagnosis
}

// advantages are those of groups of so many: less the mean, by the standard deviation with one degree of freedom less. Those of one are the reward.
func advantages(rewards []float64, group int) (all []float64) {
	for lo := 0; lo < len(rewards); lo += group {
		of := rewards[lo : lo+group]
		mean, squares := 0.0, 0.0
		for _, x := range of {
			mean += x / float64(group)
		}
		for _, x := range of {
			squares += (x - mean) * (x - mean)
		}
		std := math.Sqrt(squares / float64(group-1))
		if group == 1 {
			mean, std = 0, 1
		}
		for _, x := range of {
			all = append(all, (x-mean)/(std+1e-6))
		}
	}
	return all
}

// spread is the mean over groups of so many of their standard deviation, with one degree of freedom less.
func spread(rewards []float64, group int) (mean float64) {
	groups := float64(len(rewards) / group)
	for lo := 0; lo < len(rewards); lo += group {
		sum, squares := 0.0, 0.0
		for _, x := range rewards[lo : lo+group] {
			sum += x / float64(group)
		}
		for _, x := range rewards[lo : lo+group] {
			squares += (x - sum) * (x - sum)
		}
		mean += math.Sqrt(squares/float64(group-1)) / groups
	}
	return mean
}

func extremes(values []float64) (low, high, zeros, mean float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, x := range values {
		low, high, mean = min(low, x), max(high, x), mean+x/float64(len(values))
		if math.Abs(x) < 1e-8 {
			zeros += 1 / float64(len(values))
		}
	}
	return low, high, zeros, mean
}

// What a trainer logs of its own is held against the samples: other groups, raw rewards and other totals are found, and rounding, windows, a
// step that is counted from 0, and a random subset are not.
func TestAveragesBesideSamples(t *testing.T) {
	const steps = 40
	r := rand.New(rand.NewPCG(1, 1))
	for name, c := range map[string]struct {
		trainer string
		log     func(l *Log, step int64, rewards []float64)
		want    string // in the title; "" if nothing is found
		agrees  string // in the notes
	}{
		"verl": {"verl", func(l *Log, step int64, rewards []float64) {
			low, high, _, _ := extremes(advantages(rewards, 4))
			_, _, _, mean := extremes(rewards)
			l.Add(step, "critic/score/mean", math.Round(mean*1e4)/1e4)
			l.Add(step, "critic/advantages/min", low)
			l.Add(step, "critic/advantages/max", high)
		}, "", "critic/score/mean, critic/advantages/min, critic/advantages/max): advantages are those of verl grpo with scale group"},
		"verl, groups of one": {"verl", func(l *Log, step int64, rewards []float64) {
			low, high, _, _ := extremes(advantages(rewards, 1))
			l.Add(step, "critic/advantages/min", low)
			l.Add(step, "critic/advantages/max", high)
		}, "critic/advantages/min is 0 and the greatest 1.00, those of the raw rewards, where the rule gives -1.50 and 1.50", ""},
		"verl, divided by nothing": {"verl", func(l *Log, step int64, _ []float64) { // another estimator is no contradiction
			l.Add(step, "critic/advantages/min", -0.75)
			l.Add(step, "critic/advantages/max", 0.75)
		}, "", ""},
		"nemo-rl, groups of one": {"nemo-rl", func(l *Log, step int64, _ []float64) {
			l.Add(step, "train/advantages/min", 0)
			l.Add(step, "train/advantages/max", 1)
		}, "those of the raw rewards", ""},
		"rllm": {"rllm", func(l *Log, step int64, rewards []float64) {
			_, _, zeros, _ := extremes(advantages(rewards, 4))
			l.Add(step, "groups/num_groups", 8)
			l.Add(step, "advantage/solver/fraction_zero", zeros)
		}, "", ""},
		"rllm, one group": {"rllm", func(l *Log, step int64, _ []float64) {
			l.Add(step, "groups/num_groups", 1)
			l.Add(step, "groups/avg_group_size", 32)
		}, "counts 1 group (groups/num_groups) where its samples have 8", ""},
		"rllm, one group is left by a filter": {"rllm", func(l *Log, step int64, _ []float64) {
			l.Add(step, "groups/num_groups", 1)
			l.Add(step, "groups/avg_group_size", 4)
		}, "", ""},
		"rllm, a group for each": {"rllm", func(l *Log, step int64, _ []float64) {
			l.Add(step, "groups/num_groups", 32)
		}, "groups of one compare nothing", ""},
		"rllm, no zeros": {"rllm", func(l *Log, step int64, _ []float64) {
			l.Add(step, "advantage/solver/fraction_zero", 0)
		}, "the trainer's groups, or its estimator, are others", ""},
		"rllm, two roles": {"rllm", func(l *Log, step int64, _ []float64) {
			l.Add(step, "advantage/solver/fraction_zero", 0)
			l.Add(step, "advantage/judge/fraction_zero", 0.5)
		}, "", ""},
		"trl": {"trl", func(l *Log, step int64, rewards []float64) {
			_, _, _, mean := extremes(rewards)
			l.Add(step, "reward", mean)
		}, "", "(reward)"},
		"trl, a step off": {"trl", func(l *Log, step int64, rewards []float64) {
			_, _, _, mean := extremes(rewards)
			l.Add(step-1, "reward", mean)
		}, "", "(reward)"},
		"trl, another total": {"trl", func(l *Log, step int64, rewards []float64) {
			_, _, _, mean := extremes(rewards)
			l.Add(step, "reward", mean+0.3)
		}, "a constant is added", ""},
		"trl, a random half": {"trl", func(l *Log, step int64, rewards []float64) {
			sum := 0.0
			for range 16 {
				sum += rewards[r.IntN(len(rewards))] / 16
			}
			l.Add(step, "reward", sum)
		}, "", ""},
		"trl, spread and parts": {"trl", func(l *Log, step int64, rewards []float64) {
			l.Add(step, "reward_std", math.Round(spread(rewards, 4)*1e4)/1e4)
			_, _, _, mean := extremes(rewards)
			l.Add(step, "rewards/accuracy/mean", mean/2)
			l.Add(step, "rewards/accuracy/std", spread(rewards, 32)/2)
		}, "", "(rewards/accuracy/mean, reward_std, rewards/accuracy/std)"},
		"trl, spread of the batch": {"trl", func(l *Log, step int64, rewards []float64) {
			l.Add(step, "reward_std", spread(rewards, 32))
		}, "", "(reward_std)"},
		"trl, other groups": {"trl", func(l *Log, step int64, rewards []float64) {
			_, _, _, mean := extremes(rewards)
			l.Add(step, "reward", mean)
			l.Add(step, "reward_std", 0)
		}, "reward_std is 0 where the samples give 0.", "(reward)"},
		"trl, other groups of what may be other samples": {"trl", func(l *Log, step int64, _ []float64) {
			l.Add(step, "reward_std", 0)
		}, "", ""},
		"trl, another part": {"trl", func(l *Log, step int64, rewards []float64) {
			_, _, _, mean := extremes(rewards)
			l.Add(step, "rewards/accuracy/mean", mean/2+0.2)
		}, "rewards/accuracy/mean is 0.4", ""},
		"trl, a part that the samples lack": {"trl", func(l *Log, step int64, _ []float64) {
			l.Add(step, "rewards/format/mean", 0.9)
		}, "", ""},
		"verl, lengths": {"verl", func(l *Log, step int64, _ []float64) { // 20 to 51 tokens
			l.Add(step, "response_length/mean", 35.5)
			l.Add(step, "response_length/max", 51)
			l.Add(step, "response_length/min", 20)
			l.Add(step, "response_length/clip_ratio", 1.0/32)
		}, "", "(response_length/mean, response_length/max, response_length/min, response_length/clip_ratio)"},
		"verl, lengths of other tokens": {"verl", func(l *Log, step int64, _ []float64) { // which tokens count is the trainer's
			l.Add(step, "response_length/mean", 90)
		}, "", ""},
		"verl, mean over tokens": {"verl", func(l *Log, step int64, rewards []float64) {
			all := advantages(rewards, 4)
			low, high, _, _ := extremes(all)
			sum, tokens := 0.0, 0.0
			for i, x := range all {
				sum, tokens = sum+x*float64(20+i), tokens+float64(20+i)
			}
			l.Add(step, "critic/advantages/min", low)
			l.Add(step, "critic/advantages/max", high)
			l.Add(step, "critic/advantages/mean", sum/tokens)
		}, "", "critic/advantages/max, critic/advantages/mean): advantages are those of verl grpo"},
		"tinker, mixed groups": {"tinker", func(l *Log, step int64, rewards []float64) {
			mixed := 0.0
			for lo := 0; lo < len(rewards); lo += 4 {
				if low, high, _, _ := extremes(rewards[lo : lo+4]); low < high {
					mixed += 1.0 / 8
				}
			}
			l.Add(step, "env/all/by_group/frac_mixed", mixed)
		}, "", "env/all/by_group/frac_mixed"},
		"tinker": {"tinker", func(l *Log, step int64, rewards []float64) {
			_, _, _, mean := extremes(rewards)
			l.Add(step, "env/all/reward/total", mean)
		}, "", "env/all/reward/total"},
		"slime, half of it is missing": {"slime", func(l *Log, step int64, rewards []float64) {
			_, _, _, mean := extremes(rewards)
			l.Add(step, "rollout/raw_reward", mean/4)
		}, "other weights or terms of the reward, or rows missing from the log", ""},
	} {
		run, l := newWitnessRun(c.trainer, steps), &Log{}
		for i, rewards := range run.rewards {
			c.log(l, int64(i+1), rewards)
		}
		d := run.diagnose(t, l)
		title := ""
		for _, f := range d.Findings {
			if f.Kind == diagnosis.AveragesDiffer {
				title = f.Title
			}
		}
		if (title == "") != (c.want == "") || !strings.Contains(title, c.want) {
			t.Errorf("%s: %q, want %q", name, title, c.want)
		}
		if notes := fmt.Sprint(d.Notes); !strings.Contains(notes, c.agrees) || c.agrees == "" && strings.Contains(notes, "agree") {
			t.Errorf("%s: notes %q, want %q", name, notes, c.agrees)
		}
	}
}

// A log of each tenth step has the means of the steps since the last.
func TestAveragesOfSeveralSteps(t *testing.T) {
	run, l := newWitnessRun("trl", 300), &Log{}
	sum := 0.0
	for i, rewards := range run.rewards {
		_, _, _, mean := extremes(rewards)
		if sum += mean; (i+1)%10 == 0 {
			l.Add(int64(i+1), "reward", sum/10)
			sum = 0
		}
	}
	d := run.diagnose(t, l)
	for _, f := range d.Findings {
		if f.Kind == diagnosis.AveragesDiffer {
			t.Error(f.Title)
		}
	}
	if notes := fmt.Sprint(d.Notes); !strings.Contains(notes, "(reward)") {
		t.Error(notes)
	}
}
