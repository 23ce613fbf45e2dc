package report

import (
	"fmt"
	"io"
	"math"
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
	fmt.Fprintf(&b, "compared   %s of %s%s\n", units.Plural(r.Compared, "samples"), units.Plural(r.Steps, "steps"), sampledText(r))
	fmt.Fprintf(&b, "groups     %s\n", r.Grouping.Evidence)
	if r.Proved != (model.ProvedGroups{}) {
		fmt.Fprintf(&b, "           %s\n", groupFlagsText(r))
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
		fmt.Fprintf(b, "\n%s of the first estimator %s by one float32 unit in the last place and %s as equal: by so much\nthe square root of PyTorch's wheels with MKL misses that of IEEE 754, which is computed here.\n",
			units.Plural(n, "samples"), verb(n, "differs", "differ"), verb(n, "counts", "count"))
	}
	b.WriteString("\nEqual is to the bit of PyTorch (or numpy, in float64) on a CPU. CUDA's order of sums is untested: what\na GPU trained on may differ in the last bits, and is then near.\n")
}

// groupFlagsText says how to have groups that the advantages prove without them.
func groupFlagsText(r *match.Report) string {
	if r.GroupFlags == "" {
		return "the other commands take them from the advantages; no flags can say sizes that differ by folder"
	}
	return "the other commands take them from the advantages; the flags are " + r.GroupFlags
}

func verb(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

func sampledText(r *match.Report) string {
	if r.Sampled {
		return ", the newest; the log has more"
	}
	return ""
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

type matchJSON struct {
	Schema   string        `json:"schema"`
	Version  int           `json:"version"`
	Match    bool          `json:"match"`
	Outcome  match.Outcome `json:"outcome"`
	Steps    int           `json:"steps"`
	Compared int           `json:"compared"`
	Tried    int           `json:"tried"`
	Sampled  bool          `json:"sampled"`
	Decimals int           `json:"decimals"`
	Cut      int           `json:"cut"`
	Groups   string        `json:"groups"`
	Flags    string        `json:"group_flags,omitempty"`
	Matches  []verdictJSON `json:"matches"`
	Others   []verdictJSON `json:"others"`
	Clues    []string      `json:"clues"`

	Mixture     []segmentJSON   `json:"mixture,omitempty"`
	Filter      *keepRatiosJSON `json:"filter,omitempty"`
	FoundFilter *keepRatiosJSON `json:"found_filter,omitempty"`
	Arithmetic  string          `json:"arithmetic,omitempty"`
	ShortGroups int             `json:"short_groups,omitempty"`
	MissingRows int             `json:"missing_rows,omitempty"`

	Estimator *choiceJSON `json:"estimator,omitempty"`
	Reward    *rewardJSON `json:"reward,omitempty"`
	Complete  bool        `json:"complete"`
}

// segmentJSON is some steps of a mixture.
type segmentJSON struct {
	FromStep  int64  `json:"from_step"`
	ToStep    int64  `json:"to_step"`
	Steps     int    `json:"steps"`
	Framework string `json:"framework"`
	Estimator string `json:"estimator"`
	Scale     string `json:"scale"`
}

// keepRatiosJSON is a sample filter, under the trainer's names.
type keepRatiosJSON struct {
	KeepPos   float64 `json:"keep_pos_ratio"`
	KeepNeg   float64 `json:"keep_neg_ratio"`
	Recompute bool    `json:"compute_new_adv"`
	Framework string  `json:"framework,omitempty"`
	Estimator string  `json:"estimator,omitempty"`
	Scale     string  `json:"scale,omitempty"`
}

type verdictJSON struct {
	Framework string            `json:"framework"`
	Estimator string            `json:"estimator"`
	Scale     string            `json:"scale"`
	Options   map[string]string `json:"options,omitempty"`
	Equal     int               `json:"equal"`
	OneULP    int               `json:"one_ulp"`
	Near      int               `json:"near"`
	MaxGap    any               `json:"max_gap"`
	First     *mismatchJSON     `json:"first_mismatch,omitempty"`
}

type mismatchJSON struct {
	Step     int64  `json:"step"`
	Group    string `json:"group"`
	Row      int    `json:"row"`
	Logged   any    `json:"logged"`
	Computed any    `json:"computed"`
}

// MatchJSON writes one object:
//
//	{"schema": "vantage/match@1", "version": 1, "match": true, "outcome": "match", "steps": 2, "compared": 512, "tried": 103, "sampled": false,
//	 "decimals": 0, "cut": 0, "groups": "by prompt …",
//	 "matches": [{"framework": "trl", "estimator": "grpo", "scale": "group",
//	              "equal": 512, "one_ulp": 3, "near": 512, "max_gap": 0}],
//	 "others": [{…, "first_mismatch": {"step": 7, "group": "a", "row": 3, "logged": 0.5, "computed": 0.25}}],
//	 "clues": ["…"], "estimator": {…}, "complete": true}
//
// compared counts samples with a logged advantage, tried the estimators and scales that the
// log has the columns for; sampled says that the log has more samples than were compared;
// equal is in every bit of the framework's precision, one_ulp of them but for one float32 unit in
// the last place, near includes equal; decimals is 0
// unless near means equal after rounding to so many; cut counts samples left out because
// their groups have fewer than the others; max_gap is over samples that are not equal; row
// counts from 0 in its step. matches and others are sorted, the best first. Numbers that
// JSON lacks are the strings "NaN", "Infinity" and "-Infinity". Later versions only add keys.
//
// outcome is that of [match.Report.Outcome]. Where they say something there are also mixture, a list of
// {"from_step", "to_step", "steps", "framework", "estimator", "scale"}; filter, the keep ratios of the settings
// after which the matches agree; found_filter, keep ratios that the log shows; arithmetic, a sentence; and
// short_groups with the missing_rows that they lack.
//
// group_flags are options that name the groups, if the logged advantages prove others than the
// settings name. estimator is what the other commands compute the log as, and reward from which
// columns: see [JSON].
func MatchJSON(w io.Writer, m Match) error {
	r, chosen := m.Report, m.Choice
	return writeJSON(w, matchJSON{
		Schema: "vantage/match@1", Version: 1, Match: r.HasMatch(), Outcome: r.Outcome(), Steps: r.Steps, Compared: r.Compared, Tried: r.Candidates, Sampled: r.Sampled, Decimals: r.Decimals, Cut: r.LeftOut, Groups: r.Grouping.Evidence, Flags: r.GroupFlags,
		Matches: verdictsJSON(r.Matches), Others: verdictsJSON(r.Others), Clues: append([]string{}, r.Clues...),
		Mixture: segmentsJSON(r.Mixture), Filter: newKeepRatiosJSON(r.Filter), FoundFilter: foundFilterJSON(r.Found), Arithmetic: r.Arithmetic, ShortGroups: r.ShortGroups, MissingRows: r.MissingRows,
		Estimator: newChoiceJSON(chosen), Reward: newRewardJSON(chosen.Rewards), Complete: true,
	})
}

func segmentsJSON(list []match.Segment) []segmentJSON {
	var all []segmentJSON
	for _, s := range list {
		all = append(all, segmentJSON{s.From, s.To, s.Steps, s.Framework, s.Estimator, string(s.Scale)})
	}
	return all
}

func newKeepRatiosJSON(f *match.Filter) *keepRatiosJSON {
	if f == nil {
		return nil
	}
	return &keepRatiosJSON{KeepPos: f.KeepPos, KeepNeg: f.KeepNeg, Recompute: f.Recompute}
}

func foundFilterJSON(f *match.FoundFilter) *keepRatiosJSON {
	if f == nil {
		return nil
	}
	found := newKeepRatiosJSON(&f.Filter)
	found.Framework, found.Estimator, found.Scale = f.Framework, f.Estimator, string(f.Scale)
	return found
}

func verdictsJSON(list []match.Verdict) []verdictJSON {
	all := []verdictJSON{}
	for _, v := range list {
		one := verdictJSON{Framework: v.Framework, Estimator: v.Estimator, Scale: string(v.Scale), Options: optionsMap(v.Options), Equal: v.Equal(), OneULP: v.OneULP, Near: v.Agreeing, MaxGap: jsonNumber(v.MaxGap)}
		if m := v.FirstMismatch; m != nil {
			one.First = &mismatchJSON{m.Step, m.Group, m.Row, jsonNumber(m.Logged), jsonNumber(m.Computed)}
		}
		all = append(all, one)
	}
	return all
}

// jsonNumber returns x, or its name as a string where JSON has no such number.
func jsonNumber(x float64) any {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 1):
		return "Infinity"
	case math.IsInf(x, -1):
		return "-Infinity"
	}
	return x
}
