package report

import (
	"errors"
	"fmt"

	"vantage/model/analysis"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// Refusals counts the groups for which the trainer's own code would have raised an error. Their
// advantages are computed all the same: NaN or a number that no training saw.
type Refusals struct {
	Written int // samples of all groups that were written
	steps   int // with such groups
	refused int // groups
	groups  int // all, of all steps

	framework, group, text string // of the first
	step                   int64
}

// Add counts the groups of a step. It does nothing if r is nil.
func (r *Refusals) Add(a *analysis.Analysis) {
	if r == nil {
		return
	}
	r.groups += a.Groups
	text := a.Refusal()
	if text == "" {
		return
	}
	r.steps++
	for g := range a.Table {
		if !a.Refused(g) {
			continue
		}
		if r.refused++; r.text == "" {
			r.framework, r.group, r.text, r.step = a.Settings.Framework, a.Table[g].Name, text, a.Step
		}
	}
}

// addWritten counts a sample. It does nothing if r is nil.
func (r *Refusals) addWritten() {
	if r != nil {
		r.Written++
	}
}

// refusedGroups returns the groups for which the trainer's own code would raise an error.
func refusedGroups(a *analysis.Analysis) map[*analysis.Group]bool {
	if a.Refusal() == "" {
		return nil
	}
	refused := map[*analysis.Group]bool{}
	for g := range a.Table {
		if a.Refused(g) {
			refused[&a.Table[g]] = true
		}
	}
	return refused
}

// labelInReport returns the prompt of a group, or its name if there is none, and says if the trainer
// would refuse it.
func labelInReport(g *analysis.Group, prompt string, refused map[*analysis.Group]bool) string {
	label := groupLabel(prompt, g.Name)
	if refused[g] {
		return "(refused by the trainer) " + label
	}
	return label
}

// String says how many groups the trainer would refuse, with an example; "" if none.
func (r *Refusals) String() string {
	if r.refused == 0 {
		return ""
	}
	return fmt.Sprintf("%s would have stopped at %s for %s of %s, such as group %s of step %d (%s): no training saw their advantages; check --framework and --group-by",
		r.framework, units.Plural(r.steps, "steps"), fmt.Sprint(r.refused), units.Plural(r.groups, "groups"), sanitize.Line(r.group), r.step, sanitize.Line(r.text))
}

// Err is an error if the trainer would refuse every group: then nothing was computed that it would
// have computed.
func (r *Refusals) Err() error {
	if r.refused == 0 || r.refused < r.groups {
		return nil
	}
	return errors.New("no advantage could be computed: " + r.String())
}
