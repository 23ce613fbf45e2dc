package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/match"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// Match is which estimators reproduce a log, and as what the other commands compute it.
type Match struct {
	*match.Report
	Choice match.Choice
}

// maxOthers is how many of the nearest candidates are listed if none matches.
const maxOthers = 5

// MatchText writes which estimators reproduce the advantages of a log, else the clues and
// the nearest candidates, and as what the other commands compute the log.
func MatchText(w io.Writer, m Match) error {
	r, out := m.Report, bufio.NewWriter(w)
	compared, proved, left := units.Plural(r.Compared, "samples")+" of "+units.Plural(r.Steps, "steps"), "", ""
	if r.Sampled {
		compared += ", the newest; the log has more"
	}
	switch {
	case r.Proved == (model.ProvedGroups{}):
	case r.GroupFlags == "":
		proved = "the other commands take them from the advantages; no flag can set sizes that differ by folder"
	default:
		proved = "the other commands take them from the advantages; the flags are " + r.GroupFlags
	}
	if r.LeftOut > 0 {
		left = units.Plural(r.LeftOut, "samples") + " in groups that hold fewer than the others: "
		if r.ShortGroups <= r.Steps {
			left += "the log was cut there"
		} else {
			left += fmt.Sprintf("rows are missing in %s groups, %s of all", units.Fraction(r.ShortGroups, r.AllGroups),
				units.Fraction(r.MissingRows, r.Compared+r.LeftOut+r.MissingRows))
		}
	}
	writeFacts(out, 10, fact("compared", compared), fact("groups", r.Grouping.Evidence), fact("", proved),
		fact("reward", m.Choice.Rewards.String()), fact("left out", left))
	fmt.Fprintln(out)
	if r.HasMatch() {
		writeMatches(out, r)
	} else {
		writeOthers(out, r)
	}
	fmt.Fprintf(out, "\nThe other commands compute this log as %s.\n", m.Choice.WithScale())
	fmt.Fprintf(out, "\ncomplete: %d estimators and scales tried\n", r.Candidates)
	return out.Flush()
}

func writeMatches(out io.Writer, r *match.Report) {
	if len(r.Matches) == 1 {
		fmt.Fprintln(out, "One estimator reproduces this log:")
	} else {
		fmt.Fprintf(out, "%d estimators reproduce this log, and nothing in it distinguishes them. The default of the trainer comes "+
			"first, then the most exact, then those that assume least:\n", len(r.Matches))
	}
	if r.Filter != nil {
		fmt.Fprintf(out, "The log holds the advantages after the filter that was given: %s.\n", *r.Filter)
	}
	writeVerdicts(out, r.Matches, r.Compared)
	if r.Arithmetic != "" {
		fmt.Fprintf(out, "\n%s.\n", units.Wrap(upperFirst(r.Arithmetic), 104, 0))
	}
	writeTolerance(out, r)
}

func writeOthers(out io.Writer, r *match.Report) {
	switch r.Outcome() {
	case match.OutcomeCannotTell:
		fmt.Fprintln(out, "Cannot tell which estimator computed this log: nothing in it distinguishes them.")
	case match.OutcomeMixture:
		fmt.Fprintln(out, "No single estimator reproduces this log, but different ones do at different steps.")
	case match.OutcomeFiltered:
		fmt.Fprintln(out, "No estimator reproduces this log with all samples kept.")
	default:
		fmt.Fprintf(out, "None of the %d estimators and scales that the log has the columns for reproduces it.\n", r.Candidates)
	}
	for _, clue := range r.Clues {
		fmt.Fprintf(out, "· %s\n", units.Wrap(clue, 96, 2))
	}
	if r.Undecided {
		return
	}
	fmt.Fprintln(out, "\nThe nearest:")
	writeVerdicts(out, r.Others[:min(maxOthers, len(r.Others))], r.Compared)
}

// upperFirst begins a sentence; a name, as judge_score, stays as the log has it.
func upperFirst(text string) string {
	if first, _, _ := strings.Cut(text, " "); strings.ContainsAny(first, "_/.") {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// writeTolerance explains what near means if not all samples are exactly equal.
func writeTolerance(out io.Writer, r *match.Report) {
	switch {
	case r.Decimals > 0:
		fmt.Fprintf(out, "\nThe log was written with %d decimals: near is what rounds to them.\n", r.Decimals)
	case r.Matches[0].Equal() < r.Compared:
		fmt.Fprintln(out, "\nNear is within 1e-6 of the largest advantage of its group: logs lose digits. What is whitened "+
			"over\ntokens (1e-4), and NeMo-RL (1e-5), cannot be reproduced closer.")
	}
	if n := r.Matches[0].OneULP; n > 0 {
		differ, count := "differ", "count"
		if n == 1 {
			differ, count = "differs", "counts"
		}
		fmt.Fprintf(out, "\n%s of the first estimator %s by one float32 unit in the last place and %s as equal:\nPyTorch's MKL square "+
			"root can differ that much from IEEE 754, which vantage follows.\n", units.Plural(n, "samples"), differ, count)
	}
	fmt.Fprintln(out, "\nEqual means equal to PyTorch (or numpy, in float64) on a CPU, bit for bit. CUDA's order of sums is untested: "+
		"what\na GPU trained on may differ in the last bits, and is then near.")
}

func writeVerdicts(out io.Writer, list []match.Verdict, of int) {
	fmt.Fprintf(out, "\n  %-21s %-28s %-7s %-22s %-22s %s\n", "framework", "estimator", "scale", "equal", "equal or near", "max |Δ|")
	for _, v := range list {
		fmt.Fprintf(out, "  %-21s %-28s %-7s %-22s %-22s %.3g\n", estimators.Title(v.Framework), v.Estimator, v.Scale,
			units.Fraction(v.Equal(), of), units.Fraction(v.Agreeing, of), v.MaxGap)
		if v.Options != "" {
			fmt.Fprintf(out, "    with %s\n", v.Options)
		}
		if m := v.FirstMismatch; m != nil {
			fmt.Fprintf(out, "    first: step %d, row %d of group %s: the log has %.7g, computed is %.7g\n", m.Step, m.Row+1,
				sanitize.Line(m.Group), m.Logged, m.Computed)
		}
	}
}

// MatchJSON writes the object that the schema match@1 describes. matches and others are sorted, the best first. Later
// versions only add keys.
func MatchJSON(w io.Writer, m Match) error {
	mixture := model.Mapped(m.Mixture, func(s match.Segment) object {
		return object{
			{"from_step", s.From},
			{"to_step", s.To},
			{"steps", s.Steps},
			{"framework", s.Framework},
			{"estimator", s.Estimator},
			{"scale", s.Scale},
		}
	})
	var filter, found object
	if m.Filter != nil {
		filter = ratiosJSON(m.Filter.KeepPos, m.Filter.KeepNeg, m.Filter.Recompute)
	}
	if f := m.Found; f != nil {
		found = append(ratiosJSON(f.KeepPos, f.KeepNeg, f.Recompute),
			object{{"framework", some(f.Framework)}, {"estimator", some(f.Estimator)}, {"scale", some(f.Scale)}}...)
	}
	return writeDocument(w, "vantage/match@1", object{
		{"version", 1},
		{"match", m.HasMatch()},
		{"outcome", m.Outcome()},
		{"steps", m.Steps},
		{"compared", m.Compared},
		{"tried", m.Candidates},
		{"sampled", m.Sampled},
		{"decimals", m.Decimals},
		{"cut", m.LeftOut},
		{"groups", m.Grouping.Evidence},
		{"group_flags", some(m.GroupFlags)},
		{"matches", verdictsJSON(m.Matches)},
		{"others", verdictsJSON(m.Others)},
		{"clues", append([]string{}, m.Clues...)},
		{"mixture", some(mixture)},
		{"filter", some(filter)},
		{"found_filter", some(found)},
		{"arithmetic", some(m.Arithmetic)},
		{"short_groups", some(m.ShortGroups)},
		{"missing_rows", some(m.MissingRows)},
	}, choiceJSON(m.Choice))
}

func verdictsJSON(list []match.Verdict) []object {
	return model.Mapped(list, func(v match.Verdict) object {
		one := object{
			{"framework", v.Framework},
			{"estimator", v.Estimator},
			{"scale", v.Scale},
			{"options", optionsJSON(v.Options)},
			{"equal", v.Equal()},
			{"one_ulp", v.OneULP},
			{"near", v.Agreeing},
			{"max_gap", v.MaxGap},
		}
		if f := v.FirstMismatch; f != nil {
			one = append(one, member{"first_mismatch", object{
				{"step", f.Step}, {"group", f.Group}, {"row", f.Row}, {"logged", f.Logged}, {"computed", f.Computed},
			}})
		}
		return one
	})
}
