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

// fields says which names stand for which role; earlier names are preferred.
type fields struct {
	places map[string]place
	names  [roles][]string
}

type place struct {
	role role
	rank int
}

func newFields(names map[role][]string) *fields {
	f := &fields{places: map[string]place{}}
	for r, list := range names {
		f.names[r] = list
		for rank, name := range list {
			f.places[name] = place{r, rank}
		}
	}
	return f
}

// place finds a key, in any case of letters.
func (f *fields) place(key value) (place, bool) {
	p, ok := f.places[string(key.raw)]
	if !ok && hasUpper(key.raw) {
		p, ok = f.places[strings.ToLower(string(key.raw))]
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
