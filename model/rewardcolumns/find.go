package rewardcolumns

import (
	"context"
	"slices"

	"vantage/model"
)

// Found says which columns make up the reward.
type Found struct {
	Weights   model.Weights // of the columns that count; a function with weight 0 is among them if it is known to be one
	Exact     int           // logged advantages that the weights reproduce, to one float32 unit in the last place
	Agreeing  int           // or within the tolerance of package match
	Compared  int           // logged advantages that were looked at
	Undecided []string      // columns that are equal within every group: no advantage tells their weights
	OnlyRatio bool          // twice the weights would do as well
}

// minAgreeing is the share of the logged advantages that weights must reproduce. Some rows may be of
// groups that are cut or merged.
const minAgreeing = 0.9

// maxColumns is how many columns may be told apart: nobody weighs more.
const maxColumns = 32

// Find returns the weights under which an estimator of the trainer gives the logged advantages; ok is
// false if there are none. It reads the grouping of the settings, and a bounded number of steps.
//
// columns are the candidates, in the order of the log: a trainer logs its reward functions before
// other columns. If known is set, all of them are reward functions, else some may be something else.
func Find(ctx context.Context, snap model.Snapshot, set model.Settings, trainer string, columns []string, known bool) (found Found, ok bool) {
	if len(columns) == 0 || len(columns) > maxColumns {
		return found, false
	}
	set.Reward, set.Weights = "", ""
	s := sample(snap, set, columns)
	if len(s.steps) == 0 {
		return found, false
	}
	c := s.describe(columns, known)
	v := verifier{ctx: ctx, snap: snap, set: set, steps: s.indexes, estimators: estimatorsOf(snap, trainer, set.Options)}
	if found = v.best(c, c.ones()); !found.complete() {
		if solved := v.best(c, s.solve(c)); solved.Agreeing > found.Agreeing {
			found = solved
		}
	}
	if found.Agreeing == 0 || float64(found.Agreeing) < minAgreeing*float64(found.Compared) || ctx.Err() != nil {
		return Found{}, false
	}
	found.Undecided = c.undecided()
	twice := v.verify(found.Weights.Times(2))
	found.OnlyRatio = twice.Agreeing >= found.Agreeing
	return found, true
}

// best returns the weights that reproduce most advantages. Of those that reproduce equally many the
// first wins, unless a later one is right in the last place for many more: leave-one-out is what no
// division is, with other weights, but for rounding.
func (v verifier) best(c *candidates, all [][]float64) Found {
	best := Found{}
	for _, factors := range all {
		for _, w := range c.complete(factors) {
			f := v.verify(w)
			if f.Agreeing > best.Agreeing || f.Agreeing == best.Agreeing && f.Exact > best.Exact+f.Compared/4 {
				best = f
			}
			if best.complete() && best.Exact == best.Compared || v.ctx.Err() != nil {
				return best
			}
		}
	}
	return best
}

// complete reports whether all logged advantages are reproduced.
func (f Found) complete() bool { return f.Compared > 0 && f.Agreeing == f.Compared }

// ones returns the factors to try first: each function counts as it is, and the reward functions come
// before the other columns.
func (c *candidates) ones() [][]float64 {
	var all [][]float64
	factors := make([]float64, len(c.names))
	for k := range c.names {
		if c.moves[k] {
			factors[k] = 1
			all = append(all, slices.Clone(factors))
		}
	}
	if c.known && len(all) > 0 {
		return all[len(all)-1:]
	}
	return all
}
