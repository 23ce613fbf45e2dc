package decode

import (
	"bytes"
	"slices"

	"vantage/estimators"
)

// Columns are the columns that a person named for some roles. They come before all others; "" leaves
// a role to be found.
type Columns struct {
	Step, Group, Prompt string
	Rewards             []string // kept as components, to choose the reward from
	Inputs              []string // kept as components, for an estimator that reads more than rewards
}

// IsZero reports whether no column was named.
func (c Columns) IsZero() bool {
	return c.Step == "" && c.Group == "" && c.Prompt == "" && len(c.Rewards) == 0 && len(c.Inputs) == 0
}

// AppearIn reports whether a first record, or the header of a table, may have a named column.
func (c Columns) AppearIn(first []byte) bool {
	for _, name := range append(c.Rewards, c.Step, c.Group, c.Prompt) {
		if name != "" && bytes.Contains(first, []byte(name)) {
			return true
		}
	}
	return false
}

// WithColumns returns fields that prefer the named columns. A column has one role: what a person
// takes as the prompt is not the response any more.
func (f *Fields) WithColumns(c Columns) *Fields {
	chosen := [RoleCount]string{RoleStep: c.Step, RoleGroup: c.Group, RolePrompt: c.Prompt}
	names := Names{}
	for role, list := range f.names {
		list = slices.DeleteFunc(slices.Clone(list), func(name string) bool { return slices.Contains(chosen[:], name) })
		if chosen[role] != "" {
			list = append([]string{chosen[role]}, list...)
		}
		names[Role(role)] = list
	}
	with := OnlyNames(names)
	with.SplitGroupID, with.Totals = f.SplitGroupID, f.Totals
	with.Caveat, with.anyComponent, with.chosen, with.requested = f.Caveat, f.anyComponent, chosen, slices.Concat(c.Rewards, c.Inputs)
	for _, name := range c.Inputs {
		with.addParents(name)
	}
	return with
}

// HasRequested reports whether columns are kept whatever role they play.
func (f *Fields) HasRequested() bool { return len(f.requested) > 0 }

// IsRequested reports whether a column is one of them.
func (f *Fields) IsRequested(name []byte) bool {
	return f.HasRequested() && slices.Contains(f.requested, string(name))
}

// holdsNames reports whether a column is one of them and holds names, which are kept as numbers.
func (f *Fields) holdsNames(name []byte) bool {
	if !f.IsRequested(name) {
		return false
	}
	c, ok := estimators.ColumnNamed(string(name))
	return ok && c.HoldsNames()
}
