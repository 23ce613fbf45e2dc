package model

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"vantage/model/sanitize"
	"vantage/model/units"
)

// RewardScale says which rewards of a run are solved and which are wrong.
//
// What is solved is known from Settings.SolvedAt, from a column of the log that says of every row whether it is correct, with 0 or 1, or
// from rewards that are a verdict: discrete ones whose best is 1, or two of which the worse is not positive. The best reward of others is
// only the best that was seen, and there are neither pass@k nor a solve rate. The fate of a group of equal rewards goes by the levels.
//
// Rewards are discrete if the run has at most 4 distinct finite values, or at most 32 of which each
// has 4 samples on average. Solved is then the greatest value that is no outlier among the samples
// above the least value of the run, and Wrong the least value that is no outlier among the samples
// below Solved. A value is an outlier if fewer than 1 in 100 of those samples have it; among more than
// 1,000 samples 10 are enough, among more than 10,000 1 in 1,000. So one 1.5 among 5,120 rewards of 0
// and 1 leaves 1 solved. If a run has one value only, its sign decides: positive is solved, else wrong.
//
// Of more than 4 levels that are no verdict, the best is right, and a worst that is positive is wrong, only if twice as many
// samples have it as the levels have on average: at a bound rewards pile up, and any other extreme is but the best or the worst
// that was seen.
//
// Among continuous rewards a group of equal ones is right or wrong only at the extremes of the run. Where all rewards of a run are one
// positive value other than 1, a group is neither.
type RewardScale struct {
	Min, Max float64 // finite rewards of the run; Inf and -Inf if there are none
	Wrong    float64 // a reward of at most this is wrong
	Solved   float64 // a reward of at least this is solved, or for continuous rewards right
	Discrete bool    // the rewards have few levels
	Known    bool    // what is solved is known: there are pass@k and solve rate
	Given    bool    // Solved is from the settings
	Column   string  // the column that says what is solved, "" if the rewards do: sanitise before showing

	openTop, openBottom bool // the extremes are no bounds, and no group of them is right, or wrong

	samples, solved, above, below int // with a finite reward; at least Solved; at another value above Solved; below Wrong
}

// The limits of discrete rewards: see RewardScale.
const (
	maxLevels          = 32
	maxSmallLevels     = 4
	minSamplesPerLevel = 4
	pileTimes          = 2 // as many samples as a level has on average are at a bound
)

// outlierLimit is how many of n samples must have a value for it to be no outlier.
func outlierLimit(n int) float64 {
	return min(float64(n)/100, max(10, float64(n)/1000))
}

// CountSolved counts the samples that count as solved, by their rewards and, if there is a Column, their values there, which are nil if the
// log has none. It has no branch on a reward, which nobody can predict.
func (r *RewardScale) CountSolved(rewards, correct []float64) (n int) {
	switch {
	case r.Column != "":
		for _, x := range correct {
			n += Count01(x == 1)
		}
	case r.Known:
		for _, x := range rewards {
			n += Count01(x >= r.Solved) & Count01(x <= math.MaxFloat64)
		}
	}
	return n
}

// IsSolved reports whether a sample counts as solved, by its reward and, if there is a Column, its value there.
func (r *RewardScale) IsSolved(reward, correct float64) bool {
	if r.Column != "" {
		return correct == 1
	}
	return r.Known && r.isRight(reward)
}

func (r *RewardScale) isRight(reward float64) bool {
	return reward >= r.Solved && reward <= math.MaxFloat64
}

// FateOfEqual is the fate of a group whose rewards all have one value.
func (r *RewardScale) FateOfEqual(reward float64) Fate {
	switch {
	case r.isRight(reward) && !r.openTop:
		return FateAllCorrect
	case reward <= r.Wrong && !r.openBottom:
		return FateAllWrong
	}
	return FateConstant
}

// IsAssumed reports whether the scale is not simply the extremes of a run with discrete rewards.
func (r *RewardScale) IsAssumed() bool {
	return r.Given || !r.Discrete || r.above > 0 || r.below > 0
}

// Evidence says in a sentence which rewards are solved, and why.
func (r *RewardScale) Evidence() string {
	switch {
	case r.Given:
		return fmt.Sprintf("a reward of at least %s (--solved-at)", units.Short(r.Solved))
	case r.Column != "":
		return "a sample whose " + sanitize.Line(r.Column) + " is 1"
	case !r.Known:
		return "none: " + r.WhyNone()
	case math.IsInf(r.Solved, 1):
		return fmt.Sprintf("no reward: all are %s; --solved-at X changes it", units.Short(r.Wrong))
	}
	text := fmt.Sprintf("a reward of at least %s: %s samples", units.Short(r.Solved), units.Fraction(r.solved, r.samples))
	if r.above > 0 {
		text += fmt.Sprintf("; %d above it, up to %s, are too few to be a level of their own", r.above, units.Short(r.Max))
	}
	if r.below > 0 {
		text += fmt.Sprintf("; wrong is %s or less, because %d below it, down to %s, are too few", units.Short(r.Wrong), r.below,
			units.Short(r.Min))
	}
	if r.IsAssumed() {
		text += "; --solved-at X changes it"
	}
	return text
}

// WhyNone says why there is neither pass@k nor a solve rate; "" if there are.
func (r *RewardScale) WhyNone() string {
	switch {
	case r.Known:
		return ""
	case r.samples == 0:
		return "no reward is a finite number"
	case r.Discrete:
		return fmt.Sprintf("the best reward seen is %s, and nothing shows that it is full marks, so there is neither pass@k nor a solve "+
			"rate; --solved-at X gives them", units.Short(r.Max))
	}
	return "rewards are continuous and don't show which samples are solved, so there is neither pass@k nor a solve rate; --solved-at " +
		"X gives them"
}

// RewardScales are the scales of the runs of a snapshot, by number of the run: see Snapshot.RunOf.
// Runs that were opened together do not share them. There is at least one.
func (s Snapshot) RewardScales(set Settings) []RewardScale {
	all := s.rewardLevels
	if set.Reward != "" || set.Weights != "" {
		all = nil
		steps := s.wholeRun
		if steps == nil {
			steps = s.Steps
		}
		for _, step := range steps {
			rewards, err := s.Rewards(step, s.InputOrder(len(step.Rewards)), set)
			if err != nil {
				all = s.rewardLevels
				break
			}
			all = addLevels(all, levelsOfRuns(rewards, step.fileSpans, s.fileRuns))
		}
	}
	column := ""
	if k := s.verdictColumn; k > 0 && set.SolvedAt == "" {
		column = s.Run.ComponentNames[k-1]
	}
	if len(all) == 0 {
		all = []rewardLevels{newRewardLevels()}
	}
	scales := make([]RewardScale, len(all))
	for run := range all {
		scales[run] = all[run].scale(set.SolvedAt)
		if scales[run].Column = column; column != "" {
			scales[run].Known = true
		}
	}
	return scales
}

const maxSolvedRuns = 8

// SolvedEvidence says for each run which rewards are solved and why: see RewardScale.Evidence. scales
// are those of RewardScales. With several runs each sentence begins with the folder of the run.
func (s Snapshot) SolvedEvidence(scales []RewardScale) []string {
	if len(scales) == 1 {
		return []string{scales[0].Evidence()}
	}
	var all []string
	for run := range scales[:min(len(scales), maxSolvedRuns)] {
		text := scales[run].Evidence()
		if name := s.RunName(run); name != "" {
			text = name + ": " + text
		}
		all = append(all, text)
	}
	if n := len(scales) - len(all); n > 0 {
		all = append(all, fmt.Sprintf("and so for %s, each by its own rewards", units.Plural(n, "more folders")))
	}
	return all
}

// SolvedNotes are SolvedEvidence, or nil if all runs have the same solved reward, and it is simply the
// best, as the worst is wrong.
func (s Snapshot) SolvedNotes(scales []RewardScale) []string {
	if slices.ContainsFunc(scales, func(r RewardScale) bool { return r.IsAssumed() || r.Solved != scales[0].Solved }) {
		return s.SolvedEvidence(scales)
	}
	return nil
}

// RunOf is the number of the run that a row of a step belongs to. Most snapshots have one run, 0.
func (s *Snapshot) RunOf(step *Step, row int) int {
	if len(s.fileRuns) == 0 {
		return 0
	}
	return runOfFile(step.Place(row).File, s.fileRuns)
}

func runOfFile(file int32, fileRuns []int32) int {
	if int(file) >= len(fileRuns) {
		return 0
	}
	return int(fileRuns[file])
}

// SolvedAt is a reward from which samples are solved, as text; "" leaves it to RewardScale's rule.
type SolvedAt string

// Value returns the reward; ok is false if there is none.
func (t SolvedAt) Value() (reward float64, ok bool) {
	reward, err := strconv.ParseFloat(string(t), 64)
	return reward, err == nil
}

// parseSolvedAt accepts a finite number, or auto for the rule.
func parseSolvedAt(text string) (SolvedAt, error) {
	if text == "auto" || text == "" {
		return "", nil
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !units.IsFinite(x) {
		return "", fmt.Errorf("solved_at must be a finite number or auto, got %q", text)
	}
	return SolvedAt(strconv.FormatFloat(x+0, 'g', -1, 64)), nil
}

type rewardLevel struct {
	reward float64
	count  int
}

type rewardLevels struct {
	levels   []rewardLevel // ascending; nil if there are more than maxLevels
	tooMany  bool
	samples  int
	min, max float64
}

func newRewardLevels() rewardLevels { return rewardLevels{min: math.Inf(1), max: math.Inf(-1)} }

// runLevels are the reward levels of the rows of one run.
type runLevels struct {
	run int
	rewardLevels
}

// levelsOfRuns counts the rewards of a step by run. Its rows come from spans of files.
func levelsOfRuns(rewards []float64, spans []fileSpan, fileRuns []int32) []runLevels {
	var all []runLevels
	for span, to := range spansOf(spans, len(rewards)) {
		run := runOfFile(span.file, fileRuns)
		k := slices.IndexFunc(all, func(l runLevels) bool { return l.run == run })
		if k < 0 {
			k = len(all)
			all = append(all, runLevels{run, newRewardLevels()})
		}
		all[k].addRewards(rewards[span.startRow:to])
	}
	return all
}

// addLevels adds the levels of a step to those of a log, which are indexed by run.
func addLevels(all []rewardLevels, step []runLevels) []rewardLevels {
	for i := range step {
		for len(all) <= step[i].run {
			all = append(all, newRewardLevels())
		}
		all[step[i].run].addAll(&step[i].rewardLevels)
	}
	return all
}

// The size of the hash table of addRewards.
const (
	levelTableBits = 7
	levelTableSize = 1 << levelTableBits
)

// addRewards counts the finite ones of some rewards. It hashes them, since a step may have millions.
func (l *rewardLevels) addRewards(rewards []float64) {
	var table [levelTableSize]rewardLevel // count is 0 where there is none
	distinct := 0
	for i, r := range rewards {
		if !units.IsFinite(r) {
			continue
		}
		r += 0 // no -0
		at := math.Float64bits(r) * 0x9e3779b97f4a7c15 >> (64 - levelTableBits)
		for table[at].count != 0 && table[at].reward != r {
			at = (at + 1) % levelTableSize
		}
		if table[at].count == 0 {
			if distinct++; distinct > maxLevels {
				l.levels, l.tooMany = nil, true
				l.addMany(rewards[i:])
				break
			}
			table[at].reward = r
		}
		table[at].count++
	}
	for _, level := range table {
		if level.count > 0 {
			l.add(level.reward, level.count)
		}
	}
}

// addMany counts the finite ones of some rewards where there are too many levels.
func (l *rewardLevels) addMany(rewards []float64) {
	samples, low, high := 0, l.min, l.max
	for _, r := range rewards {
		if !units.IsFinite(r) {
			continue
		}
		samples++
		if r += 0; r < low { // min and max would look for NaN and -0
			low = r
		}
		if r > high {
			high = r
		}
	}
	l.samples, l.min, l.max = l.samples+samples, low, high
}

func (l *rewardLevels) add(reward float64, n int) {
	l.samples += n
	l.min, l.max = min(l.min, reward), max(l.max, reward)
	if l.tooMany {
		return
	}
	i, found := slices.BinarySearchFunc(l.levels, reward, func(x rewardLevel, r float64) int { return cmp.Compare(x.reward, r) })
	switch {
	case found:
		l.levels[i].count += n
	case len(l.levels) == maxLevels:
		l.levels, l.tooMany = nil, true
	default:
		l.levels = slices.Insert(l.levels, i, rewardLevel{reward, n})
	}
}

func (l *rewardLevels) addAll(o *rewardLevels) {
	if o.tooMany {
		l.levels, l.tooMany = nil, true
		l.samples += o.samples
		l.min, l.max = min(l.min, o.min), max(l.max, o.max)
		return
	}
	for _, level := range o.levels {
		l.add(level.reward, level.count)
	}
}

func (l *rewardLevels) scale(at SolvedAt) RewardScale {
	n := len(l.levels)
	isDiscrete := n > 0 && (n <= maxSmallLevels || l.samples >= minSamplesPerLevel*n)
	s := RewardScale{Min: l.min, Max: l.max, Wrong: l.min, Solved: l.max, Discrete: isDiscrete, samples: l.samples}
	given, isGiven := at.Value()
	switch {
	case isGiven:
		s.Solved, s.Discrete, s.Known, s.Given = given, true, true, true
		if s.Wrong >= s.Solved {
			s.Wrong = math.Inf(-1)
		}
	case !s.Discrete:
		if s.Min >= s.Max {
			s.Solved = math.Inf(1)
		}
		return s
	case n == 1 && s.Max <= 0:
		s.Solved, s.Known = math.Inf(1), true
	case n == 1 && s.Max != 1:
		s.Wrong, s.Solved = math.Inf(-1), math.Inf(1)
		return s
	case n == 1:
		s.Wrong = math.Inf(-1)
	default:
		s.Solved = l.best()
	}
	l.countAround(&s)
	s.Known = s.Known || l.isVerdict(&s)
	if n > maxSmallLevels && !s.Known {
		piled := pileTimes * l.samples / n
		s.openTop = s.solved < piled
		s.openBottom = s.Wrong > 0 && l.atMost(s.Wrong) < piled
	}
	return s
}

// atMost is how many samples have a reward of at most a value.
func (l *rewardLevels) atMost(reward float64) (n int) {
	for _, level := range l.levels {
		if level.reward <= reward {
			n += level.count
		}
	}
	return n
}

func (l *rewardLevels) best() float64 {
	limit := outlierLimit(l.samples - l.levels[0].count)
	for _, level := range slices.Backward(l.levels[2:]) {
		if float64(level.count) >= limit {
			return level.reward
		}
	}
	return l.levels[1].reward
}

// isVerdict reports whether the rewards say right or wrong: the best is 1, or there are two levels, of which one is not positive.
func (l *rewardLevels) isVerdict(s *RewardScale) bool {
	n := 0
	for _, level := range l.levels {
		if level.reward >= s.Wrong && level.reward <= s.Solved {
			n++
		}
	}
	return s.Solved == 1 || n == 2 && s.Wrong <= 0 && s.Solved > 0
}

// isVerdictName reports whether a column of such a name says whether an answer is correct: accuracy, is_correct, reward_accuracy, acc.
func isVerdictName(name string) bool {
	word := ""
	for _, w := range strings.FieldsFunc(strings.ToLower(name[strings.LastIndexAny(name, "./")+1:]), func(r rune) bool {
		return r < 'a' || r > 'z'
	}) {
		switch w {
		case "reward", "rewards", "metrics", "score", "is", "func":
			continue
		}
		if word != "" {
			return false
		}
		word = strings.TrimPrefix(w, "math")
	}
	return slices.Contains([]string{"accuracy", "acc", "correct", "correctness", "solved", "success"}, word)
}

// verdictsOf returns for each component of a step whether it is 0 or 1 in every row.
func verdictsOf(components [][]float64, rows int) []bool {
	return Mapped(components, func(values []float64) bool {
		return len(values) == rows && !slices.ContainsFunc(values, func(x float64) bool { return x != 0 && x != 1 })
	})
}

// countAround sets Wrong and the counts of a scale whose Solved is known.
func (l *rewardLevels) countAround(s *RewardScale) {
	lower := 0 // samples below Solved
	for _, level := range l.levels {
		switch {
		case level.reward < s.Solved:
			lower += level.count
		case level.reward > s.Solved:
			s.above += level.count
			fallthrough
		default:
			s.solved += level.count
		}
	}
	limit, below := outlierLimit(lower), 0
	for _, level := range l.levels {
		if level.reward >= s.Solved {
			return
		}
		if float64(level.count) >= limit {
			s.Wrong, s.below = level.reward, below
			return
		}
		below += level.count
	}
}
