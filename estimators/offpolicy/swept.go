package offpolicy

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"vantage/estimators"
)

// Swept is the main bound of a rule, which a sweep moves: options whose numbers move together.
type Swept struct {
	Keys []string // empty: the rule has none
	As   Moves
}

// Moves is how a bound moves: what is twice as wide as it.
type Moves int

// The ways of bounds.
const (
	AsRatio    Moves = iota // of probabilities: twice as far from 1 in logarithms
	AsDistance              // from 0: twice as far
	AsVersions              // a whole number of versions
)

// widths are the points of a sweep, in widths of the trainer's own bound.
func widths() []float64 { return []float64{0.25, 0.5, 1, 2, 4} }

// versionLimits are the points of a sweep of versions.
func versionLimits() []int { return []int{0, 1, 2, 4, 8, 16} }

// Point is a rule with its bound somewhere.
type Point struct {
	Options estimators.Options
	Bound   string // the values of the options that move, in their order
	IsUsual bool   // the bound is the trainer's default, or the one that its documents name where that is off
}

// AtDefault returns the options with which a rule is shown: none where its defaults do something, else those that switch it on. It is
// off if nothing does that names a bound.
func (r *Rule) AtDefault() (given estimators.Options, off bool) {
	return r.Usual, r.Usual == "" && r.offByDefault()
}

// offByDefault reports whether the bound of a rule is none.
func (r *Rule) offByDefault() bool {
	values, err := r.Values("")
	return err == nil && len(r.Swept.Keys) > 0 && values.Text(r.Swept.Keys[0]) == "none"
}

// Sweep returns a rule with its bound at several values, narrow ones first; none if it has no bound.
func (r *Rule) Sweep() (points []Point) {
	if len(r.Swept.Keys) == 0 {
		return nil
	}
	if r.Swept.As == AsVersions {
		return r.sweepVersions()
	}
	given, off := r.AtDefault()
	values, err := r.Values(given)
	if err != nil || off {
		return nil
	}
	for _, width := range widths() {
		point := Point{Options: given, IsUsual: width == 1}
		var bounds []string
		for _, key := range r.Swept.Keys {
			value := r.Swept.As.wider(values.Text(key), width)
			point.Options = point.Options.With(key, value)
			if strings.HasPrefix(value, "[") { // JSON
				value = strings.Join(numeral.FindAllString(value, -1), ", ")
			}
			bounds = append(bounds, value)
		}
		point.Bound = strings.Join(bounds, ", ")
		points = append(points, point)
	}
	return points
}

func (r *Rule) sweepVersions() (points []Point) {
	limits, usual := versionLimits(), math.MinInt
	if values, err := r.Values(""); err == nil && !r.offByDefault() {
		usual = values.Whole(r.Swept.Keys[0])
		limits = append(limits, usual)
	}
	slices.Sort(limits)
	for _, limit := range slices.Compact(limits) {
		text := strconv.Itoa(limit)
		points = append(points, Point{Options: estimators.Options("").With(r.Swept.Keys[0], text), Bound: text, IsUsual: limit == usual})
	}
	return points
}

var numeral = regexp.MustCompile(`\d+(\.\d+)?(e-?\d+)?`)

// wider writes a value with each of its numbers moved.
func (m Moves) wider(text string, width float64) string {
	if width == 1 {
		return text
	}
	return numeral.ReplaceAllStringFunc(text, func(word string) string {
		x, err := strconv.ParseFloat(word, 64)
		switch {
		case err != nil:
			return word
		case m == AsRatio:
			x = math.Pow(x, width)
		default:
			x *= width
		}
		return short(x)
	})
}

// short writes a number with the digits that tell it from 1 and from its neighbours in a sweep.
func short(x float64) string {
	digits := 3
	for away := math.Abs(x - 1); away > 0 && away < 0.1 && digits < 8; away *= 10 {
		digits++
	}
	return strconv.FormatFloat(x, 'g', digits, 64)
}
