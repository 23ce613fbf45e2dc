package diagnosis

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"vantage/model"
)

// Groups whose answers are one brief right answer count as read: that they are no collapse does not mean that nothing can be told.
func TestSolvedBrieflyIsRead(t *testing.T) {
	snap, read := shapeOf(6, 1, func(rng *rand.Rand, step, _, _ int) sample {
		if step == 0 {
			return sample{prompt: step, asks: "What is 3 + 4?", answer: fmt.Sprintf("It may be %d", rng.IntN(1e9)), reward: verdict(rng, 0.5), length: 20}
		}
		return sample{prompt: step, asks: "What is 3 + 4?", answer: "It is 7", reward: 1, length: 7}
	})
	look, err := See(t.Context(), snap, model.DefaultSettings(), Reading{Texts: read}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range look.Diagnosis.Blind {
		if b.Kind == AnswerCollapse {
			t.Errorf("six groups were read, and it is said that %s", b.Why)
		}
	}
}
