package commands

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/report"
	"vantage/model/sweep"
)

// sweepOptions are the flags of the command besides settings.
type sweepOptions struct {
	pos, neg, recompute, figures, goal, emit string
	where                                    whereFlag

	format formatFlag[func(io.Writer, report.Sweep) error]
}

func (p *Program) sweep() *cobra.Command {
	o := sweepOptions{where: whereFlag{of: "groups"}, format: newFormatFlag("text", report.SweepText).or("csv", report.SweepCSV).or("json", report.SweepJSON).or("svg", report.SweepSVG)}
	cmd := &cobra.Command{
		Use:   "sweep PATH... [algorithm.key=value...]",
		Short: "Print the effect of every pair of keep ratios, and what suits a goal",
		Long: `sweep computes a log under every pair of keep_pos_ratio and keep_neg_ratio of a
grid, with or without compute_new_adv. It prints the selected figures, the pair that
suits the goal best, and the pairs that no other beats. A filter takes signal away; in
return there are fewer samples to train on, or another balance of up and down. So for
the goal signal the answer is no filter, unless a pair keeps more.

A range is FROM:TO:BY, or one ratio. For a log without signal there is no
recommendation; --emit then prints nothing, and the exit code is 1.`,
		Example: `vantage sweep runs/qwen-math/rollouts --goal cost
vantage sweep runs/qwen-math/rollouts --goal cost:0.9 --compute-new-adv off --emit easyr1`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return p.runSweep(cmd.Context(), args, o) },
	}
	cmd.Flags().StringVar(&o.pos, "keep-pos-ratio", "0:1:0.1", "ratios to try: FROM:TO:BY, or one")
	cmd.Flags().StringVar(&o.neg, "keep-neg-ratio", "0:1:0.1", "ratios to try: FROM:TO:BY, or one")
	cmd.Flags().StringVar(&o.recompute, "compute-new-adv", "both", "try with recompute, without, or both: on, off or both")
	cmd.Flags().StringVar(&o.figures, "figure", "signal,kept,flips", "figures to print, of "+figureNames())
	cmd.Flags().StringVar(&o.goal, "goal", sweep.DefaultGoal().Name, "goal: signal (keep the most Σ|A|), balance (equal positive and negative mass) or cost (the fewest samples); the last two keep 0.8 of Σ|A|, or the given share: cost:0.9")
	o.where.addTo(cmd.Flags())
	o.format.addTo(cmd)
	completeFlag(cmd, "goal", sweep.GoalNames()...)
	completeFlag(cmd, "compute-new-adv", "on", "off", "both")
	completeFlag(cmd, "figure", strings.Split(figureNames(), ", ")...)
	addEmitFlag(cmd, &o.emit, "the recommended settings")
	p.addUnweighedFlags(cmd)
	return cmd
}

// runSweep reads a log, computes the grid, and writes it or the recommended settings.
func (p *Program) runSweep(ctx context.Context, args []string, o sweepOptions) error {
	write, err := p.sweepWriter(o)
	if err != nil {
		return err
	}
	s, ratios, err := o.parse()
	if err != nil {
		return Usage(err)
	}
	selected, err := newSelection(o.where)
	if err != nil {
		return err
	}
	paths, set, err := p.pathsAndSettings(args)
	if err != nil {
		return err
	}
	log, err := p.openChosen(ctx, paths, set)
	if err != nil {
		return err
	}
	defer log.Close()
	s.Choice = log.choice
	if s.Grid, err = sweepSelected(ctx, log.snap, log.set, ratios, selected); err != nil {
		return classifyError(err)
	}
	if s.Where = selected.sentence(); s.Where != "" && selected.matching == 0 {
		return o.where.nothing()
	}
	if s.Current, err = currentCell(ctx, log.snap, log.set, *selected); err != nil {
		return classifyError(err)
	}
	p.noteConfig(o.format.name)
	p.noteLeftOut(o.format.name, log.snap)
	if err := write(p.output(ctx, o.format.name), s); err != nil {
		return err
	}
	if o.emit != "" || !slices.Contains([]string{"text", "json"}, o.format.name) {
		p.noteChoice(o.format.name, log.choice)
		p.noteSelection(o.format.name, selected)
	}
	return nil
}

// sweepSelected returns the grid of the groups that are selected under the settings as they are given.
func sweepSelected(ctx context.Context, snap model.Snapshot, set model.Settings, ratios sweep.Ratios, selected *selection) (*sweep.Grid, error) {
	if selected.where.text == "" {
		steps := make([]int, len(snap.Steps))
		for i := range steps {
			steps[i] = i
		}
		return sweep.Run(ctx, snap, steps, set, ratios)
	}
	grid, err := sweep.New(set, ratios)
	for i := 0; i < len(snap.Steps) && err == nil; i++ {
		var a *analysis.Analysis
		if a, err = analysis.Analyze(ctx, snap, i, set); err != nil {
			break
		}
		if groups := selected.of(a); len(groups) > 0 {
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

// sweepWriter returns the function that writes the grid, or the recommended settings for --emit.
func (p *Program) sweepWriter(o sweepOptions) (func(io.Writer, report.Sweep) error, error) {
	if o.emit == "" {
		return o.format.writer("sweep")
	}
	d, err := findDialect(o.emit)
	return func(w io.Writer, s report.Sweep) error {
		best := s.Grid.Recommend(s.Goal, s.Recompute...)
		if best.Cell == nil {
			return fmt.Errorf("no recommendation: %s", best.Reason)
		}
		p.note(o.format.name, fmt.Sprintf("goal %s, %s: %s", best.Goal, best.Goal.Doc(), best.Cell.Sentence()))
		return writeDialect(w, d, best.Cell.Apply(s.Grid.Settings))
	}, err
}

func figureNames() string {
	var names []string
	for _, f := range sweep.Figures() {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

func (o sweepOptions) parse() (s report.Sweep, r sweep.Ratios, err error) {
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
			return s, r, fmt.Errorf("unknown figure %q: choose from %s", name, figureNames())
		}
		s.Figures = append(s.Figures, f)
	}
	return s, r, nil
}

// maxRatios is the most ratios per side of a grid.
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
