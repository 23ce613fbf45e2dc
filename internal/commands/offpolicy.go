package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vantage/estimators"
	"vantage/estimators/offpolicy"
	"vantage/loaders"
	"vantage/loaders/logprobs"
	logged "vantage/loaders/scalars"
	"vantage/model"
	"vantage/model/match"
	study "vantage/model/offpolicy"
	"vantage/model/report"
	"vantage/model/trainer"
)

// offPolicy says how far the samples of a log are from the policy that trains them.
func (p *program) offPolicy() *cobra.Command {
	o := &report.OffPolicy{}
	var rule, config string
	var options []string
	format := newFormatFlag("text", report.OffPolicyText).or("jsonl", report.OffPolicyJSONL).
		or("csv", report.OffPolicyCSV).or("json", report.OffPolicyJSON)
	return command[func(io.Writer, *report.OffPolicy) error]{
		use:   "offpolicy PATH",
		short: "Show how off-policy samples are, and what a rule would keep",
		long: `offpolicy compares the log-probs of the engine that sampled with those of the trainer,
d = trainer − sampler: mean |d|, the KL estimator k3, the effective share of samples (ESS)
and the share of the heaviest (top 1) over the steps, whether the engine or staleness is
why, what the rule of the run clips and drops, and which rule keeps most. The rule is that
of --off-policy or of the trainer's --config, else what the trainer does by default.
--rules shows what every trainer's rule keeps at its own bound, and at others. --per writes
a line for each step or sample. 'vantage list off-policy-rules' describes the rules. It
reads NeMo-RL's train_data_step{N}.jsonl, prime-rl's token_exports next to its traces,
verifiers' traces, the train_data next to the rollouts of slime and miles, and JSON lines or
Parquet with rollout_log_probs and old_log_probs.`,
		example: `vantage offpolicy logs/exp_001
vantage offpolicy outputs/run-1 --off-policy trl/vllm_importance_sampling
vantage offpolicy outputs/run-1 --rules
vantage offpolicy outputs/run-1 --off-policy slime/tis --option tis_clip=3
vantage offpolicy outputs/run-1 --per sample --format jsonl`,
		args:   oneName,
		format: format,
		flags: func(cmd *cobra.Command) {
			cmd.Flags().StringVar(&rule, "off-policy", "", "apply this rule, FRAMEWORK/NAME")
			cmd.Flags().StringArrayVar(&options, "option", nil, "an option of the rule, KEY=VALUE as its trainer spells it (repeatable)")
			cmd.Flags().StringVar(&config, "config", "", "take the rule from a trainer's configuration, unless --off-policy names one")
			addChoice(cmd, &o.Per, "per", "run", "write a summary of the run, or a line for each step or sample", "run", "step", "sample")
			cmd.Flags().BoolVar(&o.Rules, "rules", false, "add what every trainer's rule keeps, and a sweep of its bound")
			cmd.Flags().BoolVar(&o.Tokens, "tokens", false, "add letters and weights of each token (--per sample, jsonl)")
		},
		refuse: func() (err error) {
			if o.Asked, err = offPolicyRule(rule, options); err == nil && o.Rule == nil && config != "" {
				o.Asked, err = parseFile(p.disk, "--config", config, maxConfig, "trainer's configuration", offPolicyConfig)
			}
			if err != nil {
				return err
			}
			return refuseOffPolicy(o, format.name)
		},
		run: func(ctx context.Context, c *call, write func(io.Writer, *report.OffPolicy) error) error {
			if len(c.args) == 0 {
				return usage(errors.New("nothing to read: give a log file or a directory"))
			}
			path := c.args[0]
			if loaders.IsElsewhere(path) {
				return usage(fmt.Errorf("%s: log-probs are read from files of this machine alone", path))
			}
			if _, err := p.disk.Stat(path); err != nil {
				return loaders.PathError(path, err)
			}
			if found, err := logged.Beside(p.disk, path); err == nil {
				o.Still = found.Still()
			}
			o.Read = p.logProbsOf(ctx, path)
			err := write(c.output(ctx), o)
			if errors.Is(err, logprobs.ErrNone) {
				return fmt.Errorf("%s: %w; 'vantage offpolicy --help' names the logs that have them", path, err)
			}
			return err
		},
	}.build(p)
}

// logProbsOf reads the samples of a path that have log-probs.
func (p *program) logProbsOf(ctx context.Context, path string) func(study.Visit) error {
	return func(visit study.Visit) error {
		return logprobs.Reduce(p.disk, path, func(s logprobs.Sample) func(line int64) error {
			take := visit(s.OfStudy())
			return func(line int64) error { return cmp.Or(ctx.Err(), take(line)) }
		})
	}
}

// refuseOffPolicy says which flags contradict each other.
func refuseOffPolicy(o *report.OffPolicy, format string) error {
	isOfRun := format == "csv" || format == "json"
	switch {
	case o.Per != "run" && o.Per != "step" && o.Per != "sample":
		return fmt.Errorf("--per %s: choose run, step or sample", o.Per)
	case o.Tokens && (o.Rule == nil || o.Per != "sample"):
		return errors.New("--tokens needs --off-policy FRAMEWORK/NAME and --per sample: letters and weights are what a rule does to a " +
			"token")
	case isOfRun && o.Per != "run":
		return fmt.Errorf("--format %s is of the whole run: use --format jsonl with --per %s", format, o.Per)
	case o.Rules && (o.Per != "run" || format == "jsonl"):
		return errors.New("--rules is of the whole run: omit --per, and choose text, csv or json")
	}
	return nil
}

// offPolicyRule is the rule of a name, FRAMEWORK/NAME, with its options; without one for no name.
func offPolicyRule(name string, options []string) (asked study.Asked, err error) {
	var given estimators.Options
	for _, option := range options {
		key, value, err := estimators.ParseOption(option)
		if err != nil {
			return asked, fmt.Errorf("--option: %w", err)
		}
		given = given.With(key, value)
	}
	if name == "" {
		if given != "" {
			return asked, errors.New("--option needs --off-policy FRAMEWORK/NAME: 'vantage list off-policy-rules' lists the rules")
		}
		return asked, nil
	}
	if err := refuseRule(name); err != nil {
		return asked, err
	}
	framework, rule, _ := strings.Cut(name, "/")
	if asked.Rule, err = offpolicy.Find(framework, rule); err != nil {
		return study.Asked{}, fmt.Errorf("--off-policy: %w", err)
	}
	if asked.Values, err = asked.Rule.Values(given); err != nil {
		return study.Asked{}, fmt.Errorf("--option: %w", err)
	}
	asked.Options, asked.By, asked.Must = given, "asked for", true
	return asked, nil
}

// offPolicyConfig is the rule that a trainer's configuration names.
func offPolicyConfig(text []byte) (study.Asked, error) {
	options, err := parseConfig(text)
	if err != nil {
		return study.Asked{}, err
	}
	found, err := trainer.OffPolicy(options)
	asked := study.Asked{Rule: found.Rule, Values: found.Values, Options: found.Options, Off: found.Off}
	if found.Rule != nil {
		asked.By = "by " + found.By
	}
	return asked, err
}

// refuseRule refuses a name that no off-policy rule has, with the one that was probably meant.
func refuseRule(name string) error {
	names := []string{}
	for _, r := range offpolicy.All() {
		names = append(names, r.Framework+"/"+r.Name)
	}
	if name == "" || slices.Contains(names, name) {
		return nil
	}
	isNamed := func(full string) bool { return strings.HasSuffix(full, "/"+name) }
	meant := orMeant(name, names)
	if i := slices.IndexFunc(names, isNamed); i >= 0 {
		meant = " (did you mean " + names[i] + "?)"
	}
	return fmt.Errorf("--off-policy: no off-policy rule %q%s: `vantage list off-policy-rules` lists all", name, meant)
}

// judge is a log whose log-probs can be read again: see [loaders.Source.Judge].
type judge interface {
	Judge(context.Context, model.Snapshot, model.Settings) (*model.Judged, error)
}

// judged returns a snapshot with what the off-policy rules of settings make of its samples, for which the log is read again: once for each
// rule. Where no settings name a rule it is the snapshot itself. A log that lacks what a rule reads is an error, unless a configuration
// names the rule: then a warning says so.
func (p *program) judged(ctx context.Context, log textReader, snap model.Snapshot, settings ...model.Settings) (model.Snapshot, error) {
	var all []*model.Judged
	for _, set := range settings {
		if set.OffPolicy == "" || snap.JudgedBy(set) != nil {
			continue
		}
		reader, ok := log.(judge)
		if !ok {
			return snap, fmt.Errorf("--off-policy %s: the log cannot be read again", set.OffPolicy)
		}
		one, err := reader.Judge(ctx, snap, set)
		switch isOfConfig := p.originOf("off_policy") == match.FromConfig; {
		case err != nil && ctx.Err() == nil && isOfConfig:
			one = &model.Judged{RuleKey: set.RuleKey(), WhyNone: err.Error()}
		case err != nil:
			return snap, fmt.Errorf("--off-policy: %w", err)
		}
		all = append(all, one)
		snap = snap.WithJudged(all...)
	}
	return snap, nil
}
