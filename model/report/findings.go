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
	"vantage/model/diagnosis"
	"vantage/model/glance"
	"vantage/model/sanitize"
	"vantage/model/scalars"
	"vantage/model/units"
)

// findingRoom is for how many parts of a kind there is room in what is said of a finding, by its index.
type findingRoom func(finding int, kind partKind) int

func wholeFinding(int, partKind) int { return math.MaxInt }

// findingsJSON are the findings of a run in a short answer, the worst first.
func findingsJSON(d *diagnosis.Diagnosis, room findingRoom) []object {
	findings := []object{}
	for i := range d.Findings {
		f, has := &d.Findings[i], func(kind partKind) bool { return room(i, kind) > 0 }
		o := object{{"kind", f.Kind}, {"severity", f.Severity}, {"since", f.Since}, {"until", f.Until}}
		if has(partTitle) {
			o = append(o, member{"title", shorten(f.Title, maxTitle)})
		}
		o = append(o, member{"evidence", some(evidenceTexts(f, room(i, partEvidence)))})
		if has(partFollows) {
			follows := model.Mapped(f.Follows, func(title string) string { return shorten(title, maxTitle) })
			o = append(o, member{"follows", some(follows)})
		}
		if has(partExample) {
			o = append(o, member{"example", object{{"step", f.Example.Step}, {"group", some(shorten(f.Example.Group, maxGroupName))}}})
		}
		if has(partCost) && f.Cost.Samples > 0 {
			o = append(o, member{"cost", object{
				{"samples", f.Cost.Samples},
				{"tokens", some(f.Cost.Tokens)},
				{"share", rounded(f.Cost.Share)},
			}})
		}
		if has(partAdvice) {
			o = append(o, member{"advice", some(withoutKeys(shorten(f.Advice, maxAdvice)))})
		}
		findings = append(findings, o)
	}
	return findings
}

// Bounds of what a finding says, in bytes: names are those of the log.
const (
	maxTitle     = 160
	maxEvidence  = 140
	maxGroupName = 64
	maxPartName  = 48
	maxAdvice    = 240

	maxWhyUnknown = 200
	maxNotChecked = 400
)

func evidenceTexts(f *diagnosis.Finding, n int) []string {
	return model.Mapped(f.Evidence[:min(n, len(f.Evidence))], func(e diagnosis.Evidence) string { return shorten(e.String(), maxEvidence) })
}

// healthJSON is the word on a run, what it rests on, and by how much its reward gains.
func healthJSON(d *diagnosis.Diagnosis) object {
	looked, kinds := d.Looked()
	o := object{{"health", d.Health()}, {"why_unknown", some(shorten(d.WhyUnknown(), maxWhyUnknown))}, {"looked", looked}, {"kinds", kinds}}
	o = append(o, textsJSON(d.Answers)...)
	if l := d.Learning; l != nil {
		learning := append(object{{"name", shorten(l.Name, 48)}, {"steps", l.Steps}}, gainJSON(&l.Gain)...)
		if l.Same != nil {
			learning = append(learning, member{"same_prompts", gainJSON(l.Same)})
		}
		o = append(o, member{"learning", learning})
	}
	return o
}

// textsJSON says how many answers were read, and of how many; nothing if there are none.
func textsJSON(a diagnosis.Answers) object {
	return object{{"texts_read", some(a.Read)}, {"texts", some(a.Of)}}
}

// rewardSumJSON is how the reward is made of its columns; absent if it is not seen to be a sum of them.
func rewardSumJSON(s *diagnosis.Sum) any {
	if s == nil {
		return absent{}
	}
	parts := model.Mapped(s.Parts, func(p diagnosis.Summand) object {
		return object{{"name", shorten(p.Name, maxPartName)}, {"weight", rounded(p.Weight)}}
	})
	without := model.Mapped(s.Without, func(name string) string { return shorten(name, maxPartName) })
	o := object{{"parts", parts}, {"without_weight", some(without)}, {"exact", s.IsExact()}, {"r2", rounded(s.Fit)}}
	if s.Rest != nil {
		o = append(o, member{"remainder", append(object{{"share", rounded(1 - s.Fit)}}, gainJSON(s.Rest)...)})
	}
	return o
}

// gainJSON is a gain with its error, which too few values do not have.
func gainJSON(g *diagnosis.Gain) object {
	o := object{{"gain", rounded(g.By)}}
	if !math.IsNaN(g.Error) {
		o = append(o, member{"error", rounded(g.Error)})
	}
	return o
}

// findingFacts are the same in words: how the run is, what was found, the lines of a finding after the first without a label.
func findingFacts(d *diagnosis.Diagnosis, room findingRoom) []Fact {
	facts := []Fact{fact("health", shorten(d.HealthReason(), maxWhyUnknown)), fact("learning", shorten(d.LearningText(), maxEvidence))}
	if d.Sum != nil && !d.Sum.IsPlain() {
		facts = append(facts, fact("sum", shorten(sanitize.Line(d.Sum.String()), maxTitle)))
	}
	for i := range d.Findings {
		f, has := &d.Findings[i], func(kind partKind) bool { return room(i, kind) > 0 }
		label := string(f.Severity)
		add := func(format string, args ...any) {
			facts = append(facts, fact(label, fmt.Sprintf(format, args...)))
			label = ""
		}
		title := ""
		if has(partTitle) {
			title = ": " + shorten(f.Title, maxTitle)
		}
		add("%s %s%s", f.Kind.Words(), f.When(), title)
		for _, text := range evidenceTexts(f, room(i, partEvidence)) {
			add("%s", text)
		}
		for _, title := range f.Follows {
			if has(partFollows) {
				add("and so: %s", shorten(title, maxTitle))
			}
		}
		if group := shorten(f.Example.Group, maxGroupName); has(partExample) && group != "" {
			add("look at step %d, group %s", f.Example.Step, group)
		} else if has(partExample) {
			add("look at step %d", f.Example.Step)
		}
		if cost := f.Cost.String(); has(partCost) && cost != "" {
			add("generated since then: %s", cost)
		}
		if advice := withoutKeys(shorten(f.Advice, maxAdvice)); has(partAdvice) && advice != "" {
			add("do: %s", advice)
		}
	}
	for _, note := range d.Notes[:min(3, len(d.Notes))] {
		facts = append(facts, fact("scalars", shorten(note, maxEvidence)))
	}
	return facts
}

// foundFacts are the findings of the report in words, none if nobody looked for them.
func (p *page) foundFacts() []Fact {
	if p.Diagnosis == nil {
		return nil
	}
	return findingFacts(p.Diagnosis, wholeFinding)
}

// notChecked is one line on the kinds that could not be looked for; "" if all could, or nobody looked.
func (p *page) notChecked() string {
	if p.Diagnosis == nil {
		return ""
	}
	return sanitize.Line(p.Diagnosis.NotChecked())
}

// diagnosisJSON is what ails a run, with every figure; nothing if nobody looked.
func diagnosisJSON(d *diagnosis.Diagnosis) object {
	if d == nil {
		return nil
	}
	findings := findingsJSON(d, wholeFinding)
	for i := range findings {
		var figures []object
		for _, e := range d.Findings[i].Evidence {
			o := object{{"name", sanitize.Line(e.Name)}}
			if e.BeforeSamples > 0 {
				o = append(o, object{
					{"before", rounded(e.Before)},
					{"before_steps", []int64{e.BeforeFrom, e.BeforeTo}},
					{"before_count", e.BeforeSamples},
				}...)
			}
			figures = append(figures, append(o, object{
				{"after", rounded(e.After)},
				{"after_steps", []int64{e.AfterFrom, e.AfterTo}},
				{"after_count", e.AfterSamples},
				{"count_of", e.Of},
				{"share", some(e.Share)},
			}...))
		}
		findings[i] = append(findings[i], member{"figures", some(figures)})
	}
	blind := model.Mapped(d.Blind, func(b diagnosis.Blind) object { return object{{"kind", b.Kind}, {"why", shorten(b.Why, 100)}} })
	return append(healthJSON(d), object{
		{"reward_sum", rewardSumJSON(d.Sum)},
		{"findings", findings},
		{"not_checked", some(sanitize.Line(d.NotChecked()))},
		{"cannot_tell", blind},
	}...)
}

// Scalars is a run of which there is only what its trainer logged of each step: an answer without samples.
type Scalars struct {
	Whole     bool   // all is said, whatever its length
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
	scalars.Reward, scalars.Solved, scalars.Eval, scalars.Entropy, scalars.KL, scalars.StepKL, scalars.GradNorm, scalars.Length,
	scalars.Truncated, scalars.ZeroStd,
	scalars.AllRight, scalars.AllWrong, scalars.ClipRatio, scalars.Loss, scalars.LR, scalars.Component,
}

// maxUnknown bounds what is said of series that are not known, in bytes.
const maxUnknown = 240

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

// write writes all that draw has room for: everything, or at most [MaxAnswer] bytes.
func (s *Scalars) write(w io.Writer, shared *Summary, draw func(summaryRoom) []byte) error {
	parts := shared.parts()
	return writeFitting(w, len(parts), s.Whole, func(n int) []byte { return draw(parts[:n]) })
}

// ScalarsJSON writes one line of JSON, of at most [MaxAnswer] bytes unless it is whole: see the schema scalars@2. What is left out for the
// length is as in [SummaryJSON].
func ScalarsJSON(w io.Writer, s *Scalars) error {
	shared := s.summary()
	return s.write(w, shared, func(room summaryRoom) []byte {
		d := s.Diagnosis
		last := model.Mapped(s.last(), func(x *scalars.Series) object {
			return object{
				{"name", shorten(lastName(x), 48)},
				{"means", x.Means},
				{"step", x.Steps[len(x.Steps)-1]},
				{"value", rounded(x.Last())},
			}
		})
		notes := model.Mapped(s.Notes, func(note string) string { return shorten(note, 110) })
		return slices.Concat(object{
			{"schema", "vantage/scalars@2"},
			{"path", shorten(s.Path, 120)},
			{"file", shorten(s.File, 120)},
			{"format", s.Format},
		}, healthJSON(d), object{
			{"findings", findingsJSON(d, room.ofFinding)},
			{"more_evidence", some(shared.moreEvidence(room))},
			{"steps", s.Run.Steps},
			{"first_step", s.Run.First},
			{"last_step", s.Run.Last},
			{"last", last},
			{"unknown", some(shorten(s.Run.UnknownText(), maxUnknown))},
			{"notes", notes},
			{"advice", shorten(s.Advice, 240)},
			{"not_checked", some(shared.notChecked(room, s.Whole))},
			{"complete", true},
		}).line()
	})
}

// ScalarsText writes the same in lines.
func ScalarsText(w io.Writer, s *Scalars) error {
	shared := s.summary()
	return s.write(w, shared, func(room summaryRoom) []byte {
		var b bytes.Buffer
		line := func(name, format string, args ...any) {
			fmt.Fprintf(&b, "%-8s  %s\n", name, fmt.Sprintf(format, args...))
		}
		shared.findingsText(line, room)
		line("run", "%s: scalars alone, no samples: %s, steps %d to %d (%s)", shorten(s.Path, 120), s.Format, s.Run.First, s.Run.Last,
			units.Count(s.Run.Steps))
		if s.File != s.Path {
			line("file", "%s", shorten(s.File, 120))
		}
		last := model.Mapped(s.last(), func(x *scalars.Series) string { return shorten(lastName(x), 48) + " " + units.Short(x.Last()) })
		for part := range slices.Chunk(last, 4) {
			line("last", "%s", strings.Join(part, ", "))
		}
		if unknown := s.Run.UnknownText(); unknown != "" {
			line("unknown", "%s", shorten(unknown, maxUnknown))
		}
		for _, note := range s.Notes {
			line("note", "%s", shorten(note, 110))
		}
		line("advice", "%s", shorten(s.Advice, 240))
		shared.notCheckedText(&b, room, s.Whole)
		return b.Bytes()
	})
}
