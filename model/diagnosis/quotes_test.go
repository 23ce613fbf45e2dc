package diagnosis

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"vantage/model"
)

// A run that collapses into one refusal shows an answer from before and the refusal.
func TestFindingShowsAnAnswerBeforeAndAfter(t *testing.T) {
	t.Parallel()
	const refusal = "I cannot help with that."
	snap, read := shapeOf(60, 8, func(rng *rand.Rand, step, prompt, _ int) sample {
		s := sample{prompt: 100*step + prompt, reward: verdict(rng, 0.5), asks: fmt.Sprint("Add ", step, prompt, " and 7."), answer: refusal}
		if step < 30 {
			s.answer = fmt.Sprint("First ", rng.IntN(1e6), " is added, so we get\x1b[31m ", rng.IntN(1e6), " in the end.")
		} else {
			s.reward = 0
		}
		s.length = len(s.answer)
		return s
	})
	look, err := See(t.Context(), snap, model.DefaultSettings(), Reading{Texts: read}, nil)
	if err != nil {
		t.Fatal(err)
	}
	f := &look.Diagnosis.Findings[0]
	isBefore := strings.HasPrefix(f.Before.Text, "First ") && f.Before.Step <= 30
	isAfter := f.After.Text == refusal && f.After.Step > 30 && f.After.Characters == len(refusal) && f.After.Reward == 0
	if !isBefore || !isAfter || strings.Contains(f.Before.Text, "\x1b") {
		t.Errorf("%s: before, %v; after, %v", f.Title, &f.Before, &f.After)
	}
	if want := "reward 0, 24 characters: “" + refusal + "”"; !strings.HasSuffix(f.After.String(), want) {
		t.Errorf("%q, want …%q", f.After.String(), want)
	}
}
