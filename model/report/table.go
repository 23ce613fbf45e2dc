package report

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"vantage/model"
	"vantage/model/printable"
	"vantage/model/units"
)

// CSV writes a row per step: step, samples, groups, signal_groups, kept_samples, flips,
// the groups of each fate, and every metric under its name. Floats are the shortest
// decimals that give the same value back. The last line is a comment that says that
// the table is whole.
func CSV(w io.Writer, _ model.Snapshot, t *model.Trend) error {
	out := bufio.NewWriter(w)
	names := metricNames(t)
	fmt.Fprint(out, "step,open,samples,groups,signal_groups,kept_samples,flips")
	for _, f := range model.Fates() {
		fmt.Fprintf(out, ",%s_groups", f)
	}
	for _, name := range names {
		fmt.Fprintf(out, ",%s", name)
	}
	fmt.Fprintln(out)
	for i := range t.Steps {
		s := &t.Steps[i]
		fmt.Fprintf(out, "%d,%t,%d,%d,%d,%d,%d", s.Step, s.Open, s.Rows, s.Groups, s.Signal, s.Kept, s.Flips)
		for _, f := range model.Fates() {
			fmt.Fprintf(out, ",%d", s.Fates[f])
		}
		for _, name := range names {
			fmt.Fprintf(out, ",%s", strconv.FormatFloat(s.Metric(name), 'g', -1, 64))
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintf(out, "# complete: %d rows\n", len(t.Steps))
	return out.Flush()
}

// metricNames are all that some step has, in the order in which they are met.
func metricNames(t *model.Trend) []string {
	seen := map[string]bool{}
	var names []string
	for i := range t.Steps {
		for _, m := range t.Steps[i].Metrics {
			if !seen[m.Name] {
				seen[m.Name] = true
				names = append(names, m.Name)
			}
		}
	}
	return names
}

// Markdown writes what Text does, for issues, chats and notebooks: what was read, a
// table of the steps, and the warnings of the newest complete one.
func Markdown(w io.Writer, snap model.Snapshot, t *model.Trend) error {
	out := bufio.NewWriter(w)
	set := t.Settings
	fmt.Fprintf(out, "## %s · %s · %s\n\n", snap.Run.Format, units.Plural(len(t.Steps), "steps"), units.Plural(snap.Rows, "samples"))
	fmt.Fprintf(out, "- **settings** %s %s, scale %s, keep_pos_ratio %s, keep_neg_ratio %s, compute_new_adv %s\n", set.Framework, set.Estimator, set.Scale,
		units.Fixed(set.KeepPos, 2), units.Fixed(set.KeepNeg, 2), onOff(set.Recompute))
	fmt.Fprintf(out, "- **read** %s\n- **groups** %s\n- **lengths** %s\n", cell(snap.Run.How), cell(t.Grouping.Evidence), snap.Run.LengthUnit.Doc())
	for _, note := range snap.Run.Notes {
		fmt.Fprintf(out, "- **left out** %s\n", cell(note))
	}
	fmt.Fprint(out, "\n| step | samples | groups | reward | signal | kept | Σ\\|A\\| | flips | needs a look |\n| ---: | ---: | ---: | ---: | :--- | :--- | ---: | ---: | :--- |\n")
	for i := range t.Steps {
		s := &t.Steps[i]
		fmt.Fprintf(out, "| %d | %d | %d | %s | %s | %s | %s | %d | %s |\n", s.Step, s.Rows, s.Groups, units.Short(s.Metric("critic/score/mean")),
			units.Fraction(s.Signal, s.Groups), units.Fraction(s.Kept, s.Rows), units.Times(s.Metric("vantage/abs_advantage_ratio")), s.Flips, worries(s))
	}
	if last := newestComplete(t); last != nil {
		markdownWarnings(out, snap, t, last)
	}
	for _, p := range snap.Run.Problems[:min(len(snap.Run.Problems), shownProblems)] {
		fmt.Fprintf(out, "- could not read %s\n", cell(p.String()))
	}
	return out.Flush()
}

func markdownWarnings(out io.Writer, snap model.Snapshot, t *model.Trend, s *model.Summary) {
	fmt.Fprintf(out, "\n### step %d\n\n", s.Step)
	if len(s.Warnings) == 0 {
		fmt.Fprintln(out, "No warnings.")
	}
	for _, w := range s.Warnings {
		fmt.Fprintf(out, "- ⚠ %s — %s", cell(w.Sentence()), cell(w.Advice))
		if e := exampleOf(snap, t, w); e != nil {
			fmt.Fprintf(out, " (for example `%s`)", strings.ReplaceAll(strings.TrimSpace(e.Group+" "+e.Prompt), "`", "'"))
		}
		fmt.Fprintln(out)
	}
}

// cell is a text of a log that breaks neither a table nor a list.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "`", "'").Replace(printable.Line(s))
}
