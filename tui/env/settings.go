package env

import (
	"fmt"
	"slices"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// RewardNames returns the columns that can be a reward and be typed.
func (e Env) RewardNames() []string {
	return slices.DeleteFunc(slices.Clone(e.Snap.Run.ComponentNames), func(name string) bool { return sanitize.Line(name) != name })
}

// Order is the order of the table of groups.
type Order struct {
	Column   int // index in sortings
	Reversed bool
}

// State is what undo brings back.
type State struct {
	Now    model.Settings
	Base   Baseline
	Filter string // a query; "" shows all groups
	Order  Order
}

// History is the present state and those that undo and redo lead to, the nearest last.
// It is a value: the slices are never written in place.
type History struct {
	State
	Past, Next []State
}

// WithProved returns h with the groups that the logged advantages prove in every state: they are a fact of
// the log, which undo does not take back.
func (h History) WithProved(proved model.ProvedGroups) History {
	with := func(s State) State {
		s.Now.Proved = proved
		if s.Base.On {
			s.Base.Settings.Proved = proved
		}
		return s
	}
	return History{State: with(h.State), Past: model.Mapped(h.Past, with), Next: model.Mapped(h.Next, with)}
}

// maxUndo is how many changes can be undone: each change copies them.
const maxUndo = 100

// Push returns the history with another state, which undo takes back.
func (h History) Push(s State) History {
	if s == h.State {
		return h
	}
	return History{State: s, Past: append(slices.Clip(h.Past[max(0, len(h.Past)-maxUndo+1):]), h.State)}
}

// hasChanges reports whether the person has changed anything but the order, even if it was
// undone.
func (h History) hasChanges() bool {
	differs := func(s State) bool {
		s.Order = h.Order
		return s != h.State
	}
	return slices.ContainsFunc(h.Past, differs) || slices.ContainsFunc(h.Next, differs)
}

// Baseline is the settings that the present ones are compared with: A, those being B.
type Baseline struct {
	On       bool
	Settings model.Settings
}

// SettingsInWords says settings in a notice.
func SettingsInWords(s model.Settings) string {
	text := fmt.Sprintf("%s, scale %s", s.Computes(), s.Scale)
	if s.Options != "" {
		text += ", " + sanitize.Line(s.Options.String())
	}
	if s.Filtering() {
		text += fmt.Sprintf(", keep %s+ %s−", units.Fixed(s.KeepPos, 2), units.Fixed(s.KeepNeg, 2))
		if s.Recompute {
			text += ", recompute"
		}
	}
	for _, stage := range []struct{ name, choice string }{
		{"samples that were cut off:", s.Truncated},
		{"length penalty", s.Overlong},
		{"group filter", s.GroupFilter},
		{"off-policy rule", s.OffPolicy},
		{"loss", s.Loss},
	} {
		if stage.choice != "" {
			text += ", " + stage.name + " " + stage.choice
		}
	}
	if s.SolvedAt != "" {
		text += ", solved from reward " + string(s.SolvedAt)
	}
	return text
}

// BaselineAnalysis returns the steps on the screen under the baseline, nil if there is none.
func (e Env) BaselineAnalysis() *analysis.Analysis {
	base, now := e.Result.Base, e.Result.Analysis
	if !e.Settings.Base.On || base == nil || !base.SameSteps(now) || base.Rows != now.Rows {
		return nil
	}
	return base
}

// StepDelta returns how much now exceeds what the newest step has under the baseline, as " Δ+4", or "" without a baseline.
func (e Env) StepDelta(now float64, was func(*analysis.Analysis) float64) string {
	base := e.BaselineAnalysis()
	if base == nil {
		return ""
	}
	return e.Display.PaintDelta(now - was(base.Last()))
}

// BaselineFate returns the fate of a group under the baseline, and whether it is another.
func (e Env) BaselineFate(g int) (model.Fate, bool) {
	base := e.BaselineAnalysis()
	if base == nil || g >= base.Groups {
		return 0, false
	}
	fate := base.Table[g].Fate
	return fate, fate != e.Result.Analysis.Table[g].Fate
}
