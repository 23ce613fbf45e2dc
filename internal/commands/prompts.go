package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/figures"
	"vantage/model/ledger"
	"vantage/model/report"
	"vantage/model/textsearch"
	"vantage/model/units"
)

func (p *program) prompts() *cobra.Command {
	var where, order string
	var query figures.Query
	var top int
	var joins bool
	texts := textsFlag{}
	retire := retirement{}
	return command[func(io.Writer, *report.Prompts) error]{
		use:   "prompts PATH... [algorithm.key=value...]",
		short: "Show which prompts still teach, and list the ones to drop",
		long: `prompts follows every prompt over all steps: how often it was seen, its solve rate with
interval and trend, groups with a signal, Σ|A|, tokens, Σ|A| per 1,000 tokens, and its
state: learning, solved, hopeless, flat, forgotten, suspect, rare or unsure, with the
evidence. If rewards don't show which samples are solved, the mean reward is used instead
of the solve rate: see --solved-at.`,
		example: `vantage prompts runs/qwen-math/rollouts
vantage prompts runs/a --where 'state:hopeless solve_rate<0.5' --sort tokens
vantage prompts runs/a --format csv > prompts.csv
vantage prompts runs/a --emit jsonl --retire solved,hopeless > drop.jsonl`,
		format: tableFlag(report.PromptsText, report.PromptsTable, report.PromptsJSON),
		steps:  &stepRange{},
		sets:   unweighed,
		flags: func(cmd *cobra.Command) {
			cmd.Flags().StringVar(&where, "where", "", "only prompts that match this query: state:hopeless solve_rate<0.5 prompt~triangle")
			cmd.Flags().StringVar(&order, "sort", report.DefaultPromptOrder, "sort by this metric, highest first; -NAME sorts lowest first")
			cmd.Flags().IntVar(&top, "top", 20, "print this many rows (text only)")
			texts.addNumbersTo(cmd, 20_000, "read this many answers to find prompts with a suspect truth or grade; 0 reads none, "+
				"all every one")
			cmd.Flags().BoolVar(&joins, "join", false, "merge prompts that differ only in white space or a time stamp")
			retire.addTo(cmd)
		},
		refuse: func() (err error) {
			if query, err = figures.ParsePromptQuery(where); err != nil {
				return fmt.Errorf("--where: %w", err)
			}
			if top < 0 {
				return fmt.Errorf("--top %d: expected a number that is not negative", top)
			}
			if err := (&report.Prompts{Ledger: &ledger.Ledger{}}).Select(query, order); err != nil {
				return fmt.Errorf("--sort: %w", err)
			}
			return retire.parse()
		},
		run: onLog(ofLog, func(ctx context.Context, log *openLog) (*report.Prompts, error) {
			var err error
			r := &report.Prompts{Where: where, Shown: top}
			options := ledger.Options{Read: analysis.ReadTextsOf(log.Source), Texts: texts.n, Every: texts.every, Join: joins}
			if r.Ledger, err = ledger.Of(ctx, log.snap, log.set, options); err != nil {
				return nil, err
			}
			r.Solved = log.snap.SolvedEvidence(log.snap.RewardScales(log.set))
			if err := r.Select(query, order); err != nil {
				return nil, err
			}
			if len(r.Selected) == 0 && where != "" {
				return nil, fmt.Errorf("--where %q matches no prompt of these steps under these settings", where)
			}
			if retire.emit != "" {
				return nil, retire.from(ctx, log, r)
			}
			return r, nil
		}),
	}.build(p)
}

// retirement is which prompts are to be written for a trainer to drop, and how.
type retirement struct {
	emit, states, id string
	weight           float64
}

func (t *retirement) addTo(cmd *cobra.Command) {
	addChoice(cmd, &t.emit, "emit", "", "write only the prompts to drop, for the trainer's data: ids (a line each) or jsonl", "ids",
		"jsonl")
	cmd.Flags().StringVar(&t.states, "retire", "solved,hopeless", "states of the prompts that --emit writes")
	cmd.Flags().StringVar(&t.id, "id", "", "use this column of the log as the id; by default a hash of prompt and ground truth, or "+
		"the group id")
	cmd.Flags().Float64Var(&t.weight, "weight", 0, "weight of each written prompt (jsonl): 0 drops it")
}

func (t *retirement) parse() error {
	if t.emit != "" && !slices.Contains([]string{"ids", "jsonl"}, t.emit) {
		return fmt.Errorf("--emit %s: %s", t.emit, cmp.Or(model.Gone("--emit "+t.emit), "choose ids or jsonl"))
	}
	for state := range strings.SplitSeq(t.states, ",") {
		if !slices.Contains(ledger.States(), state) {
			return fmt.Errorf("--retire %s: there is no state %q%s; there are %s", t.states, state, orMeant(state, ledger.States()),
				join(ledger.States(), "and"))
		}
	}
	if t.emit == "" && (t.id != "" || t.weight != 0) {
		return errors.New("--id and --weight are for --emit, which writes the prompts to drop")
	}
	return nil
}

// from has the log write the prompts to drop in place of the accounts, and says what that saves.
func (t *retirement) from(ctx context.Context, log *openLog, of *report.Prompts) error {
	r := &report.Retired{Weight: t.weight}
	var all, dropped ledger.Sum
	for i := range of.Prompts {
		all.Add(&of.Prompts[i])
	}
	for _, p := range of.Selected {
		isAsked := slices.Contains(strings.Split(t.states, ","), string(p.State()))
		if isAsked && of.AwayNote() == "" {
			r.Prompts = append(r.Prompts, p)
			dropped.Add(p)
		}
	}
	slices.SortFunc(r.Prompts, func(x, y *ledger.Prompt) int { // the order of the log, in which it is read
		return x.Place.Compare(y.Place)
	})
	r.IDs, r.Texts = model.Mapped(r.Prompts, (*ledger.Prompt).Name), make([]model.Text, len(r.Prompts))
	if t.emit != "ids" || t.id != "" {
		var failed error
		places := model.Mapped(r.Prompts, func(p *ledger.Prompt) model.Place { return p.Place })
		err := analysis.ReadTextsOf(log.Source)(ctx, places, nil, func(i int, text model.Text, err error) {
			if r.Texts[i] = text; err == nil && t.id != "" {
				r.IDs[i], err = analysis.ValueOf(text.Fields, t.id)
			}
			failed = cmp.Or(failed, err)
		})
		if err = cmp.Or(err, failed); err != nil {
			return fmt.Errorf("--emit %s: %w", t.emit, err)
		}
	}
	log.format, log.notes = t.emit, noteAll
	log.instead = func(w io.Writer) error {
		if t.emit == "ids" {
			return report.RetiredIDs(w, r)
		}
		return report.TableJSONL(w, report.RetiredTable(r))
	}
	log.then = func() error {
		if of.AwayNote() != "" {
			log.note("drops no prompt: " + of.AwayNote())
			return nil
		}
		log.note("drops " + dropped.Saves(&all, of.Unit))
		if agreed := agreedOf(r.Prompts); agreed > 0 {
			log.note(units.Plural(agreed, "prompts") + " to drop agree on an answer that is never solved, as elsewhere in this log: the " +
				"ground truth may be wrong, so read them first")
		}
		return nil
	}
	return nil
}

// agreedOf counts the prompts whose answers agree on one that is never solved, though too many others do for it to be suspect.
func agreedOf(prompts []*ledger.Prompt) (n int) {
	for _, p := range prompts {
		n += model.Count01(p.Agreed != nil && p.Doubt == nil)
	}
	return n
}

func (p *program) grep() *cobra.Command {
	where := &selection{kind: "samples"}
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
		format: tableFlag(report.GrepText, report.GrepTable, report.GrepJSON),
		where:  where,
		steps:  &stepRange{},
		sets:   unweighed,
		flags: func(cmd *cobra.Command) {
			addChoice(cmd, &in, "in", "all", "which text must match: answer, prompt, truth or all", "answer", "prompt", "truth", "all")
			addChoice(cmd, &search.CountBy, "count-by", "", "count the matches by step, fate or source of the prompt",
				textsearch.CountKinds()...)
			cmd.Flags().IntVar(&search.Most, "top", 20, "print this many matches, the first ones; 0 is all")
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
			return nil
		},
		run: func(ctx context.Context, c *call, write func(io.Writer, *report.Grep) error) error {
			pattern, err := c.takePattern()
			if err != nil {
				return err
			}
			search.Pattern, search.Where = pattern, where.query
			return onLog(ofLog, func(ctx context.Context, log *openLog) (g *report.Grep, err error) {
				g = &report.Grep{Pattern: pattern.String(), In: search.In, Where: where.text, By: search.CountBy}
				if g.Result, err = search.Run(ctx, log.snap, log.set, analysis.ReadTextsOf(log.Source)); err != nil {
					return g, err
				}
				if g.With.Samples == 0 && log.lacksTexts(ctx) {
					return g, errors.New("the log has no texts: no prompt, answer or ground truth is in its rows")
				}
				if where.text != "" && g.With.Samples+g.Without.Samples+g.Unread == 0 {
					return g, where.nothing()
				}
				return g, nil
			})(ctx, c, write)
		},
	}.build(p)
}

// lacksTexts reports whether the first sample can be read and has no text.
func (l *openLog) lacksTexts(ctx context.Context) bool {
	for _, step := range l.snap.Steps {
		if len(step.Rewards) > 0 {
			t, err := l.Text(ctx, step.Place(0))
			return err == nil && t.Prompt+t.Response+t.Truth == ""
		}
	}
	return false
}

// takePattern takes the pattern off the arguments: the last that is no setting.
func (c *call) takePattern() (*regexp.Regexp, error) {
	last := len(c.args) - 1
	for last > 0 && strings.HasPrefix(c.args[last], "algorithm.") && strings.Contains(c.args[last], "=") {
		last--
	}
	if last < 1 {
		return nil, usage(errors.New("grep takes a path and then a pattern, as `vantage grep PATH 'Wait,'`"))
	}
	text := c.args[last]
	c.args = slices.Delete(slices.Clone(c.args), last, last+1)
	pattern, err := textsearch.Compile(text)
	if err != nil {
		return nil, usage(err)
	}
	return pattern, nil
}
