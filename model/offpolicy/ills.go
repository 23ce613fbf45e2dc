package offpolicy

import (
	"fmt"
	"math"
	"slices"

	"vantage/model"
	"vantage/model/diagnosis"
	"vantage/model/units"
)

// What the log-probs of a run's tokens say ails it. Thresholds are those of the projects where they name one, and else of the levels that
// they call normal.

// ill finds one kind of illness.
type ill struct {
	kind   diagnosis.Kind
	detect func(*Study) *diagnosis.Finding
}

// ills are all, causes before what follows from them.
func ills() []ill {
	return []ill{
		{diagnosis.ShiftedLogProbs, (*Study).shifted},
		{diagnosis.WrongLogProbs, (*Study).wrong},
		{diagnosis.TopPMismatch, (*Study).topP},
		{diagnosis.WeightsNotSynced, (*Study).notSynced},
		{diagnosis.StaleRollouts, (*Study).stale},
		{diagnosis.EngineMismatch, (*Study).engine},
		{diagnosis.OneSequenceDominates, (*Study).oneSequence},
		{diagnosis.FilterEatsBatch, (*Study).filterEats},
	}
}

// Levels.
const (
	leastTokens  = 200
	alarmingAbs  = diagnosis.AlarmingAbs
	alarmingK3   = diagnosis.AlarmingK3
	grownAbs     = diagnosis.GrownAbs
	grownTimes   = diagnosis.GrownTimes
	leastGrown   = 5 // steps of a course
	filterTokens = diagnosis.EatenTokens
	filterRows   = diagnosis.EatenRows
)

// Diagnose adds to a diagnosis what the log-probs of the tokens say. A finding of the trainer's averages on the same gives way to them.
func (s *Study) Diagnose(d *diagnosis.Diagnosis) {
	if s.Total.Compared == 0 {
		return
	}
	d.LogProbs = true
	isOf := func(k diagnosis.Kind) bool {
		return slices.ContainsFunc(ills(), func(x ill) bool { return x.kind == k })
	}
	d.Blind = slices.DeleteFunc(d.Blind, func(b diagnosis.Blind) bool { return isOf(b.Kind) })
	if s.Total.Compared < 2*leastRows {
		return
	}
	var found []diagnosis.Finding
	for _, x := range ills() {
		if slices.ContainsFunc(found, func(f diagnosis.Finding) bool { return f.Kind.Explains(x.kind) }) {
			continue
		}
		if f := x.detect(s); f != nil {
			f.Kind = x.kind
			s.complete(f, d)
			found = append(found, *f)
		}
	}
	isCause := func(f diagnosis.Finding) bool {
		return f.Kind != diagnosis.OneSequenceDominates && f.Kind != diagnosis.FilterEatsBatch
	}
	if i := slices.IndexFunc(found, isCause); i >= 0 {
		d.Findings = slices.DeleteFunc(d.Findings, func(f diagnosis.Finding) bool {
			if f.Kind == diagnosis.EngineMismatch && f.Severity == diagnosis.Alarm {
				found[i].Severity = diagnosis.Alarm
			}
			return f.Kind == diagnosis.EngineMismatch
		})
	}
	d.Findings = append(d.Findings, found...)
	d.SortFindings()
}

// complete fills in what all findings have.
func (s *Study) complete(f *diagnosis.Finding, d *diagnosis.Diagnosis) {
	steps := s.Steps()
	last := steps[len(steps)-1]
	f.Until, f.Lasting = int64(last.Last), true
	if f.Since == 0 {
		f.Since = int64(steps[0].First)
	}
	f.Example.Step = f.Since
	for _, k := range diagnosis.Kinds() {
		if k.Name == f.Kind && f.Advice == "" {
			f.Advice = k.Advice
		}
	}
	f.Series = diagnosis.Series{Name: "mean |d|", Values: model.Mapped(d.Numbers, func(number int64) float64 {
		if t := s.steps[int(number)]; t != nil {
			return t.MeanAbs()
		}
		return math.NaN()
	})}
	rows := 0
	for _, step := range steps {
		if rows += step.Rows; int64(step.First) >= f.Since {
			f.Cost.Samples, f.Cost.Tokens = f.Cost.Samples+step.Rows, f.Cost.Tokens+int64(step.Tokens)
		}
	}
	f.Cost.Share = float64(f.Cost.Samples) / float64(max(rows, 1))
}

// said is a finding of all steps.
func said(severity diagnosis.Severity, format string, args ...any) *diagnosis.Finding {
	return &diagnosis.Finding{Severity: severity, Title: fmt.Sprintf(format, args...)}
}

// graver is an alarm if it is one, else a watch.
func graver(isAlarm bool) diagnosis.Severity {
	if isAlarm {
		return diagnosis.Alarm
	}
	return diagnosis.Watch
}

// shifted finds log-probs of one side that belong to the tokens beside, or to other tokens.
func (s *Study) shifted() *diagnosis.Finding {
	t := &s.traits
	if t.pairs < leastTokens {
		return nil
	}
	n := float64(t.pairs)
	straight, later, earlier := t.straight/n, t.later/n, t.earlier/n
	const far, times = diagnosis.ShiftedAbs, 3.0
	if least := min(later, earlier); straight > far && least*times < straight {
		side := "earlier"
		if later < earlier {
			side = "later"
		}
		return said(diagnosis.Alarm, "the trainer's log-probs are one token %s than the sampler's: mean |d| is %s, and %s against "+
			"the next token",
			side, units.Short(straight), units.Short(least))
	}
	const apart, unlike = diagnosis.ApartAbs, diagnosis.LeastAgreement
	if c := t.correlation(); straight > apart && c < unlike {
		return said(diagnosis.Alarm, "the log-probs of sampler and trainer are hardly of the same tokens: they correlate by %.2f, and "+
			"mean |d| is %s", c, units.Short(straight))
	}
	const huge, overOthers = 1.0, 10.0
	first, others := t.ofFirsts/float64(t.firsts), t.ofOthers/float64(max(t.others, 1))
	if t.firsts >= 2*leastRows && first > huge && others < far && first > overOthers*others {
		return said(diagnosis.Watch, "the first token of an answer differs by %s nats between sampler and trainer, the others by %s",
			units.Short(first), units.Short(others))
	}
	return nil
}

// wrong finds log-probs of another distribution: d goes with r, whatever the sign of the advantage.
func (s *Study) wrong() *diagnosis.Finding {
	t := &s.traits
	if t.tokens < leastTokens {
		return nil
	}
	const least, alarming, explained = 0.1, 0.2, diagnosis.LeastFit
	slope, fit := t.slope()
	if !(math.Abs(slope) >= least && fit >= explained && s.Total.MeanAbs() >= normalAbs/2) {
		return nil
	}
	return said(graver(math.Abs(slope) >= alarming),
		"d goes with the log-prob itself: the trainer's log-probs are about %.2f × the sampler's, as where one side has another "+
			"temperature or raw logits", 1+slope)
}

// topP finds that one side cut the distribution, and the other did not.
func (s *Study) topP() *diagnosis.Finding {
	t := &s.traits
	const fewest, alarming, least = diagnosis.CutShare, diagnosis.AlarmingCutShare, 5
	if share := float64(t.cut) / float64(max(t.tokens+t.cut, 1)); t.cut >= least && share >= fewest {
		return said(graver(share >= alarming), "the trainer gives %s no chance that the sampler drew: %s have none, as where it cuts by "+
			"top-p or top-k and the sampler does not",
			units.Plural(t.cut, "tokens"), percent(share))
	}
	const rows, some = 0.9, 5e-3
	if t.rows < 2*leastRows || float64(t.oneSided) < rows*float64(t.rows) || s.Total.MeanAbs() < some {
		return nil
	}
	way, side := "above", "trainer"
	if 2*t.negatives > t.oneSided {
		way, side = "below", "sampler"
	}
	return said(diagnosis.Watch, "nearly every log-prob of the trainer is %s the sampler's, by %s on average, as where the %s alone "+
		"renormalises after top-p or top-k",
		way, units.Short(s.Total.MeanAbs()), side)
}

// notSynced finds that new weights do not reach the sampler: its version stands still, or what is said to be fresh drifts.
func (s *Study) notSynced() *diagnosis.Finding {
	if from, stands := s.standsStill(); stands && s.isLongestStand(from) {
		before, after := s.meanOf(func(step int) bool { return step <= from }), s.meanOf(func(step int) bool { return step > from })
		if grows := after.MeanAbs() >= normalAbs && after.MeanAbs() >= 2*before.MeanAbs(); grows {
			f := said(graver(after.K3() >= alarmingK3 || after.MeanAbs() >= 2*normalAbs),
				"the version that samples is the same from step %d on, and mean |d| went from %s to %s", from,
				units.Short(before.MeanAbs()), units.Short(after.MeanAbs()))
			f.Since = int64(from)
			f.Evidence = s.evidence(from + 1)
			return f
		}
	}
	if s.Asked.Still {
		return nil // weights that do not change need not be sent
	}
	onset, grown := s.grows()
	if !grown {
		return nil
	}
	before, after := s.meanOf(func(step int) bool { return step < onset }), s.meanOf(func(step int) bool { return step >= onset })
	what := "rows of lag 0"
	if !s.datesRows() {
		what = "rows, whose versions the log does not have,"
	}
	f := said(graver(after.K3() >= alarmingK3), "mean |d| of %s went from %s to %s: weights may not reach the sampler, or it drifts",
		what, units.Short(before.MeanAbs()), units.Short(after.MeanAbs()))
	f.Since, f.Evidence = int64(onset), s.evidence(onset)
	return f
}

// stale finds that the ratio grows with the age of the weights that sampled.
func (s *Study) stale() *diagnosis.Finding {
	c := s.Cause()
	isStale := c.Verdict == Stale || c.Verdict == Both
	if !isStale || !c.ByLag || s.Total.MeanAbs() < normalAbs/2 {
		return nil
	}
	oldest := s.Lags[len(s.Lags)-1]
	return said(graver(s.Total.MeanAbs() >= alarmingAbs),
		"mean |d| is %s at lag 0 and %s at lag %d: it grows by %s with each version, and %s of it is staleness",
		units.Short(c.Engine.Value), units.Short(oldest.MeanAbs()), oldest.Versions, units.Short(c.Staleness.Value), units.Share(c.Share))
}

// engine finds that sampler and trainer differ with the same weights.
func (s *Study) engine() *diagnosis.Finding {
	c := s.Cause()
	onset, grown := s.grows()
	if drifts := s.Asked.Still && grown; drifts {
		last := s.last()
		f := said(graver(last.MeanAbs() >= alarmingAbs), "mean |d| grows to %s though the learning rate is 0 and no weight changes: the "+
			"engine drifts",
			units.Short(last.MeanAbs()))
		f.Since, f.Evidence = int64(onset), s.evidence(onset)
		return f
	}
	if c.Verdict != Engine && c.Verdict != Both {
		return nil
	}
	where := "at the first step, where nothing is stale"
	if c.ByLag {
		where = "at lag 0"
	}
	title := fmt.Sprintf("sampler and trainer differ with the same weights: mean |d| is %s nats %s", units.Short(c.Engine.Value), where)
	if low, high := s.Tenths[0].MeanAbs(), s.Tenths[9].MeanAbs(); low > 2*high {
		title += fmt.Sprintf(", %s of tokens below a probability of 0.1 and %s above 0.9", units.Short(low), units.Short(high))
	}
	return said(graver(c.Engine.Value >= alarmingAbs), "%s", title)
}

// oneSequence finds that one row outweighs its step though tokens differ no more than they may.
func (s *Study) oneSequence() *diagnosis.Finding {
	const most, fewest, few = 0.5, 8, 2
	steps, dominated, worst := 0, 0, Span{}
	for _, step := range s.Steps() {
		if step.Compared < fewest {
			continue
		}
		steps++
		if step.Top > most && step.MeanAbs() <= diagnosis.DominantTokens {
			if dominated++; step.Top > worst.Top {
				worst = step
			}
		}
	}
	if dominated < few || 2*dominated < steps {
		return nil
	}
	return said(diagnosis.Watch, "one answer has more than half of the weight at %d of %s: %s at step %d, where %s of the rows count and "+
		"mean |d| is %s",
		dominated, units.Plural(steps, "steps"), units.Share(worst.Top), worst.First, percent(worst.EffectiveShare()),
		units.Short(worst.MeanAbs()))
}

// filterEats finds that the rule of the run removes much, and of whom.
func (s *Study) filterEats() *diagnosis.Finding {
	force := s.InForce()
	t := force.Trial
	if t == nil || t.Reason() != "" || t.Tokens == 0 {
		return nil
	}
	tokens, rows := 1-float64(t.TokensKept)/float64(t.Tokens), 1-float64(t.RowsKept)/float64(t.Rows)
	isMuch := tokens > filterTokens || rows > filterRows
	whom := t.whom()
	const some = diagnosis.EatenNegative
	if isSkewed := tokens > some && whom == "negative"; !isMuch && !isSkewed {
		return nil
	}
	title := fmt.Sprintf("%s, %s, drops %s of the tokens and %s of the rows", t.Label(), force.By, percent(tokens), percent(rows))
	if whom != "" {
		title += map[string]string{
			"negative": fmt.Sprintf(", nearly all where A < 0: %s of Σ|A| there, %s where A > 0", percent(1-t.Negative.Share()),
				percent(1-t.Positive.Share())),
			"long": fmt.Sprintf(", long answers: %.0f tokens on average, %.0f of all", t.gone.rowTokens(), float64(t.Tokens)/float64(t.Rows)),
			"improbable": fmt.Sprintf(", improbable ones: their mean probability is %.2f, that of all %.2f",
				math.Exp(t.gone.log/float64(t.gone.tokens)),
				math.Exp(t.logs/float64(t.Tokens))),
		}[whom]
	}
	return said(graver(tokens > filterRows), "%s", title)
}

// whom says of which rows or tokens a rule removes most: "negative", "long", "improbable", or nothing of these.
func (t *Trial) whom() string {
	lost := func(m Mass) float64 { return m.All - m.Kept }
	const nearlyAll, most, longer, rarer = 0.8, 0.65, 1.5, 0.7
	negative, all := lost(t.Negative), lost(t.Mass())
	switch {
	case all > 0 && negative >= nearlyAll*all && t.Negative.All <= most*t.Mass().All:
		return "negative"
	case t.gone.rows > 0 && t.gone.rowTokens() >= longer*float64(t.Tokens)/float64(t.Rows):
		return "long"
	case t.gone.tokens > 0 && t.gone.log/float64(t.gone.tokens)-t.logs/float64(t.Tokens) <= -rarer:
		return "improbable"
	}
	return ""
}

// gone is what a rule removed.
type gone struct {
	rows, ofRows int     // rows that have lost all, and their tokens
	tokens       int     // all that were removed
	log          float64 // the sum of their log-probs
}

func (g *gone) rowTokens() float64 { return float64(g.ofRows) / float64(g.rows) }

// datesRows reports whether most rows have a version.
func (s *Study) datesRows() bool { return 2*s.Total.Aged > s.Total.Rows }

// fresh are the steps with what is compared, of rows of lag 0 where versions are known.
func (s *Study) freshSteps() (all []Span) {
	of := s.steps
	if s.datesRows() {
		of = s.fresh
	}
	for _, step := range s.Steps() {
		if t := of[step.First]; t != nil && t.Compared > 0 {
			all = append(all, Span{step.First, step.First, *t})
		}
	}
	return all
}

// grows finds the step from which mean |d| stays above the middle between its start and its end, if that leaves what is normal.
func (s *Study) grows() (onset int, grown bool) {
	steps := s.freshSteps()
	if len(steps) < leastGrown {
		return 0, false
	}
	tenth := max(2, len(steps)/10)
	start, end := joined(steps[:tenth]), joined(steps[len(steps)-tenth:])
	from, to := start.MeanAbs(), end.MeanAbs()
	if start.Compared < leastRows || end.Compared < leastRows || !(to >= grownAbs && to >= grownTimes*from) {
		return 0, false
	}
	middle, at, low := (from+to)/2, len(steps), 0
	for at > 0 && steps[at-1].MeanAbs() >= middle {
		at--
	}
	for _, step := range steps[:at] {
		if step.MeanAbs() < middle {
			low++
		}
	}
	const mostly = 0.9
	stays := at > 0 && at <= len(steps)-2 && float64(low) >= mostly*float64(at)
	if !stays {
		return 0, false
	}
	return steps[at].First, true
}

func joined(steps []Span) Tally {
	var t Tally
	for i := range steps {
		t.join(&steps[i].Tally)
	}
	return t
}

// meanOf are the sums of some steps.
func (s *Study) meanOf(in func(step int) bool) Tally {
	return joined(slices.DeleteFunc(s.freshStepsOr(), func(step Span) bool { return !in(step.First) }))
}

// freshStepsOr are all steps where one version samples on and on, so that none is fresh; else those of fresh rows.
func (s *Study) freshStepsOr() []Span {
	if _, stands := s.standsStill(); stands {
		return s.Steps()
	}
	return s.freshSteps()
}

func (s *Study) last() Span {
	steps := s.Steps()
	return steps[len(steps)-1]
}

// isLongestStand reports whether the last version sampled at least twice as many steps as any before it: a sampler that gets weights every
// few steps stands still, too.
func (s *Study) isLongestStand(from int) bool {
	longest, length, version := 0, 0, math.NaN()
	steps := s.Steps()
	for _, step := range steps {
		if step.First >= from {
			break
		}
		now := float64(step.First) - step.Lag()
		if length++; now != version {
			length, version = 1, now
		}
		longest = max(longest, length)
	}
	last := 0
	for _, step := range steps {
		last += model.Count01(step.First >= from)
	}
	return last >= 2*longest && last >= 3
}

// evidence is the mean |d| before a step and from it on.
func (s *Study) evidence(onset int) []diagnosis.Evidence {
	steps := s.freshStepsOr()
	at := slices.IndexFunc(steps, func(step Span) bool { return step.First >= onset })
	if at <= 0 {
		return nil
	}
	before, after := joined(steps[:at]), joined(steps[at:])
	return []diagnosis.Evidence{{
		Name: "mean |d|", Before: before.MeanAbs(), After: after.MeanAbs(),
		BeforeFrom: int64(steps[0].First), BeforeTo: int64(steps[at-1].First), AfterFrom: int64(steps[at].First),
		AfterTo:       int64(steps[len(steps)-1].First),
		BeforeSamples: before.Compared, AfterSamples: after.Compared, Of: "samples",
	}}
}

// NewOfRun returns an empty study for what ails a run: of rules it tries that of the run alone.
func NewOfRun(asked Asked) *Study {
	s := New(asked, false)
	s.Trials = slices.DeleteFunc(s.Trials, func(t *Trial) bool { return !t.Rule.OnByDefault || asked.Rule != nil })
	return s
}
