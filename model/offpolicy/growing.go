package offpolicy

import (
	"maps"
	"slices"
)

// Growing is a study of a log that may grow: what the newest step has is apart from all before it, so that it can be left out and read
// again when there is more of it.
type Growing struct {
	settled *Study // of all steps before the newest
	newest  *Study // nil before there is a row
	step    int    // the newest
}

// NewGrowing returns one with the settings and the rules of an empty study.
func NewGrowing(empty *Study) *Growing { return &Growing{settled: empty} }

// Visit adds a sample, as [Study.Visit] does. hasSettled is called when a step begins that is newer than all before, which are whole then.
func (g *Growing) Visit(hasSettled func()) Visit {
	return func(x Sample) func(int64) error {
		r := g.settled.reduce(x)
		return func(int64) error {
			if isNewer := g.newest == nil || x.Step > g.step; isNewer {
				g.settle()
				g.newest, g.step = g.settled.empty(), x.Step
				hasSettled()
			}
			if x.Step == g.step {
				g.newest.take(r)
			} else {
				g.settled.take(r)
			}
			return nil
		}
	}
}

func (g *Growing) settle() {
	if g.newest != nil {
		g.newest.judge()
		g.settled.join(g.newest)
	}
}

// Newest is the newest step.
func (g *Growing) Newest() int { return g.step }

// DropNewest leaves out what the newest step has: its rows come again.
func (g *Growing) DropNewest() { g.newest = nil }

// Settled is a study of all steps before the newest.
func (g *Growing) Settled() *Study {
	s := g.settled.empty()
	s.join(g.settled)
	s.Finish()
	return s
}

// All is a study of all rows. None comes until the newest step is dropped.
func (g *Growing) All() *Study {
	g.settled.judge()
	s := g.settled.empty()
	s.join(g.settled)
	if g.newest != nil {
		g.newest.judge()
		s.join(g.newest)
	}
	s.Finish()
	return s
}

// empty returns a study of no rows with the same rules.
func (s *Study) empty() *Study {
	e := newStudy(s.Asked, s.Sweeps)
	e.merger = s.merger
	if s.Own != nil {
		e.Own = s.Own.empty()
	}
	for _, t := range s.Trials {
		trial := t.empty()
		if e.Trials = append(e.Trials, trial); t.like != nil {
			trial.like = e.Trials[slices.Index(s.Trials, t.like)]
		}
	}
	return e
}

func (t *Trial) empty() *Trial {
	e := Trial{Rule: t.Rule, Options: t.Options, Bound: t.Bound, IsUsual: t.IsUsual, values: t.values, never: t.never}
	if t.never {
		e.Without = t.Without
	}
	return &e
}

// join adds what is known of other rows, of a study with the same rules.
func (s *Study) join(x *Study) {
	s.Samples, s.Gaps = s.Samples+x.Samples, s.Gaps+x.Gaps
	s.Total.join(&x.Total)
	joinTallies(s.steps, x.steps)
	joinTallies(s.fresh, x.fresh)
	joinTallies(s.lags, x.lags)
	for at, rows := range x.aged {
		of(s.aged, at).join(*rows)
	}
	for i := range s.Signs {
		s.Signs[i].join(&x.Signs[i])
	}
	for i, p := range x.Tenths {
		s.Tenths[i].Tokens, s.Tenths[i].sumAbs = s.Tenths[i].Tokens+p.Tokens, s.Tenths[i].sumAbs+p.sumAbs
	}
	s.traits.join(&x.traits)
	for what, n := range x.Lacks {
		s.Lacks[what] += n
	}
	for writer, n := range x.writers {
		s.writers[writer] += n
	}
	s.Rows.join(&x.Rows)
	if s.Own != nil {
		s.Own.join(x.Own)
	}
	for i, t := range x.Trials {
		s.Trials[i].join(t)
	}
}

func joinTallies(all, others map[int]*Tally) {
	for key, t := range others {
		of(all, key).join(t)
	}
}

// join adds what a rule does to other rows.
func (t *Trial) join(x *Trial) {
	switch {
	case t.Rows == 0 && x.Rows > 0:
		t.Without = ""
	case t.Rows == 0 && x.missing != nil:
		t.Without, t.missing = x.Without, x.missing
	}
	if t.Fails == "" {
		t.Fails = x.Fails
	}
	t.Inexact = t.Inexact || x.Inexact
	t.Rows, t.RowsKept, t.Advised = t.Rows+x.Rows, t.RowsKept+x.RowsKept, t.Advised+x.Advised
	t.Tokens, t.TokensKept, t.Clipped = t.Tokens+x.Tokens, t.TokensKept+x.TokensKept, t.Clipped+x.Clipped
	t.Groups, t.Emptied = t.Groups+x.Groups, t.Emptied+x.Emptied
	t.Positive, t.Negative = t.Positive.Plus(x.Positive), t.Negative.Plus(x.Negative)
	t.effective, t.weighted = t.effective+x.effective, t.weighted+x.weighted
	t.logs, t.bent = t.logs+x.logs, t.bent+x.bent
	t.gone = gone{t.gone.rows + x.gone.rows, t.gone.ofRows + x.gone.ofRows, t.gone.tokens + x.gone.tokens, t.gone.log + x.gone.log}
}

func (r *Rows) join(x *Rows) {
	r.all = append(r.all, x.all...)
	if r.numbered == nil {
		r.numbered = maps.Clone(x.numbered)
	}
	for file, n := range x.numbered {
		r.numbered[file] = max(r.numbered[file], n)
	}
}
