package decode

import (
	"fmt"
	"slices"
	"strings"

	"vantage/loaders/jsonscan"
)

// SeenNames are the names in the first rows of a log, of which those that nothing was taken
// from are told: a person may have meant one of them.
type SeenNames struct {
	Rows  int
	names []string
}

// So many rows are looked at, and so many names kept and told.
const (
	MaxNameRows = 16
	maxNamed    = 64
	maxUnused   = 6
)

// Add notes a name.
func (u *SeenNames) Add(name []byte) {
	if u.Rows < MaxNameRows && len(u.names) < maxNamed && !slices.Contains(u.names, string(name)) {
		u.names = append(u.names, string(name))
	}
}

// unusedFields says which columns nothing was taken from.
func (r *RowDecoder) unusedFields() string {
	var names []string
	for _, name := range r.Seen.names {
		if !r.uses(name) {
			names = append(names, string(jsonscan.Clip([]byte(name), jsonscan.MaxQuote)))
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
func (r *RowDecoder) uses(name string) bool {
	of := func(used string) bool {
		rest, ok := strings.CutPrefix(used, strings.ToLower(name))
		if !ok {
			rest, ok = strings.CutPrefix(used, name)
		}
		return ok && (rest == "" || rest[0] == '.' || rest[0] == ' ')
	}
	_, nested := ComponentPrefix([]byte(name))
	return nested || slices.ContainsFunc(r.Used[:], of) || slices.ContainsFunc(r.Components.Names, of)
}
