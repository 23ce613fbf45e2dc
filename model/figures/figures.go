// Package figures declares every figure that is shown: its names, unit, formula and meaning, and how it is read off a
// step, a group or a sample. Tables, CSV, JSON, rules, filters and gauges are selections from these lists by name, and
// the glossary is the lists themselves.
//
// A [Query] selects groups and samples by their figures:
//
//	fate:killed std>0.4 reward<0.2 prompt~"triangle"
//	(fate:correct or fate:wrong) size>=8 not flips>0
//	sample.length>1000 sample.adv<-1
//
// A term is a field, one of : = != < <= > >= ~ and a value; ~ finds a text within another,
// ignoring case. A bare word searches the prompt. Adjacent terms must all hold; or, not and
// parentheses combine them. Fields that begin with "sample." test each sample; a group
// matches if one of its samples does. The screen's filter and export --where call it.
package figures

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"vantage/model"
	"vantage/model/units"
)

// Of is a figure of a T: a step, a group or a sample.
type Of[T any] struct {
	Value func(T) Number // nil of a figure that is only explained: it is of something else, or of several
	Entry
}

// Column is a figure under one of its names: the head of a column, a key of JSON, a name in a rule.
type Column[T any] struct {
	Name string
	Of[T]
}

// Select returns the figures that have some names and a value, in the order of the names. It leaves out no name silently:
// names are constants of the caller, so one that no figure has is a mistake in the program.
func Select[T any](list []Of[T], names ...string) []Column[T] {
	columns := make([]Column[T], len(names))
	for k, name := range names {
		c, ok := Find(list, name)
		if !ok {
			panic("there is no metric " + name)
		}
		columns[k] = c
	}
	return columns
}

// Find returns the figure of a list that has a name and a value.
func Find[T any](list []Of[T], name string) (Column[T], bool) {
	for _, f := range list {
		if f.Value != nil && slices.Contains(f.AllNames(), name) {
			return Column[T]{Name: name, Of: f}, true
		}
	}
	return Column[T]{}, false
}

func entries[T any](list []Of[T]) []Entry {
	return model.Mapped(list, func(f Of[T]) Entry { return f.Entry })
}

// Number is the value of a figure.
type Number struct {
	N, Of int     // a count, and of how many it is; Of is 0 if it is of nothing
	X     float64 // of what is no count
	kind  kind
	text  string // of a word
	shown string // in tables, if that is something else
}

// kind is what a number is, which says how it is written.
type kind uint8

const (
	ordinal kind = iota // N in plain digits: a step
	count               // N
	share               // N of Of
	mean                // X
	ratio               // X times
	flag                // whether N is 1
	word                // text, of ours
	text                // text, of the log
)

// Ordinal is a number of something: it is not added up.
func Ordinal[T int | int32 | int64](n T) Number { return Number{N: int(n), kind: ordinal} }

// Count is how many there are.
func Count[T int | int32](n T) Number { return Number{N: int(n), kind: count} }

// CountOf is a count that tables show without what it is of.
func CountOf(n, of int) Number { return Number{N: n, Of: of, kind: count} }

// Share is a count that tables show with what it is of.
func Share(n, of int) Number { return Number{N: n, Of: of, kind: share} }

// Mean is a number that is no count; NaN if there is none.
func Mean(x float64) Number { return Number{X: x, kind: mean} }

// Ratio is how many times something is something else; NaN if there is none.
func Ratio(x float64) Number { return Number{X: x, kind: ratio} }

// Flag is yes or no.
func Flag(yes bool) Number { return Number{N: model.Count01(yes), kind: flag} }

// Word is a word of the program's own.
func Word(s string) Number { return Number{text: s, kind: word} }

// Text is a text of the log: sanitise it before showing.
func Text(s string) Number { return Number{text: s, kind: text} }

// As returns the number as tables show it in other words.
func (v Number) As(text string) Number {
	v.shown = text
	return v
}

// String returns the number as tables show it.
func (v Number) String() string {
	if v.shown != "" {
		return v.shown
	}
	switch v.kind {
	case word, text:
		return v.text
	case ordinal:
		return strconv.Itoa(v.N)
	case count:
		return units.Count(v.N)
	case share:
		return units.Fraction(v.N, v.Of)
	case ratio:
		return units.Times(v.X)
	case flag:
		return strconv.FormatBool(v.N == 1)
	default:
		return units.Short(v.X)
	}
}

// Float returns the number to be compared; NaN if there is none.
func (v Number) Float() float64 {
	switch v.kind {
	case mean, ratio:
		return v.X
	case word, text:
		return math.NaN()
	default:
		return float64(v.N)
	}
}

// Cell returns the number as exports write it: an int, a float64, a bool or a string.
func (v Number) Cell() any {
	switch v.kind {
	case mean, ratio:
		return v.X
	case flag:
		return v.N == 1
	case word, text:
		return v.text
	default:
		return v.N
	}
}

// Digits returns the number as String does, but a count in all its digits.
func (v Number) Digits() string {
	if v.kind == count && v.shown == "" {
		return strconv.Itoa(v.N)
	}
	return v.String()
}

// IsWord reports whether it is a word or a text, which have no number.
func (v Number) IsWord() bool { return v.kind == word || v.kind == text }

// IsText reports whether it is a text of the log.
func (v Number) IsText() bool { return v.kind == text }

// IsMissing reports whether it is a number that is not known.
func (v Number) IsMissing() bool { return (v.kind == mean || v.kind == ratio) && math.IsNaN(v.X) }

// Ranked returns the indexes of some values of a figure by rank: the greatest first, or the least. Words are in the order of the
// alphabet, or the other way round. What is not known comes last, and of equal ones that which came first.
func Ranked(values []Number, leastFirst bool) []int {
	places := make([]int, len(values))
	for i := range places {
		places[i] = i
	}
	slices.SortFunc(places, func(x, y int) int {
		a, b := &values[x], &values[y]
		if leastFirst {
			a, b = b, a
		}
		if a.IsWord() {
			return cmp.Or(strings.Compare(a.text, b.text), x-y)
		}
		missing := model.Count01(math.IsNaN(values[x].Float())) - model.Count01(math.IsNaN(values[y].Float()))
		return cmp.Or(missing, cmp.Compare(b.Float(), a.Float()), x-y)
	})
	return places
}
