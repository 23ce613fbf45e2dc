package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"vantage/model"
	"vantage/model/printable"
	"vantage/model/units"
)

// shownProblems bounds the list of places that could not be read.
const shownProblems = 10

// Text writes a page that a person reads: what was read and how, a row per
// step, then the figures and the warnings of the newest complete step.
func Text(w io.Writer, snap model.Snapshot, t *model.Trend) error {
	out := bufio.NewWriter(w)
	head(out, snap, t)
	table(out, t)
	if last := newestComplete(t); last != nil {
		details(out, snap, t, last)
	}
	problems(out, snap.Run)
	return out.Flush()
}

func head(out io.Writer, snap model.Snapshot, t *model.Trend) {
	set := t.Settings
	fmt.Fprintf(out, "log        %s · %s · %s\n", snap.Run.Format, units.Plural(len(snap.Steps), "steps"), units.Plural(snap.Rows, "samples"))
	fmt.Fprintf(out, "read       %s\n", printable.Line(snap.Run.How))
	fmt.Fprintf(out, "groups     %s\n", t.Grouping.Evidence)
	if t.Grouping.Doubt != "" {
		fmt.Fprintf(out, "           %s\n", t.Grouping.Doubt)
	}
	for _, note := range snap.Run.Notes {
		fmt.Fprintf(out, "left out   %s\n", printable.Line(note))
	}
	fmt.Fprintf(out, "lengths    %s\n", snap.Run.LengthUnit.Doc())
	if snap.Run.Config != "" {
		fmt.Fprintf(out, "config     %s\n", printable.Line(snap.Run.Config))
	}
	fmt.Fprintf(out, "settings   %s %s · scale %s · keep_pos_ratio %s · keep_neg_ratio %s · compute_new_adv %s\n",
		set.Framework, set.Estimator, set.Scale, units.Fixed(set.KeepPos, 2), units.Fixed(set.KeepNeg, 2), onOff(set.Recompute))
	if chosen := set.Reward + string(set.Weights); chosen != "" {
		fmt.Fprintf(out, "reward     %s\n", printable.Line(chosen))
	}
	fmt.Fprintln(out)
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

func table(out io.Writer, t *model.Trend) {
	fmt.Fprintf(out, "%7s %8s %7s %8s  %-16s %-20s %7s %6s  %s\n", "step", "samples", "groups", "reward", "signal", "kept", "Σ|A|", "flips", "fates that need a look")
	for i := range t.Steps {
		s := &t.Steps[i]
		fmt.Fprintf(out, "%7d %8s %7s %8s  %-16s %-20s %7s %6s  %s\n",
			s.Step, units.Count(s.Rows), units.Count(s.Groups), units.Short(s.Metric("critic/score/mean")),
			units.Fraction(s.Signal, s.Groups), units.Fraction(s.Kept, s.Rows),
			units.Times(s.Metric("vantage/abs_advantage_ratio")), units.Count(s.Flips), worries(s))
	}
}

// worries names the fates of a step that a person would want to know of.
func worries(s *model.Summary) string {
	if s.Open {
		return "still being written"
	}
	var parts []string
	for _, f := range model.Fates() {
		if f != model.FateAlive && s.Fates[f] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", s.Fates[f], f))
		}
	}
	return strings.Join(parts, ", ")
}

func newestComplete(t *model.Trend) *model.Summary {
	for i := len(t.Steps) - 1; i >= 0; i-- {
		if !t.Steps[i].Open {
			return &t.Steps[i]
		}
	}
	return nil
}

func details(out io.Writer, snap model.Snapshot, t *model.Trend, s *model.Summary) {
	fmt.Fprintf(out, "\nmetrics of step %d\n", s.Step)
	for _, m := range s.Metrics {
		fmt.Fprintf(out, "  %-36s %s\n", m.Name, units.Short(m.Value))
	}
	if len(s.Warnings) == 0 {
		fmt.Fprintf(out, "\nno warnings at step %d\n", s.Step)
		return
	}
	fmt.Fprintf(out, "\nwarnings at step %d\n", s.Step)
	for _, w := range s.Warnings {
		fmt.Fprintf(out, "  ! %s\n", w.Sentence())
		if e := exampleOf(snap, t, w); e != nil {
			fmt.Fprintf(out, "    example: %s\n", strings.TrimSpace(e.Group+" "+e.Prompt))
		}
		fmt.Fprintf(out, "    %s\n", w.Advice)
	}
}

func problems(out io.Writer, r model.Run) {
	if len(r.Problems) == 0 {
		return
	}
	fmt.Fprintf(out, "\ncould not read %s\n", units.Plural(max(r.Skipped, len(r.Problems)), "places"))
	for i, p := range r.Problems {
		if i == shownProblems {
			fmt.Fprintf(out, "  and %d more\n", len(r.Problems)-i)
			break
		}
		fmt.Fprintf(out, "  %s\n", p)
	}
}
