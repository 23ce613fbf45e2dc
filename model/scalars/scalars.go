// Package scalars holds what a trainer logged of each step: reward, entropy, KL, norm of the gradient, scores on held-out data. Each
// trainer has its own names for these; [Meaning] knows them.
//
//	Log.Add(step, name, value) … → Log.Scalars → Series by name, with what they mean ──→ Diagnose, Add → Findings
//
// What a name means is in roles.go, and what several series show together in derived.go. Detectors look at a course of each series. They
// stand in illnesses.go and rewards.go, their statistics in trend.go. Nothing here reads files.
package scalars

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// Scalars are the series of a run.
type Scalars struct {
	Series  []Series // by name, as logged
	Steps   int      // different steps, of the series with the most
	First   int64    // number of the first step, 0 without steps
	Last    int64    // number of the last one
	Dropped int      // names that were left out, since there are too many
	Cut     bool     // older points were left out for the same reason
}

// Series is what was logged under one name, by rising steps.
type Series struct {
	Name   string  // as logged: sanitise before showing
	Means  Meaning // "" if it is not known
	Part   string  // which component or which held-out data, if Means has several: sanitise before showing
	Steps  []int64
	Values []float64 // finite
	Broken []int64   // steps at which it was logged and is NaN or infinite

	ofSamples bool // it is the mean of the samples next to it, and not the trainer's

	rank    int  // of the name among those with the same meaning: the least is the best
	counted bool // a share was taken of it
	rows    int  // whose mean the last value is
}

// Of returns the best series with a meaning that has at least so many points, nil if there is none.
func (s *Scalars) Of(m Meaning, least int) *Series {
	all := s.All(m, least)
	if len(all) == 0 {
		return nil
	}
	return slices.MinFunc(all, func(x, y *Series) int { return cmp.Compare(x.rank, y.rank) })
}

// All returns all series with a meaning that have at least so many points, by name.
func (s *Scalars) All(m Meaning, least int) (all []*Series) {
	for i := range s.Series {
		if x := &s.Series[i]; x.Means == m && len(x.Values) >= least {
			all = append(all, x)
		}
	}
	return all
}

// Still reports whether the learning rate is 0 at every step, so that no weights change.
func (s *Scalars) Still() bool {
	rate := s.Of(LR, 1)
	return rate != nil && !slices.ContainsFunc(rate.Values, func(x float64) bool { return x != 0 })
}

// Last returns the last value, NaN if there is none.
func (s *Series) Last() float64 {
	if len(s.Values) == 0 {
		return math.NaN()
	}
	return s.Values[len(s.Values)-1]
}

// The bounds of a log: a run of 100,000 steps that logs 400 figures is at the edge of what anybody does.
const (
	MaxPoints = 100_000   // of a series: the newest
	MaxSeries = 400       // those with a known meaning are taken in before others
	maxAll    = 4_000_000 // points of all series together, 64 MB
	maxName   = 256       // bytes
)

// Log collects points as they were logged. The zero value is empty.
type Log struct {
	series  map[string]*Series
	unknown int // series without a meaning
	points  int
	dropped map[string]bool
	cut     bool
}

// Add adds a point. Rows of one step, one after the other, count as their mean, as where a loop logs each group. A step that was logged
// before takes back what came after it: the run was started again from there. Values that are not finite are kept apart; names that mean
// nothing beyond the bounds are left out.
func (l *Log) Add(step int64, name string, value float64) {
	if name == "" || len(name) > maxName {
		return
	}
	s := l.series[name]
	if s == nil {
		if s = l.begin(name); s == nil {
			return
		}
	}
	isFinite := !math.IsNaN(value) && !math.IsInf(value, 0)
	if n := len(s.Steps); isFinite && n > 0 && s.Steps[n-1] == step {
		s.rows++
		s.Values[n-1] += (value - s.Values[n-1]) / float64(s.rows)
		return
	}
	s.rows = 1
	for n := len(s.Steps); n > 0 && s.Steps[n-1] >= step; n-- {
		s.Steps, s.Values = s.Steps[:n-1], s.Values[:n-1]
		l.points--
	}
	for n := len(s.Broken); n > 0 && s.Broken[n-1] >= step; n-- {
		s.Broken = s.Broken[:n-1]
	}
	if !isFinite {
		s.Broken = newest(append(s.Broken, step), MaxPoints)
		return
	}
	s.Steps, s.Values = append(s.Steps, step), append(s.Values, value)
	if l.points++; len(s.Steps) >= 2*MaxPoints || l.points > maxAll {
		l.trim()
	}
}

// begin adds a series, nil if there are too many.
func (l *Log) begin(name string) *Series {
	if l.series == nil {
		l.series, l.dropped = map[string]*Series{}, map[string]bool{}
	}
	s := &Series{Name: name}
	s.Means, s.Part, s.rank = meaningOf(name)
	if len(l.series) >= MaxSeries || s.Means == "" && l.unknown >= MaxSeries/2 {
		if len(l.dropped) < 10*MaxSeries {
			l.dropped[name] = true
		}
		return nil
	}
	if s.Means == "" {
		l.unknown++
	}
	l.series[name] = s
	return s
}

// trim leaves out the oldest points of series that have too many, or half of those of all.
func (l *Log) trim() {
	most := MaxPoints
	if l.points > maxAll {
		most = max(1, min(most, maxAll/2/len(l.series)))
	}
	l.points = 0
	for _, s := range l.series {
		l.cut = l.cut || len(s.Steps) > most
		s.Steps, s.Values = newest(s.Steps, most), newest(s.Values, most)
		l.points += len(s.Steps)
	}
}

// newest returns the last n of a list; of twice as many, in a list of its own.
func newest[T any](list []T, n int) []T {
	if len(list) >= 2*n {
		return slices.Clone(list[len(list)-n:])
	}
	return list
}

// Scalars returns what was logged. The log is of no use afterwards.
func (l *Log) Scalars() *Scalars {
	all, begun := &Scalars{Dropped: len(l.dropped), Cut: l.cut}, false
	for _, name := range slices.Sorted(maps.Keys(l.series)) {
		s := l.series[name]
		if extra := len(s.Steps) - MaxPoints; extra > 0 {
			s.Steps, s.Values, all.Cut = s.Steps[extra:], s.Values[extra:], true
		}
		if len(s.Steps)+len(s.Broken) == 0 {
			continue
		}
		all.Series = append(all.Series, *s)
		all.Steps = max(all.Steps, len(s.Steps))
		for _, steps := range [][]int64{s.Steps, s.Broken} {
			if len(steps) == 0 {
				continue
			}
			if !begun {
				all.First, all.Last, begun = steps[0], steps[0], true
			}
			all.First, all.Last = min(all.First, steps[0]), max(all.Last, steps[len(steps)-1])
		}
	}
	all.relate()
	return all
}

// Mean returns the mean of series at the steps that all of them have, as one series of that name: nil without such steps.
func Mean(name string, all []*Series) *Series {
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	mean := &Series{Name: name, Means: all[0].Means}
	first := slices.MaxFunc(all, func(a, b *Series) int { return cmp.Compare(len(a.Steps), len(b.Steps)) })
	for i, step := range first.Steps {
		sum, n := first.Values[i], 1
		for _, s := range all {
			if at, found := slices.BinarySearch(s.Steps, step); found && s != first {
				sum, n = sum+s.Values[at], n+1
			}
		}
		if n == len(all) {
			mean.Steps, mean.Values = append(mean.Steps, step), append(mean.Values, sum/float64(n))
		}
	}
	return mean
}

// HeldOut returns the scores on held-out data as one series with at least so many points: the best-named one, or the mean of several
// alike; nil if there is none.
func (s *Scalars) HeldOut(least int) *Series {
	best := s.Of(Eval, least)
	if best == nil {
		return nil
	}
	all := slices.DeleteFunc(s.All(Eval, least), func(x *Series) bool { return x.rank != best.rank || 2*len(x.Steps) < len(best.Steps) })
	mean := Mean("mean of "+best.Name+" and others", all)
	if len(mean.Values) < least {
		return best
	}
	return mean
}
