package figures_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"vantage/internal/testkit/repotest"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/check"
	"vantage/model/figures"
	"vantage/model/sweep"
)

// The page is written from the list; -update writes it.
func TestGlossaryPage(t *testing.T) {
	repotest.Page(t, ".github/docs/glossary.md", figures.Page())
}

// Every metric that a step can have has a line, and no line is of a metric that there is not.
func TestEveryMetricHasALine(t *testing.T) {
	step := &model.Chunk{HasTruth: true, LengthUnit: model.LengthTokens}
	for i := range 16 {
		step.Records = append(step.Records, model.Record{Step: 1, Prompt: 1, Reward: float64(i % 2), Length: int32(i + 1)})
	}
	store := model.NewStore()
	store.Append(step)
	set := model.DefaultSettings()
	set.GroupFilter, set.OffPolicy, set.Loss = "slime/check_reward_nonzero_std", "slime/tis", "verl/token-mean"
	a, err := analysis.Analyze(context.Background(), store.Snapshot(), 0, set)
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, m := range a.Metrics {
		e, ok := figures.Explain(figures.Metrics, m.Name)
		if !ok || !slices.Contains(names(figures.Metrics), e.AllNames()[0]) {
			t.Errorf("%s has no line in model/figures", m.Name)
		}
		shown[m.Name] = true
	}
	for _, name := range names(figures.Metrics) {
		if !shown[name] && name != "pass@k" {
			t.Errorf("%s is no metric", name)
		}
	}
}

func names(place figures.Place) (all []string) {
	for _, e := range figures.All(place) {
		all = append(all, e.AllNames()...)
	}
	return all
}

// Push has one meaning wherever it is a name: whether samples are pushed up or down. How much is pushed is Σ|A|.
func TestPushHasOneMeaning(t *testing.T) {
	seen := 0
	for _, place := range figures.Places() {
		for _, e := range figures.All(place) {
			for _, name := range e.AllNames() {
				if strings.HasPrefix(name, "push") {
					seen++
					if name != "push" || e.Formula != "ΣA′ / Σ|A′|" {
						t.Errorf("%s: %s is %s", place, name, e.Formula)
					}
				}
			}
		}
	}
	if seen != 2 {
		t.Errorf("push is a name of %d places, want the sweep and the breakdown", seen)
	}
	for _, name := range sweep.GoalNames() {
		if aim := (sweep.Goal{Name: name, Least: 0.8}).Aim(); strings.Contains(aim, "of push") || strings.Contains(aim, "most push") {
			t.Errorf("the goal %s asks for %q", name, aim)
		}
	}
}

// What commands show by name has a line at its place.
func TestEveryNameHasALine(t *testing.T) {
	wanted := map[figures.Place][]string{}
	for _, f := range sweep.Figures() {
		wanted[figures.Sweep] = append(wanted[figures.Sweep], f.Name)
	}
	for _, k := range analysis.WarningKinds() {
		wanted[figures.Warning] = append(wanted[figures.Warning], string(k))
	}
	for _, f := range model.Fates() {
		wanted[figures.Fates] = append(wanted[figures.Fates], f.String())
	}
	for _, f := range figures.Fields() {
		place := figures.Group
		if f.PerSample {
			place = figures.Sample
		}
		wanted[place] = append(wanted[place], f.Name)
	}
	for _, k := range analysis.FlipKinds() {
		wanted[figures.Step] = append(wanted[figures.Step], "flips/"+k.Name)
		wanted[figures.Sample] = append(wanted[figures.Sample], k.Label)
	}
	for place, all := range wanted {
		for _, name := range all {
			if !slices.Contains(names(place), name) {
				t.Errorf("%s: %q has no line in model/figures", place, name)
			}
		}
	}
	for _, name := range check.CountNames() {
		if _, ok := figures.Explain(figures.Check, name); !ok {
			t.Errorf("check: %q has no line in model/figures", name)
		}
	}
}

// Each line is complete, and no name of a place has two.
func TestLinesAreComplete(t *testing.T) {
	for _, place := range []figures.Place{
		figures.Step, figures.Metrics, figures.Fates, figures.Group, figures.Sample,
		figures.Parts, figures.Sweep, figures.Sizes, figures.Compare, figures.Match, figures.Check, figures.Warning,
	} {
		seen := map[string]bool{}
		for _, e := range figures.All(place) {
			if e.Unit == "" || e.Meaning == "" || strings.ContainsAny(e.Line(), "\n\t") || strings.HasSuffix(e.Meaning, ".") {
				t.Errorf("%s: %+v", place, e)
			}
			if strings.Contains(e.Formula+e.Meaning, "std ") && strings.Contains(e.Formula, "√") && !strings.Contains(e.Formula, "ddof") {
				t.Errorf("%s: %s has no ddof", place, e.Names)
			}
			for _, name := range e.AllNames() {
				if name == "" || seen[name] {
					t.Errorf("%s: two lines for %q", place, name)
				}
				seen[name] = true
			}
		}
		if len(seen) == 0 {
			t.Errorf("%s is empty", place)
		}
	}
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		place      figures.Place
		name, says string
	}{
		{figures.Metrics, "pass@8", "pass@k: chance that one of k responses is solved"},
		{figures.Metrics, "critic/score/max", "critic/score/{mean,max,min}: rewards that the estimator reads"},
		{figures.Group, "reward", "reward: mean reward of the group ± the std"},
		{figures.Sample, "reward", "reward: as logged"},
		{figures.Step, "killed_groups", "killed: alive before the filter"},
		{figures.Step, "A!=0", "train: samples that train"},
		{figures.Check, "stall", "stall: whether a run that should write does not = now − time of the last row"},
	} {
		e, ok := figures.Explain(c.place, c.name)
		if !ok || !strings.HasPrefix(e.Line(), c.says) {
			t.Errorf("%s, %s: %q", c.place, c.name, e.Line())
		}
	}
	if e, ok := figures.Explain(figures.Step, "loss"); ok {
		t.Errorf("found %+v", e)
	}
}
