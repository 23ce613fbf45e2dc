package diagnosis

import (
	"math"
	"slices"

	"vantage/model"
	"vantage/model/units"
)

// series is a figure over the steps: the moments of each, with N 0 where a step has none.
type series []Moments

func (o *Observations) seriesOf(figure func(*Observed) Moments) series {
	s := make(series, len(o.Steps))
	for i := range o.Steps {
		s[i] = figure(&o.Steps[i])
	}
	return s
}

func (m Moments) mean() float64 { return m.Sum / float64(m.N) }

func (m *Moments) join(of Moments) {
	m.N, m.Sum, m.Squares = m.N+of.N, m.Sum+of.Sum, m.Squares+of.Squares
}

// pooled returns the moments of steps [from, to).
func (s series) pooled(from, to int) Moments {
	n, sum, squares := 0, 0.0, 0.0 // which stay in registers
	for _, m := range s[max(0, from):min(to, len(s))] {
		n, sum, squares = n+m.N, sum+m.Sum, squares+m.Squares
	}
	return Moments{n, sum, squares}
}

// values are the means of the steps.
func (s series) values() []float64 { return model.Mapped(s, Moments.mean) }

// steps returns how many of the steps have values.
func (s series) steps() int {
	n := 0
	for _, m := range s {
		if m.N > 0 {
			n++
		}
	}
	return n
}

// variance returns the squared standard error of the pooled mean of steps [from, to): the greater of that by which steps differ and
// that by which values within steps do, so that a noise that is common to a step counts once. dof is how many steps there are less one.
func (s series) variance(from, to int) (variance float64, dof int) {
	all := s.pooled(from, to)
	mean, n := all.mean(), float64(all.N)
	within := max(0, all.Squares/n-mean*mean) / n
	between, steps := 0.0, 0.0
	for _, m := range s[max(0, from):min(to, len(s))] {
		if m.N > 0 {
			d := m.Sum - mean*float64(m.N)
			between += d * d
			steps++
		}
	}
	if steps > 1 {
		between *= steps / (steps - 1) / (n * n)
		return max(within, between), int(steps) - 1
	}
	return within, 0
}

// contrast is the difference of two stretches of a series.
type contrast struct {
	before, after Moments
	z             float64 // how many standard errors the means are apart, as of a normal variable
}

func (c *contrast) change() float64 { return c.after.mean() - c.before.mean() }

// compare compares steps [a, b) with [c, d).
func (s series) compare(a, b, c, d int) contrast {
	k := contrast{before: s.pooled(a, b), after: s.pooled(c, d)}
	if k.before.N == 0 || k.after.N == 0 {
		return k
	}
	v1, f1 := s.variance(a, b)
	v2, f2 := s.variance(c, d)
	k.z = normal(k.change(), v1+v2, f1+f2)
	return k
}

// normal turns a difference with its estimated variance into a normal variable of the same tail, as good as the degrees of freedom
// allow: few steps say little of their own spread (Wallace 1959, "Bounds on normal approximations to Student's …").
func normal(difference, variance float64, dof int) float64 {
	if difference == 0 || !units.IsFinite(difference) {
		return 0
	}
	if variance <= 0 {
		variance = difference * difference * 1e-12
	}
	t, f := difference/math.Sqrt(variance), float64(max(dof, 2))
	return math.Copysign(math.Sqrt(f*math.Log1p(t*t/f))*(8*f+1)/(8*f+3), t)
}

// chance returns the probability that a normal variable is so far from 0 at one of so many places.
func chance(z float64, places int) float64 {
	return min(1, float64(max(1, places))*math.Erfc(math.Abs(z)/math.Sqrt2))
}

// rare is the probability below which chance is no explanation: with some twenty changes looked for in a run, one healthy run in
// hundreds has one, and few of these are large enough to matter.
const rare = 1e-4

// turn returns the step from which a series stays beyond a limit: where the sum of what it is above it, over all steps before, is
// least. A single step does not move it. sign is −1 for below.
func (s series) turn(from int, limit, sign float64) int {
	sum, least, at := 0.0, 0.0, from
	for i := from; i < len(s); i++ {
		sum += sign * (s[i].Sum - limit*float64(s[i].N))
		if sum < least-1e-12 {
			least, at = sum, i+1
		}
	}
	return at
}

// beyond returns the step from which a share is beyond a limit: the first one, unless those before the turn are below it by more than
// chance.
func (s series) beyond(limit float64) int {
	from := s.turn(0, limit, 1)
	if from > 0 && from < len(s) && chance(s.compare(0, from, from, len(s)).z, len(s)) > 0.01 && s.pooled(0, len(s)).mean() >= limit {
		return 0
	}
	return from
}

// ends returns the step before which a share that set in at from ends: the number of steps, unless so many values after its last one are
// none that it would be chance if it went on.
func (s series) ends(from int) int {
	last := from
	for i := from; i < len(s); i++ {
		if s[i].Sum > 0 {
			last = i + 1
		}
	}
	rest := s.pooled(last, len(s)).N
	if len(s)-last < leastSteps || math.Pow(1-s.pooled(from, last).mean(), float64(rest)) > rare {
		return len(s)
	}
	return last
}

// fit is a line through values by least squares.
type fit struct{ n, sum, x, xx, xy float64 } // sums of weights, of values, and of their products with x

// add adds a value, or the sum of so many of a weight, at x.
func (f *fit) add(x, weight, sum float64) {
	f.n, f.sum, f.x, f.xx, f.xy = f.n+weight, f.sum+sum, f.x+weight*x, f.xx+weight*x*x, f.xy+x*sum
}

func (f *fit) mean() float64 { return f.sum / f.n }

// slope is by how much the line rises for each x, 0 if all are at one.
func (f *fit) slope() float64 {
	spread := f.xx - f.x*f.x/f.n
	if !(spread > 0) {
		return 0
	}
	return (f.xy - f.sum*f.x/f.n) / spread
}

// at is the value of the line.
func (f *fit) at(x float64) float64 { return f.mean() + f.slope()*(x-f.x/f.n) }

// How much is looked at on each side of an onset.
const (
	leastSteps  = 3   // a level needs some steps: two may be chance alike
	windowSteps = 0.1 // of the run: shorter stretches follow the noise, longer ones blur what changes
)

// span is how many steps are a level of the run: a tenth, at least five.
func (s series) span() int { return min(len(s), max(5, int(math.Ceil(windowSteps*float64(len(s)))))) }

// smooth returns the pooled means of span steps around each, NaN where these have less than half of the usual number of values.
func (s series) smooth(span int) []float64 {
	values := make([]float64, len(s))
	usual := s.pooled(0, len(s)).N * span / len(s)
	for i, m := range s.around(span) {
		values[i] = math.NaN()
		if 2*m.N >= usual {
			values[i] = m.mean()
		}
	}
	return values
}

// around pools the span steps around each step, those that there are. Steps are summed in blocks of span, from the first on and from the
// last on: any span of steps is the end of one block and the beginning of the next, so that no step is added for each span anew.
func (s series) around(span int) series {
	first := span / 2 // how many come before the step
	padded := make(series, first+len(s)+span)
	copy(padded[first:], s)
	upTo, from := slices.Clone(padded), slices.Clone(padded) // sums within a block
	for i := range padded {
		if i%span > 0 {
			upTo[i].join(upTo[i-1])
		}
	}
	for i := len(padded) - 2; i >= 0; i-- {
		if (i+1)%span > 0 {
			from[i].join(from[i+1])
		}
	}
	pooled := make(series, len(s))
	for i := range pooled {
		pooled[i] = from[i]
		if i%span > 0 {
			pooled[i].join(upTo[i+span-1])
		}
	}
	return pooled
}

// shift is a change of level that stays: from the level before to that at the end.
type shift struct {
	contrast         // of steps [a, b) and [b, end)
	a, b     int     // b is the onset
	level    Moments // the best span of steps before
	settled  Moments // the last span of steps
}

// done is by how much the level at the end differs from that before.
func (k *shift) done() float64 { return k.settled.mean() - k.level.mean() }

// onsetShare is how much of a change must be done for it to have set in: less is lost in the noise, more is late.
const onsetShare = 0.3

// shiftOf finds the change of a series in a direction that begins at the best level of the run so far and stays to the end; false if
// it is no more than chance.
func (s series) shiftOf(sign float64) (shift, bool) { return s.shiftOver(sign, s.span()) }

// shiftOver is shiftOf with levels of so many steps.
func (s series) shiftOver(sign float64, span int) (shift, bool) {
	if s.steps() < 2*leastSteps {
		return shift{}, false
	}
	best, smooth := 0, s.smooth(span)
	for i := range smooth {
		if sign*smooth[i] < sign*smooth[best] || smooth[best] != smooth[best] {
			best = i
		}
	}
	from := max(0, min(best-span/2, len(s)-2*leastSteps))
	k := shift{a: from, level: s.pooled(from, from+span), settled: s.pooled(len(s)-span, len(s))}
	if !(sign*k.done() > 0) {
		return shift{}, false
	}
	k.b = max(s.turn(from, k.level.mean()+onsetShare*k.done(), sign), k.a+1)
	if k.b >= len(s) {
		return shift{}, false
	}
	if k.b > len(s)-span && len(s)-k.b >= leastSteps { // it is late
		k.settled = s.pooled(k.b, len(s))
		k.b = max(s.turn(from, k.level.mean()+onsetShare*k.done(), sign), k.a+1)
	}
	k.contrast = s.compare(k.a, k.b, k.b, len(s))
	settled := s.turn(k.b, k.level.mean()+(1-onsetShare)*k.done(), sign)
	isSettled := 2*settled <= k.b+len(s) && s[settled:].steps() >= leastSteps
	if isSettled { // what goes on changing differs from step to step
		if then := s.compare(k.a, k.b, settled, len(s)); sign*then.z > sign*k.z {
			k.contrast = then
		}
	}
	return k, sign*k.z > 0 && chance(k.z, len(s)) < rare
}

// Median returns the middle value, the mean of two, NaN of nothing. Values that are no numbers do not count.
func Median(values []float64) float64 {
	sorted := slices.DeleteFunc(slices.Clone(values), func(x float64) bool { return !units.IsFinite(x) })
	if len(sorted) == 0 {
		return math.NaN()
	}
	slices.Sort(sorted)
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}
