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

	format   formatFlag[func(io.Writer, report.Sweep) error]
	selected *selection
}

func (p *Program) sweep() *cobra.Command {
	o := &sweepOptions{format: newFormatFlag("text", report.SweepText).noting(noteReading).or("csv", report.SweepCSV).noting(noteAll).
		or("json", report.SweepJSON).noting(noteReading).or("svg", report.SweepSVG).noting(noteAll)}
	var s report.Sweep
	var ratios sweep.Ratios
	where := whereFlag{of: "groups"}
	return logCommand[report.Sweep]{
		use:   "sweep PATH... [algorithm.key=value...]",
		short: "Print the effect of every pair of keep ratios, and what suits a goal",
		long: `sweep computes a log under every pair of keep_pos_ratio and keep_neg_ratio of a
grid, with or without compute_new_adv. It prints the selected figures, the pair that
suits the goal best, and the pairs that no other beats. A filter takes signal away; in
return there are fewer samples to train on, or another balance of up and down. So for
the goal signal the answer is no filter, unless a pair keeps more.

A range is FROM:TO:BY, or one ratio. For a log without signal there is no
recommendation; --emit then prints nothing, and the exit code is 1.`,
		example: `vantage sweep runs/qwen-math/rollouts --goal cost
vantage sweep runs/qwen-math/rollouts --goal cost:0.9 --compute-new-adv off --emit easyr1`,
		format: &o.format,
		sets:   unweighed,
		flags: func(cmd *cobra.Command) {
			cmd.Flags().StringVar(&o.pos, "keep-pos-ratio", "0:1:0.1", "ratios to try: FROM:TO:BY, or one")
			cmd.Flags().StringVar(&o.neg, "keep-neg-ratio", "0:1:0.1", "ratios to try: FROM:TO:BY, or one")
			cmd.Flags().StringVar(&o.recompute, "compute-new-adv", "both", "try with recompute, without, or both: on, off or both")
			completeFlag(cmd, "compute-new-adv", "on", "off", "both")
			cmd.Flags().StringVar(&o.figures, "figure", "signal,kept,flips", "figures to print, of "+figureNames())
			completeFlag(cmd, "figure", strings.Split(figureNames(), ", ")...)
			cmd.Flags().StringVar(&o.goal, "goal", sweep.DefaultGoal().Name, "goal: signal (keep the most Σ|A|), balance (equal positive and negative mass) or cost (the fewest samples); the last two keep 0.8 of Σ|A|, or the given share: cost:0.9")
			completeFlag(cmd, "goal", sweep.GoalNames()...)
			where.addTo(cmd.Flags())
			addEmitFlag(cmd, &o.emit, "the recommended settings")
		},
		refuse: func() (err error) {
			if _, err = findDialect(o.emit); err != nil && o.emit != "" {
				return err
			}
			if s, ratios, err = o.parse(); err == nil {
				o.selected, err = newSelection(where)
			}
			return err
		},
		compute: func(ctx context.Context, log *openLog) (_ report.Sweep, err error) {
			s.Choice, log.selected = log.choice, o.selected
			if s.Grid, err = sweepSelected(ctx, log.snap, log.set, ratios, o.selected); err != nil {
				return s, err
			}
			if s.Where = o.selected.sentence(); s.Where != "" && o.selected.matching == 0 {
				return s, where.nothing()
			}
			s.Current, err = currentCell(ctx, log.snap, log.set, *o.selected)
			if o.emit != "" {
				log.notes = noteAll
				log.instead = func(w io.Writer) error { return o.emitBest(w, log, s) }
			}
			return s, err
		},
	}.command(p)
}

// emitBest writes the recommended settings.
func (o *sweepOptions) emitBest(w io.Writer, log *openLog, s report.Sweep) error {
	d, err := findDialect(o.emit)
	if err != nil {
		return err
	}
	best := s.Grid.Recommend(s.Goal, s.Recompute...)
	if best.Cell == nil {
		return fmt.Errorf("no recommendation: %s", best.Reason)
	}
	log.p.note(log.noteStyle, fmt.Sprintf("goal %s, %s: %s", best.Goal, best.Goal.Doc(), best.Cell.Sentence()))
	return writeDialect(w, d, best.Cell.Apply(s.Grid.Settings))
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

func figureNames() string {
	var names []string
	for _, f := range sweep.Figures() {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

// parse returns what the flags ask for.
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
