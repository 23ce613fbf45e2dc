package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/diagnosis"
	"vantage/model/glance"
	"vantage/model/scalars"
	"vantage/model/units"
)

// Scalars is a run of which there is only what its trainer logged of each step: a short answer without samples.
type Scalars struct {
	Path      string // that was given
	File      string // that was read, the newest of several
	Format    string
	Run       *scalars.Scalars
	Diagnosis *diagnosis.Diagnosis
	Notes     []string // what could not be read
	Advice    string   // how to see the samples
}

// lastMeanings are those whose last values are said, by their names in the answer.
var lastMeanings = []scalars.Meaning{
	scalars.Reward, scalars.Eval, scalars.Entropy, scalars.KL, scalars.StepKL, scalars.GradNorm, scalars.Length, scalars.Truncated, scalars.ZeroStd,
	scalars.AllRight, scalars.AllWrong, scalars.ClipRatio, scalars.Loss, scalars.LR, scalars.Component,
}

// maxLast is how many last values are said.
const maxLast = 16

// last are the series whose last values are said: the best of each meaning, and the parts of the reward.
func (s *Scalars) last() (all []*scalars.Series) {
	for _, m := range lastMeanings {
		if m == scalars.Component {
			all = append(all, s.Run.All(m, 1)...)
		} else if best := s.Run.Of(m, 1); best != nil {
			all = append(all, best)
		}
	}
	return all[:min(len(all), maxLast)]
}

// lastName is what a series is called in the answer: of a part of the reward the part, since the whole name may be long.
func lastName(x *scalars.Series) string {
	if x.Means == scalars.Component {
		return x.Part
	}
	return x.Name
}

// summary is the part of it that summaries of samples have too.
func (s *Scalars) summary() *Summary {
	return &Summary{Glance: &glance.Glance{}, Trend: &analysis.Trend{}, Diagnosis: s.Diagnosis}
}

// ScalarsJSON writes one line of JSON, of at most [MaxAnswer] bytes: see the schema scalars@1. What is left out for the length is as in
// [SummaryJSON].
func ScalarsJSON(w io.Writer, s *Scalars) error {
	shared := s.summary()
	return shared.write(w, func(room summaryRoom) []byte {
		d := s.Diagnosis
		last := []object{}
		for _, x := range s.last() {
			last = append(last, object{{"name", shorten(lastName(x), 48)}, {"means", x.Means}, {"step", x.Steps[len(x.Steps)-1]}, {"value", rounded(x.Last())}})
		}
		notes := model.Mapped(s.Notes, func(note string) string { return shorten(note, 110) })
		return encode(object{
			{"schema", "vantage/scalars@1"},
			{"path", shorten(s.Path, 120)},
			{"file", shorten(s.File, 120)},
			{"format", s.Format},
			{"health", d.Health()},
			{"findings", findingsJSON(d, room.of)},
			{"more_evidence", some(shared.moreEvidence(room))},
			{"cannot_tell", blindJSON(d, room.count(partBlind))},
			{"more_cannot_tell", some(len(d.Blind) - min(len(d.Blind), room.count(partBlind)))},
			{"steps", s.Run.Steps},
			{"first_step", s.Run.First},
			{"last_step", s.Run.Last},
			{"last", last},
			{"notes", notes},
			{"advice", shorten(s.Advice, 240)},
			{"complete", true},
		})
	})
}

// ScalarsText writes the same in lines.
func ScalarsText(w io.Writer, s *Scalars) error {
	shared := s.summary()
	return shared.write(w, func(room summaryRoom) []byte {
		var b bytes.Buffer
		line := func(name, format string, args ...any) {
			fmt.Fprintf(&b, "%-8s  %s\n", name, fmt.Sprintf(format, args...))
		}
		shared.findingsText(line, room)
		line("run", "%s: scalars alone, no samples: %s, steps %d to %d (%s)", shorten(s.Path, 120), s.Format, s.Run.First, s.Run.Last, units.Count(s.Run.Steps))
		if s.File != s.Path {
			line("file", "%s", shorten(s.File, 120))
		}
		last := model.Mapped(s.last(), func(x *scalars.Series) string { return shorten(lastName(x), 48) + " " + units.Short(x.Last()) })
		for part := range slices.Chunk(last, 4) {
			line("last", "%s", strings.Join(part, ", "))
		}
		for _, note := range s.Notes {
			line("note", "%s", shorten(note, 110))
		}
		line("advice", "%s", shorten(s.Advice, 240))
		return b.Bytes()
	})
}
