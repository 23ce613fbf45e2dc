package offpolicy

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"vantage/model/diagnosis"
)

// Cause is why samples are off-policy: the engine that sampled, or that its weights were old.
type Cause struct {
	Verdict Verdict
	Why     string // a sentence without a full stop

	ByLag bool // measured by version lag; else by steps

	Engine    Interval // mean |d| of a token at lag 0, or at the first step
	Staleness Interval // by how much it grows with each version, or step
	Share     float64  // of staleness, or growth, in the mean |d| of all tokens; NaN if it is not known
}

// Interval is an estimate and where it lies with 95 %, by the spread of rows. All are NaN if it is not known.
type Interval struct{ Value, Low, High float64 }

// Verdict is the word for a cause.
type Verdict string

// The verdicts.
const (
	Unknown Verdict = "cannot tell"
	Neither Verdict = "neither"
	Engine  Verdict = "engine"
	Stale   Verdict = "staleness"
	Both    Verdict = "engine and staleness"
)

// What is judged. A mean |d| of 0.04 is the most that the projects call normal with bf16 and the same weights.
const (
	leastRows   = 5 // of each side of a comparison
	normalAbs   = diagnosis.NormalAbs
	surelyAbs   = 0.03 // and the interval is above that
	leastGrowth = diagnosis.LeastGrowth
	growthShare = 0.25 // of what it is at the least
)

// place is rows at one lag or step.
type place struct {
	at int
	spread
}

// Cause compares the mean |d| at lag 0 with its growth by lag. What grows with the steps alone looks like staleness where rows of later
// steps are older: if rows of one step deny the growth by lag, they decide. Where fewer than two lags are known, and the log begins with the
// run, it compares the first step, at which no sample is stale, with the growth over steps.
func (s *Study) Cause() Cause {
	var lags, steps []place
	for _, lag := range s.Lags {
		if lag.Versions >= 0 && lag.means.n > 0 {
			lags = append(lags, place{lag.Versions, lag.means})
		}
	}
	for _, step := range s.Steps() {
		if step.means.n > 0 {
			steps = append(steps, place{step.First, step.means})
		}
	}
	switch {
	case s.Total.Compared == 0:
		return unknown("no row has log-probs of both sides")
	case s.Total.MaxAbs() == 0:
		return unknown("every difference is exactly 0: one side was written twice, or both compute alike")
	case enough(lags):
		return s.causeOf(lags, steps)
	case len(steps) > 0 && steps[0].at <= 1:
		return causeByStep(steps, s.Asked.Still)
	}
	return unknown("the rows have no two version lags, and the log does not begin with the run")
}

// causeOf is that of the rows by lag, with what the steps say.
func (s *Study) causeOf(lags, steps []place) Cause {
	c := causeByLag(lags, s.byStep(), s.Asked.Still)
	if drifts := s.Asked.Still && c.Verdict == Neither && enough(steps) && grow(steps); drifts {
		c.Verdict, c.Why = Engine, c.Why+"; it grows with the steps"+noWeightsChange
	}
	if step, stands := s.standsStill(); stands && c.Verdict != Neither {
		c.Why += fmt.Sprintf("; the version is the same from step %d on, so weights may not arrive", step)
	}
	return c
}

// standsStill reports whether one version sampled all rows of the last steps, three at least, and from which step on: their lag grows
// with the step.
func (s *Study) standsStill() (from int, stands bool) {
	steps := s.Steps()
	slices.Reverse(steps)
	n := 0
	for _, step := range steps {
		isOfTheVersion := step.Aged == step.Rows && float64(step.First)-step.Lag() == float64(steps[0].First)-steps[0].Lag()
		if !isOfTheVersion {
			break
		}
		from, n = step.First, n+1
	}
	return from, n >= 3
}

func unknown(why string) Cause {
	none := Interval{math.NaN(), math.NaN(), math.NaN()}
	return Cause{Verdict: Unknown, Why: why, Engine: none, Staleness: none, Share: math.NaN()}
}

// enough reports whether the first place and the others have rows to compare.
func enough(places []place) bool {
	if len(places) < 2 {
		return false
	}
	rest := 0
	for _, p := range places[1:] {
		rest += p.n
	}
	return places[0].n >= leastRows && rest >= leastRows
}

// byStep are the rows of the steps that have several lags, by lag.
func (s *Study) byStep() (all [][]place) {
	of := map[int][]place{}
	for at, rows := range s.aged {
		of[at.step] = append(of[at.step], place{at.lag, *rows})
	}
	for _, step := range slices.Sorted(maps.Keys(of)) {
		if places := of[step]; len(places) > 1 {
			slices.SortFunc(places, func(a, b place) int { return a.at - b.at })
			all = append(all, places)
		}
	}
	return all
}

const mayBeNormal = "; the rows are so few and unlike that it may be normal"

const noWeightsChange = " though the learning rate is 0: no weights change"

// causeByLag judges rows of two lags or more, together and step by step. still is that no weights change: then none are old.
func causeByLag(lags []place, byStep [][]place, still bool) Cause {
	c := measured(lags, 0)
	c.ByLag = true
	where := ""
	if slope, ok := growth(byStep...); ok && !slope.holds(c.Staleness.Value) {
		all := centerOf(lags)
		c.Staleness, c.Share = slope, min(1, max(0, slope.Value*all.at/all.mean))
		where = " among rows of one step, unlike from step to step"
	}
	isEngine, isStale := c.Engine.isMismatch(), c.grows(lags)
	c.Why = fmt.Sprintf("mean |d| is %.3g (%.3g to %.3g) at lag 0 and grows by %.3g (%.3g to %.3g) with each version%s",
		c.Engine.Value, c.Engine.Low, c.Engine.High, c.Staleness.Value, c.Staleness.Low, c.Staleness.High, where)
	switch {
	case isStale && still:
		c.Verdict, c.Why = Engine, c.Why+noWeightsChange
	case isEngine && isStale:
		c.Verdict = Both
	case isEngine:
		c.Verdict = Engine
	case isStale:
		c.Verdict = Stale
	case c.Engine.mayBeMismatch():
		c.Verdict, c.Why = Unknown, c.Why+mayBeNormal
	default:
		c.Verdict = Neither
	}
	if c.Verdict == Both || c.Verdict == Stale {
		c.Why += fmt.Sprintf(": %.0f%% of it is staleness", 100*c.Share)
	}
	return c
}

// causeByStep judges the course from the first step on. Growth has several causes, between which versions alone decide.
func causeByStep(steps []place, still bool) Cause {
	if steps[0].n < leastRows {
		return unknown(fmt.Sprintf("the rows have no two version lags, and the first step has fewer than %d rows", leastRows))
	}
	c := measured(steps, steps[0].at)
	grows := len(steps) > 1 && c.grows(steps)
	why := fmt.Sprintf("without two version lags: mean |d| is %.3g (%.3g to %.3g) at step %d, where nothing is stale",
		c.Engine.Value, c.Engine.Low, c.Engine.High, steps[0].at)
	switch isEngine := c.Engine.isMismatch(); {
	case isEngine && grows:
		c.Verdict, why = Engine, why+", and grows from there"
	case isEngine:
		c.Verdict, why = Engine, why+", and does not grow"
	case grows && still:
		c.Verdict, why = Engine, why+", and grows"+noWeightsChange
	case grows:
		c.Verdict, why = Unknown, why+", and grows: versions would tell staleness from weights that do not arrive"
	case c.Engine.mayBeMismatch():
		c.Verdict, why = Unknown, why+mayBeNormal
	default:
		c.Verdict, why = Neither, why+", and does not grow"
	}
	c.Why = why
	return c
}

func (i Interval) isMismatch() bool { return i.Value >= normalAbs && i.Low > surelyAbs }

func (i Interval) mayBeMismatch() bool { return i.Value >= normalAbs }

func (i Interval) holds(x float64) bool { return i.Low <= x && x <= i.High }

// grows reports whether the growth is sure, and large over the places that there are.
func (c *Cause) grows(places []place) bool {
	grown := c.Staleness.Value * float64(places[len(places)-1].at-places[0].at)
	return c.Staleness.Low > 0 && grown >= leastGrowth && grown >= growthShare*c.Engine.Value
}

// grow reports whether the mean |d| grows from the first place on.
func grow(places []place) bool {
	c := measured(places, places[0].at)
	return c.grows(places)
}

// measured fits the mean |d| of tokens by place. That at the origin is of the rows there; without enough of them it is where the fit
// meets it.
func measured(places []place, origin int) (c Cause) {
	c.Staleness, _ = growth(places)
	c.Engine = meets(places, c.Staleness.Value, origin)
	if at := slices.IndexFunc(places, func(p place) bool { return p.at == origin && p.n >= leastRows }); at >= 0 {
		p := places[at]
		k := float64(p.n)
		c.Engine = interval(p.mean(), p.around(p.mean())/(p.tokens*p.tokens)*k/(k-1), k-1)
	}
	c.Engine.Low = max(0, c.Engine.Low)
	c.Share = max(0, 1-c.Engine.Value/centerOf(places).mean)
	return c
}

// center is the middle of the tokens of some places.
type center struct{ rows, tokens, at, mean float64 }

func centerOf(places []place) (c center) {
	for _, p := range places {
		c.rows, c.tokens = c.rows+float64(p.n), c.tokens+p.tokens
		c.at, c.mean = c.at+p.tokens*float64(p.at), c.mean+p.sum
	}
	c.at, c.mean = c.at/c.tokens, c.mean/c.tokens
	return c
}

// growth is by how much the mean |d| of tokens grows with each place within groups of rows, each of which has a level of its own. The error
// is by the spread of rows, which may differ between places. ok is false if the groups are too few or too small.
func growth(groups ...[]place) (slope Interval, ok bool) {
	around, with, rows, free := 0.0, 0.0, 0.0, -1.0
	for _, g := range groups {
		c := centerOf(g)
		for _, p := range g {
			x := float64(p.at) - c.at
			around, with = around+p.tokens*x*x, with+x*(p.sum-p.tokens*c.mean)
		}
		rows, free = rows+c.rows, free+c.rows-1
	}
	value, square := with/around, 0.0
	for _, g := range groups {
		c := centerOf(g)
		for _, p := range g {
			x := float64(p.at) - c.at
			square += x * x * p.around(c.mean+value*x)
		}
	}
	return interval(value, square/(around*around)*rows/max(free, 1), free), around > 0 && free >= 1
}

// meets is where a fit of places meets the origin.
func meets(places []place, slope float64, origin int) Interval {
	c, around, square := centerOf(places), 0.0, 0.0
	for _, p := range places {
		x := float64(p.at) - c.at
		around += p.tokens * x * x
	}
	away := float64(origin) - c.at
	for _, p := range places {
		x := float64(p.at) - c.at
		lever := 1/c.tokens + away*x/around
		square += lever * lever * p.around(c.mean+slope*x)
	}
	free := c.rows - 2
	return interval(c.mean+slope*away, square*c.rows/max(free, 1), free)
}

// interval is where an estimate lies with 95 %, by its squared error and degrees of freedom.
func interval(value, square, free float64) Interval {
	away := studentQuantile(free) * math.Sqrt(square)
	return Interval{value, value - away, value + away}
}

// studentQuantile is the 97.5 % quantile of Student's distribution, by the expansion of Cornish and Fisher; exact enough from 4 degrees on.
func studentQuantile(free float64) float64 {
	const z = 1.959964
	free = max(free, 1)
	return z + (z*z*z+z)/(4*free) + (5*z*z*z*z*z+16*z*z*z+3*z)/(96*free*free) +
		(3*math.Pow(z, 7)+19*math.Pow(z, 5)+17*z*z*z-15*z)/(384*free*free*free)
}
