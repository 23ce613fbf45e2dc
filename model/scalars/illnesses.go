package scalars

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"vantage/model"
	"vantage/model/diagnosis"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// Least points of a series on which a judgement rests.
const (
	leastPoints      = 20 // of a course: on fewer, a window is half of the run
	leastShares      = 5  // of a share of many answers, which is judged by its level
	leastEvaluations = 6
)

// run is what detectors look at: nil for what was not logged often enough.
type run struct {
	*Scalars
	own                                      *diagnosis.Averages // of the samples beside; nil without
	reward, eval, entropy, length, truncated *course
	progress                                 *course // what tells whether something pays: see newRun
	parts                                    []*course
}

func newRun(s *Scalars) *run {
	r := &run{
		Scalars: s, reward: newCourse(s.Of(Reward, leastPoints)), eval: newCourse(s.HeldOut(leastEvaluations)),
		entropy: newCourse(s.Of(Entropy, leastPoints)),
		length:  newCourse(s.Of(Length, leastPoints)), truncated: newShare(s.Of(Truncated, leastShares)),
	}
	parts := s.parts()
	if solved := s.Of(Solved, leastPoints); solved != nil && r.reward == nil {
		r.reward = newCourse(solved)
	} else if solved != nil {
		parts = append(parts, solved)
	}
	for _, x := range parts {
		r.parts = append(r.parts, newCourse(x))
	}
	// The score on held-out data, unless there is none or a gain that matters would drown in its noise.
	if r.progress = r.eval; r.eval == nil || r.reward != nil && r.eval.matters() > gainShare*r.eval.scale {
		r.progress = r.reward
	}
	return r
}

// detector finds one kind of illness. blind says why it cannot.
type detector struct {
	kind   diagnosis.Kind
	detect func(*run) (findings []diagnosis.Finding, blind string)
	counts bool // by the trainer's own count of what samples let only guess
}

// detectors are all, those first that samples tell better.
func detectors() []detector {
	return []detector{
		{kind: diagnosis.GraderOutage, detect: (*run).graderOutage},
		{kind: diagnosis.RewardHacking, detect: (*run).rewardHacking},
		{kind: diagnosis.Truncation, detect: (*run).truncation, counts: true},
		{kind: diagnosis.LengthExplosion, detect: (*run).lengthExplosion},
		{kind: diagnosis.LengthCollapse, detect: (*run).lengthCollapse},
		{kind: diagnosis.RewardCollapse, detect: (*run).rewardCollapse},
		{kind: diagnosis.Saturated, detect: (*run).saturated},
		{kind: diagnosis.TooHard, detect: (*run).tooHard},
		{kind: diagnosis.EqualRewards, detect: (*run).equalRewards},
		{kind: diagnosis.NothingTrains, detect: (*run).nothingTrains, counts: true},
		{kind: diagnosis.NotLearning, detect: (*run).notLearning},
		{kind: diagnosis.FallByHalf, detect: (*run).fallByHalf},
		{kind: diagnosis.EntropyCollapse, detect: (*run).entropyCollapse},
		{kind: diagnosis.KLDrift, detect: (*run).klDrift},
		{kind: diagnosis.GradientSpikes, detect: (*run).gradientSpikes},
		{kind: diagnosis.EvalDivergence, detect: (*run).evalDivergence},
		{kind: diagnosis.AveragesDiffer, detect: (*run).averagesDiffer},
		{kind: diagnosis.EngineMismatch, detect: (*run).engineMismatch},
	}
}

// Diagnose says what ails a run of which there are scalars alone. The values of the series of a finding are those that were logged under
// its name.
func Diagnose(s *Scalars) *diagnosis.Diagnosis {
	d := &diagnosis.Diagnosis{Steps: s.Steps}
	all := detectors()
	for _, k := range diagnosis.Kinds() {
		if !k.Name.OfLogProbs() && !slices.ContainsFunc(all, func(t detector) bool { return t.kind == k.Name }) {
			d.Blind = append(d.Blind, diagnosis.Blind{Kind: k.Name, Why: "the log has no samples"})
		}
	}
	add(d, s, all)
	d.Grounds.Still = newRun(s).unfilled()
	return d
}

// ground notes what the word on the run rests on.
func (r *run) ground(d *diagnosis.Diagnosis) {
	switch few := r.Of(Reward, 1); {
	case r.reward != nil:
		steps := r.reward.Steps
		d.Grounds.RewardSteps = int(steps[len(steps)-1]-steps[0]) + 1
	case few != nil:
		d.Grounds.RewardSteps = len(few.Values) // of a course too short to look at
	default:
		d.Grounds.Lacks = r.lacks(Reward, "reward", leastPoints) + "; log the mean reward of each step, or samples"
	}
	if own := r.Learning(); own != nil && (d.Learning == nil || own.Steps > d.Learning.Steps) {
		d.Learning = own
	}
}

// fewShare is the share of the steps of the scalars below which samples are few: what they do not show may be at the others.
const fewShare = 0.5

// Add adds to what samples say of a run what its scalars say besides: of the kinds that scalars alone tell, of those that the samples
// cannot tell or the trainer counts itself, and, where samples are of few of its steps, of all that nothing was found of in them.
func Add(d *diagnosis.Diagnosis, s *Scalars) {
	areFew := float64(d.Steps) < fewShare*float64(s.Steps)
	isBlind := func(k diagnosis.Kind) bool {
		return slices.ContainsFunc(d.Blind, func(b diagnosis.Blind) bool { return b.Kind == k })
	}
	isFound := func(k diagnosis.Kind) bool {
		return slices.ContainsFunc(d.Findings, func(f diagnosis.Finding) bool { return f.Kind == k })
	}
	all := slices.DeleteFunc(detectors(), func(t detector) bool {
		tellsMore := areFew || t.counts
		return !t.kind.OfScalars() && !isBlind(t.kind) && (!tellsMore || isFound(t.kind))
	})
	ofSamples := d.Blind
	d.Blind = slices.DeleteFunc(slices.Clone(d.Blind), func(b diagnosis.Blind) bool {
		return slices.ContainsFunc(all, func(t detector) bool { return t.kind == b.Kind })
	})
	add(d, s.withRewards(d), all)
	text, byRule := (&run{Scalars: s, own: d.Averages}).agreement()
	if d.ByRule = byRule; text != "" {
		d.Notes = append(d.Notes, text)
	}
	for i, b := range d.Blind { // what the samples lack says more than what the scalars lack
		k := slices.IndexFunc(ofSamples, func(o diagnosis.Blind) bool { return o.Kind == b.Kind })
		if k >= 0 && !b.Kind.OfScalars() {
			d.Blind[i] = ofSamples[k]
		}
	}
	d.Blind = slices.DeleteFunc(d.Blind, func(b diagnosis.Blind) bool {
		return !b.Kind.OfScalars() && !slices.ContainsFunc(ofSamples, func(o diagnosis.Blind) bool { return o.Kind == b.Kind })
	})
	if areFew {
		d.Steps = s.Steps
	}
}

// Unread says of the kinds that scalars alone tell why these were not read.
func Unread(d *diagnosis.Diagnosis, why string) {
	d.Blind = slices.Clone(d.Blind)
	for i := range d.Blind {
		if d.Blind[i].Kind.OfScalars() {
			d.Blind[i].Why = why
		}
	}
}

// withRewards returns the scalars with the mean rewards of the samples, if no reward is among them.
func (s *Scalars) withRewards(d *diagnosis.Diagnosis) *Scalars {
	if s.Of(Reward, leastPoints) != nil {
		return s
	}
	ofSamples := Series{Name: "reward", Means: Reward, ofSamples: true}
	for i, x := range d.Rewards {
		if units.IsFinite(x) {
			ofSamples.Steps, ofSamples.Values = append(ofSamples.Steps, d.Numbers[i]), append(ofSamples.Values, x)
		}
	}
	more := *s
	more.Series = append(slices.Clip(s.Series), ofSamples)
	return &more
}

func add(d *diagnosis.Diagnosis, s *Scalars, detectors []detector) {
	r, kinds := newRun(s), diagnosis.Kinds()
	r.own = d.Averages
	r.ground(d)
	order := func(k diagnosis.Kind) int {
		return slices.IndexFunc(kinds, func(info diagnosis.KindInfo) bool { return info.Name == k })
	}
	for _, t := range detectors {
		findings, blind := t.detect(r)
		if blind != "" {
			d.Blind = append(d.Blind, diagnosis.Blind{Kind: t.kind, Why: blind})
		}
		for _, f := range findings {
			f.Kind = t.kind
			if f.Until == 0 {
				f.Until, f.Lasting = s.Last, true
			}
			f.Advice = cmp.Or(f.Advice, kinds[order(t.kind)].Advice)
			if len(d.Numbers) > 0 {
				f.Series.Values = s.valuesAt(f.Series.Name, d.Numbers)
			}
			d.Findings = append(d.Findings, f)
		}
	}
	d.WithoutNeedlessWord()
	sort.Slice(d.Blind, func(i, j int) bool { return order(d.Blind[i].Kind) < order(d.Blind[j].Kind) })
	d.SortFindings()
}

// valuesAt returns what was logged under a name at some steps, NaN where nothing was.
func (s *Scalars) valuesAt(name string, steps []int64) []float64 {
	values := slices.Repeat([]float64{math.NaN()}, len(steps))
	i := slices.IndexFunc(s.Series, func(x Series) bool { return x.Name == name })
	if i < 0 {
		return values
	}
	for k, step := range steps {
		if at, found := slices.BinarySearch(s.Series[i].Steps, step); found {
			values[k] = s.Series[i].Values[at]
		}
	}
	return values
}

// lacks says why a kind cannot be told without a series.
func (r *run) lacks(m Meaning, what string, least int) string {
	if s := r.Of(m, 1); s != nil {
		return fmt.Sprintf("%s has %s, fewer than %d", sanitize.Line(s.Name), units.Plural(len(s.Values), "values"), least)
	}
	if broken := r.Of(m, 0); broken != nil {
		return fmt.Sprintf("%s is not a number at any of %s", sanitize.Line(broken.Name), units.Plural(len(broken.Broken), "steps"))
	}
	if names := r.maybeRewards(); m == Reward && len(names) > 0 {
		return "no series is surely the reward: name one with --reward, as " + someNames(names)
	}
	return "the log has no " + what
}

func (c *course) finding(s diagnosis.Severity, since int, title string, evidence ...diagnosis.Evidence) diagnosis.Finding {
	return diagnosis.Finding{
		Severity: s, Since: c.steps[since], Title: title, Evidence: evidence,
		Example: diagnosis.Example{Step: c.steps[since]}, Series: diagnosis.Series{Name: c.Name, Values: c.Values},
	}
}

func (c *course) name() string { return sanitize.Line(c.Name) }

// isCount reports whether what should be a share counts groups: one that others smoothed may leave 0 and 1 a little.
func (c *course) isCount() bool { return c.spread[1] >= 2 }

func (c *course) notShare() string { return c.name() + " is not a share between 0 and 1" }

func arrow(a, b float64) string { return units.Short(a) + " → " + units.Short(b) }

// When a length has left its course.
const (
	lengthTimes = 2.0  // longer, or shorter
	lengthBand  = 1.25 // times its level: where it sets in
	wordsTimes  = 8.0  // shorter, and …
	fewTokens   = 8.0  // at most: what so few of them say may win without an answer
)

func (r *run) lengthExplosion() ([]diagnosis.Finding, string) {
	c := r.length
	if c == nil {
		return nil, r.lacks(Length, "length of answers", leastPoints)
	}
	p, from := r.progress, 0
	if p != nil {
		var ok bool
		if from, ok = p.stalls(); r.parting() != nil {
			p, from, ok = r.eval, r.parting().first, true // a reward without the held-out score is no pay
		}
		if !ok {
			return nil, ""
		}
		from = c.at(p.steps[from])
	}
	level := c.smooth[from]
	if from < c.window {
		level = c.start()
	}
	if level <= 0 {
		return nil, ""
	}
	if c.end() < lengthTimes*level || c.end()-level < c.matters() {
		return r.overLength(func(x float64) bool { return x > lengthTimes*level }, "answers were too long"), ""
	}
	since := max(from, c.stays(from, func(x float64) bool { return x > lengthBand*level }))
	title := fmt.Sprintf("answers grow from %s to %s tokens", units.Short(level), units.Short(c.end()))
	if p == nil {
		return []diagnosis.Finding{c.finding(diagnosis.Watch, since, title+"; no reward is logged to tell whether that pays",
			c.ends(c.name(), false, since))}, ""
	}
	f := c.finding(diagnosis.Alarm, since, title+", and "+p.name()+" gains nothing by it",
		c.ends(c.name(), false, since), p.ends(p.name(), false, p.at(c.steps[since])))
	r.blameData(&f, c, since)
	return []diagnosis.Finding{f}, ""
}

// overLength finds answers whose length left its level for a time in which the reward was lower.
func (r *run) overLength(holds func(length float64) bool, title string) []diagnosis.Finding {
	if r.progress == nil {
		return nil
	}
	return r.length.overLevel(r.progress, holds, title)
}

func (r *run) lengthCollapse() ([]diagnosis.Finding, string) {
	c := r.length
	if c == nil {
		return nil, r.lacks(Length, "length of answers", leastPoints)
	}
	level := c.start()
	if level <= 0 {
		return nil, ""
	}
	if c.end() > level/lengthTimes || level-c.end() < c.matters() {
		return r.overLength(func(x float64) bool { return x < level/lengthTimes }, "answers were stubs"), ""
	}
	since := max(0, c.stays(0, func(x float64) bool { return x < level/lengthBand }))
	title := fmt.Sprintf("answers shrink from %s to %s tokens", units.Short(level), units.Short(c.end()))
	p := r.progress
	if p == nil {
		return []diagnosis.Finding{c.finding(diagnosis.Watch, since, title, c.ends(c.name(), false, since))}, ""
	}
	from := max(0, p.at(c.steps[since])-p.window) // the reward may fall before the length is out of its band
	e := []diagnosis.Evidence{c.ends(c.name(), false, since), p.ends(p.name(), false, from)}
	switch by := p.change(from); {
	case p.falls(from):
		return []diagnosis.Finding{c.finding(diagnosis.Alarm, since, title+", and "+p.name()+" falls", e...)}, ""
	case by < p.matters():
		return []diagnosis.Finding{c.finding(diagnosis.Watch, since, title+", and "+p.name()+" stays", e...)}, ""
	case c.end() <= fewTokens && c.end() <= level/wordsTimes:
		f := c.finding(diagnosis.Watch, since, title+", and "+p.name()+" gains all the same", e...)
		f.Advice = "read some of these answers: so few tokens may win a grader without an answer, and one that is empty wins none"
		return []diagnosis.Finding{f}, ""
	}
	return nil, ""
}

// When answers are cut off.
const (
	cutShare  = 0.2 // of the answers: the advantage measures their length
	cutSteady = 0.5 // where it was so from the start: then the limit is too low for the task
	cutGrowth = 2.0 // times the share at the start, else it is steady
)

func (r *run) truncation() ([]diagnosis.Finding, string) {
	c := r.truncated
	switch {
	case c == nil:
		return nil, r.lacks(Truncated, "share of truncated answers", leastShares)
	case c.spread[0] < 0 || c.spread[1] > 1:
		return nil, c.notShare()
	}
	since := c.stays(0, func(x float64) bool { return x >= cutShare })
	if since < 0 {
		return c.overShare(cutSteady, "of the answers ended at the length limit"), ""
	}
	severity := diagnosis.Watch
	if c.end() >= cutSteady || c.end() >= cutGrowth*c.start() {
		severity = diagnosis.Alarm
	}
	title := units.Share(c.end()) + " of the answers end at the length limit"
	return []diagnosis.Finding{c.finding(severity, since, title, c.ends(c.name(), true, since))}, ""
}

// entropyFloor is the share of its start at which the entropy counts as gone: a policy with a tenth of the nats per token chooses at about
// one token in ten of those at which it chose before.
const entropyFloor = 0.1

// surelyStalled is the share of a run after which a reward may seem to gain no more though it rises to the end: what a steady rise gains in
// the rest is little beside its noise.
const surelyStalled = 0.7

// mayRise is how many standard errors a trend is above none that may be a gain, though it is not known to be one.
const mayRise = 1.5

// surelyStalls reports whether a course that seems to gain nothing from an index on has gone on so for long, and does not seem to rise
// since a later one either.
func (c *course) surelyStalls(from, since int) bool {
	rest := TrendOf(c.values[max(from, since):])
	return float64(from) <= surelyStalled*float64(len(c.values)) && rest.Z < mayRise
}

// solvedFrom is the rate of success from which there is hardly anything left to gain.
const solvedFrom = 0.9

func (r *run) entropyCollapse() ([]diagnosis.Finding, string) {
	c := r.entropy
	switch {
	case c == nil:
		return nil, r.lacks(Entropy, "entropy", leastPoints)
	case c.start() <= 0:
		return nil, c.name() + " begins at or below 0"
	}
	start, from := c.lossOfEntropy()
	if from <= 0 || len(c.values)-from < c.window/2 {
		return nil, ""
	}
	title := fmt.Sprintf("entropy %s, at most a tenth of its start", arrow(start, c.end()))
	p := r.reward // of which there are more points than of a held-out score
	if p == nil {
		p = r.eval
	}
	if p == nil {
		return []diagnosis.Finding{c.finding(diagnosis.Watch, from, title+"; no reward is logged to tell whether that pays",
			c.ends(c.name(), false, from))}, ""
	}
	if isFirst := from < c.window; isFirst && p.gains(p.at(c.steps[from])) {
		return nil, "" // what a model loses in its first steps it did not need
	}
	stalled, ok := p.stalls()
	ok = ok && p.surelyStalls(stalled, p.at(c.steps[from]))
	from = max(from, c.at(p.steps[stalled]))
	gained := p.ends(p.name(), false, p.at(c.steps[from]))
	isEarly := float64(len(c.values)-from) < restShare*float64(len(c.values))
	switch {
	case !ok || gained.BeforeSamples > 0 && gained.After-gained.Before >= p.matters():
		return []diagnosis.Finding{c.finding(diagnosis.Watch, from, title+", while "+p.name()+" still gains", c.ends(c.name(), false, from),
			gained)}, ""
	case isEarly:
		return []diagnosis.Finding{c.finding(diagnosis.Watch, from, title+"; it is too early to tell what "+p.name()+" does without",
			c.ends(c.name(), false, from), gained)}, ""
	case p.scale == 1 && p.end() >= solvedFrom:
		return []diagnosis.Finding{c.finding(diagnosis.Watch, from, title+"; there is hardly anything left to gain",
			c.ends(c.name(), false, from), gained)}, ""
	}
	return []diagnosis.Finding{c.finding(diagnosis.Alarm, from, title+", and "+p.name()+" no longer gains", c.ends(c.name(), false, from),
		gained)}, ""
}

// lossOfEntropy is the entropy at the start, and the index from which it stays below a tenth of that: -1 if it does not, 0 if it was so
// from the first value on.
func (c *course) lossOfEntropy() (start float64, from int) {
	start = max(c.start(), c.first())
	isLost := func(x float64) bool { return x <= entropyFloor*start }
	from = c.stays(0, isLost)
	if from == 0 && !isLost(c.first()) {
		from = slices.IndexFunc(c.values, isLost) // within the first level
	}
	return start, from
}

// When a KL is a drift.
const (
	klLarge     = 1.0  // nats per token: the reference gives e⁻¹ of their probability to the policy's tokens
	stepKLLarge = 0.1  // the same against what sampled: importance ratios are off by a tenth and more at most tokens
	klBend      = 2.5  // times as steep: a power below 1.5 of the step bends less, and a square more
	klRare      = 1e-3 // chance of such a bend in a straight line with noise
	klWatched   = 1. / 3
	klFar       = 2.5 // times what is large: whatever its course, the policy is another one
)

func (r *run) klDrift() ([]diagnosis.Finding, string) {
	large, s := klLarge, r.Of(KL, leastPoints)
	if s == nil {
		large, s = stepKLLarge, r.Of(StepKL, leastPoints)
	}
	if s == nil {
		return nil, r.lacks(KL, "KL", leastPoints)
	}
	c := newCourse(s)
	if f, found := c.notNumbers(); found {
		return []diagnosis.Finding{f}, ""
	}
	bend := BendOf(c.values)
	at := min(int(bend.At), len(c.values)-1)
	end, before := c.end(), c.smooth[at]
	bends := bend.P <= klRare && bend.After > 0 && bend.After >= klBend*max(0, bend.Before)
	if !bends || end < klWatched*large || end-before < end/3 {
		if far := r.farAway(c, large); far != nil {
			return far, ""
		}
		return c.overLevel(nil, func(x float64) bool { return x >= large }, "the policy was far away"), ""
	}
	severity := diagnosis.Alarm
	if end < large {
		severity = diagnosis.Watch
	}
	title := fmt.Sprintf("%s %s, and steeper and steeper", c.name(), arrow(before, end))
	return []diagnosis.Finding{c.finding(severity, at, title, c.ends(c.name(), false, at))}, ""
}

// farAway finds a KL that is far beyond what is large, whatever its course, and was not from the first step on.
func (r *run) farAway(c *course, large float64) []diagnosis.Finding {
	since := c.stays(0, func(x float64) bool { return x >= klFar*large })
	if since < 0 || c.end() < klFar*math.Abs(slices.Min(c.Values[:leastNumbers])) {
		return nil
	}
	title := fmt.Sprintf("%s %s: the policy is another one", c.name(), arrow(c.Values[0], c.end()))
	return []diagnosis.Finding{c.finding(diagnosis.Alarm, since, title, c.ends(c.name(), false, since))}
}

// leastNumbers is how many logged steps in a row are no numbers before that is no accident.
const leastNumbers = 3

// notNumbers finds a series that is NaN or infinite from some step to its end.
func (c *course) notNumbers() (diagnosis.Finding, bool) {
	lost, _ := slices.BinarySearch(c.Broken, c.Steps[len(c.Steps)-1])
	broken := c.Broken[lost:]
	if len(broken) < leastNumbers {
		return diagnosis.Finding{}, false
	}
	f := c.finding(diagnosis.Alarm, 0, fmt.Sprintf("%s is not a number any more at %s", c.name(), units.Plural(len(broken), "steps")))
	f.Since, f.Example.Step = broken[0], broken[0]
	return f, true
}

// When a gradient is a spike.
const (
	spikeTimes  = 10.0 // its neighbours' median: less is what clipping is for
	spikeSigmas = 8.0  // of the spread of the logarithm: an uneven gradient has large ones by nature
	spikeShare  = 0.15 // of the steps at most: what is frequent is no exception
	spikeAlarm  = 3    // as many are no accident
	spikeWindow = 31   // points of which the neighbours' median is taken
	spikeWarmUp = 0.05 // of the steps: the optimizer has no second moments yet
	stillTimes  = 0.01 // of the upper quartile: at steps with less, hardly any group trains
	blownUp     = 1000 // times its first level at the end: no clipping brings that back
)

// withoutNorms finds norms of which none is a number.
func (r *run) withoutNorms() ([]diagnosis.Finding, string) {
	broken := r.Of(GradNorm, 0)
	if broken == nil || len(broken.Broken) < leastNumbers || len(broken.Values) > 0 {
		return nil, r.lacks(GradNorm, "norm of the gradient", leastPoints)
	}
	title := fmt.Sprintf("%s is not a number at any of %s", sanitize.Line(broken.Name), units.Plural(len(broken.Broken), "steps"))
	since := broken.Broken[0]
	return []diagnosis.Finding{{
		Severity: diagnosis.Alarm, Since: since, Title: title, Example: diagnosis.Example{Step: since},
		Series: diagnosis.Series{Name: broken.Name},
	}}, ""
}

func (r *run) gradientSpikes() ([]diagnosis.Finding, string) {
	s := r.Of(GradNorm, leastPoints)
	if s == nil {
		return r.withoutNorms()
	}
	c := newCourse(s)
	if f, found := c.notNumbers(); found {
		return []diagnosis.Finding{f}, ""
	}
	sorted := slices.Sorted(slices.Values(s.Values))
	still := stillTimes * sorted[len(sorted)*3/4]
	var at []int // indexes of the steps at which groups train: without signal there is no gradient
	for i, x := range s.Values {
		if x > still {
			at = append(at, i)
		}
	}
	norms := model.Mapped(at, func(i int) float64 { return s.Values[i] })
	if n := len(norms); n >= leastPoints {
		window := Window(n)
		if start, end := diagnosis.Median(norms[:window]), diagnosis.Median(norms[n-window:]); end >= blownUp*start {
			since := c.stays(0, func(x float64) bool { return x >= spikeTimes*start })
			title := fmt.Sprintf("%s grows %s and stays there", c.name(), arrow(start, end))
			return []diagnosis.Finding{c.finding(diagnosis.Alarm, max(0, since), title, c.ends(c.name(), false, max(0, since)))}, ""
		}
	}
	times := make([]float64, len(at))
	for i, typical := range Smooth(norms, spikeWindow) {
		times[i] = math.Log(norms[i] / typical)
	}
	limit := max(math.Log(spikeTimes), spikeSigmas*sigmaOfMAD*diagnosis.Median(model.Mapped(times, math.Abs)))
	var spikes []int
	for i, x := range times {
		if x >= limit && float64(i) >= spikeWarmUp*float64(len(times)) {
			spikes = append(spikes, i)
		}
	}
	n := len(spikes)
	if n == 0 || float64(n) > spikeShare*float64(len(times)) {
		return nil, ""
	}
	last := spikes[n-1]
	severity := diagnosis.Watch
	if n >= spikeAlarm && last >= len(at)/2 {
		severity = diagnosis.Alarm
	}
	largest := slices.MaxFunc(spikes, func(i, k int) int { return cmp.Compare(times[i], times[k]) })
	step := s.Steps[at[spikes[0]]]
	f := diagnosis.Finding{
		Severity: severity, Since: step, Until: s.Steps[at[last]],
		Title: fmt.Sprintf("%s of %s are %s times their neighbours and more, the largest %s times", units.Plural(n, "updates"),
			units.Count(len(at)),
			units.Fixed(math.Exp(limit), 0), units.Short(math.Exp(times[largest]))),
		Example: diagnosis.Example{Step: s.Steps[at[largest]]},
		Series:  diagnosis.Series{Name: s.Name, Values: s.Values},
		Evidence: []diagnosis.Evidence{{
			Name: sanitize.Line(s.Name), Before: diagnosis.Median(norms), After: norms[largest], BeforeFrom: s.Steps[0],
			BeforeTo:  s.Steps[len(s.Steps)-1],
			AfterFrom: s.Steps[at[largest]], AfterTo: s.Steps[at[largest]], BeforeSamples: len(norms), AfterSamples: 1, Of: "values",
		}},
	}
	return []diagnosis.Finding{f}, ""
}
