package modeltest

import (
	"fmt"
	"math"

	"vantage/model/diagnosis"
)

// Ill is a run of so many steps with findings that set in after three fifths of them, one step after the other: the first half alarms,
// the others watches; and two kinds that cannot be told. Names are as hostile as those of a log can be.
func Ill(findings, steps int) *diagnosis.Diagnosis {
	d := &diagnosis.Diagnosis{
		Steps: steps, Blind: []diagnosis.Blind{
			{Kind: diagnosis.AnswerCollapse, Why: "the log has no texts"},
			{Kind: diagnosis.GraderNoise, Why: "the log has no texts"},
		},
	}
	d.Grounds.SampleSteps, d.Grounds.Groups = steps, 8*steps
	d.Learning = &diagnosis.Learning{
		Name: "reward", Steps: steps, Gain: diagnosis.Gain{By: 0.03, Error: 0.02, Level: 0.6},
		Same: &diagnosis.Gain{By: 0.01, Error: 0.02, Level: 0.6},
	}
	d.Sum = &diagnosis.Sum{
		Parts: []diagnosis.Summand{{Name: "format\x1b[31m", Weight: 1}, {Name: "correct", Weight: -0.5}}, Without: []string{"brevity"},
		Fit:  0.8,
		Rest: &diagnosis.Gain{By: 0.03, Error: 0.01, Level: 0.2},
	}
	onset := steps * 3 / 5
	values := make([]float64, steps)
	for i := range values {
		d.Numbers = append(d.Numbers, int64(i+1))
		if values[i] = 0.6; i >= onset {
			values[i] = 1
		}
	}
	values[steps/10] = math.NaN()
	for i := range findings {
		severity := diagnosis.Alarm
		if 2*i >= findings && i > 0 {
			severity = diagnosis.Watch
		}
		since := int64(onset + 1 + i)
		f := diagnosis.Finding{
			Kind: []diagnosis.Kind{diagnosis.RewardHacking, diagnosis.Truncation, diagnosis.LengthCollapse}[i%3], Severity: severity,
			Since: since, Until: int64(steps), Lasting: true,
			Title:   "the reward rises to 0.91 while correct falls from 0.48 to 0.09, and format\x1b[31m is full",
			Example: diagnosis.Example{Step: since + 1, Group: fmt.Sprintf("prompt-%d\x1b[2J", i)},
			Cost:    diagnosis.Cost{Samples: 2560, Tokens: 1_234_567, Share: 0.4},
			Advice: "weigh correctness above format, or pay for format only where the answer is right; go back to a checkpoint " +
				"before the onset",
			Series:  diagnosis.Series{Name: "format", Values: values},
			Follows: []string{"84% of groups are all right"},
		}
		for _, name := range []string{"format", "correct", "reward\x07"} {
			f.Evidence = append(f.Evidence, diagnosis.Evidence{
				Name: name, Before: 0.62, After: 1, BeforeFrom: since - 4, BeforeTo: since - 1, AfterFrom: since, AfterTo: since + 3,
				BeforeSamples: 640, AfterSamples: 640, Of: "samples",
			})
		}
		d.Findings = append(d.Findings, f)
	}
	return d
}
