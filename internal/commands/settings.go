package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"vantage/estimators"
	"vantage/estimators/offpolicy"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/figures"
	"vantage/model/match"
	"vantage/model/units"
)

// configure splits the arguments into paths and settings. It applies the settings of
// --config, then flags, then arguments algorithm.key=value and other keys of options; the last of
// several wins.
// Framework and estimator are applied before the rest, whatever their order.
func (p *program) configure(args []string) (paths []string, set model.Settings, err error) {
	if p.configPath != "" {
		r, err := parseFile(p.disk, "--config", p.configPath, maxConfig, "trainer's configuration", parseTrainerConfig)
		if err != nil {
			return nil, set, usage(err)
		}
		if p.isSet("off_policy") {
			r.Settings = withoutRule(r.Settings)
		}
		p.configSummary, p.configSettings = p.configPath+": "+r.Summary(), len(r.Settings)
		p.settings = append(r.Settings, p.settings...)
	}
	paths, fromArgs, err := p.splitArguments(p.hidePasswords(args))
	if err != nil {
		return nil, set, err
	}
	p.noteSentPlain(paths)
	p.settings = append(p.settings, fromArgs...)
	if set, err = setAll(p.settings); err != nil {
		return nil, set, usage(err)
	}
	set = p.selectColumns(set)
	if err := cmp.Or(refuseRule(set.OffPolicy), p.validate(set)); err != nil {
		return nil, set, usage(err)
	}
	if warns := set.TrainerWarning(); warns != "" && p.configPath != "" {
		p.configSummary += "; " + set.Trainer() + " warns: " + warns
	}
	return paths, set, nil
}

// withoutRule returns the settings of a configuration without the off-policy rule that it names, where a flag names another.
func withoutRule(settings []model.Option) []model.Option {
	i := slices.IndexFunc(settings, func(o model.Option) bool { return o.Name == "off_policy" })
	if i < 0 {
		return settings
	}
	framework, name, _ := strings.Cut(settings[i].Value, "/")
	rule, err := offpolicy.Find(framework, name)
	return slices.DeleteFunc(slices.Clone(settings), func(o model.Option) bool {
		key, _, _ := strings.Cut(o.Value, "=")
		isOption := err == nil && o.Name == "option" && slices.ContainsFunc(rule.Options,
			func(of estimators.Option) bool { return of.Key == key })
		return o.Name == "off_policy" || isOption
	})
}

// setAll applies some settings to the default, whatever their order.
func setAll(options []model.Option) (set model.Settings, err error) {
	set = model.DefaultSettings()
	ordered := slices.Clone(options)
	slices.SortStableFunc(ordered, model.CompareRank)
	for _, o := range ordered {
		if set, err = set.Set(o.Name, o.Value); err != nil {
			return set, err
		}
	}
	return set, nil
}

func (p *program) splitArguments(args []string) (paths []string, settings []model.Option, err error) {
	for _, arg := range args {
		key, value, found := strings.Cut(arg, "=")
		if !found {
			paths = append(paths, arg)
			continue
		}
		_, statErr := p.disk.Stat(arg)
		isPath := !errors.Is(statErr, fs.ErrNotExist)
		_, setErr := model.DefaultSettings().Set("algorithm."+key, value)
		switch {
		case strings.HasPrefix(key, "algorithm."), model.IsOption(key) && !isPath:
			settings = append(settings, model.Option{Name: key, Value: value})
		case setErr == nil && !isPath:
			return nil, nil, usage(fmt.Errorf("%s is not a path: as a setting write algorithm.%s", arg, arg))
		default:
			paths = append(paths, arg)
		}
	}
	return paths, settings, nil
}

func (p *program) selectColumns(set model.Settings) model.Settings {
	if !slices.Contains(append(model.Groupings(), ""), set.GroupBy) {
		p.columns.Group, set.GroupBy = string(set.GroupBy), model.GroupByID
	}
	p.columns.Rewards = set.Weights.Names()
	if set.Reward != "" {
		p.columns.Rewards = append(p.columns.Rewards, set.Reward)
	}
	if filter, values, err := set.FindGroupFilter(); err == nil && filter != nil {
		p.columns.Rewards = append(p.columns.Rewards, filter.Columns(values)...)
	}
	if e, err := set.FindEstimator(); err == nil {
		for _, c := range (e.Needs.Columns | e.Needs.Optional).List() {
			p.columns.Inputs = append(p.columns.Inputs, c.Names()...)
		}
	}
	return set
}

// isSet reports whether the command line or --config sets an option, by its trainer's name.
func (p *program) isSet(option string) bool { return p.originOf(option) != "" }

// originOf says where options are from, by their trainer's names: the last of those that the command line or --config sets;
// "" if neither sets any.
func (p *program) originOf(options ...string) (from match.Origin) {
	for i, o := range p.settings {
		s, _ := model.FindSetting(o.Name)
		switch {
		case !slices.Contains(options, s.Name):
		case i < p.configSettings:
			from = match.FromConfig
		default:
			from = match.FromFlag
		}
	}
	return from
}

// given says which of framework, estimator and scale flags or --config set. A configuration
// decides all three: what it leaves out is the trainer's default.
func (p *program) given() match.Given {
	given := match.Given{
		Framework: p.originOf("framework"), Estimator: p.originOf("adv_estimator"),
		Scale: p.originOf("scale"), Rewards: p.originOf("reward"),
	}
	isFramework := func(o model.Option) bool {
		s, _ := model.FindSetting(o.Name)
		return s.Name == "framework"
	}
	if slices.ContainsFunc(p.settings[:p.configSettings], isFramework) {
		given.Estimator, given.Scale = cmp.Or(given.Estimator, match.FromConfig), cmp.Or(given.Scale, match.FromConfig)
	}
	return given
}

// choose returns the settings to compute a log with, and who chose the columns of the reward and the
// estimator. It compares the logged advantages of all steps, so that the choice does not depend on the
// steps that a command shows.
func (p *program) choose(ctx context.Context, snap model.Snapshot, set model.Settings) (model.Settings, match.Choice, error) {
	set, rewards := match.ChooseRewards(ctx, snap, set, p.given())
	logged, err := match.Run(ctx, snap, set, match.DefaultLimit)
	if err != nil && !errors.Is(err, match.ErrNotNumbers) {
		logged = nil // nothing was logged, or the rows cannot be grouped, which the command itself says
	}
	set, chosen := match.Choose(set, p.given(), snap.Run.Framework, logged)
	chosen.Rewards = rewards
	if err := set.Validate(); err != nil {
		return set, chosen, usage(err)
	}
	return set, chosen.WithGroups(snap, set, p.originOf("group_by", "num_generations")), ctx.Err()
}

// validate refuses settings as far as that needs no log: without a framework, estimator, scale and
// options have to be those of some framework.
func (p *program) validate(set model.Settings) error {
	given := p.given()
	if given.Framework != "" || !given.HasEstimator() && set.Options == "" {
		return set.Validate()
	}
	for key := range set.Options.All() {
		if !estimators.HasOption(key) {
			return fmt.Errorf("no estimator has an option %s: `vantage list estimators FRAMEWORK NAME` lists those of one", key)
		}
	}
	if slices.ContainsFunc(estimators.All(), func(e *estimators.Estimator) bool { return fits(e, given, set) }) {
		return nil
	}
	for _, e := range estimators.All() { // what the first one that has the options says of their values
		if set.Options.Of(e.Options) == set.Options {
			if _, err := e.With(set.Options); err != nil {
				return err
			}
		}
	}
	if names := estimatorNames(); given.Estimator != "" && !slices.Contains(names, set.Estimator) {
		return fmt.Errorf("no framework has an estimator %q%s: `vantage list estimators` lists all", set.Estimator,
			orMeant(set.Estimator, names))
	}
	return set.Validate()
}

// fits reports whether an estimator is the one that is given, as far as one is, and can have the settings.
func fits(e *estimators.Estimator, given match.Given, set model.Settings) bool {
	isOther := given.Estimator != "" && e.Name != set.Estimator
	lacksScale := given.Scale != "" && !e.HasScale(set.Scale)
	if isOther || lacksScale {
		return false
	}
	set.Framework, set.Estimator, set.Scale = e.Framework, e.Name, e.Scales[0]
	err := set.Validate()
	var missing *model.MissingError
	return err == nil || errors.As(err, &missing) // of what no log can feed, the log says whose it is
}

// selection is what the query of --where selects: the samples or groups that a command counts, and how many groups they are of.
type selection struct {
	kind  string // what is selected: "samples" or "groups"
	also  string // what else is selected with other flags, for the help; "" if nothing is
	text  string
	query figures.Query

	matching, groups     int
	matchingSteps, steps int
}

func (s *selection) addTo(flags *pflag.FlagSet) {
	doc := "only " + s.kind + s.also + " that match this query: fate:alive sample.length>4000"
	if s.kind == "groups" || s.also != "" {
		doc += "; a group matches if one of its samples does"
	}
	flags.StringVar(&s.text, "where", "", doc)
}

// parse parses the query, which matches everything without the flag.
func (s *selection) parse() (err error) {
	if s.query, err = figures.ParseQuery(s.text); err != nil {
		return usage(fmt.Errorf("--where: %w", err))
	}
	return nil
}

// of returns the indexes of the groups of a step that match, ascending.
func (s *selection) of(a *analysis.Analysis) []int {
	selected := []int{}
	if s.text != "" { // which may ask for names
		a.NameGroups()
	}
	for g := range a.Table {
		if s.query.MatchesGroup(a, g) {
			selected = append(selected, g)
		}
	}
	s.groups, s.matching = s.groups+a.Groups, s.matching+len(selected)
	s.steps++
	if len(selected) > 0 {
		s.matchingSteps++
	}
	return selected
}

func (s *selection) sentence() string {
	if s.text == "" {
		return ""
	}
	return fmt.Sprintf("only %s groups, in %s of %s: those where %s",
		units.Fraction(s.matching, s.groups), units.Count(s.matchingSteps), units.Plural(s.steps, "steps"), s.text)
}

// addPrompts adds the hashes of the prompts of which a group of the run matches.
func (s *selection) addPrompts(ctx context.Context, snap model.Snapshot, set model.Settings, hashes map[uint64]bool) error {
	set.GroupBy, set.NumGenerations, set.Proved = model.GroupByPrompt, 0, model.ProvedGroups{}
	at := 0
	return analysis.Each(ctx, snap, set, func(a *analysis.Analysis) error {
		for _, g := range s.of(a) {
			if number := snap.Steps[at].PromptNumber(int(a.InputRow[a.Offsets[g]])); number > 0 {
				hashes[snap.Prompt(number).Hash] = true
			}
		}
		at++
		return nil
	})
}

// onlyLogged returns the snapshot with the logged advantages of the groups that match: those of others are
// missing, though the groups stay in their batches.
func (s *selection) onlyLogged(ctx context.Context, snap model.Snapshot, set model.Settings) (model.Snapshot, error) {
	steps := slices.Clone(snap.Steps)
	at := 0
	err := analysis.Each(ctx, snap, set, func(a *analysis.Analysis) error {
		logged := slices.Repeat([]float64{math.NaN()}, a.Rows)
		for _, g := range s.of(a) {
			for i := a.Offsets[g]; i < a.Offsets[g+1]; i++ {
				logged[a.InputRow[i]] = a.LoggedAdvantages[i]
			}
		}
		steps[at].LoggedAdvantages = logged
		at++
		return nil
	})
	return snap.Only(steps), err
}

func (s *selection) nothing() error {
	return fmt.Errorf("--where %q matches no %s of these steps under these settings", s.text, s.kind)
}
