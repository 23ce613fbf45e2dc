package diagnosis

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"vantage/model"
	"vantage/model/units"
)

// Sum is how a reward is made of its parts, as the samples show it: a weighted sum, fitted within groups, where what is common to a prompt
// does not count.
type Sum struct {
	Parts   []Summand // those that count, the heavier in the total first
	Without []string  // columns that differ within groups and have no weight
	Fit     float64   // R² within groups: 1 if the sum is exact
	Rest    *Gain     // by how much what no column holds gains over the run; nil of an exact sum

	terms []term
}

// term is a part with its place among the columns.
type term struct {
	column int
	weight float64
}

// Summand is a part of a sum.
type Summand struct {
	Name   string
	Weight float64
	With   float64 // correlation with the total within groups
	effect float64 // standard deviation of the part within groups, times its weight
}

// When a sum is told.
const (
	sumRows     = 8192  // rows that are fitted, of steps spread over the run
	sumSteps    = 32    // steps that these are of
	sumColumns  = 12    // more columns are metrics
	leastFit    = 0.5   // R² below which the columns do not make up the reward
	exactFit    = 1e-6  // of the variance of the total that may be left of an exact sum: logs round
	noWeight    = 0.005 // of the spread of the total: what a part of a sum adds at least
	againstFit  = 0.95  // R² from which the sign of a weight is known
	againstWith = -0.1  // correlation with the total that goes with it
)

// IsExact reports whether nothing is left of the total.
func (s *Sum) IsExact() bool { return 1-s.Fit <= exactFit }

// IsPlain reports whether a sum tells nothing that its names do not: one part of weight 1, and nothing besides.
func (s *Sum) IsPlain() bool {
	return s.IsExact() && len(s.Parts) == 1 && s.Parts[0].Weight == 1
}

// String is the sum: "reward = 0.5·traj_reward − 1.5·reasoning_reward (exact)".
func (s *Sum) String() string {
	var b strings.Builder
	b.WriteString("reward =")
	for i, p := range s.Parts {
		sign, weight := " + ", p.Weight
		switch {
		case weight < 0 && i == 0:
			sign, weight = " −", -weight
		case weight < 0:
			sign, weight = " − ", -weight
		case i == 0:
			sign = " "
		}
		b.WriteString(sign)
		if weight != 1 {
			b.WriteString(strconv.FormatFloat(weight, 'g', 4, 64) + "·")
		}
		b.WriteString(p.Name)
	}
	if s.IsExact() {
		b.WriteString(" within groups, exactly")
	} else {
		fmt.Fprintf(&b, " + %s: these explain %s of its variance within groups", restName, units.Share(s.Fit))
	}
	if len(s.Without) > 0 {
		b.WriteString("; " + strings.Join(s.Without, ", ") + " without weight")
	}
	return b.String()
}

// sum fits the reward of the log as a sum of its columns; nil if it has no reward of its own, no such columns, or they do not make it up.
func (o *Observations) sum() *Sum {
	run := &o.snap.Run
	columns := run.RewardFunctions("")
	if o.isMade() || len(columns) == 0 || len(columns) > sumColumns {
		return nil
	}
	parts, totals := o.withinGroups(columns)
	columns, parts = varying(columns, parts)
	columns, parts, weights := fitted(columns, parts, totals)
	if weights == nil {
		return nil
	}
	spread, left := variance(totals), variance(rest(parts, totals, weights))
	s := &Sum{Fit: 1 - left/spread}
	if spread <= 0 || s.Fit < leastFit || !s.IsExact() && areHalvesExact(parts, totals) {
		return nil
	}
	for i, c := range columns {
		values := valuesOf(parts, i)
		p := Summand{
			Name: run.ComponentNames[c], Weight: rounded(weights[i]), With: correlation(values, totals),
			effect: math.Abs(weights[i]) * math.Sqrt(variance(values)),
		}
		if p.effect <= noWeight*math.Sqrt(spread) {
			s.Without = append(s.Without, p.Name)
			continue
		}
		s.Parts, s.terms = append(s.Parts, p), append(s.terms, term{column: c, weight: p.Weight})
	}
	slices.SortStableFunc(s.Parts, func(a, b Summand) int {
		if a.effect > b.effect {
			return -1
		}
		return model.Count01(a.effect < b.effect)
	})
	if len(s.Parts) == 0 {
		return nil
	}
	return s
}

// rounded is a weight as a person would have set it, if it is nearly that.
func rounded(w float64) float64 {
	const digits = 1000
	if near := math.Round(w*digits) / digits; math.Abs(near-w) <= 1e-4*math.Abs(w) {
		return near
	}
	return w
}

// withinGroups returns columns and totals of rows that have all of them, less their means in the group.
func (o *Observations) withinGroups(columns []int) (parts [][]float64, totals []float64) {
	every := max(1, (len(o.Steps)+sumSteps-1)/sumSteps)
	most := sumRows / max(1, len(o.Steps)/every) // of a step
	for i := 0; i < len(o.Steps); i += every {
		from := len(totals)
		step := o.snap.Steps[o.Steps[i].Index]
		order, offsets, err := o.snap.Layout(o.rule, o.Steps[i].Index)
		if err != nil {
			return nil, nil
		}
		last, _ := slices.BinarySearch(offsets, min(most, len(order))) // of the groups that are fitted
		order = order[:min(len(order), offsets[last]+most)]
		rewards, err := o.snap.Rewards(step, order, o.set)
		if err != nil {
			return nil, nil
		}
		values := model.Mapped(columns, func(k int) []float64 { return step.Component(order, k) })
		for g := 0; g < len(offsets)-1 && len(totals)-from < most; g++ {
			var rows [][]float64
			for k := offsets[g]; k < min(offsets[g+1], offsets[g]+most, len(order)); k++ {
				row := make([]float64, 0, len(columns)+1)
				for c := range columns {
					row = append(row, values[c][k])
				}
				if row = append(row, rewards[k]); !slices.ContainsFunc(row, func(x float64) bool { return !units.IsFinite(x) }) {
					rows = append(rows, row)
				}
			}
			if len(rows) < 2 {
				continue
			}
			centre(rows)
			for _, row := range rows {
				parts, totals = append(parts, row[:len(columns)]), append(totals, row[len(columns)])
			}
		}
	}
	return parts, totals
}

// centre takes the mean of each column from its values.
func centre(rows [][]float64) {
	for c := range rows[0] {
		sum := 0.0
		for _, row := range rows {
			sum += row[c]
		}
		for _, row := range rows {
			row[c] -= sum / float64(len(rows))
		}
	}
}

// areHalvesExact reports whether the first half of the rows is an exact sum, and the second one: then the weights changed, and nothing is
// left.
func areHalvesExact(parts [][]float64, totals []float64) bool {
	for _, half := range [][2]int{{0, len(parts) / 2}, {len(parts) / 2, len(parts)}} {
		rows, sums := parts[half[0]:half[1]], totals[half[0]:half[1]]
		weights, _ := WeightsOf(rows, sums)
		if weights == nil || variance(rest(rows, sums, weights)) > exactFit*variance(sums) {
			return false
		}
	}
	return true
}

// varying leaves out columns that are constant within groups.
func varying(columns []int, parts [][]float64) ([]int, [][]float64) {
	var kept []int
	for i := range columns {
		if len(parts) > 0 && variance(valuesOf(parts, i)) > 0 {
			kept = append(kept, i)
		}
	}
	return pick(columns, parts, kept)
}

// pick returns some columns, by their places.
func pick(columns []int, parts [][]float64, kept []int) ([]int, [][]float64) {
	return model.Mapped(kept, func(i int) int { return columns[i] }), model.Mapped(parts, func(row []float64) []float64 {
		return model.Mapped(kept, func(i int) float64 { return row[i] })
	})
}

// fitted fits totals by columns; of those that are sums of others the later ones are left out.
func fitted(columns []int, parts [][]float64, totals []float64) ([]int, [][]float64, []float64) {
	var kept []int
	var weights []float64
	for i := range columns {
		some := append(slices.Clone(kept), i)
		if _, rows := pick(columns, parts, some); len(rows) > 0 {
			if w, _ := WeightsOf(rows, totals); w != nil {
				kept, weights = some, w
			}
		}
	}
	columns, parts = pick(columns, parts, kept)
	return columns, parts, weights
}

func valuesOf(rows [][]float64, i int) []float64 {
	return model.Mapped(rows, func(row []float64) float64 { return row[i] })
}

// rest is what the weights leave of the totals.
func rest(parts [][]float64, totals, weights []float64) []float64 {
	left := slices.Clone(totals)
	for r, row := range parts {
		for i, x := range row {
			left[r] -= weights[i] * x
		}
	}
	return left
}

// variance is that of values whose mean is 0.
func variance(values []float64) float64 {
	sum := 0.0
	for _, x := range values {
		sum += x * x
	}
	return sum / float64(max(1, len(values)))
}

// correlation is that of values whose means are 0.
func correlation(x, y []float64) float64 {
	sum := 0.0
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum / float64(max(1, len(x))) / math.Sqrt(variance(x)*variance(y))
}

// Words of names of what is the better the more there is of it, and of what is not.
var (
	goodWords = []string{"reward", "score", "acc", "correct", "bonus", "success", "solve", "pass"}
	badWords  = []string{
		"penal", "cost", "loss", "len", "overlong", "repet", "kl", "error", "err_", "violat", "distance", "toxic", "neg", "baseline",
		"fail", "wrong", "hack", "dup", "trunc",
		"steps", "turn", "token", "time", "count", "num",
	}
)

// isGood reports whether a column is by its name the better the more there is of it.
func isGood(name string) bool { return HasWord(name, goodWords) && !HasWord(name, badWords) }

// against finds a part that is the better the more there is of it, by its name, and lowers the total: an alarm if it falls as the total
// gains.
func against(e *evidence) ([]Finding, string) {
	if len(e.Parts) == 0 {
		return nil, "the log has no columns next to the reward"
	}
	s := e.total
	if s == nil || s.Fit < againstFit {
		return nil, ""
	}
	for _, p := range s.Parts {
		if p.Weight >= 0 || p.With > againstWith || !isGood(p.Name) {
			continue
		}
		part := e.seriesOf(func(o *Observed) Moments { return o.part(slices.Index(e.Parts, p.Name)).Moments })
		n := len(part)
		f := e.finding(part, p.Name, 0, n, false, "samples")
		f.Severity, f.Example.Step = Watch, e.Steps[0].Step
		f.Title = fmt.Sprintf("more %s lowers the reward: %s", p.Name, s)
		change, total := GainOf(part.known()), GainOf(e.rewards().known())
		f.Evidence = []Evidence{e.thirds(part, p.Name)}
		if change.By < -gainErrors*change.Error && total.IsGain() {
			f.Severity = Alarm
			f.Title = fmt.Sprintf("%s falls as the reward gains, for it counts against it: %s", p.Name, s)
		}
		return []Finding{f}, ""
	}
	return nil, ""
}
