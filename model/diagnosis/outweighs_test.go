package diagnosis

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"vantage/estimators"
	"vantage/model"
)

// Wrong answers that win over right ones are said, with the part that lifts them; not where a part is smaller than what is right.
func TestPartOutweighs(t *testing.T) {
	rewards := func(accuracy, form float64) func(float64, *rand.Rand) (float64, []float64) {
		return func(_ float64, r *rand.Rand) (float64, []float64) {
			right, formed := verdict(r, 0.5), verdict(r, 0.6)
			return accuracy*right + form*formed, []float64{right, formed}
		}
	}
	for name, c := range map[string]struct {
		accuracy, form float64
		isSaid         bool
	}{
		"form counts fifty times": {0.1, 5, true},
		"twice":                   {1, 2, true},
		"a bonus for form":        {1, 0.5, false},
		"as much":                 {1, 1, false}, // a wrong answer in the right form is as good as a right one in a wrong form
	} {
		f := seen(t, sumRun(30, []string{"accuracy_reward", "format_reward"}, rewards(c.accuracy, c.form))).of(PartOutweighs)
		switch {
		case !c.isSaid && f != nil:
			t.Errorf("%s: %s", name, f.Title)
		case c.isSaid && (f == nil || f.Since != 1 || !strings.Contains(f.Title, "format_reward outweighs accuracy_reward")):
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// A weight that is changed in the middle has an onset.
func TestPartOutweighsFromAStepOn(t *testing.T) {
	snap := sumRun(60, []string{"accuracy_reward", "format_reward"}, func(done float64, r *rand.Rand) (float64, []float64) {
		right, formed := verdict(r, 0.5), verdict(r, 0.6)
		if done < 0.5 {
			return right, []float64{right, formed}
		}
		return right + 3*formed, []float64{right, formed}
	})
	if f := seen(t, snap).of(PartOutweighs); f == nil || f.Since != 31 {
		t.Errorf("%+v, want one since step 31", f)
	}
}

// A source whose rewards are ten times as large is said where the scale does not even that out.
func TestSourceOutweighs(t *testing.T) {
	run := func(times float64) (model.Snapshot, Reading) {
		snap, texts := shapeOf(40, 8, func(rng *rand.Rand, step, prompt, _ int) sample {
			s := sample{prompt: 100*step + prompt, reward: verdict(rng, 0.5), length: 60, asks: "What is left?", answer: "so we say", source: "math"}
			if prompt%2 == 0 {
				s.reward, s.source = times*s.reward, "code"
			}
			return s
		})
		return snap, Reading{Texts: texts}
	}
	for _, c := range []struct {
		times  float64
		scale  estimators.Scale
		isSaid bool
	}{
		{10, estimators.ScaleBatch, true},
		{10, estimators.ScaleNone, true},
		{10, estimators.ScaleGroup, false},
		{2, estimators.ScaleBatch, false},
	} {
		snap, reading := run(c.times)
		set := model.DefaultSettings()
		set.Scale = c.scale
		look, err := See(t.Context(), snap, set, reading, nil)
		if err != nil {
			t.Fatal(err)
		}
		f := look.Diagnosis.of(SourceOutweighs)
		switch {
		case !c.isSaid && f != nil:
			t.Errorf("%g times, scale %s: %s", c.times, c.scale, f.Title)
		case c.isSaid && (f == nil || !strings.Contains(f.Title, "rewards of source code are")):
			t.Errorf("%g times, scale %s: %+v", c.times, c.scale, f)
		}
	}
}

// Groups that hold one answer from the first step on are said, and not as equal rewards alone; brief answers to easy prompts are not.
func TestOneAnswerFromTheStart(t *testing.T) {
	run := func(say func(prompt, k int) string) *Diagnosis {
		snap, texts := shapeOf(30, 8, func(_ *rand.Rand, step, prompt, k int) sample {
			n := 100*step + prompt
			return sample{prompt: n, reward: float64(n % 2), length: 60, asks: fmt.Sprintf("What is %d less %d?", n, prompt), answer: say(n, k)}
		})
		look, err := See(t.Context(), snap, model.DefaultSettings(), Reading{Texts: texts}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return look.Diagnosis
	}
	sampled := run(func(prompt, k int) string {
		return fmt.Sprintf("in the way numbered %d we take it and find that %d remain after that", k, prompt)
	})
	brief := run(func(prompt, _ int) string { return fmt.Sprintf("it is %d", prompt) })
	greedy := run(func(prompt, _ int) string {
		return fmt.Sprintf("we take the one from the other and find that %d remain after that", prompt)
	})
	if f := greedy.of(AnswerCollapse); f == nil || f.Since != 1 || !strings.Contains(f.Advice, "temperature of 0") {
		t.Errorf("one answer for each prompt: %+v", f)
	}
	for name, d := range map[string]*Diagnosis{"sampled": sampled, "brief": brief} {
		if f := d.of(AnswerCollapse); f != nil {
			t.Errorf("%s: %s", name, f.Title)
		}
	}
}

// Of a group of thousands, as an evaluation of one prompt has, some answers are compared: all pairs would be millions.
func TestPairsOfALargeGroupAreFew(t *testing.T) {
	const rows = 3000
	r := rand.New(rand.NewPCG(7, 7))
	chunk := &model.Chunk{
		Files: []string{"x"}, ComponentNames: []string{"accuracy_reward", "format_reward"}, HasTotal: true, LengthUnit: model.LengthTokens,
		Progress: model.Progress{Files: 1, CaughtUp: true, BytesAll: 1},
	}
	for i := range 8 * rows {
		right, formed := verdict(r, 0.5), verdict(r, 0.6)
		chunk.Records = append(chunk.Records, model.Record{
			Step: int64(i/rows + 1), Prompt: 1, Reward: right + 5*formed, Components: []float64{right, formed}, Advantage: math.NaN(), Length: 20, Offset: int64(i),
		})
	}
	store := model.NewStore()
	store.Append(chunk)
	f := seen(t, store.Snapshot()).of(PartOutweighs)
	if f == nil || f.Since != 1 {
		t.Fatalf("%+v", f)
	}
	if steps := int(f.Evidence[0].AfterTo - f.Evidence[0].AfterFrom + 1); f.Evidence[0].AfterSamples > steps*32*32 { // half of 64 are right
		t.Errorf("%d pairs of %d steps are compared", f.Evidence[0].AfterSamples, steps)
	}
}
