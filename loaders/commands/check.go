package commands

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"vantage/model"
	"vantage/model/check"
	"vantage/model/report"
)

// errFailed is the answer of check where a rule fails: it has been printed already,
// and only the exit code is left to say.
var errFailed = errors.New("a rule fails")

type checkOptions struct {
	failOn []string
	rules  string
	last   int
	format string
	watch  bool
}

func (p *Program) check() *cobra.Command {
	var o checkOptions
	cmd := &cobra.Command{
		Use:   "check PATH... [algorithm.key=value...]",
		Short: "Hold the steps of a run to rules, and say it by the exit code",
		Long: `check holds every complete step to rules such as killed>5% (a share of the groups),
short>0 (a count) or critic/score/mean<0.1 (a metric), and exits with 0 if all are
kept, with 1 if one fails. Without rules it takes those of a healthy run:
` + strings.Join(check.Defaults(), "  ") + `.`,
		Example: `vantage check runs/qwen-math/rollouts --fail-on 'killed>5%' --fail-on 'short>0' --keep-neg-ratio 0.5`,
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			write, ok := map[string]func(io.Writer, []check.Finding) error{
				"text": report.CheckText, "json": report.CheckJSON, "junit": report.CheckJUnit, "github": report.CheckGitHub,
			}[o.format]
			if !ok {
				return Usage(fmt.Errorf("check has no format %q: it has text, json, junit and github", o.format))
			}
			rules, err := o.parse()
			if err != nil {
				return Usage(err)
			}
			paths, set, err := p.pathsAndSettings(args)
			if err != nil {
				return err
			}
			if o.watch {
				return p.watch(cmd.Context(), paths, set, rules)
			}
			snap, err := p.readAll(cmd.Context(), paths)
			if err != nil {
				return err
			}
			trend, err := snap.Trend(cmd.Context(), set, nil)
			if err != nil {
				return asked(err)
			}
			found := check.Run(trend.Steps, rules, o.last)
			if err := write(p.Out, found); err != nil {
				return err
			}
			for i := range found {
				if !found[i].Passed() {
					return errFailed
				}
			}
			return nil
		},
	}
	cmd.Flags().StringArrayVar(&o.failOn, "fail-on", nil, "a rule, as in killed>5%; may be given again")
	cmd.Flags().StringVar(&o.rules, "rules", "", "a file with a rule per line")
	cmd.Flags().IntVar(&o.last, "last", 0, "hold only so many of the newest steps to the rules")
	cmd.Flags().StringVar(&o.format, "format", "text", "text, json, junit or github")
	cmd.Flags().BoolVar(&o.watch, "watch", false, "follow the run, and print a line when a rule begins to fail or is kept again")
	return cmd
}

// maxRules bounds a file of rules.
const maxRules = 1 << 16

// parse reads the rules of flags and file.
func (o checkOptions) parse() ([]check.Rule, error) {
	texts := o.failOn
	if o.rules != "" {
		some, err := readRules(o.rules)
		if err != nil {
			return nil, err
		}
		texts = append(texts, some...)
	}
	if len(texts) == 0 {
		texts = check.Defaults()
	}
	var rules []check.Rule
	for _, text := range texts {
		r, err := check.Parse(text)
		if err != nil {
			return nil, err
		}
		rules = append(rules, r)
	}
	return rules, nil
}

// readRules reads a rule per line; # begins a comment, and a line may be an item of a
// YAML list.
func readRules(path string) ([]string, error) {
	h, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the rules cannot be read: %w", err)
	}
	defer func() { _ = h.Close() }()
	var rules []string
	lines := bufio.NewScanner(io.LimitReader(h, maxRules))
	for lines.Scan() {
		text, _, _ := strings.Cut(lines.Text(), "#")
		text = strings.Trim(strings.TrimPrefix(strings.TrimSpace(text), "- "), `"' `)
		if text != "" && text != "rules:" {
			rules = append(rules, text)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("the rules in %s cannot be read: %w", path, err)
	}
	return rules, nil
}

// watch follows a run and tells onsets, until it is told to stop. It fails if a rule
// fails then.
func (p *Program) watch(ctx context.Context, paths []string, set model.Settings, rules []check.Rule) error {
	source, err := p.Open(paths, true)
	if err != nil {
		return err
	}
	defer source.Close()
	store, watch := model.NewStore(), check.NewWatch(rules)
	var trend *model.Trend
	for {
		chunk, err := source.Next(ctx)
		if err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
				break
			}
			return err
		}
		store.Append(chunk)
		if !chunk.Progress.CaughtUp {
			continue
		}
		// what cannot be grouped yet may be later
		next, err := store.Snapshot().Trend(ctx, set, trend)
		if err != nil {
			continue
		}
		trend = next
		for _, o := range watch.Next(trend.Steps) {
			if err := report.OnsetLine(p.Out, o); err != nil {
				return err
			}
		}
	}
	if watch.Failing() {
		return errFailed
	}
	return nil
}
