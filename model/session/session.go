// Package session is what a person leaves behind at a run: marks with notes, and how
// they looked at it last. It is kept in a file beside nothing of the run's own, so what
// it points at is found again by what the run says of itself, not by where it stood.
package session

import (
	"cmp"
	"slices"

	"vantage/estimators"
	"vantage/model"
)

// Session is what is kept of a run. It is a value: what changes it returns another.
type Session struct {
	View  *View  `json:"view,omitempty"` // nil: as for one who never opened it
	Marks []Mark `json:"marks,omitempty"`
}

// The most that is kept: a note is a few sentences, not a report.
const (
	MaxMarks = 1000
	MaxNote  = 500 // bytes
	MaxText  = 400 // bytes of any other text
)

// Mark points at a step, at a group of it or at a sample of that. A log that grows or
// moves on does not change what it points at: a step has its number, a group its name,
// a sample its place among the rows of its group.
type Mark struct {
	Step   int64  `json:"step"`
	Group  string `json:"group,omitempty"`  // its name; "" marks the step
	Prompt string `json:"prompt,omitempty"` // hash of its prompt: finds the group where it is named otherwise
	Sample int    `json:"sample,omitempty"` // which of the group's rows, from 1, in the order of the log; 0 marks the group
	Label  string `json:"shown,omitempty"`  // what a person recognises it by, as logged
	Note   string `json:"note,omitempty"`
}

// SameTarget reports whether two marks point at the same thing, whatever they say of it.
func (m Mark) SameTarget(o Mark) bool {
	return m.Step == o.Step && m.Group == o.Group && m.Sample == o.Sample
}

// MatchesGroup reports whether a group of that name is the mark's.
func (m Mark) MatchesGroup(group string) bool {
	return m.Group == group || m.Prompt != "" && m.Prompt == group
}

// FindMark returns the mark that points where m does.
func (s Session) FindMark(m Mark) (Mark, bool) {
	if i := slices.IndexFunc(s.Marks, m.SameTarget); i >= 0 {
		return s.Marks[i], true
	}
	return Mark{}, false
}

// WithMark returns the session with a mark, in place of one that points there already.
// They are ordered by step, and as they were made within one.
func (s Session) WithMark(m Mark) Session {
	all := slices.Clone(s.Marks)
	if i := slices.IndexFunc(all, m.SameTarget); i >= 0 {
		all[i] = m
	} else {
		all = append(all, m)
	}
	slices.SortStableFunc(all, func(x, y Mark) int { return cmp.Compare(x.Step, y.Step) })
	s.Marks = all
	return s
}

// WithoutMark returns the session without the mark that points where m does.
func (s Session) WithoutMark(m Mark) Session {
	s.Marks = slices.DeleteFunc(slices.Clone(s.Marks), m.SameTarget)
	return s
}

// View is how a run was looked at when it was left. What is zero was as usual.
type View struct {
	Estimator *Estimator `json:"estimator,omitempty"` // nil: the person chose none
	KeepPos   float64    `json:"keep_pos_ratio"`
	KeepNeg   float64    `json:"keep_neg_ratio"`
	Recompute bool       `json:"compute_new_adv,omitempty"`

	Filter   string `json:"filter,omitempty"`
	Sort     string `json:"sort,omitempty"`
	Reversed bool   `json:"turned,omitempty"` // sorted the other way round
	Figure   string `json:"figure,omitempty"` // of the distribution
	LogScale bool   `json:"log,omitempty"`    // its counts on a logarithmic scale
	Metric   string `json:"metric,omitempty"` // drawn over the steps
	Sweep    string `json:"sweep,omitempty"`  // figure of the map
	OpenView string `json:"seen,omitempty"`   // which view
	Theme    string `json:"theme,omitempty"`  // if the person chose it
}

// Estimator is whose arithmetic a person chose.
type Estimator struct {
	Framework string `json:"framework"`
	Name      string `json:"adv_estimator"`
	Scale     string `json:"scale"`
}

// EstimatorOf is the choice that settings make.
func EstimatorOf(set model.Settings) Estimator {
	return Estimator{set.Framework, set.Estimator, string(set.Scale)}
}

// ApplyTo returns settings as they were left, but for what was given otherwise now: given
// is asked for each by its option's name. The estimator is one choice with framework
// and scale. What no trainer would take (any more) is passed over.
func (v *View) ApplyTo(set model.Settings, isSet func(option string) bool) model.Settings {
	if v == nil {
		return set
	}
	if e := v.Estimator; e != nil && !isSet("framework") && !isSet("adv_estimator") && !isSet("scale") {
		some := set
		some.Framework, some.Estimator, some.Scale = e.Framework, e.Name, estimators.Scale(e.Scale)
		if some.Effective().Validate() == nil {
			set = some
		}
	}
	if !isSet("keep_pos_ratio") && isRatio(v.KeepPos) {
		set.KeepPos = v.KeepPos
	}
	if !isSet("keep_neg_ratio") && isRatio(v.KeepNeg) {
		set.KeepNeg = v.KeepNeg
	}
	if !isSet("compute_new_adv") {
		set.Recompute = v.Recompute
	}
	return set
}

// isRatio reports whether x is a ratio.
func isRatio(x float64) bool { return x >= 0 && x <= 1 }
