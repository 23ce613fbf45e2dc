package decode

import (
	"bytes"
	"slices"
)

// Columns are the columns that a person named for some roles. They come before all others; "" leaves
// a role to be found.
type Columns struct {
	Step, Group, Prompt string
	Rewards             []string // kept as components, to choose the reward from
}

// IsZero reports whether no column was named.
func (c Columns) IsZero() bool {
	return c.Step == "" && c.Group == "" && c.Prompt == "" && len(c.Rewards) == 0
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
	with.Caveat, with.anyComponent, with.chosen, with.requested = f.Caveat, f.anyComponent, chosen, c.Rewards
	return with
}

// HasRequested reports whether a person named columns to choose the reward from.
func (f *Fields) HasRequested() bool { return len(f.requested) > 0 }

// IsRequested reports whether a column is one of them.
func (f *Fields) IsRequested(name []byte) bool {
	return f.HasRequested() && slices.Contains(f.requested, string(name))
}
