package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vantage/model/analysis"
	"vantage/model/report"
	"vantage/model/textsearch"
)

func (p *Program) grep() *cobra.Command {
	format := newFormatFlag("text", report.GrepText).noting(noteReading).or("csv", report.GrepCSV).noting(noteAll).or("json", report.GrepJSON).noting(noteReading)
	where := selection{kind: "samples"}
	var steps stepRange
	var in string
	search := textsearch.Search{}
	return command[func(io.Writer, *report.Grep) error]{
		use:   "grep PATH... PATTERN [algorithm.key=value...]",
		short: "Search prompts and answers, and compare rewards with and without a match",
		long: `grep searches the text of every sample. It prints the matches, with step, group, reward and
advantage, and the mean reward and advantage with and without a match. PATTERN is a
regular expression (RE2); (?i) at its start ignores case. It comes after the paths.`,
		example: `vantage grep runs/qwen-math/rollouts 'Wait,'
vantage grep runs/a '(?i)as an ai' --in answer --count-by step`,
		format: &format,
		sets:   unweighed,
		flags: func(cmd *cobra.Command) {
			addChoice(cmd, &in, "in", "all", "which text must match: answer, prompt, truth or all", "answer", "prompt", "truth", "all")
			addChoice(cmd, &search.CountBy, "count-by", "", "count the matches by step, fate or source of the prompt", textsearch.CountKinds()...)
			cmd.Flags().IntVar(&search.Most, "top", 20, "print this many matches, the first ones; 0 is all")
			where.addTo(cmd.Flags())
			steps.addTo(cmd.Flags())
		},
		refuse: func() error {
			search.In = textsearch.Parts()
			if in != "all" {
				if search.In = []textsearch.Part{textsearch.Part(in)}; !slices.Contains(textsearch.Parts(), search.In[0]) {
					return fmt.Errorf("--in %s: choose answer, prompt, truth or all", in)
				}
			}
			switch {
			case search.CountBy != "" && !slices.Contains(textsearch.CountKinds(), search.CountBy):
				return fmt.Errorf("--count-by %s: choose %s", search.CountBy, join(textsearch.CountKinds(), "or"))
			case search.Most < 0:
				return fmt.Errorf("--top %d: expected a number of matches", search.Most)
			}
			return where.parse()
		},
		run: func(ctx context.Context, c *call, write func(io.Writer, *report.Grep) error) error {
			pattern, err := c.takePattern()
			if err != nil {
				return err
			}
			search.Pattern, search.Where = pattern, where.query
			return onLog(ofLog, func(ctx context.Context, log *openLog) (g *report.Grep, err error) {
				if log.snap, err = steps.selectFrom(log.snap); err != nil {
					return g, err
				}
				g = &report.Grep{Pattern: pattern.String(), In: search.In, Where: where.text, By: search.CountBy}
				if g.Result, err = search.Run(ctx, log.snap, log.set, analysis.ReadTextsOf(log.Source)); err != nil {
					return g, err
				}
				if g.With.Samples == 0 {
					if text, err := log.anyText(ctx); err == nil && text == "" {
						return g, errors.New("the log has no texts: no prompt, answer or ground truth is in its rows")
					}
				}
				if where.text != "" && g.With.Samples+g.Without.Samples+g.Unread == 0 {
					return g, where.nothing()
				}
				return g, nil
			})(ctx, c, write)
		},
	}.of(p)
}

func (l *openLog) anyText(ctx context.Context) (string, error) {
	for _, step := range l.snap.Steps {
		if len(step.Rewards) > 0 {
			t, err := l.Text(ctx, step.Place(0))
			return t.Prompt + t.Response + t.Truth, err
		}
	}
	return "", errNoText
}

var errNoText = errors.New("no sample")

// takePattern takes the pattern off the arguments: the last that is no setting.
func (c *call) takePattern() (*regexp.Regexp, error) {
	last := len(c.args) - 1
	for last > 0 && strings.HasPrefix(c.args[last], "algorithm.") && strings.Contains(c.args[last], "=") {
		last--
	}
	if last < 1 {
		return nil, Usage(errors.New("grep takes a path and then a pattern, as `vantage grep PATH 'Wait,'`"))
	}
	text := c.args[last]
	c.args = slices.Delete(slices.Clone(c.args), last, last+1)
	pattern, err := textsearch.Compile(text)
	if err != nil {
		return nil, Usage(err)
	}
	return pattern, nil
}
