package loaders

import "strings"

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

// fields says which names stand for which role; earlier names are preferred. A
// name with dots reaches into objects: task.data.prompt.
type fields struct {
	places  map[string]place
	names   [roles][]string
	parents map[string]bool // what is before a dot of some name
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
