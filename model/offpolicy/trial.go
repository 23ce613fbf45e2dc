package offpolicy

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"

	"vantage/estimators"
	rules "vantage/estimators/offpolicy"
	"vantage/model"
	"vantage/model/units"
)

// Trial is what a rule does to a log.
type Trial struct {
	Rule    *rules.Rule
	Options estimators.Options // as the trainer spells them; empty: the defaults
	Bound   string             // of a sweep; empty: it is no point of one
	IsUsual bool               // the point of a sweep at the trainer's own bound

	Without string // why there are no numbers, in a few words; empty if there are
	Fails   string // where the trainer raises an exception; empty if nowhere. Numbers are of the other steps
	Inexact bool   // the log has no log-probs of the policy within the update: exact where they are the trainer's

	Rows, RowsKept      int // with a token that trains, and with one that still does
	Advised             int // rows whose advantage is logged
	Tokens, TokensKept  int
	Clipped             int // kept tokens whose weight a bound changes
	Groups, Emptied     int // 0 groups: the log does not name them
	Positive, Negative  Mass
	effective, weighted float64 // rows that count as much, of the rows with a weight
	gone                gone
	logs                float64 // Σ of the sampler's log-probs of Tokens
	bent                float64 // rows whose tokens are clipped, each by the share of its kept tokens

	values  estimators.Values
	like    *Trial // that of the default, which is the same point; nil: it is judged itself
	never   bool   // it has no numbers, whatever the log
	missing error  // what the log lacks
}

// Mass is Σ|A| of rows with one sign, each |A| by the share of its tokens that are kept.
type Mass struct{ All, Kept float64 }

// Share is the share that is kept, NaN of none.
func (m Mass) Share() float64 { return m.Kept / m.All }

// Plus is both.
func (m Mass) Plus(other Mass) Mass { return Mass{m.All + other.All, m.Kept + other.Kept} }

// Name is the rule's, FRAMEWORK/NAME.
func (t *Trial) Name() string { return t.Rule.Framework + "/" + t.Rule.Name }

// Mass is Σ|A| of all rows.
func (t *Trial) Mass() Mass { return t.Positive.Plus(t.Negative) }

// Effective is the share of the rows that count if each weighs the product of the ratios that the rule leaves of its tokens: NaN
// without rows. A removed row weighs 0. Where the rule gives no weights, or 1 and 0, the ratios are the log's.
func (t *Trial) Effective() float64 { return t.effective / t.weighted }

// trialsOf are a rule at its default, and its sweep.
func trialsOf(r *rules.Rule, sweeps bool) (all []*Trial) {
	given, off := r.AtDefault()
	all = []*Trial{newTrial(r, given)}
	if off {
		all[0].Without, all[0].never = "off by default, and no bound is named", true
	}
	if !sweeps {
		return all
	}
	for _, point := range r.Sweep() {
		t := newTrial(r, point.Options)
		t.Bound, t.IsUsual = point.Bound, point.IsUsual
		if point.IsUsual {
			t.like = all[0]
		}
		all = append(all, t)
	}
	return all
}

func newTrial(r *rules.Rule, given estimators.Options) *Trial {
	t := &Trial{Rule: r, Options: given}
	var err error
	if t.values, err = r.Values(given); err != nil {
		t.Without, t.never = err.Error(), true
	}
	return t
}

// copy takes the numbers of the trial that is the same.
func (t *Trial) copy() {
	if t.like != nil {
		same := *t.like
		same.Options, same.Bound, same.IsUsual = t.Options, t.Bound, t.IsUsual
		*t = same
	}
}

// apply judges the rows of a step, and counts what becomes of them.
func (t *Trial) apply(b rules.Batch, groups []string) {
	if t.never || t.like != nil || len(b.Rows) == 0 {
		return
	}
	var all weights
	left := map[string]bool{}
	inexact, err := t.Rule.Each(b, t.values, func(i int, outcome rules.Outcome) {
		if outcome.Unscored || outcome.Tokens == 0 {
			return
		}
		t.count(b.Rows[i], outcome)
		if log, known := weightOf(b.Rows[i], outcome); known {
			all.add(log)
		}
		if groups[i] != "" {
			left[groups[i]] = left[groups[i]] || outcome.Left > 0
		}
	})
	if err != nil {
		t.refuse(err, b.Step)
		return
	}
	t.Inexact = t.Inexact || inexact != ""
	t.effective, t.weighted = t.effective+all.effective(), t.weighted+float64(all.rows)
	t.Groups += len(left)
	for _, some := range left {
		if !some {
			t.Emptied++
		}
	}
}

// refuse notes why there are no numbers of a step: the log lacks something, or the trainer raises an exception.
func (t *Trial) refuse(err error, step int) {
	refusal := (*estimators.Refusal)(nil)
	switch isMissing := errors.As(err, &refusal) && refusal.Kind == estimators.KindMissing; {
	case isMissing && t.Rows == 0:
		t.Without, t.missing = "the log has no "+strings.TrimPrefix(refusal.Text, "the "), err
	case !isMissing && t.Fails == "":
		t.Fails = fmt.Sprintf("the trainer fails at step %d with %v", step, err)
	}
}

// count takes a row with some tokens that train, and some that still do.
func (t *Trial) count(r rules.Row, outcome rules.Outcome) {
	trains, kept := outcome.Tokens, outcome.Left
	if t.Rows == 0 {
		t.Without = ""
	}
	t.Rows, t.Tokens, t.TokensKept = t.Rows+1, t.Tokens+trains, t.TokensKept+kept
	t.Clipped += outcome.Clipped
	if kept > 0 {
		t.RowsKept++
		t.bent += float64(outcome.Clipped) / float64(kept)
	}
	for i, kept := range outcome.Kept {
		if kept == rules.NotTrainable || i >= len(r.Sampler) {
			continue
		}
		times := 1
		if r.Times != nil {
			times = int(r.Times[i])
		}
		log := float64(times) * max(float64(r.Sampler[i]), leastLog)
		if t.logs += log; kept != rules.Trains {
			t.gone.tokens, t.gone.log = t.gone.tokens+times, t.gone.log+log
		}
	}
	if kept == 0 {
		t.gone.rows, t.gone.ofRows = t.gone.rows+1, t.gone.ofRows+trains
	}
	mass := Mass{math.Abs(r.Advantage), math.Abs(r.Advantage) * float64(kept) / float64(trains)}
	if r.Advantage == r.Advantage {
		t.Advised++
	}
	switch {
	case r.Advantage > 0:
		t.Positive = t.Positive.Plus(mass)
	case r.Advantage < 0:
		t.Negative = t.Negative.Plus(mass)
	}
}

// leastLog bounds log-probs in means: of −Inf too.
const leastLog = -20

// weightOf is the logarithm of what a row weighs after a rule. It is not known of a row that cannot be compared.
func weightOf(r rules.Row, outcome rules.Outcome) (log float64, known bool) {
	if !r.Even() {
		return 0, false
	}
	if outcome.Left == 0 {
		return math.Inf(-1), true
	}
	isMask := outcome.Weights == nil || outcome.Clipped == 0 && onlyOnes(outcome)
	product := 1.0
	for i := range outcome.Kept {
		if outcome.Kept[i] != rules.Trains {
			continue
		}
		times := 1.0
		if r.Times != nil {
			times = float64(r.Times[i])
		}
		if isMask {
			if d := float64(r.Trainer[i]) - float64(r.Sampler[i]); units.IsFinite(d) {
				log += times * d
			}
			continue
		}
		w := float64(outcome.Weights[i]) * float64(outcome.Mean)
		switch {
		case outcome.OfRow:
			return math.Log(w), true
		case times > 1:
			log += times * math.Log(w)
			continue
		}
		if product *= w; product > 1e100 || product < 1e-100 {
			log, product = log+math.Log(product), 1
		}
	}
	return log + math.Log(product), true
}

// onlyOnes reports whether the weights of all kept tokens are 1: then they are a mask.
func onlyOnes(outcome rules.Outcome) bool {
	for i, w := range outcome.Weights {
		if outcome.Kept[i] == rules.Trains && w*outcome.Mean != 1 {
			return false
		}
	}
	return true
}

// Tried is a rule at its trainer's bound, and its sweep.
type Tried struct {
	*Trial
	Sweep []*Trial
}

// Tried are all rules that were tried.
func (s *Study) Tried() (all []Tried) {
	for _, t := range s.Trials {
		if t.Bound == "" {
			all = append(all, Tried{Trial: t})
			continue
		}
		last := &all[len(all)-1]
		last.Sweep = append(last.Sweep, t)
	}
	return all
}

// Mark is the usual bound of other trainers, at a place among the points of a sweep: 1.5 is in the middle between the second and the third.
// It is NaN for a bound beyond them.
type Mark struct {
	At float64
	rules.Elsewhere
}

// Elsewhere are the bounds of other trainers for what a rule bounds, the smallest first, and where they lie among some points of its sweep.
func (t *Trial) Elsewhere(points []*Trial) (all []Mark) {
	var bounds []float64
	for _, p := range points {
		if bound, ok := p.Rule.BoundOf(p.Options); ok {
			bounds = append(bounds, bound)
		}
	}
	for _, e := range t.Rule.Elsewhere() {
		at, ok := t.Rule.PlaceAmong(e.Bound, bounds)
		if !ok || len(bounds) < len(points) {
			at = math.NaN()
		}
		all = append(all, Mark{at, e})
	}
	return all
}

// ElsewhereText names the bounds of other trainers and whose they are: "2 verl · 3 trl, unsloth".
func (t *Trial) ElsewhereText() string {
	return strings.Join(model.Mapped(t.Rule.Elsewhere(), rules.Elsewhere.Text), " · ")
}

// Reason is why the rule has no numbers, empty if it has.
func (t *Trial) Reason() string {
	if t.Rows > 0 {
		return ""
	}
	return cmp.Or(t.Fails, t.Without, "no row that it could judge")
}

// Moves are the last words of the options that a sweep moves.
func (t *Trial) Moves() string { return shortKeys(t.Rule.Swept.Keys) }
