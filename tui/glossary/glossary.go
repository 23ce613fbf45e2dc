// Package glossary collects which figures are on the screen, so that the help explains them: each view tells its own.
package glossary

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"vantage/model/figures"
)

// Figure is a figure on the screen, by the name that it has there.
type Figure struct {
	Name  string
	Entry figures.Entry
}

// List collects figures that are shown at a place.
type List []Figure

// At adds figures of a place by their names. Names that the glossary does not have are left out.
func (l List) At(place figures.Place, names ...string) List {
	for _, name := range names {
		if e, ok := figures.Explain(place, name); ok && !slices.ContainsFunc(l, func(f Figure) bool {
			return f.Name == name && f.Entry.Equal(e)
		}) {
			l = append(l, Figure{name, e})
		}
	}
	return l
}

// Explains reports whether the list has a figure by one of its names.
func (l List) Explains(name string) bool {
	return slices.ContainsFunc(l, func(f Figure) bool { return slices.Contains(f.Entry.AllNames(), name) })
}

// ContainsEntry reports whether a list has an entry of the glossary.
func ContainsEntry(l []Figure, e figures.Entry) bool {
	return slices.ContainsFunc(l, func(f Figure) bool { return f.Entry.Equal(e) })
}

// Mentions reports whether a text has a name as a word of its own. A name of a letter is a figure only where a
// view says so.
func Mentions(text, name string) bool {
	if len(name) < 2 {
		return false
	}
	for rest := text; ; {
		at := strings.Index(rest, name)
		if at < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(rest[:at])
		after, _ := utf8.DecodeRuneInString(rest[at+len(name):])
		if !inWord(before) && !inWord(after) {
			return true
		}
		rest = rest[at+len(name):]
	}
}

func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '/'
}
