package offpolicy

import (
	"cmp"
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
	Of   Measure
}

// Measure is what a bound limits. Bounds of rules with one measure can be compared.
type Measure string

// The measures of bounds.
const (
	OfToken      Measure = "ratio of a token"
	OfRow        Measure = "product of the ratios of a row"
	OfGeometric  Measure = "geometric mean of the ratios of a row"
	OfMove       Measure = "move of the probability of a token"
	OfDivergence Measure = "divergence of a token"
	OfGap        Measure = "mean of the sampler's log-probs less the policy's, of a row"
	OfError      Measure = "mean e^|d| of a row"
	OfVersions   Measure = "versions"
)

// Elsewhere is the usual bound of other trainers.
type Elsewhere struct {
	Bound      float64  // in the unit of its measure, the upper one of two
	Frameworks []string // whose rules have it, in the order of the catalogue
}

// Text names the trainers behind their bound.
func (e Elsewhere) Text() string {
	return strconv.FormatFloat(e.Bound, 'g', -1, 64) + " " + strings.Join(e.Frameworks, ", ")
}

// Elsewhere are the usual bounds of the rules of other frameworks with the same measure, the smallest first.
func (r *Rule) Elsewhere() (all []Elsewhere) {
	for _, other := range All() {
		bound, ok := other.usualBound()
		if other.Framework == r.Framework || other.Swept.Of != r.Swept.Of || len(r.Swept.Keys) == 0 || !ok {
			continue
		}
		i := slices.IndexFunc(all, func(e Elsewhere) bool { return e.Bound == bound })
		if i < 0 {
			i, all = len(all), append(all, Elsewhere{Bound: bound})
		}
		if !slices.Contains(all[i].Frameworks, other.Framework) {
			all[i].Frameworks = append(all[i].Frameworks, other.Framework)
		}
	}
	slices.SortFunc(all, func(a, b Elsewhere) int { return cmp.Compare(a.Bound, b.Bound) })
	return all
}

// usualBound is the bound with which a rule is shown, if it has one.
func (r *Rule) usualBound() (bound float64, ok bool) {
	given, off := r.AtDefault()
	if off || len(r.Swept.Keys) == 0 {
		return 0, false
	}
	return r.BoundOf(given)
}

// BoundOf is the main bound of a rule with options, in the unit of its measure: the upper one of two. ok is false if it has none.
func (r *Rule) BoundOf(given estimators.Options) (bound float64, ok bool) {
	values, err := r.Values(given)
	if err != nil || len(r.Swept.Keys) == 0 {
		return 0, false
	}
	words := numeral.FindAllString(values.Text(r.Swept.Keys[len(r.Swept.Keys)-1]), -1)
	if len(words) == 0 {
		return 0, false
	}
	bound, err = strconv.ParseFloat(words[len(words)-1], 64)
	if isDistance := r.Swept.Of == OfToken && r.Swept.As == AsDistance; isDistance {
		bound++
	}
	return bound, err == nil
}

// PlaceAmong is where a bound lies among the bounds of a sweep, which grow: 1.5 is in the middle between those of 1 and 2. ok is false if
// it is not between them.
func (r *Rule) PlaceAmong(bound float64, points []float64) (at float64, ok bool) {
	scale := func(x float64) float64 {
		switch r.Swept.Of {
		case OfVersions:
			return x
		case OfToken, OfRow, OfGeometric, OfError:
			x = math.Log(x)
		case OfMove, OfDivergence, OfGap:
		}
		return math.Log(x)
	}
	for i, high := range points {
		if i > 0 && bound >= points[i-1] && bound <= high {
			low := scale(points[i-1])
			return float64(i-1) + (scale(bound)-low)/(scale(high)-low), true
		}
	}
	return 0, false
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
