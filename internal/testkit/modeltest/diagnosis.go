package modeltest

import (
	"fmt"
	"math"

	"vantage/model/diagnosis"
)

// Ill is a run of 100 steps with so many findings, the first half alarms, and two kinds that cannot be told. Names are as hostile as
// those of a log can be.
func Ill(findings int) *diagnosis.Diagnosis {
	d := &diagnosis.Diagnosis{Steps: 100, Blind: []diagnosis.Blind{{Kind: diagnosis.AnswerCollapse, Why: "the log has no texts"}, {Kind: diagnosis.GraderNoise, Why: "the log has no texts"}}}
	values := make([]float64, 100)
	for i := range values {
		values[i] = 0.6
		if i >= 60 {
			values[i] = 1
		}
	}
	values[9] = math.NaN()
	for i := range findings {
		severity := diagnosis.Alarm
		if 2*i >= findings && i > 0 {
			severity = diagnosis.Watch
		}
		f := diagnosis.Finding{
			Kind: []diagnosis.Kind{diagnosis.RewardHacking, diagnosis.Truncation, diagnosis.LengthCollapse}[i%3], Severity: severity, Since: int64(61 + i), Until: 100, Lasting: true,
			Title:   "the reward rises to 0.91 while correct falls from 0.48 to 0.09, and format\x1b[31m is full",
			Example: diagnosis.Example{Step: int64(75 + i), Group: fmt.Sprintf("prompt-%d\x1b[2J", i), Index: 74 + i},
			Cost:    diagnosis.Cost{Samples: 2560, Tokens: 1_234_567, Share: 0.4},
			Advice:  "weigh correctness above format, or pay for format only where the answer is right; go back to a checkpoint before the onset",
			Series:  diagnosis.Series{Name: "format", Values: values},
		}
		for _, name := range []string{"format", "correct", "reward\x07"} {
			f.Evidence = append(f.Evidence, diagnosis.Evidence{
				Name: name, Before: 0.62, After: 1, BeforeFrom: 41, BeforeTo: 60, AfterFrom: 61, AfterTo: 80, BeforeSamples: 640, AfterSamples: 640, Of: "samples",
			})
		}
		d.Findings = append(d.Findings, f)
	}
	return d
}
