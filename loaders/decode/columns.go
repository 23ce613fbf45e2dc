package decode

import (
	"bytes"
)

// Columns are the columns that a person named: they win over what would be found by
// their usual names. "" leaves a role to be found.
type Columns struct {
	Step, Group, Prompt string
	Rewards             []string // kept beside the reward, to be chosen from
}

func (c Columns) ByRole() map[Role]string {
	named := map[Role]string{}
	for as, name := range map[Role]string{RoleStep: c.Step, RoleGroup: c.Group, RolePrompt: c.Prompt} {
		if name != "" {
			named[as] = name
		}
	}
	return named
}

// In reports whether a first record, or the header of a table, has a named column.
func (c Columns) In(first []byte) bool {
	for _, name := range append(c.Rewards, c.Step, c.Group, c.Prompt) {
		if name != "" && bytes.Contains(first, []byte(name)) {
			return true
		}
	}
	return false
}
