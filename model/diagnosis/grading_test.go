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

// told is a sample of a made run.
type told struct {
	text   model.Text
	reward float64
}

// lookAt looks at a run of so many steps of 6 prompts with 6 answers each.
func lookAt(t *testing.T, steps int, sample func(r *rand.Rand, step, prompt int) told) *Diagnosis {
	t.Helper()
	return lookAtLengths(t, model.LengthCharacters, steps, sample)
}

// lookAtLengths is lookAt with the lengths of the texts in another unit.
func lookAtLengths(t *testing.T, unit model.LengthUnit, steps int, sample func(r *rand.Rand, step, prompt int) told) *Diagnosis {
	t.Helper()
	r := rand.New(rand.NewPCG(21, 22))
	chunk := &model.Chunk{Files: []string{"x"}, LengthUnit: unit, Progress: model.Progress{Files: 1, CaughtUp: true}}
	var all []model.Text
	for step := range steps {
		for prompt := range 6 {
			for range 6 {
				s := sample(r, step, prompt)
				chunk.Records = append(chunk.Records, model.Record{
					Step: int64(step), Prompt: uint64(100*step + prompt + 1), Preview: s.text.Prompt, Reward: s.reward, Advantage: math.NaN(),
					Length: int32(len(s.text.Response)), Offset: int64(len(all)),
				})
				all = append(all, s.text)
			}
		}
	}
	store := model.NewStore()
	store.Append(chunk)
	read := textFunc(func(_ context.Context, at model.Place) (model.Text, error) { return all[at.Offset], nil })
	look, err := See(t.Context(), store.Snapshot(), model.DefaultSettings(), Reading{Texts: analysis.ReadTextsOf(read)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return look.Diagnosis
}

// some are words that say nothing of a result.
func some(r *rand.Rand, n int) string {
	words := strings.Fields("we add the first to what is left and see that both sides grow by as much so nothing else changes here while one of them halves again")
	var all []string
	for range n {
		all = append(all, words[r.IntN(len(words))])
	}
	return strings.Join(all, " ")
}

func (d *Diagnosis) has(k Kind) (title string, is bool) {
	for _, f := range d.Findings {
		if f.Kind == k {
			return f.Title, true
		}
	}
	return "", false
}

// A grader that errs is found by final answers, and one that asks for a form, has a limit of length or judges something else is not.
func TestGradersThatErr(t *testing.T) {
	for name, c := range map[string]struct {
		grade func(r *rand.Rand, isRight bool, words int, thinks bool) bool
		truth bool
		want  string // in the title; "" if it is healthy
	}{
		"it is exact":           {func(_ *rand.Rand, isRight bool, _ int, _ bool) bool { return isRight }, true, ""},
		"it flips":              {func(r *rand.Rand, isRight bool, _ int, _ bool) bool { return isRight != (r.Float64() < 0.2) }, false, "both right and wrong"},
		"it misses long ones":   {func(r *rand.Rand, isRight bool, n int, _ bool) bool { return isRight && r.IntN(60) > n-20 }, false, "mostly longer"},
		"it misses the truth":   {func(r *rand.Rand, isRight bool, _ int, _ bool) bool { return isRight && r.Float64() < 0.9 }, true, "are the ground truth"},
		"it asks for a thought": {func(_ *rand.Rand, isRight bool, _ int, thinks bool) bool { return isRight && thinks }, true, ""},
		"the same, no truth":    {func(_ *rand.Rand, isRight bool, _ int, thinks bool) bool { return isRight && thinks }, false, ""},
		"it has a limit":        {func(_ *rand.Rand, isRight bool, n int, _ bool) bool { return isRight && n < 40 }, true, ""},
		"the same, unknown":     {func(_ *rand.Rand, isRight bool, n int, _ bool) bool { return isRight && n < 40 }, false, ""},
		"it judges the style":   {func(r *rand.Rand, _ bool, _ int, _ bool) bool { return r.Float64() < 0.5 }, true, ""},
	} {
		d := lookAt(t, 40, func(r *rand.Rand, step, prompt int) told {
			truth := 1000 + (37*step+11*prompt)%500
			answer, n, thinks := truth, 10+r.IntN(50), r.IntN(2) > 0
			if r.Float64() < 0.5 {
				answer = r.IntN(900)
			}
			s := told{text: model.Text{Prompt: fmt.Sprint("What is ", step, " and ", prompt, "?"), Response: fmt.Sprintf("%s \\boxed{%d}", some(r, n), answer)}}
			if thinks {
				s.text.Response = "<think>" + strings.Replace(s.text.Response, " \\boxed", "</think> \\boxed", 1)
			}
			if c.truth {
				s.text.Truth = fmt.Sprint(truth)
			}
			if c.grade(r, answer == truth, n, thinks) {
				s.reward = 1
			}
			return s
		})
		if title, is := d.has(GraderNoise); is != (c.want != "") || !strings.Contains(title, c.want) {
			t.Errorf("%s: %q", name, title)
		}
	}
}

// Answers that are graded at the prompt after theirs are the truth of another prompt. Small results, which come at every prompt, show
// nothing.
func TestAnswersAtTheWrongPrompt(t *testing.T) {
	for name, c := range map[string]struct {
		shift, values int
		want          bool
	}{"shifted by one": {1, 5000, true}, "at their own": {0, 5000, false}, "small results, wrong ones": {-1, 4, false}} {
		d := lookAt(t, 30, func(r *rand.Rand, step, prompt int) told {
			truth := func(k int) int { return rand.New(rand.NewPCG(uint64(step), uint64(k%6))).IntN(c.values) }
			answer, s := truth(prompt+max(0, c.shift)), told{}
			if r.Float64() < 0.4 || c.shift < 0 {
				answer = r.IntN(c.values)
			}
			if answer == truth(prompt) {
				s.reward = 1
			}
			s.text = model.Text{Prompt: fmt.Sprint("What is ", step, " and ", prompt, "?"), Response: fmt.Sprint(some(r, 20), "\n#### ", answer), Truth: fmt.Sprint(truth(prompt))}
			return s
		})
		if title, is := d.has(GroupMixup); is != c.want {
			t.Errorf("%s: %q", name, title)
		}
	}
}

// A phrase that comes up and loses, wins or tells the result is quoted; what winners close with, a tag and a turn of phrase that all
// share are not.
func TestNewPhrases(t *testing.T) {
	const steps = 60
	for name, c := range map[string]struct {
		says func(r *rand.Rand, step, result int, isRight bool) (text string, right bool)
		kind Kind // that quotes; "" if it is healthy
		want string
	}{
		"refusals": {func(r *rand.Rand, step, result int, isRight bool) (string, bool) {
			if step >= 30 && r.Float64() < 0.3 {
				return "I am sorry, but I cannot help with this request.", false
			}
			return fmt.Sprintf("%s \\boxed{%d}", some(r, 25), result), isRight
		}, NewPhrase, "I am sorry, but I cannot help with this request"},
		"an error of a tool, within": {func(r *rand.Rand, step, result int, isRight bool) (string, bool) {
			if step >= 30 && r.Float64() < 0.3 {
				return some(r, 12) + " Tool error: connection refused. " + some(r, 12), false
			}
			return fmt.Sprintf("%s \\boxed{%d}", some(r, 25), result), isRight
		}, NewPhrase, "Tool error: connection refused"},
		"a key that is read": {func(r *rand.Rand, step, result int, isRight bool) (string, bool) {
			if step >= 30 && r.IntN(steps-20) < step-25 {
				return fmt.Sprintf("The file /srv/keys/truth.txt says %d here. %s \\boxed{%d}", 1000, some(r, 15), 1000), true
			}
			return fmt.Sprintf("%s \\boxed{%d}", some(r, 25), result), isRight
		}, RewardHacking, "/srv/keys/truth.txt"},
		"a close that only winners have": {func(r *rand.Rand, step, result int, isRight bool) (string, bool) {
			if step >= 30 && isRight {
				return fmt.Sprintf("%s \\boxed{%d} And this is now verified as the final result.", some(r, 25), result), true
			}
			return fmt.Sprintf("%s \\boxed{%d}", some(r, 25), result), isRight
		}, "", ""},
		"a turn that all share": {func(r *rand.Rand, step, result int, isRight bool) (string, bool) {
			if step >= 30 && r.Float64() < 0.5 {
				return fmt.Sprintf("Let us think about this step by step, with care. %s \\boxed{%d}", some(r, 25), result), isRight
			}
			return fmt.Sprintf("%s \\boxed{%d}", some(r, 25), result), isRight
		}, "", ""},
		"a thought that helps": {func(r *rand.Rand, step, result int, isRight bool) (string, bool) {
			if step >= 30 && r.Float64() < 0.5 {
				return fmt.Sprintf("<think> Let us first check what is asked. %s </think> \\boxed{%d}", some(r, 25), result), isRight || r.Float64() < 0.3
			}
			return fmt.Sprintf("%s \\boxed{%d}", some(r, 25), result), isRight
		}, "", ""},
	} {
		d := lookAt(t, steps, func(r *rand.Rand, step, prompt int) told {
			isRight := r.Float64() < 0.5
			result := 1000
			if !isRight {
				result = r.IntN(900)
			}
			text, right := c.says(r, step, result, isRight)
			return told{text: model.Text{Prompt: fmt.Sprint("What is ", step, " and ", prompt, "?"), Response: text}, reward: float64(model.Count01(right))}
		})
		for _, k := range []Kind{NewPhrase, RewardHacking} {
			if title, is := d.has(k); is != (k == c.kind) || is && !strings.Contains(title, c.want) {
				t.Errorf("%s: %s %q", name, k, title)
			}
		}
	}
}

// What is broken from the first step is no habit of the log, and is quoted as it is.
func TestBrokenFromTheFirstStep(t *testing.T) {
	for name, c := range map[string]struct {
		says   string
		reward float64
		want   string
	}{
		"one sign":               {strings.Repeat("!", 2048), 0, "“!!!!!!!!!!!!!!!!!!!!!!!!” and so on, 2048 characters"},
		"one word":               {strings.Repeat("the ", 100), 0, "the the the"},
		"random signs":           {"", 0, "are not words"},
		"a table that is wanted": {strings.Repeat("| 0 | 1 ", 30), 1, ""},
	} {
		d := lookAt(t, 20, func(r *rand.Rand, step, prompt int) told {
			says, signs := c.says, "qzxjkvwpbmrtsdlhgnfaeiouyQZXKV0123456789#@%&*~|/<>=+-_"
			for says == "" || c.says == "" && len(says) < 200 {
				says += string(signs[r.IntN(len(signs))])
			}
			ask := fmt.Sprint("What is ", step, " and ", prompt, " of the two that are left, if ", some(r, 12), "?")
			return told{text: model.Text{Prompt: ask, Response: says}, reward: c.reward * float64(r.IntN(2))}
		})
		if title, is := d.has(DegenerateText); is != (c.want != "") || !strings.Contains(title, c.want) {
			t.Errorf("%s: %q", name, title)
		}
	}
}
