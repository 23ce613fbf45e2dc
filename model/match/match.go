// Package match finds the estimator that wrote the advantages of a log, and decides with which one a log is computed.
//
// [Run] computes the advantages of a snapshot under every framework, estimator and scale that the log has the columns for,
// compares them with the logged ones and returns a [Report]. [Choose] takes, in this order, what flags say, what --config says,
// the estimator that reproduces the advantages in the log, the trainer that wrote the log, and else the default; [ChooseRewards]
// decides before that which columns of the log are its reward. The commands and the screen both ask them, and show the [Choice]
// with every number: nothing is assumed silently.
//
// A logged advantage is equal to a computed one (in every bit of the framework's precision, or but
// for one float32 unit in the last place: see [Verdict.Equal]), near it (within 1e-6 of the largest
// advantage of its group, or the estimator's own tolerance, see [analysis.LoggedTolerance]), or off.
// If no estimator is near everywhere and the log was written with three to seven decimals, near means
// equal after rounding to these. If still none is, groups with fewer samples than the others are left
// out: the log may have been cut. If still none is, other groups are tried, such as each 8 consecutive
// rows of a prompt: those that match are proved, and [Choose] takes them unless flags or --config decide on groups.
package match

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/units"
)

// Report is the result of a comparison.
type Report struct {
	Steps      int  // compared
	Compared   int  // samples with a logged advantage
	Candidates int  // tried
	Sampled    bool // the log has more samples than were compared
	Decimals   int  // if not 0, near means equal after rounding to this many
	LeftOut    int  // samples left out because their groups have fewer than the others

	ShortGroups, AllGroups int // of the groups, those that were left out
	MissingRows            int // rows that the groups left out lack

	Filter     *Filter      // of the settings, if only after it an estimator matches: the log holds filtered advantages
	Found      *FoundFilter // that the settings do not name
	Mixture    []Segment    // if different estimators reproduce different steps, in their order
	Undecided  bool         // nothing tells estimators apart: Others begin with those that agree
	Residue    bool         // some of these advantages are float residue, and no 0
	Arithmetic string       // a sentence, if the advantages are float64 and numpy's to the bit

	Grouping   model.Grouping
	Proved     model.ProvedGroups // by the logged advantages, if Grouping is no longer that of the settings
	GroupFlags string             // options that name Grouping, if it is proved; "" if none can
	Matches    []Verdict          // that agree on every sample: the default of the log's trainer, the most exact, the fewest assumptions first
	Others     []Verdict          // the rest, the most agreeing samples first
	Clues      []string           // without a match: what the log shows, each verified on all steps that were compared
	OwnRule    bool               // they say which rule of the trainer's own gives all logged advantages
	LacksRows  bool               // they say that rows are missing, with which the advantages would fit

	options estimators.Options // for the estimators that have them
}

// errOnlyParts is the error for a log whose advantages are all of groups of which it holds a part.
var errOnlyParts = errors.New("the log holds only some samples of each group, so nothing can compute its advantages again: log " +
	"every sample")

// ErrNothingLogged is the error for a log without advantages.
var ErrNothingLogged = errors.New("the log has no advantages to compare with: TRL, ms-swift, prime-rl, NeMo-RL and open-instruct log them")

// ErrNotNumbers is the error for a log whose advantages are all NaN.
var ErrNotNumbers = errors.New("the logged advantages are NaN in every sample: no estimator gives that, and no sample trains")

func (r *Report) again(compared int) *Report { return &Report{Compared: compared, options: r.options} }

// candidates yields the estimators that the log has the columns for, with the options of the settings, under each scale.
func (r *Report) candidates(snap model.Snapshot) iter.Seq2[*estimators.Estimator, candidate] {
	return func(yield func(*estimators.Estimator, candidate) bool) {
		for _, e := range estimators.AllWith(r.options) {
			if snap.Missing(e) != nil {
				continue
			}
			for at, scale := range e.Scales {
				if !yield(e, candidate{candidateOf(e, scale), countAssumptions(snap.Run.Framework, e, at)}) {
					return
				}
			}
		}
	}
}

// HasMatch reports whether a candidate reproduces the log.
func (r *Report) HasMatch() bool { return len(r.Matches) > 0 }

// DefaultLimit is the usual number of samples to compare.
const DefaultLimit = 20_000

// Run compares the newest complete steps of the snapshot, up to and including the one that
// reaches limit samples with a logged advantage. It reads grouping and reward of the
// settings, and their options for the estimators that have them. Trainers log advantages before a sample
// filter; if nothing matches so, those after the filter of the settings are tried. Where nothing matches it
// looks for
// groups that the advantages prove, unless the settings name them: see Report.Proved. Errors are
// [ErrNothingLogged], [ErrNotNumbers] with a report that nothing matches, rows that cannot be grouped, and the end of ctx.
func Run(ctx context.Context, snap model.Snapshot, set model.Settings, limit int) (*Report, error) {
	r := &Report{options: set.Options}
	whole := snap.WithoutParts()
	steps := r.chooseSteps(whole, limit)
	switch {
	case len(steps) > 0:
	case len(r.chooseSteps(snap, limit)) > 0:
		return nil, errOnlyParts
	case slices.ContainsFunc(snap.Steps, func(s model.Step) bool { return slices.ContainsFunc(s.LoggedAdvantages, model.IsLogged) }):
		return r, ErrNotNumbers
	default:
		return nil, ErrNothingLogged
	}
	snap = whole
	grouped, ungrouped := r.compareUnder(ctx, snap, set, steps)
	if r.confirmsGroups(snap.Run.Framework) || r.Undecided || ctx.Err() != nil {
		return r, ctx.Err()
	}
	own := set
	own.Proved = model.ProvedGroups{}
	proved, err := prover{snap, own, steps, r}.prove(ctx)
	if err != nil {
		return nil, err
	}
	if !proved.IsZero() { // if runs that were opened together were written by different estimators none matches
		again := r.again(r.Compared)
		again.Steps, again.Sampled, own.Proved = r.Steps, r.Sampled, proved
		grouped, ungrouped = again.compareUnder(ctx, snap, own, steps)
		r, set = again, own
	}
	if ungrouped != nil {
		return nil, ungrouped
	}
	if r.HasMatch() {
		return r, nil
	}
	r.Clues, err = r.explain(ctx, snap, set, grouped)
	return r, err
}

// confirmsGroups reports whether an estimator matches that takes the groups as they are, or is of the trainer
// that wrote the log. AReaL's take blocks of rows for groups, and so match wherever groups are wrong.
func (r *Report) confirmsGroups(trainer string) bool {
	return slices.ContainsFunc(r.Matches, func(v Verdict) bool {
		e, err := estimators.Find(v.Framework, v.Estimator)
		return err == nil && !e.DependsOnBatch || v.isOf(trainer)
	})
}

// compareUnder compares the steps, grouped by the settings. It fails if they cannot be grouped.
func (r *Report) compareUnder(ctx context.Context, snap model.Snapshot, set model.Settings, steps []int) ([]*analysis.GroupedStep, error) {
	grouping, err := snap.Grouping(set)
	if err != nil {
		return nil, err
	}
	grouped, err := groupSteps(snap, set, steps)
	if err != nil {
		return nil, err
	}
	r.Grouping, r.Proved = grouping, set.Proved
	if grouping.Proved {
		r.GroupFlags = snap.Flags(grouping.GroupRule)
	}
	if err := r.compareAll(ctx, snap, grouped, filterOf(set)); err != nil {
		return grouped, err
	}
	if r.decide(grouped); r.HasMatch() && r.Filter == nil {
		r.Arithmetic = arithmetic(grouped)
	}
	return grouped, nil
}

type variant struct {
	tolerance float64 // at least; see tryAll
	filter    *Filter // compare the advantages after it; nil: before any
	clip      *clip   // compare the advantages that are clipped so; nil: as they are
}

// compareAll tries every candidate, and if none matches after a filter, with the tolerances that logs need, and in full groups.
func (r *Report) compareAll(ctx context.Context, snap model.Snapshot, grouped []*analysis.GroupedStep, filter *Filter) error {
	if err := r.tryAll(ctx, snap, grouped, variant{}); err != nil || r.HasMatch() {
		return err
	}
	decimals := loggedDecimals(grouped)
	rounded := roundingTolerance(decimals)
	ways := []variant{{tolerance: rounded}}
	if filter != nil {
		ways = []variant{{filter: filter}, {tolerance: rounded, filter: filter}, {tolerance: rounded}}
	}
	for _, how := range ways {
		if how == (variant{}) {
			continue // as above
		}
		retry := r.again(r.Compared)
		if err := retry.tryAll(ctx, snap, grouped, how); err != nil {
			return err
		}
		if retry.HasMatch() {
			r.Filter, r.Matches, r.Others = how.filter, retry.Matches, retry.Others
			if how.tolerance > 0 {
				r.Decimals = decimals
			}
			return nil
		}
	}
	return r.retryFullGroups(ctx, snap, grouped)
}

func (r *Report) chooseSteps(snap model.Snapshot, limit int) []int {
	var steps []int
	for i := len(snap.Steps) - 1; i >= 0; i-- {
		n := countLogged(snap.Steps[i].LoggedAdvantages)
		if n == 0 || snap.Open(i) {
			continue
		}
		if r.Compared >= limit {
			r.Sampled = true
			break
		}
		r.Compared += n
		steps = append(steps, i)
	}
	r.Steps = len(steps)
	return steps
}

func countLogged(advantages []float64) int {
	n := 0
	for _, x := range advantages {
		if !math.IsNaN(x) {
			n++
		}
	}
	return n
}

func groupSteps(snap model.Snapshot, set model.Settings, steps []int) ([]*analysis.GroupedStep, error) {
	grouped := make([]*analysis.GroupedStep, len(steps))
	for at, i := range steps {
		var err error
		if grouped[at], err = analysis.GroupStep(snap, i, set); err != nil {
			return nil, err
		}
	}
	return grouped, nil
}

// tryAll compares every candidate that the log has the columns for, and after a filter those that can be
// filtered. Near is within the variant's tolerance or within [analysis.LoggedTolerance], whichever is larger.
func (r *Report) tryAll(ctx context.Context, snap model.Snapshot, grouped []*analysis.GroupedStep, how variant) error {
	r.Candidates, r.Matches, r.Others = 0, nil, nil
	for e, c := range r.candidates(snap) {
		if err := ctx.Err(); err != nil {
			return err
		}
		v := Verdict{Candidate: c.Candidate, assumptions: c.assumptions}
		switch {
		case how.filter != nil && !e.CanFilter || !v.evaluate(grouped, e, how):
			continue
		case v.Agreeing == r.Compared:
			r.Matches = append(r.Matches, v)
		default:
			r.Others = append(r.Others, v)
		}
		r.Candidates++
	}
	trainer := snap.Run.Framework
	slices.SortStableFunc(r.Matches, func(v, w Verdict) int {
		return cmp.Or(model.Count01(w.isDefaultOf(trainer))-model.Count01(v.isDefaultOf(trainer)), w.Exact-v.Exact,
			v.assumptions-w.assumptions)
	})
	slices.SortStableFunc(r.Others, func(v, w Verdict) int {
		return cmp.Or(w.Agreeing-v.Agreeing, cmp.Compare(v.MaxGap, w.MaxGap), v.assumptions-w.assumptions)
	})
	return nil
}

// countAssumptions weighs what a candidate assumes: most of all a framework other than the
// one that wrote the log, then columns beyond reward and group, then an estimator other
// than grpo, which most people run, then a scale that is not the framework's default.
func countAssumptions(framework string, e *estimators.Estimator, scale int) int {
	n := min(scale, 1)
	if e.Name != "grpo" {
		n += 2
	}
	if !e.NeedsOnlyRewards() {
		n += 4
	}
	switch {
	case e.Framework == framework:
	case strings.HasPrefix(e.Framework, framework):
		n += 8
	default:
		n += 16
	}
	return n
}

// explain returns what a log that no single estimator reproduces shows. Each is verified on all steps that
// were compared: numbers that fit nothing get no cause.
func (r *Report) explain(ctx context.Context, snap model.Snapshot, set model.Settings, grouped []*analysis.GroupedStep) ([]string, error) {
	if signals(grouped) == 0 {
		return evidenceClues(grouped), nil
	}
	if err := r.lookForMixture(ctx, snap, grouped); err != nil || len(r.Mixture) > 0 {
		return mixtureClues(r.Mixture), err
	}
	if r.Found = r.findFilter(snap, grouped); r.Found != nil {
		f := r.Found
		return []string{fmt.Sprintf("%s reproduces it after a sample filter: %s. With %s it is compared so", f.Candidate,
			f.text(f.pos.String(), f.neg.String()), f.Flags())}, nil
	}
	if clue, err := r.clipClue(ctx, snap, grouped); err != nil || clue != "" {
		r.OwnRule = clue != ""
		return []string{clue}, err
	}
	clues, err := r.tryAlternatives(ctx, snap, set, grouped)
	if err != nil || len(clues) > 0 {
		return clues, err
	}
	facts := factsOf(grouped)
	if clue := facts.rowClue(); clue != "" {
		return []string{clue}, nil
	}
	own := cmp.Or(plainFormClue(grouped), r.linearClue(snap, grouped), centredClue(grouped, &facts), perLengthClue(grouped))
	if own != "" {
		r.OwnRule = true
		return []string{own}, nil
	}
	if clue := missingRowsClue(grouped); clue != "" {
		r.LacksRows = true
		return []string{clue}, nil
	}
	if clue := risingClue(grouped, &facts); clue != "" { // after rows that are missing, without which a mean is another baseline
		r.OwnRule = true
		return []string{clue}, nil
	}
	if len(r.Others) > 0 && 2*r.Others[0].AgreeingGroups >= r.Others[0].Groups { // of those that tell anything
		nearest := r.Others[0]
		clues = append(clues, fmt.Sprintf("%s agrees on %s; nothing in the log tells the others apart",
			nearest.Candidate, units.Fraction(nearest.AgreeingGroups, nearest.Groups)+" groups"))
	}
	return append(clues, evidenceClues(grouped)...), nil
}

func factsOf(grouped []*analysis.GroupedStep) (f Facts) {
	for g := range groupsOf(grouped) {
		f.Add(g.rewards, g.logged, g.lengths)
	}
	return f
}

// Candidate is an estimator with a scale and the options that are not at their default.
type Candidate struct {
	Framework string
	Estimator string
	Scale     estimators.Scale
	Options   estimators.Options
}

// candidate is one with how much it assumes: see countAssumptions.
type candidate struct {
	Candidate
	assumptions int
}

// CandidateOf returns that of some settings.
func CandidateOf(set model.Settings) Candidate {
	return Candidate{set.Framework, set.Estimator, set.Scale, set.Options}
}

func candidateOf(e *estimators.Estimator, scale estimators.Scale) Candidate {
	return Candidate{e.Framework, e.Name, scale, e.Given}
}

// String returns "TRL 1.5 grpo with scale group", and the options.
func (c Candidate) String() string { return c.by(estimators.Title(c.Framework)) }

// by is [Candidate.String] with whose estimator it is.
func (c Candidate) by(trainer string) string {
	text := fmt.Sprintf("%s %s with scale %s", trainer, c.Estimator, c.Scale)
	if c.Options != "" {
		text += " and " + c.Options.String()
	}
	return text
}

// isOf reports whether an estimator is a trainer's, or that of another version of it: verl-2026-01 is
// verl's. No estimator is of an unknown trainer, "".
func (c Candidate) isOf(trainer string) bool {
	return trainer != "" && (c.Framework == trainer || strings.HasPrefix(c.Framework, trainer+"-"))
}

// isDefaultOf reports whether an estimator is one of a trainer's that it computes unless told otherwise: one of its experimental ones may
// have the same bits in another release.
func (c Candidate) isDefaultOf(trainer string) bool {
	return c.isOf(trainer) && c.Estimator == estimators.Default(c.Framework)
}

// Outcome is what a comparison comes to. Its texts are part of the JSON.
type Outcome string

// The outcomes.
const (
	OutcomeMatch      Outcome = "match"       // an estimator reproduces all that was compared
	OutcomeCannotTell Outcome = "cannot tell" // all advantages are 0, which several estimators give: nothing tells them apart
	OutcomeMixture    Outcome = "mixture"     // different estimators reproduce different steps
	OutcomeFiltered   Outcome = "filtered"    // an estimator does after keep ratios that the settings do not name
	OutcomeNone       Outcome = "none"        // nothing does
)

// Outcome returns what the comparison comes to.
func (r *Report) Outcome() Outcome {
	switch {
	case r.HasMatch():
		return OutcomeMatch
	case r.Undecided:
		return OutcomeCannotTell
	case len(r.Mixture) > 0:
		return OutcomeMixture
	case r.Found != nil:
		return OutcomeFiltered
	}
	return OutcomeNone
}

// decide takes the matches back if all advantages are 0: then nothing tells apart those estimators that give
// zeros, and the trainer may as well have logged them before it computed any. Nor does what float arithmetic leaves of equal rewards.
func (r *Report) decide(grouped []*analysis.GroupedStep) {
	differ := rewardsDiffer(grouped)
	none := signals(grouped) == 0
	if !r.HasMatch() || !none && (differ || !onlyResidue(grouped)) {
		return
	}
	r.Undecided = true
	r.Residue = !none
	are, why := "0", "all rewards of each group are equal"
	if differ {
		why = "rewards differ within groups"
	}
	if r.Residue {
		are = "0 or a rounding error"
	}
	r.Clues = []string{fmt.Sprintf("all %s are %s, and %s: %d of %d estimators and scales give that",
		units.Plural(r.Compared, "logged advantages"), are, why, len(r.Matches), r.Candidates)}
	r.Others = append(r.Matches, r.Others...)
	r.Matches = nil
}

// onlyResidue reports whether no advantage of groups of equal rewards is more than what float arithmetic leaves of these.
func onlyResidue(grouped []*analysis.GroupedStep) bool {
	for _, step := range grouped {
		for i, x := range step.LoggedAdvantages {
			if math.Abs(x) > analysis.ResidueShare*math.Abs(step.Rewards[i]) {
				return false
			}
		}
	}
	return true
}

func rewardsDiffer(grouped []*analysis.GroupedStep) bool {
	for g := range groupsOf(grouped) {
		if slices.ContainsFunc(g.rewards, func(r float64) bool { return units.IsFinite(r) && r != g.rewards[0] }) {
			return true
		}
	}
	return false
}

type group struct {
	rewards, logged []float64
	lengths         []int32
}

func groupsOf(grouped []*analysis.GroupedStep) iter.Seq[group] {
	return func(yield func(group) bool) {
		for _, s := range grouped {
			for lo, hi := range s.Groups() {
				if !yield(group{s.LoggedRewards[lo:hi], s.LoggedAdvantages[lo:hi], s.Lengths[lo:hi]}) {
					return
				}
			}
		}
	}
}

func hasSignal(advantages []float64) bool {
	return slices.ContainsFunc(advantages, func(x float64) bool { return x == x && x != 0 })
}

// retryFullGroups tries again without the groups that have fewer samples than full ones, or than their rows
// are divided into: the trainer saw samples that the log lacks. Full is the most common size, and if that
// fails the largest, since where rows are missing everywhere most groups lack some. At least two groups of
// a size must be in a run.
func (r *Report) retryFullGroups(ctx context.Context, snap model.Snapshot, grouped []*analysis.GroupedStep) error {
	for _, sizes := range []map[int]int{fullSizes(grouped, mostCommon), fullSizes(grouped, largestSize)} {
		retry := r.again(0)
		masked := make([]*analysis.GroupedStep, len(grouped))
		for i, s := range grouped {
			copied := *s
			copied.LoggedAdvantages = retry.maskShortGroups(s, sizes)
			masked[i] = &copied
			retry.Compared += countLogged(copied.LoggedAdvantages)
		}
		if retry.Compared == 0 || retry.Compared == r.Compared {
			continue
		}
		if err := retry.tryAll(ctx, snap, masked, variant{}); err != nil {
			return err
		}
		if retry.HasMatch() && signals(masked) > 0 {
			r.LeftOut, r.Compared, r.Matches, r.Others = r.Compared-retry.Compared, retry.Compared, retry.Matches, retry.Others
			r.ShortGroups, r.AllGroups, r.MissingRows = retry.ShortGroups, retry.AllGroups, retry.MissingRows
			return nil
		}
	}
	return nil
}

type sizeCount struct{ size, groups int }

func mostCommon(a, b sizeCount) bool {
	return a.groups > b.groups || a.groups == b.groups && a.size > b.size
}

func largestSize(a, b sizeCount) bool { return a.size > b.size }

// fullSizes returns the size of a full group in each run: of those that at least two groups have the first by
// an order.
func fullSizes(grouped []*analysis.GroupedStep, before func(a, b sizeCount) bool) map[int]int {
	type runSize struct{ run, size int }
	counts := map[runSize]int{}
	for _, s := range grouped {
		for g := range len(s.Offsets) - 1 {
			counts[runSize{s.Run(g), s.Offsets[g+1] - s.Offsets[g]}]++
		}
	}
	best := map[int]sizeCount{}
	for at, n := range counts {
		if c := (sizeCount{at.size, n}); n >= 2 && before(c, best[at.run]) {
			best[at.run] = c
		}
	}
	sizes := map[int]int{}
	for run, c := range best {
		sizes[run] = c.size
	}
	return sizes
}

// maskShortGroups returns the logged advantages, NaN in groups of fewer samples than full ones of their run. It
// counts these groups, and the rows that they lack.
func (r *Report) maskShortGroups(s *analysis.GroupedStep, sizes map[int]int) []float64 {
	advantages := append([]float64(nil), s.LoggedAdvantages...)
	for g := range len(s.Offsets) - 1 {
		full := s.FullSize(g)
		if full == 0 {
			full = sizes[s.Run(g)]
		}
		r.AllGroups++
		if lo, hi := s.Offsets[g], s.Offsets[g+1]; hi-lo < full {
			r.ShortGroups, r.MissingRows = r.ShortGroups+1, r.MissingRows+full-(hi-lo)
			for i := lo; i < hi; i++ {
				advantages[i] = math.NaN()
			}
		}
	}
	return advantages
}

// Verdict says how well a candidate reproduces the log.
type Verdict struct {
	Candidate
	Exact          int       // samples equal in every bit of the framework's precision
	OneULP         int       // samples one float32 unit in the last place off, which count as equal too
	Agreeing       int       // samples equal or near
	AgreeingGroups int       // groups without a mismatch
	Groups         int       // groups with a logged advantage
	MaxGap         float64   // largest |logged − computed| of samples that are not equal
	FirstMismatch  *Mismatch // nil if all samples agree

	assumptions int    // see countAssumptions
	off         int    // samples that do not agree
	agreeing    []bool // by step, in the order of the comparison
	cut, within int    // samples that the clip of the variant changes, and others whose logged advantage is not 0
}

// Equal returns how many samples are equal: in every bit, or but for one float32 unit in the
// last place. By so much the square root of PyTorch's wheels with MKL misses that of IEEE 754.
func (v Verdict) Equal() int { return v.Exact + v.OneULP }

// Mismatch is a sample whose logged advantage is not near the computed one.
type Mismatch struct {
	Step             int64
	Group            string
	Row              int // in its step, from 0, in input order
	Logged, Computed float64
}

// evaluate compares the candidate with all steps. It returns false if a step lacks a
// column.
func (v *Verdict) evaluate(grouped []*analysis.GroupedStep, e *estimators.Estimator, how variant) bool {
	f := cmp.Or(how.filter, &Filter{KeepPos: 1, KeepNeg: 1})
	for _, s := range grouped {
		computed := s.Filtered(e, v.Scale, f.KeepPos, f.KeepNeg, f.Recompute)
		if computed == nil {
			return false
		}
		v.cut, v.within = how.clip.apply(computed, s.LoggedAdvantages, v.cut, v.within)
		near := analysis.NewLoggedTolerance(e, v.Scale, s.LoggedRewards, computed)
		before := v.off
		for g := range len(s.Offsets) - 1 {
			lo, hi := s.Offsets[g], s.Offsets[g+1]
			logged, offBefore, tolerance := false, v.off, max(how.tolerance, near.Within(lo, hi))
			for i := lo; i < hi; i++ {
				x := s.LoggedAdvantages[i]
				isLogged := !math.IsNaN(x)
				logged = logged || isLogged
				if !isLogged || v.addSample(x, computed[i], e.Float, tolerance) {
					continue
				}
				if v.off++; v.FirstMismatch == nil {
					v.FirstMismatch = &Mismatch{
						Step: s.Step, Group: s.GroupName(g), Row: int(s.InputRow[i]), Logged: x, Computed: computed[i],
					}
				}
			}
			if logged {
				v.Groups++
			}
			if logged && v.off == offBefore {
				v.AgreeingGroups++
			}
		}
		v.agreeing = append(v.agreeing, v.off == before)
	}
	return true
}

func (v *Verdict) addSample(logged, computed float64, precision estimators.Float, tolerance float64) bool {
	switch {
	case analysis.EqualIn(logged, computed, precision):
		v.Exact++
	case precision == estimators.Float32 && analysis.OneULP(logged, computed):
		v.OneULP++
	default:
		gap := math.Abs(logged - computed)
		if math.IsNaN(gap) {
			gap = math.Inf(1)
		}
		if v.MaxGap = max(v.MaxGap, gap); gap > tolerance {
			return false
		}
	}
	v.Agreeing++
	return true
}

// The decimals for which rounding is tried: with fewer nearly everything agrees, with more
// the tolerance suffices even in groups of small advantages.
const (
	minDecimals = 3
	maxDecimals = 7
)

// loggedDecimals returns how many decimals the logged advantages have, 0 if fewer than
// minDecimals or more than maxDecimals.
func loggedDecimals(grouped []*analysis.GroupedStep) int {
	for d := range maxDecimals + 1 {
		unit := math.Pow10(d)
		more := func(x float64) bool {
			return math.Abs(x*unit-math.Round(x*unit)) > 1e-9*max(1, math.Abs(x*unit))
		}
		if !anyLogged(grouped, more) {
			if d < minDecimals {
				return 0
			}
			return d
		}
	}
	return 0
}

func anyLogged(grouped []*analysis.GroupedStep, holds func(x float64) bool) bool {
	return slices.ContainsFunc(grouped, func(s *analysis.GroupedStep) bool { return slices.ContainsFunc(s.LoggedAdvantages, holds) })
}

// roundingTolerance is half a unit of the last of d decimals, and a little more for the comparison's own
// arithmetic; 0 for none.
func roundingTolerance(d int) float64 {
	if d == 0 {
		return 0
	}
	return 0.5 * math.Pow10(-d) * (1 + 1e-6)
}
