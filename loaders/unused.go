package loaders

import (
	"fmt"
	"slices"
	"strings"
)

// unused are the names in the first rows of a log, of which those that nothing was taken
// from are told: a person may have meant one of them.
type unused struct {
	rows  int
	names []string
}

// So many rows are looked at, and so many names kept and told.
const (
	maxLooked = 16
	maxNamed  = 64
	maxUnused = 6
)

// meet notes a name.
func (u *unused) meet(name []byte) {
	if u.rows < maxLooked && len(u.names) < maxNamed && !slices.Contains(u.names, string(name)) {
		u.names = append(u.names, string(name))
	}
}

// unused says which columns nothing was taken from.
func (r *rows) unused() string {
	var names []string
	for _, name := range r.extra.names {
		if !r.uses(name) {
			names = append(names, string(clip([]byte(name), maxQuote)))
		}
	}
	switch n := len(names); {
	case n == 0:
		return ""
	case n > maxUnused:
		return fmt.Sprintf("; not used: %s and %d more", strings.Join(names[:maxUnused], ", "), n-maxUnused)
	}
	return "; not used: " + strings.Join(names, ", ")
}

// uses reports whether something was taken from a column, or from within it.
func (r *rows) uses(name string) bool {
	of := func(used string) bool {
		rest, ok := strings.CutPrefix(used, strings.ToLower(name))
		if !ok {
			rest, ok = strings.CutPrefix(used, name)
		}
		return ok && (rest == "" || rest[0] == '.' || rest[0] == ' ')
	}
	_, nested := nest([]byte(name))
	return nested || slices.ContainsFunc(r.used[:], of) || slices.ContainsFunc(r.parts.names, of)
}
