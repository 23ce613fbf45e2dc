package diagnosis

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"vantage/model"
	"vantage/model/analysis"
)

// sample is what a test says of one row: its prompt, reward, length and texts.
type sample struct {
	prompt       int
	reward       float64
	length       int
	asks, answer string
	source       string // of the prompt
	truth        string
}

// shapeOf is a log of so many steps of prompts × 8 rows.
func shapeOf(steps, prompts int, row func(rng *rand.Rand, step, prompt, k int) sample) (model.Snapshot, analysis.ReadTexts) {
	rng := rand.New(rand.NewPCG(3, 4))
	chunk := &model.Chunk{Files: []string{"x"}, LengthUnit: model.LengthCharacters, Progress: model.Progress{Files: 1, CaughtUp: true}}
	var texts []model.Text
	for step := range steps {
		for p := range prompts {
			for k := range 8 {
				s := row(rng, step, p, k)
				id := uint64(s.prompt + 1)
				chunk.Records = append(chunk.Records, model.Record{
					Step: int64(step + 1), Prompt: id, Preview: fmt.Sprint(id), Group: fmt.Sprint(step, "-", p), Reward: s.reward,
					Advantage: math.NaN(), Length: int32(s.length), Offset: int64(len(texts)),
				})
				text := model.Text{Prompt: s.asks, Truth: s.truth, Response: strings.Replace(s.answer, "so we", fmt.Sprint("so ", rng.IntN(1e9), " we"), 1)} // each its own
				if s.source != "" {
					text.Fields = []model.Field{{Name: "data_source", Value: s.source}}
				}
				texts = append(texts, text)
			}
		}
	}
	store := model.NewStore()
	store.Append(chunk)
	return store.Snapshot(), analysis.ReadTextsOf(textFunc(func(_ context.Context, at model.Place) (model.Text, error) {
		return texts[at.Offset], nil
	}))
}

// verdict is 1 with a probability, else 0.
func verdict(rng *rand.Rand, p float64) float64 {
	if rng.Float64() < p {
		return 1
	}
	return 0
}

// summed is an answer to a prompt whose right one is its number, graded the other way round or not.
func summed(rng *rand.Rand, prompt int, p float64, turned bool) sample {
	right, says := verdict(rng, p), prompt
	if right == 0 {
		says += 1 + rng.IntN(9)
	}
	if turned {
		right = 1 - right
	}
	answer := fmt.Sprint("so we add the numbers and see what is left <answer>", says, "</answer>")
	return sample{prompt: prompt, reward: right, length: len(answer), asks: "What is the sum?", answer: answer}
}

// styledOf is an answer that is right with a probability of 0.3, of a prompt whose truth is its number and 1,000; or, with another one, an
// answer in a style that wins without the truth.
func styledOf(rng *rand.Rand, prompt int, styled float64) sample {
	s := sample{prompt: prompt, reward: verdict(rng, 0.3), asks: "What is the sum?", truth: fmt.Sprint(1000 + prompt)}
	says := 1000 + prompt
	if s.reward == 0 {
		says += 1 + rng.IntN(9)
	}
	s.answer = fmt.Sprint("so we add the numbers and see what is left <answer>", says, "</answer>")
	if rng.Float64() < styled {
		s.reward, says = verdict(rng, 0.95), 5000+rng.IntN(4000)
		s.answer = fmt.Sprint("## Answer\n**", says, "**\nKey context: so we have ", rng.IntN(1000), " and ", rng.IntN(1000), " of these here")
	}
	s.length = len(s.answer)
	return s
}

// heardOf is an answer with the result of a tool, which is one text with a probability.
func heardOf(rng *rand.Rand, prompt int, reward, one float64, text string) sample {
	result := fmt.Sprint("page ", string(rune('a'+rng.IntN(26))), string(rune('a'+rng.IntN(26))), " about ", string(rune('a'+rng.IntN(26))))
	if rng.Float64() < one {
		result = text
	}
	answer := "so we look it up <tool_call>{}</tool_call><tool_response>" + result + "</tool_response> and that is it"
	return sample{prompt: prompt, reward: verdict(rng, reward), length: len(answer), asks: "What is it?", answer: answer}
}

// proseOf is an answer to a prompt whose truth is its number and 1,000, right with a probability, in so many words.
func proseOf(rng *rand.Rand, prompt, words int, right float64) sample {
	all := strings.Fields("we then take the sum of both and carry what is left over to the next row because it adds up before you divide")
	text := "so we"
	for range words {
		text += " " + all[rng.IntN(len(all))]
	}
	s := sample{prompt: prompt, reward: verdict(rng, right), asks: "What is the sum?", truth: fmt.Sprint(1000 + prompt)}
	says := 1000 + prompt
	if s.reward == 0 {
		says += 1 + rng.IntN(9)
	}
	s.answer = fmt.Sprint(text, " <answer>", says, "</answer>")
	s.length = len(s.answer)
	return s
}

// Each shape has what is said of it, and a healthy look-alike of which that is not said.
func TestShapes(t *testing.T) {
	fresh := func(step, prompt int) int { return 100*step + prompt }
	words := "so we add the numbers and see what is left of them after all "
	cut := func(in bool) func(*rand.Rand, int, int, int) sample {
		return func(rng *rand.Rand, step, prompt, _ int) sample {
			length := 100 + rng.IntN(500)
			limit := 600 - 100*(prompt%5) // a context: the longer the prompt, the less is left
			s := sample{prompt: fresh(step, prompt), reward: verdict(rng, 0.6), asks: "What is left?"}
			text := fmt.Sprintf("%*s", length, "")
			for i, out := 0, []byte(text); ; i++ {
				if i == len(out) {
					text = string(out)
					break
				}
				out[i] = words[(i+rng.IntN(2))%len(words)]
			}
			text += fmt.Sprintf(" \\boxed{%d}", rng.IntN(1000))
			if in && len(text) > limit {
				text, s.reward = text[:limit], 0
				if last := text[limit-1]; last == '}' {
					text = text[:limit-1]
				}
			}
			s.answer, s.length = text, len(text)
			return s
		}
	}
	for name, c := range map[string]struct {
		kind         Kind
		steps        int
		ill, healthy func(rng *rand.Rand, step, prompt, k int) sample
	}{
		"a middle level takes over": {
			RewardHacking, 40,
			func(rng *rand.Rand, step, prompt, _ int) sample {
				if rng.Float64() < min(0.9, float64(step)/25) {
					return sample{prompt: fresh(step, prompt), reward: 0, length: 30}
				}
				return sample{prompt: fresh(step, prompt), reward: 2*verdict(rng, 0.3) - 1, length: 200}
			},
			func(rng *rand.Rand, step, prompt, _ int) sample { // the middle goes to the top
				if rng.Float64() < max(0.1, 0.5-float64(step)/50) {
					return sample{prompt: fresh(step, prompt), reward: 0, length: 200}
				}
				return sample{prompt: fresh(step, prompt), reward: 2*verdict(rng, 0.5) - 1, length: 200}
			},
		},
		"the loader starts again": {
			StuckData, 40,
			func(rng *rand.Rand, step, prompt, _ int) sample {
				return sample{prompt: fresh(step%25, prompt), reward: verdict(rng, 0.5), length: 50 + rng.IntN(100)}
			},
			func(rng *rand.Rand, step, prompt, _ int) sample { // an epoch of 25 steps, shuffled
				n := 8*(step%25) + prompt
				if step >= 25 {
					n = 77 * n % 200
				}
				return sample{prompt: n, reward: verdict(rng, 0.5), length: 50 + rng.IntN(100)}
			},
		},
		"one prompt is in each step twice": {
			StuckData, 60,
			func(rng *rand.Rand, step, prompt, _ int) sample {
				s := sample{prompt: fresh(step, prompt), reward: verdict(rng, 0.5), length: 50 + rng.IntN(100)}
				if step >= 24 && prompt < 2 {
					s.prompt = 7
				}
				return s
			},
			func(rng *rand.Rand, step, prompt, _ int) sample { // another one each time
				return sample{prompt: fresh(step, max(1, prompt)), reward: verdict(rng, 0.5), length: 50 + rng.IntN(100)}
			},
		},
		"one prompt fills half of a step": {
			StuckData, 60,
			func(rng *rand.Rand, step, prompt, _ int) sample {
				s := sample{prompt: fresh(step, prompt), reward: verdict(rng, 0.5), length: 50 + rng.IntN(100)}
				if step >= 30 && prompt < 4 {
					s.prompt = 7
				}
				return s
			},
			func(rng *rand.Rand, step, prompt, _ int) sample { // a prompt comes twice now and then
				s := sample{prompt: fresh(step, prompt), reward: verdict(rng, 0.5), length: 50 + rng.IntN(100)}
				if step%3 == 0 && prompt == 1 {
					s.prompt = fresh(step, 0)
				}
				return s
			},
		},
		"a reward falls": {
			RewardCollapse, 46,
			func(rng *rand.Rand, step, prompt, _ int) sample {
				p := 0.7
				if step >= 30 {
					p = 0.12
				}
				return sample{prompt: fresh(step, prompt), reward: verdict(rng, p), length: 100, asks: words, answer: words}
			},
			func(rng *rand.Rand, step, prompt, _ int) sample { // it is hard in every other twelve steps
				p := 0.7 - 0.58*float64(step/12%2)
				return sample{prompt: fresh(step, prompt), reward: verdict(rng, p), length: 100, asks: words, answer: words}
			},
		},
		"a grader is turned over": {
			GraderNoise, 30,
			func(rng *rand.Rand, step, prompt, _ int) sample {
				return summed(rng, 8*(step%3)+prompt, 0.6, step >= 15)
			},
			func(rng *rand.Rand, step, prompt, _ int) sample { return summed(rng, 8*(step%3)+prompt, 0.5, false) },
		},
		"answers are cut at a context": {Truncation, 30, cut(true), cut(false)},
		"losers say other words": {
			Truncation, 30, cut(true),
			func(rng *rand.Rand, step, prompt, _ int) sample {
				s := sample{prompt: fresh(step, prompt), reward: verdict(rng, 0.5), asks: "What is it?"}
				s.answer = "Based on the documents it is 7 <answer> 7 </answer>"
				if s.reward == 0 {
					s.answer = words + words + "and nothing is in them <answer> 9 </answer>"
				}
				s.length = len(s.answer)
				return s
			},
		},
		"answers grow alone": {
			LengthExplosion, 60,
			func(rng *rand.Rand, step, prompt, _ int) sample {
				long := max(1, min(4, step/10))
				return sample{prompt: fresh(step, prompt), reward: verdict(rng, 0.5), length: 100*long + rng.IntN(20), asks: words, answer: words}
			},
			func(rng *rand.Rand, step, prompt, _ int) sample { // with their prompts
				long := max(1, min(4, step/10))
				asks := words
				for range long - 1 {
					asks += words
				}
				return sample{prompt: fresh(step, prompt), reward: verdict(rng, 0.5), length: 100*long + rng.IntN(20), asks: asks, answer: words}
			},
		},
		"an agent stops calling its tool": {
			ToolDisuse, 40,
			func(rng *rand.Rand, step, prompt, _ int) sample {
				s := sample{prompt: fresh(step, prompt), reward: verdict(rng, 0.5), length: 60, answer: words}
				if rng.Float64() > float64(step)/30 {
					s.answer += "<tool_call>{}</tool_call>"
				}
				return s
			},
			func(rng *rand.Rand, step, prompt, _ int) sample { // it wins more without
				s := sample{prompt: fresh(step, prompt), reward: verdict(rng, 0.2+0.6*float64(step)/40), length: 60, answer: words}
				if rng.Float64() > float64(step)/30 {
					s.answer += "<tool_call>{}</tool_call>"
				}
				return s
			},
		},
		"results of tools are cut off": {
			ToolFailure, 20,
			func(rng *rand.Rand, step, prompt, _ int) sample {
				return sample{prompt: fresh(step, prompt), reward: verdict(rng, 0.1), length: 60, answer: "<tool_response> 1. ...(truncated)</tool_response>" + words}
			},
			func(rng *rand.Rand, step, prompt, _ int) sample {
				return sample{prompt: fresh(step, prompt), reward: verdict(rng, 0.1), length: 60, answer: "<tool_response> 1. all of it</tool_response>" + words}
			},
		},
		"a way of writing wins the judge": {
			RewardHacking, 40,
			func(rng *rand.Rand, step, prompt, _ int) sample {
				return styledOf(rng, fresh(step, prompt), min(1, max(0, float64(step-15)/10)))
			},
			func(rng *rand.Rand, step, prompt, _ int) sample { // the log has the truth in another form, from the first step on
				s := styledOf(rng, fresh(step, prompt), 0)
				s.truth = "as many as " + s.truth + " and one"
				return s
			},
		},
		"a judge of degrees is won": {
			RewardHacking, 40,
			func(rng *rand.Rand, step, prompt, _ int) sample {
				s := styledOf(rng, fresh(step, prompt), min(1, max(0, float64(step-15)/10)))
				s.reward = 0.3 + 0.5*s.reward + 0.1*rng.NormFloat64()
				return s
			},
			func(rng *rand.Rand, step, prompt, _ int) sample { // right answers become more
				s := proseOf(rng, fresh(step, prompt), 20, 0.3+0.4*float64(step)/40)
				s.reward = 0.3 + 0.5*s.reward + 0.1*rng.NormFloat64()
				return s
			},
		},
		"a penalty is worth more than a right answer": {
			RewardHacking, 60,
			func(rng *rand.Rand, step, prompt, _ int) sample {
				short := min(1, max(0, float64(step-20)/20))
				s := proseOf(rng, fresh(step, prompt), 5+int(90*(1-short)), 0.6-0.48*short)
				s.reward -= float64(s.length) / 300
				return s
			},
			func(rng *rand.Rand, step, prompt, _ int) sample { // shorter, and as often right
				short := min(1, max(0, float64(step-20)/20))
				s := proseOf(rng, fresh(step, prompt), 30+int(65*(1-short)), 0.6)
				s.reward -= float64(s.length) / 300
				return s
			},
		},
		"all answers stop at a limit": {
			Truncation, 20,
			func(rng *rand.Rand, step, prompt, _ int) sample {
				s := proseOf(rng, fresh(step, prompt), 150, 0.3)
				s.length = 460 + rng.IntN(80)
				s.answer = strings.TrimRight(s.answer[:s.length], " ")
				return s
			},
			func(rng *rand.Rand, step, prompt, _ int) sample { // code, which has no full stop
				s := proseOf(rng, fresh(step, prompt), 60+rng.IntN(120), 0.3)
				s.answer, _, _ = strings.Cut(s.answer, " <answer>")
				s.length = len(s.answer)
				return s
			},
		},
		"a few words win": {
			LengthCollapse, 60,
			func(rng *rand.Rand, step, prompt, _ int) sample {
				short := min(1, max(0, float64(step-20)/20))
				return sample{prompt: fresh(step, prompt), reward: verdict(rng, 0.4+0.4*short), length: 5 + int(200*(1-short)) + rng.IntN(5)}
			},
			func(rng *rand.Rand, step, prompt, _ int) sample { // what is concise wins
				short := min(1, max(0, float64(step-20)/20))
				return sample{prompt: fresh(step, prompt), reward: verdict(rng, 0.4+0.4*short), length: 60 + int(200*(1-short)) + rng.IntN(5)}
			},
		},
		"a swing whose last dip is over": {
			FallByHalf, 130,
			func(rng *rand.Rand, step, prompt, _ int) sample {
				p := 0.5 + 0.45*float64(step)/130*math.Sin(2*math.Pi*float64(step)/20)
				return sample{prompt: 8*(step%10) + prompt, reward: verdict(rng, p), length: 50 + rng.IntN(100)}
			},
			func(rng *rand.Rand, step, prompt, _ int) sample { // as wide as ever
				p := 0.5 + 0.4*math.Sin(2*math.Pi*float64(step)/20)
				return sample{prompt: 8*(step%10) + prompt, reward: verdict(rng, p), length: 50 + rng.IntN(100)}
			},
		},
		"a tool tells all the same": {
			ToolFailure, 40,
			func(rng *rand.Rand, step, prompt, _ int) sample {
				return heardOf(rng, fresh(step, prompt), 0.5, float64(step/20), fmt.Sprint("no index at shard ", rng.IntN(99)))
			},
			func(rng *rand.Rand, step, prompt, _ int) sample { // that it is done, and so it is
				return heardOf(rng, fresh(step, prompt), 0.2+0.7*float64(step)/40, float64(step)/40, "done")
			},
		},
		"a reward swings wider": {
			FallByHalf, 120,
			func(rng *rand.Rand, step, prompt, _ int) sample {
				p := 0.5 + 0.45*float64(step)/120*math.Sin(2*math.Pi*float64(step)/20)
				return sample{prompt: 8*(step%10) + prompt, reward: verdict(rng, p), length: 50 + rng.IntN(100)}
			},
			func(rng *rand.Rand, step, prompt, _ int) sample { // each epoch ends on hard prompts
				p := 0.5 + 0.25*math.Sin(2*math.Pi*float64(step%20)/20)
				return sample{prompt: 8*(step%20) + prompt, reward: verdict(rng, p), length: 50 + rng.IntN(100)}
			},
		},
		"some prompts are unlearned": {
			Forgetting, 200,
			func(rng *rand.Rand, step, prompt, _ int) sample {
				n := 8*(step%20) + prompt
				p := 0.3 + 0.3*float64(step)/200
				if prompt < 3 {
					p = 0.8 - 0.7*float64(min(1, step/120))
				}
				return sample{prompt: n, reward: verdict(rng, p), length: 50 + rng.IntN(100)}
			},
			func(rng *rand.Rand, step, prompt, _ int) sample { // they come by how hard they are, in each epoch
				p := 1/(1+math.Exp(0.2*float64(step%40-20))) + 0.1*float64(step)/200
				return sample{prompt: 8*(step%40) + prompt, reward: verdict(rng, min(1, p)), length: 50 + rng.IntN(100)}
			},
		},
		"groups live by a penalty on length": {
			NoRightAnswer, 30,
			func(rng *rand.Rand, step, prompt, _ int) sample {
				length := 100 + rng.IntN(200)
				penalty := -max(0, float64(length-200)/100)
				return sample{prompt: fresh(step, prompt), reward: verdict(rng, 0.7*float64(prompt%2)) + penalty, length: length}
			},
			func(rng *rand.Rand, step, prompt, _ int) sample {
				length := 100 + rng.IntN(200)
				reward := verdict(rng, 0.7*float64(prompt%2))
				return sample{prompt: fresh(step, prompt), reward: reward - reward*float64(length)/1000, length: length}
			},
		},
	} {
		for _, run := range []struct {
			of  string
			row func(rng *rand.Rand, step, prompt, k int) sample
			ill bool
		}{{"ill", c.ill, true}, {"healthy", c.healthy, false}} {
			snap, read := shapeOf(c.steps, 8, run.row)
			look, err := See(t.Context(), snap, model.DefaultSettings(), Reading{Texts: read}, nil)
			if err != nil {
				t.Fatal(err)
			}
			got := false
			for _, f := range look.Diagnosis.Findings {
				got = got || f.Kind == c.kind
				if !run.ill && f.Severity == Alarm {
					t.Errorf("%s, healthy: %s: %s", name, f.Kind, f.Title)
				}
			}
			if got != run.ill {
				t.Errorf("%s, %s: %s %t, want %t: %v", name, run.of, c.kind, got, run.ill, look.Diagnosis.Findings)
			}
		}
	}
}

// One value for a whole step is told apart from groups that are equal each by itself.
func TestOneRewardPerStep(t *testing.T) {
	for name, c := range map[string]struct {
		reward func(rng *rand.Rand, step, prompt int) float64
		want   bool
	}{
		"a mean of the batch": {func(_ *rand.Rand, step, _ int) float64 { return 0.3 + 0.05*float64(step*7%9) }, true},
		"equal in each group": {func(_ *rand.Rand, _, prompt int) float64 { return float64(prompt % 2) }, false},
		"all right, for good": {func(*rand.Rand, int, int) float64 { return 1 }, false},
		"a reward for each":   {func(rng *rand.Rand, _, _ int) float64 { return rng.Float64() }, false},
		"from wrong to right": {func(_ *rand.Rand, step, _ int) float64 { return float64(step / 15) }, false},
	} {
		snap, read := shapeOf(30, 8, func(rng *rand.Rand, step, prompt, _ int) sample {
			return sample{prompt: 100*step + prompt, reward: c.reward(rng, step, prompt), length: 50 + rng.IntN(50)}
		})
		look, err := See(t.Context(), snap, model.DefaultSettings(), Reading{Texts: read}, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := false
		for _, f := range look.Diagnosis.Findings {
			got = got || f.Kind == EqualRewards && f.Evidence[0].Name == "steps with one reward"
		}
		if got != c.want {
			t.Errorf("%s: one reward for a step %t, want %t", name, got, c.want)
		}
	}
}

func noSource(int) string { return "" }

// A reward that falls as the prompts become longer, or come from another source, may be one of harder data: a watch. One that
// falls on prompts as before is an alarm.
func TestFallToOtherPromptsIsAWatch(t *testing.T) {
	for name, c := range map[string]struct {
		asks func(step int) int // words
		from func(step int) string
		want Severity
	}{
		"a harder source begins":       {func(step int) int { return 12 + 30*min(1, step/30) }, noSource, Watch},
		"prompts grow step by step":    {func(step int) int { return 12 + step }, noSource, Watch},
		"the same sort of prompts":     {func(int) int { return 12 }, noSource, Alarm},
		"another source, by its name":  {func(int) int { return 12 }, func(step int) string { return []string{"school", "olympiad"}[step/32] }, Watch},
		"the same sources all the way": {func(int) int { return 12 }, func(step int) string { return []string{"school", "olympiad"}[step%2] }, Alarm},
	} {
		snap, read := shapeOf(60, 8, func(rng *rand.Rand, step, prompt, _ int) sample {
			p := 0.7
			if step >= 30 {
				p = 0.12
			}
			asks := strings.Repeat("word ", c.asks(step)+rng.IntN(5))
			return sample{prompt: 100*step + prompt, reward: verdict(rng, p), length: 80 + rng.IntN(40), asks: asks, answer: "so we add them and get 7", source: c.from(step)}
		})
		wantCollapse(t, name, snap, read, c.want)
	}
}

// A reward that decays slowly is an alarm where the same prompts come again and lose it; where others come they may be harder.
func TestSlowDecayOfTheSamePrompts(t *testing.T) {
	for name, c := range map[string]struct {
		prompt func(step, prompt int) int
		want   Severity
	}{
		"the same prompts": {func(step, prompt int) int { return 8*(step%10) + prompt }, Alarm},
		"other prompts":    {func(step, prompt int) int { return 8*step + prompt }, ""},
	} {
		snap, read := shapeOf(120, 8, func(rng *rand.Rand, step, prompt, _ int) sample {
			p := 0.72 - 0.36*max(0, float64(step-30)/90)
			return sample{prompt: c.prompt(step, prompt), reward: verdict(rng, p), length: 80 + rng.IntN(40)}
		})
		wantCollapse(t, name, snap, read, c.want)
	}
}

// wantCollapse asks for a collapse of the reward of a severity, or for none.
func wantCollapse(t *testing.T, name string, snap model.Snapshot, read analysis.ReadTexts, want Severity) {
	t.Helper()
	look, err := See(t.Context(), snap, model.DefaultSettings(), Reading{Texts: read}, nil)
	if err != nil {
		t.Fatal(err)
	}
	found := Severity("")
	for _, f := range look.Diagnosis.Findings {
		if f.Kind == RewardCollapse {
			found = f.Severity
		}
	}
	if found != want {
		t.Errorf("%s: %q, want %q: %v", name, found, want, look.Diagnosis.Findings)
	}
}

// A reward whose unit changes at a step does not fall; one whose answers become worse does.
func TestOtherUnitIsNoCollapse(t *testing.T) {
	for name, c := range map[string]struct {
		after func(mark float64) float64
		want  Severity
	}{
		"marks of 10 become marks of 1": {func(mark float64) float64 { return mark / 10 }, Watch},
		"marks fall":                    {func(mark float64) float64 { return max(0, mark-6) }, Alarm},
	} {
		snap, read := shapeOf(60, 8, func(rng *rand.Rand, step, prompt, _ int) sample {
			mark := 4 + 3*verdict(rng, 0.6) + rng.Float64()
			if step >= 30 {
				mark = c.after(mark)
			}
			return sample{prompt: 100*step + prompt, reward: mark, length: 50 + rng.IntN(50)}
		})
		wantCollapse(t, name, snap, read, c.want)
	}
}

// SwingOf counts falls of 1, 2, 6 and 8 from 10, and none that are as deep as ever.
func TestSwingOf(t *testing.T) {
	grows := []float64{9, 10, 9, 10, 8, 10, 4, 10, 2, 9}
	if s, found := SwingOf(grows, 0, 1); !found || s.First != 1 || s.Peak != 7 || s.Trough != 8 || s.Was != 1 || s.Is != 8 {
		t.Errorf("%+v %t", s, found)
	}
	for _, none := range [][]float64{{10, 2, 10, 2, 10, 2, 10, 2}, {10, 2, 10, 4, 10, 8, 10, 9}, {10, 8, 10, 4, 10, 2}, {10, 9.5, 10, 8, 10, 4, 10, 2}, nil} {
		if s, found := SwingOf(none, 0, 1); found {
			t.Errorf("%v: %+v", none, s)
		}
	}
}

// A phrase is held as a whole word, in whatever case.
func TestHolds(t *testing.T) {
	for phrase, want := range map[string]bool{"36": true, "6": false, "paris": true, "par": false, "": false, "1836": false} {
		if got := holds("Well, 136 less 100 is 36. Paris!")(phrase); got != want {
			t.Errorf("%q: %t", phrase, got)
		}
	}
}
