package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/plan"
	"vantage/model/report"
	"vantage/model/sweep"
)

// sweepOptions are the flags of the command besides settings.
type sweepOptions struct {
	pos, neg, recompute, figures, goal, emit string
}

func (p *program) sweep() *cobra.Command {
	o := &sweepOptions{}
	var s report.Sweep
	var ratios sweep.Ratios
	where := &selection{kind: "groups"}
	return command[func(io.Writer, report.Sweep) error]{
		use:   "sweep PATH... [algorithm.key=value...]",
		short: "Try every pair of keep ratios (the filter of EasyR1-Brian)",
		long: `sweep computes a log under every pair of keep_pos_ratio and keep_neg_ratio of a grid, with
or without compute_new_adv. It prints the chosen metrics, the best pair for the goal, and
the pairs that no other beats. A filter always removes signal, for fewer samples to train
on or a better balance of up and down. For the goal signal, no filter is usually best.

If the log has no signal, nothing is recommended: --emit prints nothing, and the exit
code is 1.`,
		example: `vantage sweep runs/qwen-math/rollouts --goal cost
vantage sweep runs/a --goal cost:0.9 --compute-new-adv off --emit easyr1`,
		format: tableFlag(report.SweepText, report.SweepTable, report.SweepJSON).or("svg", report.SweepSVG).noting(noteAll),
		where:  where,
		sets:   unweighed | correcting,
		flags: func(cmd *cobra.Command) {
			cmd.Flags().StringVar(&o.pos, "keep-pos-ratio", "0:1:0.1", "ratios to try: FROM:TO:BY, or one ratio")
			cmd.Flags().StringVar(&o.neg, "keep-neg-ratio", "0:1:0.1", "ratios to try: FROM:TO:BY, or one ratio")
			addChoice(cmd, &o.recompute, "compute-new-adv", "both",
				"try with recompute, without, or both: on, off or both", "on", "off", "both")
			addChoice(cmd, &o.figures, "figure", "signal,kept,flips",
				"metrics to print, of "+figureNames(), strings.Split(figureNames(), ", ")...)
			addChoice(cmd, &o.goal, "goal", sweep.DefaultGoal().Name,
				"goal: signal (keep the most Σ|A|), balance (equal positive and negative mass) or cost (the fewest samples); the last "+
					"two keep 0.8 of Σ|A|, or the given share: cost:0.9",
				sweep.GoalNames()...)
			addEmitFlag(cmd, &o.emit, "the recommended settings")
		},
		refuse: func() (err error) {
			if err = checkDialect(o.emit); err != nil && o.emit != "" {
				return err
			}
			s, ratios, err = o.parse()
			return err
		},
		run: onLog(ofLog, func(ctx context.Context, log *openLog) (_ report.Sweep, err error) {
			s.Choice, log.selected = log.choice, where
			if s.Grid, err = sweepSelected(ctx, log.snap, log.set, ratios, where); err != nil {
				return s, err
			}
			if s.Where = where.sentence(); s.Where != "" && where.matching == 0 {
				return s, where.nothing()
			}
			s.Current, err = currentCell(ctx, log.snap, log.set, *where)
			if o.emit != "" {
				log.notes = noteAll
				log.instead = func(w io.Writer) error { return o.emitBest(w, log, s) }
			}
			return s, err
		}),
	}.build(p)
}

func (o *sweepOptions) emitBest(w io.Writer, log *openLog, s report.Sweep) error {
	best := s.Grid.Recommend(s.Goal, s.Recompute...)
	if best.Cell == nil {
		return fmt.Errorf("no recommendation: %s", best.Reason)
	}
	log.note(fmt.Sprintf("goal %s, %s: %s", best.Goal, best.Goal.Doc(), best.Cell.Sentence()))
	return writeDialect(w, o.emit, best.Cell.Apply(s.Grid.Settings))
}

func sweepSelected(
	ctx context.Context, snap model.Snapshot, set model.Settings, ratios sweep.Ratios, selected *selection,
) (*sweep.Grid, error) {
	if selected.text == "" {
		var steps []int
		for i := range snap.Steps {
			if !snap.Open(i) || len(snap.Steps) == 1 {
				steps = append(steps, i)
			}
		}
		return sweep.Run(ctx, snap, steps, set, ratios)
	}
	grid, err := sweep.New(set, ratios)
	for i := 0; i < len(snap.Steps) && err == nil; i++ {
		var a *analysis.Analysis
		if a, err = analysis.Analyze(ctx, snap, i, set); err != nil {
			break
		}
		if groups := selected.of(a); len(groups) > 0 && (!a.Open || len(snap.Steps) == 1) {
			grid, err = grid.WithSteps(ctx, snap, []int{i}, groups)
		}
	}
	return grid, err
}

// currentCell returns what the settings of --config or of algorithm.key=value do; nil if they do not filter.
func currentCell(ctx context.Context, snap model.Snapshot, set model.Settings, selected selection) (*sweep.Cell, error) {
	if !set.Effective().Filtering() {
		return nil, nil
	}
	g, err := sweepSelected(ctx, snap, set, sweep.Ratios{Pos: []float64{set.KeepPos}, Neg: []float64{set.KeepNeg}}, &selected)
	if err != nil {
		return nil, err
	}
	return g.At(set.Recompute, 0, 0), nil
}

func figureNames() string {
	names := model.Mapped(sweep.Figures(), func(f sweep.Figure) string { return f.Name })
	return strings.Join(names, ", ")
}

func (o *sweepOptions) parse() (s report.Sweep, r sweep.Ratios, err error) {
	if r.Pos, err = parseRatios(o.pos); err != nil {
		return s, r, fmt.Errorf("--keep-pos-ratio: %w", err)
	}
	if r.Neg, err = parseRatios(o.neg); err != nil {
		return s, r, fmt.Errorf("--keep-neg-ratio: %w", err)
	}
	if s.Goal, err = sweep.ParseGoal(o.goal); err != nil {
		return s, r, err
	}
	var ok bool
	s.Recompute, ok = map[string][]bool{"both": {false, true}, "on": {true}, "true": {true}, "off": {false}, "false": {false}}[o.recompute]
	if !ok {
		return s, r, fmt.Errorf("--compute-new-adv %s: choose on, off or both", o.recompute)
	}
	for name := range strings.SplitSeq(o.figures, ",") {
		f, ok := sweep.FindFigure(strings.TrimSpace(name))
		if !ok {
			return s, r, fmt.Errorf("unknown metric %q: choose from %s", name, figureNames())
		}
		s.Figures = append(s.Figures, f)
	}
	return s, r, nil
}

const maxRatios = 101

// parseRatios parses FROM:TO:BY, or one ratio.
func parseRatios(text string) ([]float64, error) {
	var parts []float64
	for part := range strings.SplitSeq(text, ":") {
		x, err := strconv.ParseFloat(part, 64)
		if err != nil || !(x >= 0 && x <= 1) {
			return nil, fmt.Errorf("%q is neither a ratio from 0 to 1 nor FROM:TO:BY of ratios", text)
		}
		parts = append(parts, x)
	}
	switch {
	case len(parts) == 1:
		return parts, nil
	case len(parts) != 3 || parts[2] <= 0 || parts[1] < parts[0] || (parts[1]-parts[0])/parts[2] > maxRatios-1:
		return nil, fmt.Errorf("%q is not FROM:TO:BY with at most %d ratios", text, maxRatios)
	}
	var all []float64
	for i := 0; ; i++ {
		x := math.Round((parts[0]+float64(i)*parts[2])*1e9) / 1e9
		if x > parts[1] {
			return slices.Clip(all), nil
		}
		all = append(all, x)
	}
}

// planOptions are the flags of the command besides settings.
type planOptions struct {
	sizes, emit string
	sizesOnly   bool
	asked       []int     // sizes to try; nil: the usual ones
	where       selection // of the groups that the table of sizes is estimated from
}

func (p *program) plan() *cobra.Command {
	o := &planOptions{where: selection{kind: "groups"}}
	return command[func(io.Writer, report.Plan) error]{
		use:   "plan PATH... [algorithm.key=value...]",
		short: "Estimate what other settings would give at the next launch",
		long: `plan tries on a log what could change at the next launch: another group size, dropped
prompts, the trainer's group filter, its other scales, and keep ratios. For each it prints
how many groups have a signal, Σ|A| of a pass over the prompts and how much is generated
for it, compared with the run. A sentence names the change that is worth it. If none
is, --emit prints nothing, and the exit code is 1.

A second table, which --sizes-only prints alone, has how many groups of other sizes would
be dead (all samples solved, or none), and how many samples must be generated for each
group that is alive.

Filters, scales and ratios are computed from the samples of the log. Sizes and prompts
are a model: new rewards come from each prompt's own solve rate under the policy of the
log. It needs to know which samples are solved: see --solved-at.`,
		example: `vantage plan runs/qwen-math/rollouts
vantage plan runs/qwen-math/rollouts --sizes 8,16 --emit verl
vantage plan runs/qwen-math/rollouts --sizes-only`,
		format: tableFlag(report.PlanText, report.PlanTable, report.PlanJSON),
		where:  &o.where,
		steps:  &stepRange{},
		sets:   unweighed,
		flags: func(cmd *cobra.Command) {
			cmd.Flags().StringVar(&o.sizes, "sizes", "", "group sizes to try: 8,16,32; by default from 4 to 64")
			cmd.Flags().BoolVar(&o.sizesOnly, "sizes-only", false,
				"only the table of group sizes: how many groups would be dead, and the cost")
			addEmitFlag(cmd, &o.emit, "the recommended settings")
		},
		refuse: o.refuse,
		run: onLog(ofLog, func(ctx context.Context, log *openLog) (r report.Plan, err error) {
			if o.sizesOnly {
				sizes, err := o.estimateSizes(ctx, log)
				write := map[string]func(io.Writer, report.GroupSize) error{
					"text": report.GroupSizeText, "json": report.GroupSizeJSON,
					"csv": csvOf(func(r report.GroupSize) report.Table { return report.SizesTable(r.Sizes) }),
				}[log.format]
				log.instead = func(w io.Writer) error { return write(w, sizes) }
				return r, err
			}
			r.Choice = log.choice
			tried := o.asked
			if tried == nil {
				tried = plan.TriedSizes()
			}
			if r.Plan, err = plan.New(ctx, log.snap, log.set, tried); err != nil {
				return r, err
			}
			if o.emit != "" {
				log.notes = noteAll
				log.instead = func(w io.Writer) error { return emitPlan(w, o.emit, log, r) }
				return r, nil
			}
			if sizes, err := o.estimateSizes(ctx, log); err == nil { // else what the plan does not ask says why
				r.Sizes = &sizes
			}
			return r, ctx.Err()
		}),
	}.build(p)
}

func (o *planOptions) refuse() (err error) {
	if o.emit != "" {
		err = checkDialect(o.emit)
	}
	if err == nil && o.sizes != "" {
		o.asked, err = parseSizes(o.sizes)
	}
	switch {
	case err != nil:
		return err
	case o.sizesOnly && o.emit != "":
		return errors.New("--sizes-only recommends nothing that --emit could print: omit one")
	case o.sizesOnly:
		return nil
	case o.where.text != "":
		return errors.New("--where selects the groups of the table of sizes: add --sizes-only")
	case o.asked != nil && slices.Max(o.asked) > plan.MaxSize:
		return fmt.Errorf("--sizes %s: plan tries sizes up to %d, and larger ones with --sizes-only", o.sizes, plan.MaxSize)
	}
	return nil
}

// estimateSizes estimates what groups of other sizes would do, from the groups that --where selects.
func (o *planOptions) estimateSizes(ctx context.Context, log *openLog) (r report.GroupSize, err error) {
	var selected func(*analysis.Analysis) []int
	if o.sizesOnly {
		log.noteReading()
		log.selected = &o.where
	}
	if o.where.text != "" {
		selected = o.where.of
	}
	asked := o.asked
	if asked == nil {
		asked = plan.DefaultSizes()
	}
	r.GroupSizes, err = plan.EstimateSizes(ctx, log.snap, log.set, asked, selected)
	if o.where.text != "" && o.where.steps > 0 && o.where.matching == 0 {
		return r, o.where.nothing()
	}
	r.Rewards, r.Where = log.choice.Rewards, o.where.sentence()
	return r, err
}

// emitPlan writes the settings that a plan recommends as a trainer's options, and notes why.
func emitPlan(w io.Writer, dialect string, log *openLog, r report.Plan) error {
	if r.Best == 0 {
		return errors.New(r.Recommendation())
	}
	log.note(r.Recommendation())
	if r.Rows[r.Best].Kind == plan.Retire || r.Rows[r.Best].Kind == plan.Both {
		log.note("no flag leaves out prompts: take them out of the data set")
	}
	return writeDialect(w, dialect, r.Rows[r.Best].Settings)
}

const maxGroupSize = 1 << 16

func parseSizes(text string) ([]int, error) {
	var sizes []int
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 2 || n > maxGroupSize {
			return nil, fmt.Errorf("--sizes %s: expected sizes from 2 to %d, as 8,16,32", text, maxGroupSize)
		}
		sizes = append(sizes, n)
	}
	return sizes, nil
}
