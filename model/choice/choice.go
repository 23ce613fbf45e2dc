package choice

import (
	"fmt"
	"strings"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/match"
)

// Origin says who chose an estimator.
type Origin string

// The origins, the strongest first. Their texts are those of the JSON.
const (
	FromScreen     Origin = "screen" // by a key, a command or the session of the screen
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

// origin returns the strongest origin, "" if nothing was chosen.
func (g Given) origin() Origin {
	for _, o := range []Origin{FromFlag, FromConfig} {
		if g.Framework == o || g.Estimator == o || g.Scale == o {
			return o
		}
	}
	return ""
}

func (g Given) allows(set model.Settings, c match.Candidate) bool {
	return (g.Framework == "" || c.Framework == set.Framework) &&
		(g.Estimator == "" || c.Estimator == set.Estimator) &&
		(g.Scale == "" || c.Scale == set.Scale) && hasOptions(set, c)
}

// hasOptions reports whether a candidate was computed with the options that are given.
func hasOptions(set model.Settings, c match.Candidate) bool {
	if set.Options == "" {
		return true
	}
	set.Framework, set.Estimator, set.Scale = c.Framework, c.Estimator, c.Scale
	resolved, err := set.Resolved()
	return err == nil && match.CandidateOf(resolved) == c
}

// Choice is an estimator with who chose it and how far the log confirms it.
type Choice struct {
	Origin Origin
	match.Candidate
	Exact    int // samples whose logged advantage is equal in every bit
	Agreeing int // samples whose logged advantage is equal or near
	Compared int // samples with a logged advantage; 0 if nothing was compared, or if nothing in them tells estimators apart

	AfterFilter bool // the log holds the advantages after the keep ratios of the settings

	Groups   Origin // who decided on the groups: FromFlag, FromConfig, FromAdvantages or FromLog
	Division string // how the rows of an id or a prompt are divided into groups, and why; "" if they are one

	Rewards Rewards // which columns are the reward; the caller sets it
}

// Choose returns set with the framework, estimator and scale to compute a log with. What was
// given stays. Of estimators that reproduce the logged advantages those of the log's own trainer
// win, whatever else does. A framework without more has its grpo, or else its first estimator,
// and that one's default scale. Groups that the logged advantages prove are taken.
//
// trainer is model.Run.Framework, and logged the comparison of the logged advantages, nil if
// there is none. Choose does not validate: an estimator that was given may not be the framework's.
func Choose(set model.Settings, given Given, trainer string, logged *match.Report) (model.Settings, Choice) {
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
	if resolved, err := set.Resolved(); err == nil { // else Validate says why not
		set = resolved
	}
	return set, Describe(set, origin, logged)
}

// bestMatch returns the match to choose: of the trainer's own the first, else the first.
func bestMatch(set model.Settings, given Given, trainer string, logged *match.Report) (best match.Candidate, ok bool) {
	if logged == nil {
		return best, false
	}
	for _, v := range logged.Matches {
		if !given.allows(set, v.Candidate) {
			continue
		}
		if v.IsOf(trainer) {
			return v.Candidate, true
		}
		if !ok {
			best, ok = v.Candidate, true
		}
	}
	return best, ok
}

// withDefaults returns set with the framework, and its defaults for what was not given.
func withDefaults(set model.Settings, given Given, framework string) model.Settings {
	set.Framework = framework
	if given.Estimator == "" {
		set.Estimator = defaultEstimator(framework)
	}
	if e, err := set.FindEstimator(); err == nil && given.Scale == "" {
		set.Scale = e.Scales[0]
	}
	return set
}

func defaultEstimator(framework string) string {
	if _, err := estimators.Find(framework, "grpo"); err == nil {
		return "grpo"
	}
	for _, e := range estimators.All() {
		if e.Framework == framework {
			return e.Name
		}
	}
	return ""
}

// Describe returns the choice of the estimator of set, with what the comparison says of it.
func Describe(set model.Settings, origin Origin, logged *match.Report) Choice {
	c := Choice{Origin: origin, Candidate: match.CandidateOf(set)}
	if logged == nil || logged.Undecided { // advantages that every estimator gives say nothing of one
		return c
	}
	if f := logged.Filter; f != nil {
		if now := match.FilterOf(set); now == nil || *now != *f {
			return c // it was compared after other keep ratios
		}
		c.AfterFilter = true
	}
	for _, list := range [][]match.Verdict{logged.Matches, logged.Others} {
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

// String returns "trl grpo ✓ 1800/1800 as logged" or "verl grpo (the log's trainer)".
func (c Choice) String() string { return c.Framework + " " + c.Estimator + " " + c.Reason() }

// WithScale returns "trl grpo with scale group ✓ 1800/1800 as logged", and how groups are divided if
// they are.
func (c Choice) WithScale() string {
	text := c.Candidate.String() + " " + c.Reason()
	if c.Division != "" {
		text += "; " + c.Division
	}
	return text
}

// Reason says who chose the estimator, unless the log proves it, and what the log says of it.
func (c Choice) Reason() string {
	var parts []string
	if c.Origin != FromAdvantages && c.Origin != "" {
		parts = append(parts, "("+c.Origin.phrase()+")")
	}
	if c.Compared > 0 {
		parts = append(parts, c.Evidence())
	}
	return strings.Join(parts, " ")
}

// Short returns the reason in one or two words: "✓ 1800/1800", "trainer's", "assumed". What the log
// says comes first.
func (c Choice) Short() string {
	if evidence, _, _ := strings.Cut(c.Evidence(), " as logged"); evidence != "" {
		return evidence
	}
	switch c.Origin {
	case FromTrainer:
		return "trainer's"
	case FromScreen:
		return "chosen"
	case FromFlag:
		return "given"
	case FromConfig, FromAdvantages, FromLog, FromState, Assumed:
	}
	return string(c.Origin)
}

func (o Origin) phrase() string {
	switch o {
	case FromTrainer:
		return "the log's trainer"
	case FromConfig:
		return "--config"
	case FromFlag:
		return "given"
	case FromScreen:
		return "chosen here"
	case FromAdvantages, FromLog, FromState, Assumed:
	}
	return string(o)
}

// Evidence returns how many logged advantages the estimator reproduces: "✓ 64/64 as logged" if
// all are equal to the bit, "≈ 64/64 as logged, 60 to the bit" if all are near, else
// "! 12/64 as logged". It is empty if nothing was compared.
func (c Choice) Evidence() string {
	text := c.agreement()
	if c.AfterFilter && text != "" {
		text += ", after the filter"
	}
	return text
}

func (c Choice) agreement() string {
	switch {
	case c.Compared == 0:
		return ""
	case c.Exact == c.Compared:
		return fmt.Sprintf("✓ %d/%d as logged", c.Exact, c.Compared)
	case c.Confirmed():
		return fmt.Sprintf("≈ %d/%d as logged, %d to the bit", c.Agreeing, c.Compared, c.Exact)
	}
	return fmt.Sprintf("! %d/%d as logged", c.Agreeing, c.Compared)
}

// WithGroups returns the choice with who decided on the groups of a log, and how they are divided. given
// is FromFlag or FromConfig, or "" if neither says anything of groups.
func (c Choice) WithGroups(snap model.Snapshot, set model.Settings, given Origin) Choice {
	c.Groups = FromLog
	g, err := snap.Grouping(set)
	if err != nil { // the command itself says it
		return c
	}
	c.Division = snap.Division(g.GroupRule)
	switch {
	case g.Proved:
		c.Groups = FromAdvantages
	case given == FromFlag || given == FromConfig && g.Divides():
		c.Groups = given
	}
	return c
}
