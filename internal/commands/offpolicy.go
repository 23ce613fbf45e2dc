package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"vantage/estimators"
	"vantage/estimators/offpolicy"
	"vantage/loaders"
	"vantage/loaders/logprobs"
	"vantage/model/report"
)

// offPolicy says how far the samples of a log are from the policy that trains them.
func (p *Program) offPolicy() *cobra.Command {
	o := &report.OffPolicy{}
	var rule, per string
	var options []string
	return command[func(io.Writer, *report.OffPolicy) error]{
		use:   "offpolicy PATH",
		short: "Show how off-policy samples are, and what a rule would keep",
		long: `offpolicy compares the log-probs of the engine that sampled with those of the trainer,
d = trainer − sampler, for each step or each sample: mean and largest |d|, the KL
estimators k1 and k3, and the effective share of samples (ESS). With --off-policy it
applies the rule of a trainer: 'vantage list off-policy-rules' lists them. It reads NeMo-RL's
train_data_step{N}.jsonl, prime-rl's token_exports next to its traces, verifiers' traces,
and JSON lines with rollout_log_probs and old_log_probs.`,
		example: `vantage offpolicy logs/exp_001
vantage offpolicy outputs/run-1 --off-policy trl/vllm_importance_sampling
vantage offpolicy outputs/run-1 --off-policy slime/tis --option tis_clip=3
vantage offpolicy outputs/run-1 --per sample --format jsonl`,
		args:   oneName,
		format: newFormatFlag("text", report.OffPolicyText).or("jsonl", report.OffPolicyJSONL),
		flags: func(cmd *cobra.Command) {
			cmd.Flags().StringVar(&rule, "off-policy", "", "apply this rule, FRAMEWORK/NAME")
			cmd.Flags().StringArrayVar(&options, "option", nil, "an option of the rule, KEY=VALUE as its trainer spells it (repeatable)")
			addChoice(cmd, &per, "per", "step", "write a line for each step or sample", "step", "sample")
			cmd.Flags().BoolVar(&o.Tokens, "tokens", false, "add letters and weights of each token (--per sample, jsonl)")
		},
		refuse: func() (err error) {
			o.PerSample = per == "sample"
			o.Rule, o.Values, err = offPolicyRule(rule, options)
			switch {
			case err != nil:
				return err
			case o.Tokens && (o.Rule == nil || !o.PerSample):
				return errors.New("--tokens needs --off-policy FRAMEWORK/NAME and --per sample: letters and weights are what a rule does to a token")
			case per != "step" && per != "sample":
				return fmt.Errorf("--per %s: choose step or sample", per)
			}
			return nil
		},
		run: func(ctx context.Context, c *call, write func(io.Writer, *report.OffPolicy) error) error {
			if len(c.args) == 0 {
				return Usage(errors.New("nothing to read: give a log file or a directory"))
			}
			path := c.args[0]
			if loaders.IsElsewhere(path) {
				return Usage(fmt.Errorf("%s: log-probs are read from files of this machine alone", path))
			}
			o.Read = func(visit func(report.OffPolicySample) error) error {
				return logprobs.Read(p.Disk, path, func(s logprobs.Sample) error {
					if err := ctx.Err(); err != nil {
						return err
					}
					return visit(report.OffPolicySample{Row: s.Row, File: s.File, Line: s.Line, Step: s.Step, ID: s.ID, Group: s.Group})
				})
			}
			err := write(c.output(ctx), o)
			if errors.Is(err, logprobs.ErrNone) {
				return fmt.Errorf("%s: %w; 'vantage offpolicy --help' names the logs that have them", path, err)
			}
			return err
		},
	}.of(p)
}

// offPolicyRule is the rule of a name, FRAMEWORK/NAME, with its options; nil for no name.
func offPolicyRule(name string, options []string) (*offpolicy.Rule, estimators.Values, error) {
	var given estimators.Options
	for _, option := range options {
		key, value, err := estimators.ParseOption(option)
		if err != nil {
			return nil, estimators.Values{}, fmt.Errorf("--option: %w", err)
		}
		given = given.With(key, value)
	}
	if name == "" {
		if given != "" {
			return nil, estimators.Values{}, errors.New("--option needs --off-policy FRAMEWORK/NAME: 'vantage list off-policy-rules' lists the rules")
		}
		return nil, estimators.Values{}, nil
	}
	framework, rule, _ := strings.Cut(name, "/")
	found, err := offpolicy.Find(framework, rule)
	if err != nil {
		return nil, estimators.Values{}, fmt.Errorf("--off-policy: %w", err)
	}
	values, err := found.Values(given)
	if err != nil {
		return nil, values, fmt.Errorf("--option: %w", err)
	}
	return found, values, nil
}
