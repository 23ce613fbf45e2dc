// Package ledger keeps an account of every prompt over a whole run: what it cost, what it taught, and what it is
// now ([State]). In go the analyses of the steps, one after another; a [Ledger] grows with the prompts, not with
// the samples. The commands prompts and grep and the screen call it.
package ledger

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/units"
)

// Ledger is the accounts of the prompts of some steps.
type Ledger struct {
	Prompts  []Prompt // in the order in which they came
	Steps    int
	Open     int    // steps that are still being written, which do not count
	Nameless int    // groups without a prompt, which are in no account
	Known    bool   // rewards say what is solved; else the mean reward takes the place of the solve rate
	ByID     bool   // the log has no prompts: accounts are by the ids of groups
	WhyNone  string // why there is no solve rate, "" if there is
	Twins    []Twin // that were found, and not joined
	Away     string // that answers belong to other prompts than theirs, with figures; "" if nothing shows it
	Unit     model.LengthUnit
	Read     int // answers that were read to find suspect prompts

	snap   model.Snapshot
	single bool // no row says which prompt it answers, and each group counts as one
	joined map[uint32]uint32
	index  []int32 // of the prompt with a number, from 1; 0 if it has not come
	ids    map[string]int32
}

// ErrNoPrompts says that rows cannot be told apart by their prompt.
var ErrNoPrompts = errors.New("the log has neither prompts nor ids of groups, so the prompt of a row is unknown: --prompt NAME " +
	"names the column")

func newLedger(snap model.Snapshot, set model.Settings, single bool) (*Ledger, error) {
	l := &Ledger{snap: snap, single: single, ByID: snap.PromptCount() == 0, Unit: snap.Run.LengthUnit}
	for _, s := range snap.RewardScales(set) {
		l.WhyNone = cmp.Or(l.WhyNone, s.WhyNone())
	}
	l.Known = l.WhyNone == ""
	if !l.ByID {
		l.single = false
		l.index = make([]int32, snap.PromptCount())
		l.Prompts = make([]Prompt, 0, snap.PromptCount()) // grown by doubling it would take twice the memory
		return l, nil
	}
	l.ids = map[string]int32{}
	for _, step := range snap.Steps {
		if step.GroupIDs > 0 {
			l.single = false
			return l, nil
		}
	}
	if !single {
		return nil, ErrNoPrompts
	}
	return l, nil
}

// Options are what a ledger is made with besides the run.
type Options struct {
	Read  analysis.ReadTexts // nil: no text is read, and neither suspect prompts nor twins are found
	Texts int                // how many answers are read at most, to find suspect prompts
	Every bool               // all are read, however many there are
	// Single has groups be prompts of their own where no row says which prompt it answers, in place of an error.
	Single bool
	Join   bool // prompts that differ from another only in white space or in a time stamp count as that one
}

// Of returns the ledger of all steps of a snapshot, with the state of each prompt. It fails if samples cannot be grouped, or if ctx ends.
func Of(ctx context.Context, snap model.Snapshot, set model.Settings, o Options) (*Ledger, error) {
	l, err := sum(ctx, snap, set, o.Single, nil)
	if err == nil {
		err = l.findTwins(ctx, o.Read)
	}
	if err == nil && o.Join && len(l.Twins) > 0 {
		joined := map[uint32]uint32{}
		for _, t := range l.Twins {
			joined[t.Prompt.Number] = t.Of.Number
		}
		l, err = sum(ctx, snap, set, o.Single, joined)
	}
	if err == nil && o.Read != nil {
		err = l.doubt(ctx, set, o)
	}
	if err != nil {
		return nil, err
	}
	rules := Rules()
	for i := range l.Prompts {
		p := &l.Prompts[i]
		p.state = slices.IndexFunc(rules, func(r Rule) bool { return r.Holds(p) })
	}
	return l, nil
}

// sum adds up the accounts. Prompts that are keys of joined count as the prompt that is their value.
func sum(ctx context.Context, snap model.Snapshot, set model.Settings, single bool, joined map[uint32]uint32) (*Ledger, error) {
	l, err := newLedger(snap, set, single)
	if err != nil {
		return nil, err
	}
	l.joined, l.Open = joined, len(snap.Steps)-len(snap.CompleteSteps())
	return l, analysis.EachComplete(ctx, snap, set, func(a *analysis.Analysis) error {
		l.add(a)
		return nil
	})
}

// Prompt is the account of a prompt. Its tries are the samples that the estimator counts: of a rollout with several rows one.
type Prompt struct {
	Number      uint32 // in the snapshot, 0 if accounts are by the ids of groups
	Preview     string // its beginning, as logged: sanitise before showing
	First, Last int64  // steps in which it came
	Seen        int    // groups
	Samples     int
	Signal      int     // groups with signal
	Tokens      int64   // of the responses of known length; characters where the log counts no tokens: see Ledger.Unit
	Abs         float64 // Σ|A| of the advantages that train
	Tries       int
	Solved      int // of the tries
	Partly      int // of the tries that are not solved, those with more than half of full marks: it is graded by degrees
	Known       bool
	Place       model.Place // of a sample of its newest group
	Rewards     int         // finite ones
	Doubt       *Doubt
	Agreed      *Doubt // that tries agree on an answer that is never solved, however likely that is where nothing is wrong

	rewards      float64 // their sum
	sum, squares float64 // of the grades of its tries (see [analysis.Analysis.Grade]), or of the rewards where that is not known
	hash         uint64
	id           string
	state        int // index in Rules
	history      [bins]visits
	used         int // of history
	width, last  int // groups of each but the last of these, and of the last
}

// visits are some groups of a prompt, one after another.
type visits struct {
	tries, solved int32
	sum           float32 // of the grades, or of the rewards
}

// bins is into how many parts the visits of a prompt are divided: two parts become one when there are more.
const bins = 8

// add counts the groups of a step. Steps come in ascending order.
func (l *Ledger) add(a *analysis.Analysis) {
	i, _ := l.snap.Find(a.Step)
	l.Steps++
	for g := range a.Table {
		if p := l.account(l.snap.Steps[i], a, g); p != nil {
			p.add(a, l.snap.Steps[i], g)
			p.Place = l.snap.Steps[i].Place(int(a.InputRow[a.Table[g].Start]))
		} else {
			l.Nameless++
		}
	}
}

// numberOf is the number of the prompt of group g, 0 if it has none.
func (l *Ledger) numberOf(step model.Step, a *analysis.Analysis, g int) uint32 {
	number := step.PromptNumber(int(a.InputRow[a.Table[g].Start]))
	if same, found := l.joined[number]; found {
		return same
	}
	return number
}

// find returns the index of the account of group g, -1 if there is none.
func (l *Ledger) find(step model.Step, a *analysis.Analysis, g int) int {
	if l.single {
		return -1
	}
	if l.ByID {
		if k, found := l.ids[a.Table[g].Name]; found {
			return int(k)
		}
	} else if number := l.numberOf(step, a, g); number > 0 {
		return int(l.index[number-1]) - 1
	}
	return -1
}

// account returns the account of the prompt of group g, nil if the group has none.
func (l *Ledger) account(step model.Step, a *analysis.Analysis, g int) *Prompt {
	group := &a.Table[g]
	if k := l.find(step, a, g); k >= 0 {
		return &l.Prompts[k]
	}
	fresh := Prompt{Preview: group.Preview, First: a.Step, Known: l.Known}
	if l.ByID {
		fresh.id = group.Name
		l.ids[group.Name] = int32(len(l.Prompts))
	} else {
		number := l.numberOf(step, a, g)
		if number == 0 {
			return nil
		}
		of := l.snap.Prompt(number)
		fresh.Number, fresh.hash, fresh.Preview = number, of.Hash, of.Preview
		l.index[number-1] = int32(len(l.Prompts)) + 1
	}
	l.Prompts = append(l.Prompts, fresh)
	return &l.Prompts[len(l.Prompts)-1]
}

func (p *Prompt) add(a *analysis.Analysis, step model.Step, g int) {
	group, part := &a.Table[g], a.GroupPart(g)
	p.Last = a.Step
	p.Seen++
	p.Samples += part.Samples
	p.Signal += part.Signal
	p.Tokens += part.Tokens
	p.Abs += part.AbsProcessed
	p.Tries += group.Counted
	p.Solved += group.Solved
	v := visits{tries: int32(group.Counted), solved: int32(group.Solved)}
	if !p.Known {
		v.tries -= int32(group.Invalid)
	}
	for i := group.Start; i < group.End; i++ {
		if _, last := step.CountedAs(int(a.InputRow[i])); !last {
			continue
		}
		x := a.Rewards[i]
		if units.IsFinite(x) {
			p.Rewards++
			p.rewards += x
		}
		if p.Known {
			x = a.Grade(group, i)
		}
		if units.IsFinite(x) {
			p.sum, p.squares, v.sum = p.sum+x, p.squares+x*x, v.sum+float32(x)
			p.Partly += model.Count01(p.Known && x > 0.5 && x < 1)
		}
	}
	p.note(v)
}

func (p *Prompt) note(v visits) {
	if p.used == bins && p.last == p.width {
		for i := range bins / 2 {
			x, y := p.history[2*i], p.history[2*i+1]
			p.history[i] = visits{x.tries + y.tries, x.solved + y.solved, x.sum + y.sum}
		}
		clear(p.history[bins/2:])
		p.used, p.width, p.last = bins/2, 2*p.width, 2*p.width
	}
	if p.used == 0 || p.last == p.width {
		p.used, p.width, p.last = p.used+1, max(1, p.width), 0
	}
	p.last++
	at := &p.history[p.used-1]
	*at = visits{at.tries + v.tries, at.solved + v.solved, at.sum + v.sum}
}

// Name is the name of the prompt's groups where they are grouped by prompt, the hash of prompt and ground truth in hex, or the
// log's id of its groups.
func (p *Prompt) Name() string {
	if p.Number == 0 {
		return p.id
	}
	return model.Prompt{Hash: p.hash}.Name()
}

// OfMean reports whether the rate of the prompt is a mean of rewards, since it is graded by degrees or nothing says what is solved.
func (p *Prompt) OfMean() bool { return !p.Known || p.Partly > 0 }

// RateOf says what the rate is of: "solved" tries, or "mean reward".
func (p *Prompt) RateOf() string {
	if p.OfMean() {
		return "mean reward"
	}
	return "solved"
}

// Rate is the share of the tries that is solved. Of a prompt that is graded by degrees it is the mean reward on the scale of the run, from
// 0 for wrong to 1 for full marks, and if nothing shows what those are, the mean reward as logged; NaN of no reward.
func (p *Prompt) Rate() float64 {
	if p.OfMean() {
		return p.sum / float64(p.tries())
	}
	return p.SolveRate()
}

func (p *Prompt) rate(v visits) float64 {
	if p.OfMean() {
		return float64(v.sum) / float64(v.tries)
	}
	return float64(v.solved) / float64(v.tries)
}

func (p *Prompt) tries() int {
	if p.Known {
		return p.Tries
	}
	return p.Rewards
}

// SolveRate is the share of the tries that is solved, NaN where the rewards do not say which are.
func (p *Prompt) SolveRate() float64 {
	if !p.Known {
		return math.NaN()
	}
	return float64(p.Solved) / float64(p.Tries)
}

// Reward is the mean of the finite rewards, NaN if there are none.
func (p *Prompt) Reward() float64 { return p.rewards / float64(p.Rewards) }

// Interval is the 95 % interval of the rate: Wilson's of a share that is solved, ± 1.96 standard errors of a mean, of which fewer than two
// rewards have none (NaN).
func (p *Prompt) Interval() (low, high float64) {
	if !p.OfMean() {
		w := analysis.Wilson(p.Solved, p.Tries)
		return w[0], w[1]
	}
	half := 1.96 * p.spread() / math.Sqrt(float64(p.tries()))
	low, high = p.Rate()-half, p.Rate()+half
	if p.Known {
		low, high = max(0, low), min(1, high)
	}
	return low, high
}

// spread is the standard deviation of a try: of the rewards, ddof 1, or of whether it is solved.
func (p *Prompt) spread() float64 {
	if !p.OfMean() {
		return math.Sqrt(p.Rate() * (1 - p.Rate()))
	}
	n := float64(p.tries())
	if n < 2 {
		return math.NaN()
	}
	return math.Sqrt(max(0, p.squares-p.sum*p.sum/n) / (n - 1))
}

// Trend is how much greater the rate is in the later half of its groups than in the earlier half, and the standard error of that if nothing
// changes. Of an odd number of groups that in the middle is in neither; of more than 8 the halves are of groups together, and may be a few
// groups unlike. NaN if it came once.
func (p *Prompt) Trend() (change, err float64) {
	if p.used < 2 {
		return math.NaN(), math.NaN()
	}
	before, after := p.pooled(0, p.used/2), p.pooled((p.used+1)/2, p.used)
	return p.rate(after) - p.rate(before), p.spread() * math.Sqrt(1/float64(before.tries)+1/float64(after.tries))
}

func (p *Prompt) pooled(from, to int) (all visits) {
	for _, v := range p.history[from:to] {
		all = visits{all.tries + v.tries, all.solved + v.solved, all.sum + v.sum}
	}
	return all
}

func (v visits) solveRate() float64 { return float64(v.solved) / float64(v.tries) }

// PerThousand is Σ|A| of 1,000 tokens, NaN where lengths are unknown.
func (p *Prompt) PerThousand() float64 {
	if p.Tokens == 0 {
		return math.NaN()
	}
	return 1000 * p.Abs / float64(p.Tokens)
}
