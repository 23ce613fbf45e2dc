package report

import (
	"encoding/json"
	"io"
	"math"
	"strconv"

	"vantage/model"
	"vantage/model/printable"
)

// JSON writes the run and its steps as one object:
//
//	{"schema": "vantage.report/1", "run": {…}, "settings": {…}, "steps": [{"step": 1, "samples": 512, "groups": 32,
//	 "fates": {"alive": 24, …}, "metrics": {"critic/score/mean": 0.4, …},
//	 "warnings": [{"kind": "killed-groups", "count": 2, …}]}, …], "problems": [{…}]}
//
// The schema's number changes when a name goes or changes its meaning; names may be
// added. Numbers that JSON has no word for are the strings "NaN", "Infinity" and
// "-Infinity".
func JSON(w io.Writer, snap model.Snapshot, t *model.Trend) error {
	out := document{
		Schema:   reportSchema,
		Run:      newRun(snap, t),
		Settings: newSettings(t.Settings),
		Steps:    make([]step, len(t.Steps)),
		Problems: make([]problem, len(snap.Run.Problems)),
	}
	for i := range t.Steps {
		out.Steps[i] = newStep(snap, t, &t.Steps[i])
	}
	for i, p := range snap.Run.Problems {
		out.Problems[i] = problem(p)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}

// reportSchema names the layout of the object.
const reportSchema = "vantage.report/1"

type document struct {
	Schema   string    `json:"schema"`
	Run      run       `json:"run"`
	Settings settings  `json:"settings"`
	Steps    []step    `json:"steps"`
	Problems []problem `json:"problems"`
}

type run struct {
	Format   string `json:"format"`
	Read     string `json:"read"`
	Grouping string `json:"grouping"`
	Doubt    string `json:"grouping_doubt,omitempty"`
	Steps    int    `json:"steps"`
	Samples  int    `json:"samples"`
	Skipped  int    `json:"skipped_records"`
	Lengths  string `json:"lengths"`

	Notes []string `json:"notes"` // what was left out or counted once, and why
}

func newRun(snap model.Snapshot, t *model.Trend) run {
	return run{
		Format: snap.Run.Format, Read: snap.Run.How,
		Grouping: t.Grouping.Evidence, Doubt: t.Grouping.Doubt,
		Steps: len(snap.Steps), Samples: snap.Rows, Skipped: snap.Run.Skipped,
		Lengths: snap.Run.LengthUnit.String(), Notes: append([]string{}, snap.Run.Notes...),
	}
}

type settings struct {
	Framework string  `json:"framework"`
	Estimator string  `json:"adv_estimator"`
	Scale     string  `json:"scale"`
	KeepPos   float64 `json:"keep_pos_ratio"`
	KeepNeg   float64 `json:"keep_neg_ratio"`
	Recompute bool    `json:"compute_new_adv"`
	Reward    string  `json:"reward,omitempty"`
	Weights   string  `json:"weights,omitempty"`
}

func newSettings(s model.Settings) settings {
	return settings{s.Framework, s.Estimator, string(s.Scale), s.KeepPos, s.KeepNeg, s.Recompute, s.Reward, string(s.Weights)}
}

type step struct {
	Step     int64     `json:"step"`
	Open     bool      `json:"open,omitempty"`
	Samples  int       `json:"samples"`
	Groups   int       `json:"groups"`
	Signal   int       `json:"signal_groups"`
	Kept     int       `json:"kept_samples"`
	Fates    fateCount `json:"fates"`
	Metrics  figures   `json:"metrics"`
	Warnings []warning `json:"warnings"`
}

func newStep(snap model.Snapshot, t *model.Trend, s *model.Summary) step {
	out := step{
		Step: s.Step, Open: s.Open, Samples: s.Rows, Groups: s.Groups, Signal: s.Signal, Kept: s.Kept,
		Fates: fateCount{}, Metrics: s.Metrics, Warnings: make([]warning, len(s.Warnings)),
	}
	for _, f := range model.Fates() {
		if n := s.Fates[f]; n > 0 {
			out.Fates[f.String()] = n
		}
	}
	for i, w := range s.Warnings {
		out.Warnings[i] = warning{
			Kind: string(w.Kind), Count: w.Count, Of: w.Of, Unit: w.Unit,
			Text: w.Sentence(), Advice: w.Advice, Example: exampleOf(snap, t, w),
		}
	}
	return out
}

type fateCount map[string]int

type warning struct {
	Kind    string   `json:"kind"`
	Count   int      `json:"count"`
	Of      int      `json:"of"`
	Unit    string   `json:"unit"`
	Text    string   `json:"text"`
	Advice  string   `json:"advice"`
	Example *example `json:"example,omitempty"`
}

type example struct {
	Group  string `json:"group"`
	Prompt string `json:"prompt,omitempty"`
}

func exampleOf(snap model.Snapshot, t *model.Trend, w model.Warning) *example {
	if w.Example < 0 {
		return nil
	}
	name, preview := snap.Group(t.Grouping, w.Step, w.Example)
	return &example{Group: name, Prompt: printable.Line(preview)}
}

type problem struct {
	File   string `json:"file"`
	Line   int64  `json:"line,omitempty"`
	Reason string `json:"reason"`
}

// figures are metrics as an object that keeps their order.
type figures []model.Metric

// MarshalJSON writes {"name": value, …}.
func (f figures) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, m := range f {
		if i > 0 {
			out = append(out, ',')
		}
		out = strconv.AppendQuote(out, m.Name) // metric names are plain ASCII
		out = append(out, ':')
		out = appendNumber(out, m.Value, 64)
	}
	return append(out, '}'), nil
}

// appendNumber writes the shortest decimal that gives the same value back in
// the given precision.
func appendNumber(out []byte, x float64, bits int) []byte {
	switch {
	case math.IsNaN(x):
		return append(out, `"NaN"`...)
	case math.IsInf(x, 1):
		return append(out, `"Infinity"`...)
	case math.IsInf(x, -1):
		return append(out, `"-Infinity"`...)
	case x == 0:
		return append(out, '0') // never -0
	}
	form := byte('f')
	if abs := math.Abs(x); abs < 1e-6 || abs >= 1e21 {
		form = 'e'
	}
	return strconv.AppendFloat(out, x, form, -1, bits)
}
