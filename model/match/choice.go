package match

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/units"
)

// Origin says who chose an estimator.
type Origin string

// The origins, the strongest first. Their texts are those of the JSON.
const (
	FromScreen     Origin = "screen"  // by a key or a command
	FromSession    Origin = "session" // as the screen was left the last time
	FromFlag       Origin = "flag"
	FromConfig     Origin = "config"
	FromAdvantages Origin = "logged advantages" // it reproduces them
	FromTrainer    Origin = "trainer"           // of the log's format
	FromLog        Origin = "log"               // of groups: its ids or prompts
	Assumed        Origin = "assumed"           // the log is of no known trainer
)

// Given says which settings a person chose, and by what: [FromFlag], [FromConfig] or "".
type Given struct {
	Framework, Estimator, Scale Origin
	Rewards                     Origin // the columns that make up the reward
}

// HasEstimator reports whether framework, estimator or scale were given.
func (g Given) HasEstimator() bool { return g.origin() != "" }

func (g Given) origin() Origin {
	for _, o := range []Origin{FromFlag, FromConfig} {
		if g.Framework == o || g.Estimator == o || g.Scale == o {
			return o
		}
	}
	return ""
}

func (g Given) allows(set model.Settings, c Candidate) bool {
	otherFramework := g.Framework != "" && c.Framework != set.Framework
	otherEstimator := g.Estimator != "" && c.Estimator != set.Estimator
	otherScale := g.Scale != "" && c.Scale != set.Scale
	isOther := otherFramework || otherEstimator || otherScale
	if isOther || set.Options == "" {
		return !isOther
	}
	set.Framework, set.Estimator, set.Scale = c.Framework, c.Estimator, c.Scale
	resolved, err := set.Resolved()
	return err == nil && CandidateOf(resolved) == c
}

// Choice is an estimator with who chose it and how far the log confirms it.
type Choice struct {
	Origin Origin
	Candidate
	Exact    int // samples whose logged advantage is equal in every bit
	Agreeing int // samples whose logged advantage is equal or near
	Compared int // samples with a logged advantage; 0 if nothing was compared, or if nothing in them tells estimators apart

	NoGroups    bool // every prompt has one sample, so that no estimator that compares samples of a group made the log
	FromLog     bool // the advantages are those of the log, which nothing reproduces
	AfterFilter bool // the log holds the advantages after the keep ratios of the settings

	Groups   Origin // who decided on the groups: FromFlag, FromConfig, FromAdvantages or FromLog
	Division string // how the rows of an id or a prompt are divided into groups, and why; "" if they are one

	Rewards Rewards // which columns are the reward; the caller sets it
	Shown   bool    // the trainer's own averages of advantages are those of the estimator; the caller sets it
}

// Choose returns set with the framework, estimator and scale to compute a log with. What was
// given stays. Without an estimator that gives the logged advantages, and unless one was given, these are taken
// as they are. Of estimators that reproduce the logged advantages those of the log's own trainer
// win, whatever else does. A framework without more has its grpo, or else its first estimator,
// and that one's default scale. Groups that the logged advantages prove are taken.
//
// trainer is model.Run.Framework, and logged the comparison of the logged advantages, nil if
// there is none. Choose does not validate: an estimator that was given may not be the framework's.
func Choose(set model.Settings, given Given, trainer string, logged *Report) (model.Settings, Choice) {
	if logged != nil {
		set.Proved = logged.Proved
	}
	origin := given.origin()
	switch c, matches := bestMatch(set, given, trainer, logged); {
	case matches:
		set.Framework, set.Estimator, set.Scale = c.Framework, c.Estimator, c.Scale
		if origin == "" {
			origin = FromAdvantages
		}
	case given.Framework == "" && trainer != "":
		set = withDefaults(set, given, trainer)
		if origin == "" {
			origin = FromTrainer
		}
	case origin != "":
		set = withDefaults(set, given, set.Framework)
	default:
		origin = Assumed
	}
	set.Assumed = origin == Assumed
	set.FromLog = logged != nil && logged.Outcome() == OutcomeNone && given.origin() == ""
	set.OwnRule = set.FromLog && logged.OwnRule
	if resolved, err := set.Resolved(); err == nil { // else Validate says why not
		set = resolved
	}
	return set, Describe(set, origin, logged)
}

// bestMatch returns the match to choose: of the trainer's own its default or the first, else the first.
func bestMatch(set model.Settings, given Given, trainer string, logged *Report) (best Candidate, ok bool) {
	if logged == nil {
		return best, false
	}
	for _, v := range logged.Matches {
		if !given.allows(set, v.Candidate) {
			continue
		}
		switch {
		case v.isDefaultOf(trainer):
			return v.Candidate, true
		case !ok || v.isOf(trainer) && !best.isOf(trainer):
			best, ok = v.Candidate, true
		}
	}
	return best, ok
}

func withDefaults(set model.Settings, given Given, framework string) model.Settings {
	set.Framework = framework
	if given.Estimator == "" {
		set.Estimator = estimators.Default(framework)
	}
	if e, err := set.FindEstimator(); err == nil && given.Scale == "" {
		set.Scale = e.Scales[0]
	}
	return set
}

// Describe returns the choice of the estimator of set, with what the comparison says of it.
func Describe(set model.Settings, origin Origin, logged *Report) Choice {
	c := Choice{Origin: origin, Candidate: CandidateOf(set), FromLog: set.FromLog}
	if logged == nil || logged.Undecided { // advantages that every estimator gives say nothing of one
		return c
	}
	if f := logged.Filter; f != nil {
		if now := filterOf(set); now == nil || *now != *f {
			return c // it was compared after other keep ratios
		}
		c.AfterFilter = true
	}
	for _, list := range [][]Verdict{logged.Matches, logged.Others} {
		for _, v := range list {
			if v.Candidate == c.Candidate {
				c.Exact, c.Agreeing, c.Compared = v.Exact, v.Agreeing, logged.Compared
			}
		}
	}
	return c
}

// Confirmed reports whether the estimator reproduces all logged advantages.
func (c Choice) Confirmed() bool { return c.Compared > 0 && c.Agreeing == c.Compared }

// Differs reports whether the log has advantages that the estimator does not reproduce.
func (c Choice) Differs() bool { return c.Agreeing < c.Compared }

// String returns "TRL grpo ✓ 1800/1800 as logged" or "verl grpo (assumed: the trainer's default)".
func (c Choice) String() string { return c.trainer() + " " + c.Estimator + " " + c.Reason() }

// trainer is whose estimator it is, as [model.Settings.Trainer] says it.
func (c Choice) trainer() string {
	return model.Settings{Framework: c.Framework, Assumed: c.Origin == Assumed}.Trainer()
}

// WithScale returns "TRL grpo with scale group ✓ 1800/1800 as logged", and how groups are divided if
// they are.
func (c Choice) WithScale() string {
	text := c.by(c.trainer()) + " " + c.Reason()
	if c.Division != "" {
		text += "; " + c.Division
	}
	return text
}

// Reason says who chose the estimator, unless the log proves it, and what the log says of it.
func (c Choice) Reason() string {
	var parts []string
	if c.NoGroups {
		parts = append(parts, "(a guess: each prompt has one sample)")
	} else if isAssumed := c.Origin == FromTrainer || c.Origin == Assumed; isAssumed && c.Shown {
		parts = append(parts, "(as the trainer's own averages show)")
	} else if c.Origin != FromAdvantages && c.Origin != "" {
		parts = append(parts, "("+c.Origin.phrase()+")")
	}
	if c.Compared > 0 {
		parts = append(parts, c.Evidence())
	}
	if c.FromLog {
		parts = append(parts, "· samples, signal and Σ|A| are of the logged advantages")
	}
	return strings.Join(parts, " ")
}

// Short returns the reason in one or two words: "✓ 1800/1800", "chosen", "assumed". What the log
// says comes first.
func (c Choice) Short() string {
	if c.NoGroups && c.Compared == 0 {
		return "not known"
	}
	evidence, _, _ := strings.Cut(c.Evidence(), " as logged")
	if c.Origin == FromSession && c.Differs() {
		return "as left " + evidence
	}
	word := map[Origin]string{FromTrainer: "assumed", FromScreen: "chosen", FromSession: "as left", FromFlag: "given"}[c.Origin]
	return cmp.Or(evidence, word, string(c.Origin))
}

func (o Origin) phrase() string {
	words := map[Origin]string{
		FromTrainer: "assumed: the trainer's default", FromConfig: "--config", FromFlag: "given", FromScreen: "chosen here",
		FromSession: "as you left it; :forget goes back", Assumed: "assumed: " + model.CommonestFormula,
	}
	return cmp.Or(words[o], string(o))
}

// Evidence returns how many logged advantages the estimator reproduces: "✓ 64/64 as logged" if
// all are equal to the bit, "≈ 64/64 as logged, 60 to the bit" if all are near, else
// "! 12/64 as logged". It is empty if nothing was compared.
func (c Choice) Evidence() string {
	text := fmt.Sprintf("%d/%d as logged", c.Agreeing, c.Compared)
	switch {
	case c.Compared == 0:
		return ""
	case c.Exact == c.Compared:
		text = fmt.Sprintf("✓ %d/%d as logged", c.Exact, c.Compared)
	case c.Confirmed():
		text = fmt.Sprintf("≈ %s, %d exactly", text, c.Exact)
	default:
		text = "! " + text
	}
	if c.AfterFilter {
		text += ", after the filter"
	}
	return text
}

// WithGroups returns the choice with who decided on the groups of a log, and how they are divided. given
// is FromFlag or FromConfig, or "" if neither says anything of groups.
func (c Choice) WithGroups(snap model.Snapshot, set model.Settings, given Origin) Choice {
	c.Groups = FromLog
	g, err := snap.Grouping(set)
	if err != nil { // the command itself says it
		return c
	}
	c = c.OfRule(snap, g.GroupRule)
	switch {
	case g.Proved:
		c.Groups = FromAdvantages
	case given == FromFlag || given == FromConfig && g.Divides():
		c.Groups = given
	}
	return c
}

// OfRule returns the choice with how a rule divides the rows of a log into groups, and whether it leaves any of several samples.
func (c Choice) OfRule(snap model.Snapshot, rule model.GroupRule) Choice {
	c.Division = snap.Division(rule)
	c.NoGroups = (c.Origin == FromTrainer || c.Origin == Assumed) && snap.OneSampleEach(rule)
	return c
}

// FromState is the origin of what the trainer's own record names: trainer_state.json.
const FromState Origin = "trainer's record"

// Rewards says which columns of a log make up the reward, and who says so. The zero value is a log with
// one reward per sample, where there is nothing to choose.
type Rewards struct {
	Origin       Origin
	From         string   // the file that names the columns, if Origin is FromState
	Formula      string   // "accuracy + 0.3·format"
	FoundColumns          // what the logged advantages prove; its Weights are "" for one column, or the sum of all
	NotCounted   []string // numeric columns of the log that are not part of it
	Named        bool     // the names of the columns say that they are rewards
	Absent       string   // what --config names, but the log lacks
}

// ChooseRewards returns set with the columns that make up the reward, in a log that has a column for
// each reward function and no total. In this order: what flags and --config say, what the trainer's
// record names, what reproduces the logged advantages, and else the sum of all columns, which is
// assumed. The weights of functions that the record names come from the logged advantages, or are 1.
func ChooseRewards(ctx context.Context, snap model.Snapshot, set model.Settings, given Given) (model.Settings, Rewards) {
	columns := snap.Run.SummedColumns()
	r := Rewards{Origin: Assumed}
	if given.Rewards == FromConfig && snap.Run.CheckReward(set) != nil {
		r.Absent = set.Reward + set.Weights.Formula(nil) // named otherwise in the log
		set.Reward, set.Weights = "", ""
	}
	if set.Reward != "" || set.Weights != "" {
		return set, DescribeRewards(snap, set, Rewards{Origin: cmp.Or(given.Rewards, FromScreen)})
	}
	if len(columns) < 2 && r.Absent == "" {
		return set, Rewards{}
	}
	if len(columns) < 2 {
		return set, DescribeRewards(snap, set, r)
	}
	named := slices.DeleteFunc(slices.Clone(columns), func(name string) bool { return !slices.Contains(snap.Run.RewardNames, name) })
	if slices.ContainsFunc(columns, func(name string) bool { return strings.Contains(name, ",") || strings.TrimSpace(name) != name }) {
		return set, DescribeRewards(snap, set, r) // weights could not be written with such names
	}
	candidates := named
	if len(named) == 0 {
		candidates = columns
	}
	var found FoundColumns
	ok := false
	for _, trainer := range advantagesFrom(snap, set, given) {
		if found, ok = FindColumns(ctx, snap, set, trainer, candidates, len(named) > 0); ok {
			break
		}
	}
	switch {
	case len(named) > 0:
		r.Origin, r.From = FromState, snap.Run.RewardNamesFrom
		set.Weights = model.NewWeights(strings.Join(named, ",")) // 1 each
	case ok:
		r.Origin = FromAdvantages
	}
	if ok {
		set.Weights = found.Weights
		r.FoundColumns = found
	}
	return set, DescribeRewards(snap, set, r)
}

// advantagesFrom returns the trainers whose arithmetic may have given the logged advantages: that of the log,
// whatever other arithmetic a person asks for, then the one that is asked for; of a log of no known trainer also TRL, which logs a column
// for each reward function and no total.
func advantagesFrom(snap model.Snapshot, set model.Settings, given Given) []string {
	trainers := []string{cmp.Or(snap.Run.Framework, set.Framework)}
	if given.Framework != "" && set.Framework != trainers[0] {
		trainers = append(trainers, set.Framework)
	}
	if snap.Run.Framework == "" && !slices.Contains(trainers, "trl") {
		trainers = append(trainers, "trl")
	}
	return trainers
}

// DescribeRewards returns r with the columns that the settings take for the reward.
func DescribeRewards(snap model.Snapshot, set model.Settings, r Rewards) Rewards {
	columns := snap.Run.SummedColumns()
	r.Weights, r.NotCounted, r.Named = set.Weights, nil, snap.Run.NamesRewards
	counted := set.Weights.Names()
	switch {
	case set.Reward != "":
		r.Formula, counted = set.Reward, []string{set.Reward}
	case set.Weights != "":
		r.Formula = set.Weights.Formula(snap.Run.ComponentNames)
	case len(columns) == 0:
		r.Formula = "the log's own reward"
	default:
		r.Formula, counted = strings.Join(columns, " + "), columns
	}
	for _, name := range columns {
		if !slices.Contains(counted, name) {
			r.NotCounted = append(r.NotCounted, name)
		}
	}
	return r
}

// IsChoice reports whether there was something to choose.
func (r Rewards) IsChoice() bool { return r.Origin != "" }

// String returns "accuracy + 0.3·format (960/960 logged advantages prove it); not counted: tokens;
// --reward NAME=WEIGHT,… changes it".
func (r Rewards) String() string {
	if !r.IsChoice() {
		return ""
	}
	text := r.Formula + " (" + r.Evidence() + ")"
	if len(r.NotCounted) > 0 {
		text += "; not counted: " + strings.Join(r.NotCounted, ", ")
	}
	if r.Absent != "" {
		text += "; --config names " + r.Absent + ", which the log lacks"
	}
	if r.Origin != FromFlag && r.Origin != FromConfig {
		text += "; --reward NAME=WEIGHT,… changes it"
	}
	return text
}

// Evidence says why these columns are the reward, and what of it is not known.
func (r Rewards) Evidence() string {
	var text string
	switch {
	case r.Origin == FromAdvantages:
		text = fmt.Sprintf("%s logged advantages prove it", units.Fraction(r.Agreeing, r.Compared))
	case r.Origin == FromState && r.Compared > 0:
		text = fmt.Sprintf("named in %s; %s logged advantages prove the weights", r.From, units.Fraction(r.Agreeing, r.Compared))
	case r.Origin == FromState:
		return "named in " + r.From + "; weights of 1 are assumed, because no logged advantages prove others"
	case r.Origin == Assumed && r.Absent != "":
		return "assumed"
	case r.Origin == Assumed && r.Named:
		return "weights of 1 are assumed, because the log has no total"
	case r.Origin == Assumed:
		return "assumed: all numeric columns, because nothing shows which are rewards"
	default:
		return r.Origin.phrase()
	}
	if r.OnlyRatio {
		text += ", but for a common factor"
	}
	if len(r.Undecided) > 0 {
		text += ", but prove nothing about " + strings.Join(r.Undecided, ", ") + ", equal within every group"
	}
	return text
}
