package estimators

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

// run runs one case and compares it. It returns the entry that the options of the case
// select.
func (row goldenRow) run(t *testing.T, c goldenCase, n *goldenCounts) *Estimator {
	t.Helper()
	e := find(t, row.framework, row.name)
	for _, part := range row.skip {
		if strings.Contains(c.Name, part) {
			n.skipped++
			return e
		}
	}
	if !e.Computable() {
		n.skipped++ // TestEntriesAreComplete asks for the reason
		return e
	}
	s := e.Scales[0]
	if row.applyOptions != nil {
		s = row.applyOptions(e, c.Params)
	}
	if c.Tokens != nil {
		row.compareTokens(t, c, e, n)
		return e
	}
	var r Result
	order, err := c.process(&r, e, s)
	if e.Name != row.name {
		row.tolerance = max(row.tolerance, e.Tolerance)
	}
	if want := c.exact(e); want != nil {
		c.Advantages = want
		if IsMissing(float64(want[0])) { // undefined
			if n.refused++; err == nil {
				t.Errorf("%s: defined", c.Name)
			}
			return e
		}
	}
	switch got, want := errorText(err), stringOrEmpty(c.Error); {
	case got != want && !isCut(got, want):
		t.Errorf("%s: error %q, want %q", c.Name, got, want)
	case c.Error != nil:
		n.refused++
	default:
		row.compare(t, c, &r, order, e, s, n)
	}
	return e
}

// isCut reports whether want is got without its end: some files hold the first 120 bytes of a message.
func isCut(got, want string) bool {
	_, message, _ := strings.Cut(want, ": ")
	return len(message) == 120 && strings.HasPrefix(got, want)
}

// process computes the case into r and returns the rows of the case in the order of r.
func (c goldenCase) process(r *Result, e *Estimator, s Scale) (order []int, err error) {
	order, b, err := c.batch(e)
	if err != nil {
		return nil, err
	}
	if len(order) == 0 {
		// Without samples there is no group, but its size alone can be refused: one
		// group of zeros stands for it.
		n := *c.Params.NumGenerations
		return order, e.Advantage(make([]float64, n), Batch{Rewards: make([]float64, n), Offsets: []int{0, n}}, s)
	}
	return order, process(r, e, b, s, ratioOrOne(c.Params.KeepPos), ratioOrOne(c.Params.KeepNeg), c.Params.Recompute)
}

func (row goldenRow) compare(t *testing.T, c goldenCase, r *Result, order []int, e *Estimator, s Scale, n *goldenCounts) {
	t.Helper()
	if len(c.Advantages) != len(order) {
		t.Fatalf("%s: %d advantages for %d samples", c.Name, len(c.Advantages), len(order))
	}
	if c.Selected != nil {
		c.moveTies(t, r, order)
	}
	worst, want := difference{float: e.Float}, pick(floats(c.Advantages), order)
	for at, x := range want {
		if IsMissing(x) { // null: the trainer leaves the sample out
			want[at] = 0
			if r.Kept[at] {
				t.Errorf("%s: sample %d is kept", c.Name, order[at])
			}
		}
	}
	worst.add(want, r.Processed)
	if c.Unfiltered != nil {
		worst.add(pick(floats(c.Unfiltered), order), r.Unfiltered)
	}
	for at, i := range order {
		if c.Kept != nil && r.Kept[at] != bool(c.Kept[i]) {
			t.Errorf("%s: sample %d kept %v, want %v", c.Name, i, r.Kept[at], c.Kept[i])
		}
	}
	row.count(t, c, worst, n)
	if e.zeroStd != nil && c.Metrics.ZeroStd != nil {
		n.zeroStd++
		row.compareZeroStd(t, c, e, s)
	}
}

// exact returns what a definition in fractions gives for an estimator of pkpo, nil for others.
func (c goldenCase) exact(e *Estimator) []goldenReal {
	return map[string][]goldenReal{
		"pkpo_s": c.Exact.S, "pkpo_sloo": c.Exact.SLOO, "pkpo_sloo_minus_one": c.Exact.SLOOMinusOne,
	}[e.Name]
}

// moveTies changes which of equal rewards of a group are kept, with their advantages, to those that r
// keeps, if they are as many.
func (c *goldenCase) moveTies(t *testing.T, r *Result, order []int) {
	t.Helper()
	type reward struct {
		group  int
		amount float32
	}
	open, advantages := map[reward]int{}, map[reward]goldenReal{}
	for i, k := range c.Kept {
		if k {
			of := reward{c.Groups[i], float32(c.Rewards[i])}
			advantages[of] = c.Advantages[i]
			open[of]++
		}
	}
	for at, i := range order {
		c.Kept[i], c.Advantages[i] = goldenFlag(r.Kept[at]), goldenReal(MissingReward())
		if r.Kept[at] {
			of := reward{c.Groups[i], float32(c.Rewards[i])}
			open[of]--
			c.Advantages[i] = advantages[of]
		}
	}
	for of, n := range open {
		if n != 0 {
			t.Errorf("%s: group %d keeps %d samples of reward %v too few", c.Name, of.group, n, of.amount)
		}
	}
}

// compareZeroStd compares frac_reward_zero_std, which the trainers log in float32.
func (row goldenRow) compareZeroStd(t *testing.T, c goldenCase, e *Estimator, s Scale) {
	t.Helper()
	_, b, err := c.batch(e)
	if err != nil {
		t.Fatal(err)
	}
	zero := 0
	for g, is := range e.ZeroStd(b, s) {
		if is {
			zero += len(b.Group(g))
		}
	}
	if got, want := float32(zero)/float32(len(b.Rewards)), float32(*c.Metrics.ZeroStd); got != want {
		t.Errorf("%s: frac_reward_zero_std %v, want %v", c.Name, got, want)
	}
}

// compareTokens compares a discounted case token by token, and each sample with the mean of its tokens.
func (row goldenRow) compareTokens(t *testing.T, c goldenCase, e *Estimator, n *goldenCounts) {
	t.Helper()
	w, ok := map[string]whitening{
		"easyr1": maskedWhiten(), "verl": maskedWhiten(), "slime": slimeWhitening(), "openrlhf": flooredWhiten(),
	}[row.framework]
	if !ok {
		t.Fatalf("%s: no whitening", c.Name)
	}
	order, b, err := c.batch(e)
	if err != nil {
		t.Fatal(err)
	}
	samples := make([]float64, len(order))
	if err := e.Advantage(samples, b, ScaleNone); err != nil {
		t.Fatal(err)
	}
	gamma := *c.Params.Gamma
	values := newTokenValues(b.Rewards, b.Lengths, gamma)
	centre, factor := w.fit(&values)
	worst := difference{float: e.Float}
	for at, i := range order {
		got, want := make([]float64, b.Lengths[at]), floats(c.Tokens[i])
		x, mean := b.Rewards[at], 0.0
		for k := len(got) - 1; k >= 0; k-- {
			got[k] = float64(float32((x - centre) * factor))
			x *= gamma
			mean += want[k] / float64(len(want))
		}
		worst.add(want, got)
		if len(want) > 0 {
			worst.add([]float64{mean}, samples[at:at+1])
		}
	}
	row.count(t, c, worst, n)
}

// count counts a comparison, or reports it if it is beyond the tolerance of the row.
func (row goldenRow) count(t *testing.T, c goldenCase, worst difference, n *goldenCounts) {
	t.Helper()
	switch {
	case worst.size == 0:
		n.exact++
	case worst.size <= row.tolerance:
		n.withinTolerance++
	default:
		t.Errorf("%s: off by %.3g: %s", c.Name, worst.size, worst.where)
	}
}

// difference is the largest difference so far, relative to the largest value or to 1.
type difference struct {
	float Float
	size  float64
	where string
}

// add compares bits; -0 equals 0 and NaN equals NaN.
func (d *difference) add(want, got []float64) {
	largest := 1.0
	for _, w := range want {
		if size := math.Abs(w); size > largest && !math.IsInf(w, 0) {
			largest = size
		}
	}
	for i, w := range want {
		if d.float == Float32 {
			w = float64(float32(w))
		}
		g := got[i]
		if g == w || math.IsNaN(g) && math.IsNaN(w) {
			continue
		}
		size := math.Abs(g-w) / largest
		if math.IsNaN(size) {
			size = math.Inf(1)
		}
		if size > d.size {
			d.size, d.where = size, fmt.Sprintf("value %d is %v, want %v", i, g, w)
		}
	}
}

func ratioOrOne(r *goldenReal) float64 {
	if r == nil {
		return 1
	}
	return float64(*r)
}

// errorText is what a traceback ends with.
func errorText(err error) string {
	var refusal *Refusal
	switch {
	case err == nil:
		return ""
	case errors.As(err, &refusal):
		return refusal.Error()
	}
	return "not a refusal: " + err.Error()
}

func stringOrEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
