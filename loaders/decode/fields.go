package decode

import (
	"maps"
	"slices"
	"strings"
)

// Role is what a field of a row is taken for.
type Role int

const (
	RoleReward Role = iota
	RoleStep
	RoleGroup
	RolePrompt
	RoleResponse
	RoleTruth
	RoleAdvantage
	RoleLength       // of the response, in tokens
	RoleTokens       // of the response, as a list
	RoleTotalTokens  // tokens of prompt and response together
	RolePromptLength // tokens of the prompt
	RoleCount
)

// IsText reports whether a person reads the field as a text by itself.
func (r Role) IsText() bool { return r == RolePrompt || r == RoleResponse || r == RoleTruth }

// Fields says which names stand for which role; earlier names are preferred. A
// name with dots reaches into objects: task.data.prompt.
type Fields struct {
	byName       map[string]FieldRole
	Names        [RoleCount][]string
	Parents      map[string]bool             // what is before a dot of some name
	overrides    map[Role]string             // the names that a person gave
	RewardCaveat func(parts []string) string // what the reward may not be, by the reward functions there are; nil if it is sure
}

type FieldRole struct {
	Role Role
	Rank int
}

func OnlyNames(names map[Role][]string) *Fields {
	f := &Fields{byName: map[string]FieldRole{}, Parents: map[string]bool{}}
	for r, list := range names {
		f.Names[r] = list
		for rank, name := range list {
			f.byName[name] = FieldRole{r, rank}
			for at, c := range name {
				if c == '.' {
					f.Parents[name[:at]] = true
				}
			}
		}
	}
	return f
}

// PreferNames returns the usual names with others before them.
func PreferNames(names map[Role][]string) *Fields {
	all := Synonyms()
	for r, list := range names {
		all[r] = append(list[:len(list):len(list)], all[r]...)
	}
	return OnlyNames(all)
}

// NamesWithoutTotal are the usual names for logs that have no total: whatever a column of
// numbers is called, accuracy or score, a reward function gave it.
func NamesWithoutTotal() *Fields {
	names := Synonyms()
	names[RoleReward] = []string{"reward", "total_reward"}
	return OnlyNames(names)
}

// Lookup finds a key, in any case of letters.
func (f *Fields) Lookup(key []byte) (FieldRole, bool) {
	p, ok := f.byName[string(key)]
	if !ok && hasUpper(key) {
		p, ok = f.byName[strings.ToLower(string(key))]
	}
	return p, ok
}

func hasUpper(b []byte) bool {
	for _, c := range b {
		if 'A' <= c && c <= 'Z' {
			return true
		}
	}
	return false
}

// WithOverrides returns the fields with other names before the usual ones. A column has one role:
// what a person takes as the prompt is not the response any more.
func (f *Fields) WithOverrides(named map[Role]string) *Fields {
	taken := slices.Collect(maps.Values(named))
	names := map[Role][]string{}
	for as, list := range f.Names {
		list = slices.DeleteFunc(slices.Clone(list), func(name string) bool { return slices.Contains(taken, name) })
		if name := named[Role(as)]; name != "" {
			list = append([]string{name}, list...)
		}
		names[Role(as)] = list
	}
	over := OnlyNames(names)
	over.overrides = named
	if named[RoleReward] == "" {
		over.RewardCaveat = f.RewardCaveat
	}
	return over
}
