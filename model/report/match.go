package report

import (
	"fmt"
	"io"
	"strings"

	"vantage/model"
	"vantage/model/choice"
	"vantage/model/match"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// Match is which estimators reproduce a log, and as what the other commands compute it.
type Match struct {
	*match.Report
	Choice choice.Choice
}

// maxOthers is how many of the nearest candidates are listed if none matches.
const maxOthers = 5

// MatchText writes which estimators reproduce the advantages of a log, else the clues and
// the nearest candidates, and as what the other commands compute the log.
func MatchText(w io.Writer, m Match) error {
	r, chosen := m.Report, m.Choice
	var b strings.Builder
	more := ""
	if r.Sampled {
		more = ", the newest; the log has more"
	}
	fmt.Fprintf(&b, "compared   %s of %s%s\n", units.Plural(r.Compared, "samples"), units.Plural(r.Steps, "steps"), more)
	fmt.Fprintf(&b, "groups     %s\n", r.Grouping.Evidence)
	switch {
	case r.Proved == (model.ProvedGroups{}):
	case r.GroupFlags == "":
		b.WriteString("           the other commands take them from the advantages; no flags can say sizes that differ by folder\n")
	default:
		fmt.Fprintf(&b, "           the other commands take them from the advantages; the flags are %s\n", r.GroupFlags)
	}
	if chosen.Rewards.IsChoice() {
		fmt.Fprintf(&b, "reward     %s\n", sanitize.Line(chosen.Rewards.String()))
	}
	if r.LeftOut > 0 {
		fmt.Fprintf(&b, "left out   %s\n", leftOutText(r))
	}
	b.WriteByte('\n')
	if r.HasMatch() {
		writeMatches(&b, r)
	} else {
		writeOthers(&b, r)
	}
	fmt.Fprintf(&b, "\nThe other commands compute this log as %s.\n", chosen.WithScale())
	fmt.Fprintf(&b, "\ncomplete: %d estimators and scales tried\n", r.Candidates)
	_, err := io.WriteString(w, b.String())
	return err
}

// writeMatches lists what reproduces the log.
func writeMatches(b *strings.Builder, r *match.Report) {
	if len(r.Matches) == 1 {
		b.WriteString("One estimator reproduces this log:\n")
	} else {
		fmt.Fprintf(b, "%d estimators reproduce this log, and nothing in it distinguishes them. The most exact come first, then those that assume least:\n", len(r.Matches))
	}
	if r.Filter != nil {
		fmt.Fprintf(b, "The log holds the advantages after the filter that was given: %s.\n", *r.Filter)
	}
	writeVerdicts(b, r.Matches, r.Compared)
	if r.Arithmetic != "" {
		fmt.Fprintf(b, "\n%s.\n", strings.Join(wrap(upperFirst(r.Arithmetic), 104), "\n"))
	}
	writeTolerance(b, r)
}

// writeOthers says why nothing is named, and lists the nearest.
func writeOthers(b *strings.Builder, r *match.Report) {
	switch r.Outcome() {
	case match.OutcomeCannotTell:
		b.WriteString("Cannot tell which estimator computed this log: nothing in it distinguishes them.\n")
	case match.OutcomeMixture:
		b.WriteString("No single estimator reproduces this log, but different ones do at different steps.\n")
	case match.OutcomeFiltered:
		b.WriteString("No estimator reproduces this log with all samples kept.\n")
	default:
		fmt.Fprintf(b, "None of the %d estimators and scales that the log has the columns for reproduces it.\n", r.Candidates)
	}
	for _, clue := range r.Clues {
		fmt.Fprintf(b, "· %s\n", strings.Join(wrap(clue, 96), "\n  "))
	}
	if r.Undecided {
		return
	}
	b.WriteString("\nThe nearest:\n")
	writeVerdicts(b, r.Others[:min(maxOthers, len(r.Others))], r.Compared)
}

// leftOutText says which samples were not compared: those of the last group of a log that was cut, or those of
// all groups that lack rows.
func leftOutText(r *match.Report) string {
	left := units.Plural(r.LeftOut, "samples")
	if r.ShortGroups <= r.Steps {
		return left + " in groups that hold fewer than the others: the log was cut there"
	}
	whole := r.Compared + r.LeftOut + r.MissingRows
	return fmt.Sprintf("%s in groups that hold fewer than the others: rows are missing in %s groups, %s of all", left,
		units.Fraction(r.ShortGroups, r.AllGroups), units.Fraction(r.MissingRows, whole))
}

func upperFirst(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// writeTolerance explains what near means if not all samples are exactly equal.
func writeTolerance(b *strings.Builder, r *match.Report) {
	switch {
	case r.Decimals > 0:
		fmt.Fprintf(b, "\nThe log was written with %d decimals: near is what rounds to them.\n", r.Decimals)
	case r.Matches[0].Equal() < r.Compared:
		b.WriteString("\nNear is within 1e-6 of the largest advantage of its group: logs lose digits. What is whitened over\ntokens (1e-4), and NeMo-RL (1e-5), cannot be reproduced closer.\n")
	}
	if n := r.Matches[0].OneULP; n > 0 {
		differ, count := "differ", "count"
		if n == 1 {
			differ, count = "differs", "counts"
		}
		fmt.Fprintf(b, "\n%s of the first estimator %s by one float32 unit in the last place and %s as equal: by so much\nthe square root of PyTorch's wheels with MKL misses that of IEEE 754, which is computed here.\n", units.Plural(n, "samples"), differ, count)
	}
	b.WriteString("\nEqual is to the bit of PyTorch (or numpy, in float64) on a CPU. CUDA's order of sums is untested: what\na GPU trained on may differ in the last bits, and is then near.\n")
}

func writeVerdicts(b *strings.Builder, list []match.Verdict, of int) {
	fmt.Fprintf(b, "\n  %-16s %-28s %-7s %-22s %-22s %s\n", "framework", "estimator", "scale", "equal", "equal or near", "max |Δ|")
	for _, v := range list {
		fmt.Fprintf(b, "  %-16s %-28s %-7s %-22s %-22s %.3g\n", v.Framework, v.Estimator, v.Scale, units.Fraction(v.Equal(), of), units.Fraction(v.Agreeing, of), v.MaxGap)
		if v.Options != "" {
			fmt.Fprintf(b, "    with %s\n", v.Options)
		}
		if m := v.FirstMismatch; m != nil {
			fmt.Fprintf(b, "    first: step %d, row %d of group %s: the log has %.7g, computed is %.7g\n", m.Step, m.Row+1, sanitize.Line(m.Group), m.Logged, m.Computed)
		}
	}
}

// MatchJSON writes the object that the schema match@1 describes. matches and others are sorted, the best first. Later
// versions only add keys.
func MatchJSON(w io.Writer, m Match) error {
	var mixture []object
	for _, s := range m.Mixture {
		mixture = append(mixture, object{{"from_step", s.From}, {"to_step", s.To}, {"steps", s.Steps}, {"framework", s.Framework}, {"estimator", s.Estimator}, {"scale", s.Scale}})
	}
	var filter, found object
	if m.Filter != nil {
		filter = keepRatiosJSON(*m.Filter)
	}
	if f := m.Found; f != nil {
		found = append(keepRatiosJSON(f.Filter), object{{"framework", some(f.Framework)}, {"estimator", some(f.Estimator)}, {"scale", some(f.Scale)}}...)
	}
	return writeJSON(w, object{
		{"schema", "vantage/match@1"},
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
		{"estimator", some(newChoiceJSON(m.Choice))},
		{"reward", some(newRewardJSON(m.Choice.Rewards))},
		{"complete", true},
	})
}

func keepRatiosJSON(f match.Filter) object {
	return object{{"keep_pos_ratio", plainFloat(f.KeepPos)}, {"keep_neg_ratio", plainFloat(f.KeepNeg)}, {"compute_new_adv", f.Recompute}}
}

func verdictsJSON(list []match.Verdict) []object {
	all := []object{}
	for _, v := range list {
		one := object{
			{"framework", v.Framework},
			{"estimator", v.Estimator},
			{"scale", v.Scale},
			{"options", some(optionsMap(v.Options))},
			{"equal", v.Equal()},
			{"one_ulp", v.OneULP},
			{"near", v.Agreeing},
			{"max_gap", plainFloat(v.MaxGap)},
		}
		if f := v.FirstMismatch; f != nil {
			one = append(one, member{"first_mismatch", object{
				{"step", f.Step}, {"group", f.Group}, {"row", f.Row}, {"logged", plainFloat(f.Logged)}, {"computed", plainFloat(f.Computed)},
			}})
		}
		all = append(all, one)
	}
	return all
}
