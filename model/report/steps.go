package report

import (
	"bytes"
	"fmt"
	"io"

	"vantage/model/analysis"
	"vantage/model/units"
)

// Steps is some steps of a run in a short answer.
type Steps struct {
	Answer
	Steps    []analysis.Summary // ascending
	Explicit bool               // so many were asked for: none is left out so that the answer fits into [MaxAnswer]
}

// StepsJSON writes one line of JSON, of at most [MaxAnswer] bytes unless more steps were asked for:
//
//	{"schema": "vantage/steps@1", "path": "…", "computed_as": "…", "columns": ["step", "samples", "nonzero_samples",
//	 "groups", "signal_groups", "reward_mean", "length_mean", "fates"], "rows": [[7, 512, 300, 32, 20, 0.4, 512, {"alive": 20, …}], …],
//	 "open_steps": [8], "left_out": 3, "complete": true}
//
// A mean that is not known is null. left_out is how many of the older steps are left out for the length.
func StepsJSON(w io.Writer, s *Steps) error {
	return s.write(w, func(n int) []byte {
		rows, open := [][]any{}, []int64{}
		for _, r := range s.newest(n) {
			if r.Open {
				open = append(open, r.Step)
			}
			rows = append(rows, []any{r.Step, r.Samples, r.Nonzero, r.Groups, r.Signal, r.Reward, r.Length, r.Fates})
		}
		return encode(struct {
			answerJSON
			Columns  []string `json:"columns"`
			Rows     [][]any  `json:"rows"`
			Open     []int64  `json:"open_steps"`
			LeftOut  int      `json:"left_out,omitempty"`
			Complete bool     `json:"complete"`
		}{
			s.json("vantage/steps@1"),
			[]string{"step", "samples", "nonzero_samples", "groups", "signal_groups", "reward_mean", "length_mean", "fates"},
			rows, open, len(s.Steps) - n, true,
		})
	})
}

// newest returns the last n steps.
func (s *Steps) newest(n int) []stepRow {
	rows := make([]stepRow, 0, n)
	for i := len(s.Steps) - n; i < len(s.Steps); i++ {
		rows = append(rows, newStepRow(&s.Steps[i]))
	}
	return rows
}

func (s *Steps) write(w io.Writer, draw func(n int) []byte) error {
	if s.Explicit {
		_, err := w.Write(draw(len(s.Steps)))
		return err
	}
	return writeFitting(w, len(s.Steps), draw)
}

// StepsText writes the same as a table.
func StepsText(w io.Writer, s *Steps) error {
	return s.write(w, func(n int) []byte {
		var b bytes.Buffer
		fmt.Fprintf(&b, "computed as %s\n", shorten(s.Choice.WithScale(), 240))
		if more := len(s.Steps) - n; more > 0 {
			fmt.Fprintf(&b, "%s before these are left out: give --last\n", units.Plural(more, "steps"))
		}
		fmt.Fprintf(&b, "%7s %12s %10s %8s %8s  %s\n", "step", "A≠0", "signal", "reward", "length", "groups")
		for i := len(s.Steps) - n; i < len(s.Steps); i++ {
			b.WriteString(stepLine(&s.Steps[i]))
		}
		return b.Bytes()
	})
}

// stepLine is a step as a row of the table.
func stepLine(s *analysis.Summary) string {
	open := ""
	if s.Open {
		open = " (still being written)"
	}
	return fmt.Sprintf("%7d %12s %10s %8s %8s  %s%s\n", s.Step, fmt.Sprintf("%d/%d", s.Nonzero, s.Rows), fmt.Sprintf("%d/%d", s.Signal, s.Groups),
		meanText(s.Metric("critic/score/mean")), meanText(s.Metric("response_length/mean")), fatesLine(s.Fates), open)
}
