// Package ledger keeps an account of every prompt over a whole run: what it cost, what it taught, and what it is
// now ([State]). In go the analyses of the steps, one after another; a [Ledger] grows with the prompts, not with
// the samples. The commands prompts and grep and the screen call it.
package ledger

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"

	"vantage/model"
	"vantage/model/analysis"
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
	Unit     model.LengthUnit

	snap   model.Snapshot
	joined map[uint32]uint32
	index  []int32 // of the prompt with a number, from 1; 0 if it has not come
	ids    map[string]int32
}

// ErrNoPrompts says that rows cannot be told apart by their prompt.
var ErrNoPrompts = errors.New("the log has neither prompts nor ids of groups, so the prompt of a row is unknown: --prompt NAME names the column")

// newLedger returns a ledger without accounts, for steps of a snapshot.
func newLedger(snap model.Snapshot, set model.Settings) (*Ledger, error) {
	l := &Ledger{snap: snap, Known: true, ByID: snap.PromptCount() == 0, Unit: snap.Run.LengthUnit}
	for _, s := range snap.RewardScales(set) {
		if l.WhyNone == "" {
			l.WhyNone = s.WhyNone()
		}
	}
	l.Known = l.WhyNone == ""
	if !l.ByID {
		l.index = make([]int32, snap.PromptCount())
		l.Prompts = make([]Prompt, 0, snap.PromptCount()) // grown by doubling it would take twice the memory
		return l, nil
	}
	l.ids = map[string]int32{}
	for _, step := range snap.Steps {
		if step.GroupIDs > 0 {
			return l, nil
		}
	}
	return nil, ErrNoPrompts
}

// Options are what a ledger is made with besides the run.
type Options struct {
	Read  analysis.ReadTexts // nil: no text is read, and neither suspect prompts nor twins are found
	Texts int                // how many answers are read at most, to find suspect prompts
	Join  bool               // prompts that differ from another only in white space or in a time stamp count as that one
}

// Of returns the ledger of all steps of a snapshot, with the state of each prompt. It fails if samples cannot be grouped, or if ctx ends.
func Of(ctx context.Context, snap model.Snapshot, set model.Settings, o Options) (*Ledger, error) {
	l, err := sum(ctx, snap, set, nil)
	if err == nil {
		err = l.findTwins(ctx, o.Read)
	}
	if err == nil && o.Join && len(l.Twins) > 0 {
		joined := map[uint32]uint32{}
		for _, t := range l.Twins {
			joined[t.Prompt.Number] = t.Of.Number
		}
		l, err = sum(ctx, snap, set, joined)
	}
	if err == nil && o.Read != nil {
		err = l.doubt(ctx, set, o.Read, o.Texts)
	}
	if err != nil {
		return nil, err
	}
	l.judge()
	return l, nil
}

// sum adds up the accounts. Prompts that are keys of joined count as the prompt that is their value.
func sum(ctx context.Context, snap model.Snapshot, set model.Settings, joined map[uint32]uint32) (*Ledger, error) {
	l, err := newLedger(snap, set)
	if err != nil {
		return nil, err
	}
	l.joined = joined
	return l, analysis.Each(ctx, snap, set, func(a *analysis.Analysis) error {
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
	Partly      int // samples that are graded by degrees: see [analysis.Analysis.IsPartlySolved]
	Known       bool
	Place       model.Place // of a sample of its newest group
	Rewards     int         // finite ones
	Doubt       *Doubt

	sum, squares float64 // of the rewards
	hash         uint64
	id           string
	state        int // index in Rules
	history      [bins]visits
	used         int // of history
	width, last  int // groups of each but the last of these, and of the last
}

// visits are some groups of a prompt, one after another.
type visits struct {
	tries int32
	sum   float32 // of what is solved, or of the rewards where that is not known
}

// bins is into how many parts the visits of a prompt are divided: two parts become one when there are more.
const bins = 8

// add counts the groups of a step. Steps come in ascending order; an open one counts only if it is alone.
func (l *Ledger) add(a *analysis.Analysis) {
	if a.Open && len(l.snap.Steps) > 1 {
		l.Open++
		return
	}
	i, _ := l.snap.Find(a.Step)
	l.Steps++
	for g := range a.Table {
		if p := l.account(l.snap.Steps[i], a, g); p != nil {
			p.add(a, g)
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

func (p *Prompt) add(a *analysis.Analysis, g int) {
	group, part := &a.Table[g], a.GroupPart(g)
	p.Last = a.Step
	p.Seen++
	p.Samples += part.Samples
	p.Signal += part.Signal
	p.Tokens += part.Tokens
	p.Abs += part.AbsProcessed
	p.Tries += group.Counted
	p.Solved += group.Solved
	for i := group.Start; i < group.End; i++ {
		if p.Known && a.IsPartlySolved(group, i) {
			p.Partly++
		}
	}
	n := group.Counted - group.Invalid
	sum := 0.0
	if n > 0 {
		sum = group.RewardMean * float64(n)
		p.sum += sum
		p.squares += sum * group.RewardMean
	}
	if n > 1 {
		p.squares += group.RewardStd * group.RewardStd * float64(n-1)
	}
	p.Rewards += n
	v := visits{int32(n), float32(sum)}
	if p.Known {
		v = visits{int32(group.Counted), float32(group.Solved)}
	}
	p.note(v)
}

// note adds a group to the history.
func (p *Prompt) note(v visits) {
	if p.used == bins && p.last == p.width {
		for i := range bins / 2 {
			x, y := p.history[2*i], p.history[2*i+1]
			p.history[i] = visits{x.tries + y.tries, x.sum + y.sum}
		}
		clear(p.history[bins/2:])
		p.used, p.width, p.last = bins/2, 2*p.width, 2*p.width
	}
	if p.used == 0 || p.last == p.width {
		p.used, p.width, p.last = p.used+1, max(1, p.width), 0
	}
	p.last++
	p.history[p.used-1].tries += v.tries
	p.history[p.used-1].sum += v.sum
}

// Name is the name of the prompt's groups where they are grouped by prompt, the hash of prompt and ground truth in hex, or the
// log's id of its groups.
func (p *Prompt) Name() string {
	if p.Number == 0 {
		return p.id
	}
	return hex.EncodeToString(binary.BigEndian.AppendUint64(nil, p.hash))
}

// Rate is the share of the tries that is solved; NaN where the rewards do not say which are.
func (p *Prompt) Rate() float64 {
	if !p.Known {
		return math.NaN()
	}
	return float64(p.Solved) / float64(p.Tries)
}

// Reward is the mean of the finite rewards, NaN if there are none.
func (p *Prompt) Reward() float64 { return p.sum / float64(p.Rewards) }

// Interval is the 95 % interval of the solve rate (Wilson's), or of the mean reward (± 1.96 standard errors) where there is no
// solve rate; NaN of fewer than two rewards.
func (p *Prompt) Interval() (low, high float64) {
	if p.Known {
		w := analysis.Wilson(p.Solved, p.Tries)
		return w[0], w[1]
	}
	half := 1.96 * p.spread() / math.Sqrt(float64(p.Rewards))
	return p.Reward() - half, p.Reward() + half
}

// spread is the standard deviation of a try: of the rewards, ddof 1, or of whether it is solved.
func (p *Prompt) spread() float64 {
	if p.Known {
		return math.Sqrt(p.Rate() * (1 - p.Rate()))
	}
	n := float64(p.Rewards)
	if n < 2 {
		return math.NaN()
	}
	return math.Sqrt(max(0, p.squares-p.sum*p.sum/n) / (n - 1))
}

// Trend is how much more is solved in the later half of its groups than in the earlier half, or how much greater the mean
// reward is, and the standard error of that if nothing changes. Of an odd number of groups that in the middle is in neither; of
// more than 8 the halves are of groups together, and may be a few groups unlike. NaN if it came once.
func (p *Prompt) Trend() (change, err float64) {
	before, after := p.pooled(0, p.used/2), p.pooled((p.used+1)/2, p.used)
	return after.mean() - before.mean(), p.spread() * math.Sqrt(1/float64(before.tries)+1/float64(after.tries))
}

func (p *Prompt) pooled(from, to int) (all visits) {
	for _, v := range p.history[from:to] {
		all.tries, all.sum = all.tries+v.tries, all.sum+v.sum
	}
	return all
}

func (v visits) mean() float64 { return float64(v.sum) / float64(v.tries) }

// PerThousand is Σ|A| of 1,000 tokens, NaN where lengths are unknown.
func (p *Prompt) PerThousand() float64 {
	if p.Tokens == 0 {
		return math.NaN()
	}
	return 1000 * p.Abs / float64(p.Tokens)
}
