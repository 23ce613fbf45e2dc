package report

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"vantage/internal/testkit/modeltest"
	"vantage/internal/testkit/repotest"
	"vantage/model"
	"vantage/model/plan"
)

// The page shows what the command prints of two passes over 300 prompts, in 80 columns.
func TestPlanPage(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	var passes [2][][]float64
	for k := range 600 {
		i := k % 300
		rate := 0.3 + 0.4*random.Float64()
		if i < 135 {
			rate = 0
		} else if i < 195 {
			rate = 1
		}
		rewards := make([]float64, 8)
		for k := range rewards {
			if random.Float64() < rate {
				rewards[k] = 1
			}
		}
		passes[k/300] = append(passes[k/300], rewards)
	}
	set := model.DefaultSettings().WithFramework("verl")
	snap := modeltest.Passes(passes[:]...)
	p, err := plan.New(t.Context(), snap, set, []int{4, 16, 32})
	if err != nil {
		t.Fatal(err)
	}
	sizes, err := plan.EstimateSizes(t.Context(), snap, set, []int{4, 16, 32}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := PlanText(&b, Plan{Plan: p, Sizes: &GroupSize{GroupSizes: sizes}}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 80 && !strings.HasPrefix(line, "not asked") {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	repotest.Part(t, ".github/docs/plan.md", "output", "```text\n"+strings.TrimRight(b.String(), "\n")+"\n```")
}
