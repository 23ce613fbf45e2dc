package report

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"vantage/model/match"
	"vantage/model/printable"
	"vantage/model/units"
)

// The most verdicts that are listed where nothing matches: the nearest.
const nearest = 5

// MatchText writes which estimators reproduce the advantages of a log.
func MatchText(w io.Writer, r *match.Report) error {
	var b strings.Builder
	fmt.Fprintf(&b, "compared   %s of %s%s\n", units.Plural(r.Compared, "samples"), units.Plural(r.Steps, "steps"), sampled(r))
	fmt.Fprintf(&b, "groups     %s\n\n", r.Grouping.Evidence)
	if r.Match() {
		if len(r.Matches) == 1 {
			b.WriteString("One estimator wrote this log:\n")
		} else {
			fmt.Fprintf(&b, "%d estimators reproduce this log, and nothing in it tells them apart; the most exact first:\n", len(r.Matches))
		}
		verdicts(&b, r.Matches, r.Compared)
	} else {
		b.WriteString("No estimator reproduces this log.\n")
		for _, clue := range r.Clues {
			fmt.Fprintf(&b, "  %s\n", strings.Join(wrap("the logged advantages: "+clue, 90), "\n    "))
		}
		b.WriteString("\nThe nearest:\n")
		verdicts(&b, r.Others[:min(nearest, len(r.Others))], r.Compared)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func sampled(r *match.Report) string {
	if r.Sampled {
		return ", the newest; the log has more"
	}
	return ""
}

func verdicts(b *strings.Builder, list []match.Verdict, of int) {
	fmt.Fprintf(b, "\n  %-16s %-28s %-7s %-22s %-22s %s\n", "framework", "estimator", "scale", "equal to the bit", "equal but for digits", "max |Δ|")
	for _, v := range list {
		fmt.Fprintf(b, "  %-16s %-28s %-7s %-22s %-22s %.3g\n", v.Framework, v.Estimator, v.Scale, units.Fraction(v.Equal, of), units.Fraction(v.Near, of), v.MaxGap)
		if m := v.First; m != nil {
			fmt.Fprintf(b, "    first: step %d, row %d of group %s: the log has %.7g, computed is %.7g\n", m.Step, m.Row+1, printable.Line(m.Group), m.Logged, m.Computed)
		}
	}
}

type matchJSON struct {
	Version  int           `json:"version"`
	Match    bool          `json:"match"`
	Steps    int           `json:"steps"`
	Compared int           `json:"compared"`
	Sampled  bool          `json:"sampled"`
	Groups   string        `json:"groups"`
	Matches  []verdictJSON `json:"matches"`
	Others   []verdictJSON `json:"others"`
	Clues    []string      `json:"clues"`
}

type verdictJSON struct {
	Framework string        `json:"framework"`
	Estimator string        `json:"estimator"`
	Scale     string        `json:"scale"`
	Equal     int           `json:"equal"`
	Near      int           `json:"near"`
	MaxGap    any           `json:"max_gap"`
	First     *mismatchJSON `json:"first_mismatch,omitempty"`
}

type mismatchJSON struct {
	Step     int64  `json:"step"`
	Group    string `json:"group"`
	Row      int    `json:"row"`
	Logged   any    `json:"logged"`
	Computed any    `json:"computed"`
}

// MatchJSON writes the same as an object: version 1, match, steps and compared
// (counts), sampled (whether the log has more), groups (how they were found),
// matches and others (framework, estimator, scale, equal, near, max_gap,
// first_mismatch with step, group, row from 0, logged and computed), clues.
// Numbers that JSON lacks are the strings "NaN", "Infinity" and "-Infinity".
func MatchJSON(w io.Writer, r *match.Report) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(matchJSON{
		Version: 1, Match: r.Match(), Steps: r.Steps, Compared: r.Compared, Sampled: r.Sampled, Groups: r.Grouping.Evidence,
		Matches: verdictsJSON(r.Matches), Others: verdictsJSON(r.Others), Clues: append([]string{}, r.Clues...),
	})
}

func verdictsJSON(list []match.Verdict) []verdictJSON {
	all := []verdictJSON{}
	for _, v := range list {
		one := verdictJSON{Framework: v.Framework, Estimator: v.Estimator, Scale: string(v.Scale), Equal: v.Equal, Near: v.Near, MaxGap: number(v.MaxGap)}
		if m := v.First; m != nil {
			one.First = &mismatchJSON{m.Step, m.Group, m.Row, number(m.Logged), number(m.Computed)}
		}
		all = append(all, one)
	}
	return all
}

// number is x, or its name where JSON has no such number.
func number(x float64) any {
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
