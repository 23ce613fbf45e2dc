package report

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/glance"
	"vantage/model/units"
)

// Summary is a run at a glance in a short answer.
type Summary struct {
	Answer
	Glance   *glance.Glance
	Trend    *analysis.Trend // all steps
	Examples []string        // names of a group without signal of each of the first of Glance.Spans; "" if there is none
}

// MaxWorst is how many of the worst steps a summary has.
const MaxWorst = 5

type worstJSON struct {
	From    int64  `json:"from"`
	To      int64  `json:"to"`
	Cause   string `json:"cause"`
	Groups  int    `json:"groups"`
	Signal  int    `json:"signal_groups"`
	Example string `json:"group,omitempty"` // one without signal: for why and show
}

type summaryWarning struct {
	Kind  model.WarningKind `json:"kind"`
	Steps int               `json:"steps"` // that raise it
	First int64             `json:"first_step"`
}

// SummaryJSON writes one line of JSON, of at most [MaxAnswer] bytes:
//
//	{"schema": "vantage/summary@1", "path": "…", "computed_as": "trl grpo with scale group ✓ 64/64 as logged",
//	 "origin": "logged advantages", "format": "trl", "freshness": "ended", "last_write": "2026-01-02T03:04:05Z",
//	 "steps": 30, "first_step": 1, "last_step": 30, "open_steps": [], "samples": 15360, "nonzero_samples": 9000,
//	 "groups": 960, "signal_groups": 600, "fates": {"alive": 600, …}, "reward_mean": 0.4, "length_mean": 512,
//	 "advice": "…", "notes": ["…"],
//	 "worst": [{"from": 12, "to": 14, "cause": "…", "groups": 96, "signal_groups": 10, "group": "a3…"}], "more_worst": 4,
//	 "warnings": [{"kind": "killed-groups", "steps": 2, "first_step": 7}], "complete": true}
//
// reward says which columns are the reward, if the log has several. The origin is as in [JSON]; freshness is
// "live", "idle 14 min", "ended" or, for what is no file, "unknown". Steps that are open count in none of the sums.
// more_worst says how many of the worst steps, or runs of neighbouring steps, are left out for the length.
func SummaryJSON(w io.Writer, s *Summary) error {
	return writeFitting(w, min(MaxWorst, len(s.Glance.Spans)), func(n int) []byte { return encode(s.value(n)) })
}

func (s *Summary) value(n int) any {
	g := s.Glance
	state, written := s.freshness()
	first, last := s.span()
	return struct {
		answerJSON
		Origin    string           `json:"origin"`
		Reward    string           `json:"reward,omitempty"`
		Format    string           `json:"format"`
		Freshness string           `json:"freshness"`
		Written   string           `json:"last_write,omitempty"`
		Steps     int              `json:"steps"`
		First     int64            `json:"first_step"`
		Last      int64            `json:"last_step"`
		Open      []int64          `json:"open_steps"`
		Samples   int              `json:"samples"`
		Nonzero   int              `json:"nonzero_samples"`
		Groups    int              `json:"groups"`
		Signal    int              `json:"signal_groups"`
		Fates     map[string]int   `json:"fates"`
		Mean      *rounded         `json:"reward_mean"`
		Length    *rounded         `json:"length_mean"`
		Advice    string           `json:"advice"`
		Notes     []string         `json:"notes"`
		Worst     []worstJSON      `json:"worst"`
		More      int              `json:"more_worst,omitempty"`
		Warnings  []summaryWarning `json:"warnings"`
		Complete  bool             `json:"complete"`
	}{
		s.json("vantage/summary@1"), string(s.Choice.Origin), s.reward(), s.Snap.Run.Format, state, written,
		g.Steps, first, last, append([]int64{}, g.Open...), g.Rows, g.Nonzero, g.Groups, g.Signal, fatesOf(g.Fates), known(g.Reward()), known(g.Length()),
		s.advice(), s.notes(), s.worst(n), len(g.Spans) - n, s.warnings(), true,
	}
}

// span returns the numbers of the first and the last step.
func (s *Summary) span() (first, last int64) {
	if n := len(s.Trend.Steps); n > 0 {
		return s.Trend.Steps[0].Step, s.Trend.Steps[n-1].Step
	}
	return 0, 0
}

func (s *Summary) advice() string { return shorten(withoutKeys(s.Glance.Advice), 240) }

// reward says which columns are the reward, "" if there was nothing to choose.
func (s *Summary) reward() string {
	if !s.Choice.Rewards.IsChoice() {
		return ""
	}
	return shorten(s.Choice.Rewards.String(), 120)
}

// notes say what is not in the figures, and what was doubted.
func (s *Summary) notes() []string {
	run := s.Snap.Run
	notes := run.Notes
	if run.Config != "" {
		notes = slices.Concat([]string{run.Config}, notes)
	}
	if n := len(run.Problems); n > 0 {
		notes = slices.Concat([]string{fmt.Sprintf("%s could not be read, first %s", units.Plural(max(n, run.Skipped), "records"), run.Problems[0])}, notes)
	}
	out := []string{}
	for _, note := range notes[:min(3, len(notes))] {
		out = append(out, shorten(note, 110))
	}
	if more := len(notes) - len(out); more > 0 {
		out = append(out, fmt.Sprintf("%d more: vantage report", more))
	}
	return out
}

func (s *Summary) worst(n int) []worstJSON {
	out := []worstJSON{}
	for i := range s.Glance.Spans[:n] {
		span := &s.Glance.Spans[i]
		w := worstJSON{From: span.From, To: span.To, Cause: shorten(span.Cause, 140), Groups: span.Groups, Signal: span.Signal}
		if i < len(s.Examples) {
			w.Example = shorten(s.Examples[i], 64)
		}
		out = append(out, w)
	}
	return out
}

// maxWarnings is how many kinds of warnings a summary has.
const maxWarnings = 4

// warnings returns the first kinds of warnings, and how many steps raise each.
func (s *Summary) warnings() []summaryWarning {
	out := []summaryWarning{}
	for _, first := range s.Trend.FirstWarnings() {
		if len(out) == maxWarnings {
			break
		}
		w := summaryWarning{Kind: first.Kind, First: s.Trend.Steps[first.StepIndex].Step}
		for i := range s.Trend.Steps {
			if slices.ContainsFunc(s.Trend.Steps[i].Warnings, func(o model.Warning) bool { return o.Kind == first.Kind }) {
				w.Steps++
			}
		}
		out = append(out, w)
	}
	return out
}

// SummaryText writes the same in lines, of at most [MaxAnswer] bytes together.
func SummaryText(w io.Writer, s *Summary) error {
	return writeFitting(w, min(MaxWorst, len(s.Glance.Spans)), s.text)
}

func (s *Summary) text(n int) []byte {
	var b bytes.Buffer
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-8s  %s\n", name, fmt.Sprintf(format, args...))
	}
	g := s.Glance
	first, last := s.span()
	line("run", "%s: %s, steps %d to %d (%s), %s", shorten(s.Path, 120), s.Snap.Run.Format, first, last, units.Count(g.Steps), units.Plural(g.Rows, "samples"))
	for _, open := range g.Open {
		line("open", "step %d is still being written and counts in none of the figures", open)
	}
	if state, written := s.freshness(); written != "" {
		line("fresh", "%s, last written %s", state, written)
	}
	line("numbers", "%s", shorten(s.Choice.WithScale(), 200))
	if r := s.reward(); r != "" {
		line("columns", "reward %s", r)
	}
	line("samples", "%s train: their advantage is not 0", units.Fraction(g.Nonzero, g.Rows))
	line("groups", "%s carry signal; %s", units.Fraction(g.Signal, g.Groups), fatesLine(g.Fates))
	line("means", "reward %s%s", meanText(g.Reward()), lengthText(g.Length(), s.Snap.Run.LengthUnit))
	for _, x := range s.worst(n) {
		steps := fmt.Sprintf("step %d", x.From)
		if x.From != x.To {
			steps = fmt.Sprintf("steps %d to %d", x.From, x.To)
		}
		if x.Example != "" {
			x.Cause += "; such as group " + x.Example
		}
		line("worst", "%s: %s", steps, x.Cause)
	}
	if more := len(g.Spans) - n; more > 0 {
		line("", "%d more that are less bad", more)
	}
	if len(g.Spans) > 0 {
		line("order", "of the worst: %s", glance.Order())
	}
	var kinds []string
	for _, x := range s.warnings() {
		kinds = append(kinds, fmt.Sprintf("%s (%s, first %d)", x.Kind, units.Plural(x.Steps, "steps"), x.First))
	}
	if len(kinds) > 0 {
		line("warnings", "%s", strings.Join(kinds, ", "))
	}
	for _, note := range s.notes() {
		line("note", "%s", note)
	}
	line("advice", "%s", s.advice())
	return b.Bytes()
}

// lengthText is the mean length of responses behind a comma, "" if it is not known.
func lengthText(mean float64, unit model.LengthUnit) string {
	if math.IsNaN(mean) {
		return ""
	}
	return fmt.Sprintf(", length %s %s", units.Short(mean), unit)
}

func meanText(x float64) string {
	if math.IsNaN(x) {
		return units.Missing
	}
	return units.Short(x)
}
