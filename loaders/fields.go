package loaders

import (
	"bytes"
	"maps"
	"slices"
	"strings"
)

// role is what a field of a row is taken for.
type role int

const (
	roleReward role = iota
	roleStep
	roleGroup
	rolePrompt
	roleResponse
	roleTruth
	roleAdvantage
	roleLength       // of the response, in tokens
	roleTokens       // of the response, as a list
	roleTotal        // tokens of prompt and response together
	rolePromptLength // tokens of the prompt
	roles
)

// isText reports whether a person reads the field as a text by itself.
func (r role) isText() bool { return r == rolePrompt || r == roleResponse || r == roleTruth }

// fields says which names stand for which role; earlier names are preferred. A
// name with dots reaches into objects: task.data.prompt.
type fields struct {
	places  map[string]place
	names   [roles][]string
	parents map[string]bool             // what is before a dot of some name
	asked   map[role]string             // the names that a person gave
	doubt   func(parts []string) string // what the reward may not be, by the reward functions there are; nil if it is sure
}

type place struct {
	role role
	rank int
}

func newFields(names map[role][]string) *fields {
	f := &fields{places: map[string]place{}, parents: map[string]bool{}}
	for r, list := range names {
		f.names[r] = list
		for rank, name := range list {
			f.places[name] = place{r, rank}
			for at, c := range name {
				if c == '.' {
					f.parents[name[:at]] = true
				}
			}
		}
	}
	return f
}

// with returns the usual names with others before them.
func with(names map[role][]string) *fields {
	all := usualNames()
	for r, list := range names {
		all[r] = append(list[:len(list):len(list)], all[r]...)
	}
	return newFields(all)
}

// partsOnly are the usual names for logs that have no total: whatever a column of
// numbers is called, accuracy or score, a reward function gave it.
func partsOnly() *fields {
	names := usualNames()
	names[roleReward] = []string{"reward", "total_reward"}
	return newFields(names)
}

// place finds a key, in any case of letters.
func (f *fields) place(key []byte) (place, bool) {
	p, ok := f.places[string(key)]
	if !ok && hasUpper(key) {
		p, ok = f.places[strings.ToLower(string(key))]
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

// Columns are the columns that a person named: they win over what would be found by
// their usual names. "" leaves a role to be found.
type Columns struct {
	Step, Group, Prompt string
	Rewards             []string // kept beside the reward, to be chosen from
}

func (c Columns) named() map[role]string {
	named := map[role]string{}
	for as, name := range map[role]string{roleStep: c.Step, roleGroup: c.Group, rolePrompt: c.Prompt} {
		if name != "" {
			named[as] = name
		}
	}
	return named
}

// over returns the formats with the named columns put first in each.
func (c Columns) over(formats []Format) []Format {
	named := c.named()
	if len(named)+len(c.Rewards) == 0 {
		return formats
	}
	for i := range formats {
		decode, sniff, generic := formats[i].Decode, formats[i].Sniff, formats[i].generic()
		formats[i].Decode = func(name string) Decoder {
			d := decode(name)
			if r, ok := d.(interface{ row() *rows }); ok {
				r.row().fields = r.row().fields.over(named)
				r.row().parts.also = c.Rewards
			}
			return d
		}
		formats[i].Sniff = func(name string, first []byte) int {
			score := sniff(name, first)
			if generic && score == 0 && c.among(first) {
				return 1
			}
			return score
		}
	}
	return formats
}

// among reports whether a first record, or the header of a table, has a named column.
func (c Columns) among(first []byte) bool {
	for _, name := range append(c.Rewards, c.Step, c.Group, c.Prompt) {
		if name != "" && bytes.Contains(first, []byte(name)) {
			return true
		}
	}
	return false
}

// generic reports whether a format is nobody's own.
func (f *Format) generic() bool {
	return slices.Contains([]string{"jsonl", "json", "csv", "parquet"}, f.Name)
}

// over returns the fields with other names before the usual ones. A column has one role:
// what a person takes as the prompt is not the response any more.
func (f *fields) over(named map[role]string) *fields {
	taken := slices.Collect(maps.Values(named))
	names := map[role][]string{}
	for as, list := range f.names {
		list = slices.DeleteFunc(slices.Clone(list), func(name string) bool { return slices.Contains(taken, name) })
		if name := named[role(as)]; name != "" {
			list = append([]string{name}, list...)
		}
		names[role(as)] = list
	}
	over := newFields(names)
	over.asked = named
	if named[roleReward] == "" {
		over.doubt = f.doubt
	}
	return over
}
