package diagnosis

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"vantage/model"
)

// The same log has the same findings each time, to the quoted answers and to the last bit of each figure: what is drawn for a look, such
// as the seed of its hashes, does not show.
func TestSameLogSameFindings(t *testing.T) {
	begin := strings.Repeat("we add the numbers so that ", sampleBytes/20)
	snap, read := shapeOf(40, 6, func(rng *rand.Rand, step, prompt, k int) sample {
		s := sample{prompt: 7*step%50 + prompt, reward: verdict(rng, 0.5), length: 900, asks: fmt.Sprintf("What is %d + %d?", step%7, prompt)}
		s.answer = begin + fmt.Sprintf("in row %d of %d we find %d", k, step, rng.IntN(1000))
		if step >= 20 && k%2 == 0 {
			s.answer, s.reward = begin+strings.Repeat(fmt.Sprintf("over %d again ", k), 200), 0
		}
		return s
	})
	var first []Finding
	for i := range 20 {
		look, err := See(t.Context(), snap, model.DefaultSettings(), Reading{Texts: read}, nil)
		if err != nil {
			t.Fatal(err)
		}
		switch found := look.Diagnosis.Findings; {
		case i == 0 && len(found) == 0:
			t.Fatal("there is no finding")
		case i == 0:
			first = found
		case !reflect.DeepEqual(printed(found), printed(first)):
			t.Fatalf("look %d:\n%s\nthe first:\n%s", i+1, printed(found), printed(first))
		}
	}
}

// printed are findings in full: %v writes NaN as such, which no comparison has equal to itself.
func printed(findings []Finding) string {
	var text strings.Builder
	for i := range findings {
		fmt.Fprintf(&text, "%+v\n", findings[i])
	}
	return text.String()
}
