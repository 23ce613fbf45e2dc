package choice

import "vantage/model"

// WithGroups returns the choice with who decided on the groups of a log, and how they are divided. given
// is FromFlag or FromConfig, or "" if neither says anything of groups.
func (c Choice) WithGroups(snap model.Snapshot, set model.Settings, given Origin) Choice {
	c.Groups = FromLog
	g, err := snap.Grouping(set)
	if err != nil { // the command itself says it
		return c
	}
	c.Division = snap.Division(g.GroupRule)
	switch {
	case g.Proved:
		c.Groups = FromAdvantages
	case given == FromFlag || given == FromConfig && g.Divides():
		c.Groups = given
	}
	return c
}
