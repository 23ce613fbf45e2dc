package report

import (
	"io"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/choice"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// MaxAnswer is the most bytes that a short answer takes, unless more is asked for: a program that reads it,
// such as a coding agent, pays for each of them.
const MaxAnswer = 2048

// Answer is what every short answer says of the run that it is about.
type Answer struct {
	Path     string
	Snap     model.Snapshot
	Settings model.Settings // with which everything is computed
	Choice   choice.Choice  // who chose the estimator of Settings
	Now      time.Time
}

// answerJSON is Answer in JSON: computed_as is [choice.Choice.WithScale].
type answerJSON struct {
	Schema     string `json:"schema"`
	Path       string `json:"path"`
	ComputedAs string `json:"computed_as"`
}

func (a *Answer) json(schema string) answerJSON {
	return answerJSON{schema, shorten(a.Path, 120), shorten(a.Choice.WithScale(), 200)}
}

// freshness says whether the log grows, and when it was last written, in UTC; "" for a log that is no file.
func (a *Answer) freshness() (state, lastWrite string) {
	p := a.Snap.Run.Progress
	if p.LastWrite.IsZero() || p.BytesAll == 0 {
		return "unknown", ""
	}
	state, _ = p.FreshnessText(a.Now)
	return state, p.LastWrite.UTC().Format(time.RFC3339)
}

// writeFitting writes the answer with as many entries of its list as fit into [MaxAnswer] bytes, at most n.
// With none it is written whatever it takes.
func writeFitting(w io.Writer, n int, draw func(entries int) []byte) error {
	text := draw(n)
	for n > 0 && len(text) > MaxAnswer {
		n--
		text = draw(n)
	}
	_, err := w.Write(text)
	return err
}

// shorten returns text as one safe line of at most n bytes.
func shorten(text string, n int) string {
	text = sanitize.Line(text)
	if len(text) <= n {
		return text
	}
	n -= len("…")
	for !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}

// known returns x, nil for NaN.
func known(x float64) *rounded {
	if math.IsNaN(x) {
		return nil
	}
	r := rounded(x)
	return &r
}

// stepRow is what a short answer says of a step.
type stepRow struct {
	Step    int64          `json:"step"`
	Open    bool           `json:"-"` // still being written: lists of steps name those apart
	Samples int            `json:"samples"`
	Nonzero int            `json:"nonzero_samples"` // whose advantage is not 0
	Groups  int            `json:"groups"`
	Signal  int            `json:"signal_groups"`
	Reward  *rounded       `json:"reward_mean"`
	Length  *rounded       `json:"length_mean"`
	Fates   map[string]int `json:"fates"`
}

func newStepRow(s *analysis.Summary) stepRow {
	return stepRow{
		Step: s.Step, Open: s.Open, Samples: s.Rows, Nonzero: s.Nonzero, Groups: s.Groups, Signal: s.Signal,
		Reward: known(s.Metric("critic/score/mean")), Length: known(s.Metric("response_length/mean")), Fates: fatesOf(s.Fates),
	}
}

// fatesLine counts groups by fate: "5 alive, 3 all wrong".
func fatesLine(counts [model.FateCount]int) string {
	var parts []string
	for i := range counts {
		if f := model.Fate(len(counts) - 1 - i); counts[f] > 0 {
			parts = append(parts, units.Count(counts[f])+" "+f.String())
		}
	}
	return strings.Join(parts, ", ")
}
