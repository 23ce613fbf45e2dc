package chain

import (
	"context"
	"strings"
	"testing"

	"vantage/internal/testkit/modeltest"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/themes"
	"vantage/tui/chart"
	"vantage/tui/env"
	"vantage/tui/view"
)

// chainOf returns what the view reads of a step of two groups: the screen is not needed for it.
func chainOf(t *testing.T) (e env.Env) {
	t.Helper()
	e.Snap, e.Settings.Now = modeltest.Snapshot([]float64{0, 1, 1, 0}, []float64{1, 1, 1, 1}), model.DefaultSettings()
	e.Display.Theme, e.Display.Glyphs, e.Display.W, e.Display.H = themes.Mono(), chart.Unicode(), 100, 30
	var err error
	if e.Result.Analysis, err = analysis.Analyze(context.Background(), e.Snap, 0, e.Settings.Now); err != nil {
		t.Fatal(err)
	}
	return e
}

// press does what the key of a view does.
func press(t *testing.T, v view.View, e env.Env, key string) view.Want {
	t.Helper()
	for _, b := range v.Keys().Bindings {
		for _, k := range b.Keys {
			if k == key {
				return b.Do(v, e)
			}
		}
	}
	t.Fatalf("no key %q", key)
	return nil
}

// A person goes down to the length penalty and chooses one: the view asks for the settings with it, and changes nothing else.
func TestChainAsksForAChoice(t *testing.T) {
	t.Parallel()
	e, v := chainOf(t), &View{}
	if screen := strings.Join(v.Draw(e, 100, 26), "\n"); !strings.Contains(screen, "length penalty") || !strings.Contains(screen, "groups 2") && !strings.Contains(screen, "2 groups") {
		t.Errorf("the stages are not drawn:\n%s", screen)
	}
	if w := press(t, v, e, "j"); w != nil {
		t.Errorf("moving down wants %v", w)
	}
	want, ok := press(t, v, e, "l").(view.UseEffective)
	if !ok || want.Settings.Overlong == "" {
		t.Errorf("the next choice of the length penalty wants %+v", want)
	}
	if _, ok := press(t, v, e, "esc").(view.Escape); !ok {
		t.Error("Esc does not lead back")
	}
}

// The reward is set elsewhere: the view says where.
func TestChainSaysHowTheRewardIsSet(t *testing.T) {
	t.Parallel()
	e, v := chainOf(t), &View{}
	if said, _ := press(t, v, e, "right").(view.Say); !strings.Contains(string(said), ":reward") {
		t.Errorf("it says %q", said)
	}
}
