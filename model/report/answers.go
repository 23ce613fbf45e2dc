package report

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/diagnosis"
	"vantage/model/figures"
	"vantage/model/glance"
	"vantage/model/match"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// MaxAnswer is the most bytes that a short answer takes, unless more is asked for: a program that reads it,
// such as a coding agent, pays for each of them.
const MaxAnswer = 2048

// Answer is what every short answer says of the run that it is about.
type Answer struct {
	Path   string
	Snap   model.Snapshot
	Choice match.Choice // the estimator with which everything is computed, and who chose it
	Now    time.Time
}

// document returns an answer as a line of JSON: what every answer begins with, its members, and that it is complete.
func (a *Answer) document(schema string, members ...member) []byte {
	head := object{{"schema", schema}, {"path", shorten(a.Path, 120)}, {"computed_as", a.computedAs(200)}}
	return slices.Concat(head, members, object{{"complete", true}}).line()
}

// computedAs says by whose arithmetic, in at most n bytes.
func (a *Answer) computedAs(n int) string { return shorten(a.Choice.WithScale(), n) }

// freshness says whether the log grows, and when it was last written, in UTC; "" for a log that is no file.
func (a *Answer) freshness() (state, lastWrite string) {
	p := a.Snap.Run.Progress
	if p.LastWrite.IsZero() || p.BytesAll == 0 {
		return "unknown", ""
	}
	state, _ = p.FreshnessText(a.Now)
	return state, p.LastWrite.UTC().Format(time.RFC3339)
}

// rowTime is the time that the newest row gives itself, "" if it gives none.
func (a *Answer) rowTime() string {
	if at := a.Snap.Run.Progress.RowTime; !at.IsZero() {
		return at.UTC().Format(time.RFC3339)
	}
	return ""
}

// writeFitting writes the answer with as many entries of its list as fit into [MaxAnswer] bytes, at most n.
// With none, or if all n were asked for, it is written whatever it takes.
func writeFitting(w io.Writer, n int, all bool, draw func(entries int) []byte) error {
	text := draw(n)
	for !all && n > 0 && len(text) > MaxAnswer {
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

// known returns x with six digits, nil for NaN.
func known(x float64) any {
	if math.IsNaN(x) {
		return nil
	}
	return rounded(x)
}

func answerFigures() []figures.Column[*analysis.StepFigures] {
	return figures.Select(figures.Steps(), "step", "samples", "nonzero_samples", "groups", "signal_groups", "reward_mean", "length_mean")
}

func stepObject(s *analysis.StepFigures) object {
	var row object
	for _, c := range answerFigures() {
		cell := c.Value(s).Cell()
		if x, ok := cell.(float64); ok {
			cell = known(x)
		}
		row = append(row, member{c.Name, cell})
	}
	return append(row, member{"fates", fatesOf(s.Fates)})
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

// Summary is a run at a glance in a short answer.
type Summary struct {
	Answer
	Glance    *glance.Glance
	Trend     *analysis.Trend // all steps
	Diagnosis *diagnosis.Diagnosis
	Examples  []string // names of a group without signal of each of the first of Glance.Spans; "" if there is none
}

// MaxWorst is how many of the worst steps a summary has.
const MaxWorst = 5

// summaryPart is something that a summary has if there is room for it, with the index of what it is of.
type summaryPart struct {
	kind partKind
	of   int
}

type partKind int

const (
	partTitle    partKind = iota // of a finding
	partEvidence                 // one piece of a finding
	partAdvice
	partExample
	partCost
	partFollows // titles of what follows from a finding: no summary has room for them
	partBlind   // why kinds were not checked, in one line
	partSum     // what the reward is made of
	partWorst   // one of the worst steps
	partNote
	partWarning
)

// parts returns what the summary has beside its figures and the kinds of its findings, the most telling first.
func (s *Summary) parts() []summaryPart {
	var all []summaryPart
	add := func(kind partKind, from, to int) {
		for i := from; i < to; i++ {
			all = append(all, summaryPart{kind, i})
		}
	}
	spans := min(MaxWorst, len(s.Glance.Spans))
	first := min(1, len(s.notes()))
	unread := model.Count01(len(s.Snap.Run.Problems) > 0) // is the first note: all else is said without those rows
	add(partNote, 0, unread)
	for i := range s.Diagnosis.Findings {
		for kind := partTitle; kind <= partCost; kind++ {
			add(kind, i, i+1)
		}
		if i == 0 {
			add(partWorst, 0, min(1, spans))
			add(partNote, unread, first)
		}
	}
	add(partBlind, 0, model.Count01(len(s.Diagnosis.Blind) > 0))
	add(partSum, 0, model.Count01(s.Diagnosis.Sum != nil))
	add(partNote, max(unread, min(1, len(s.Diagnosis.Findings))), len(s.notes()))
	for i := range s.Diagnosis.Findings {
		for range len(s.Diagnosis.Findings[i].Evidence) - 1 {
			add(partEvidence, i, i+1)
		}
	}
	add(partWarning, 0, len(s.warnings()))
	add(partWorst, min(1, len(s.Diagnosis.Findings)), spans)
	return all
}

// summaryRoom is the parts that a summary has room for.
type summaryRoom []summaryPart

func (r summaryRoom) count(kind partKind) (n int) {
	for _, p := range r {
		if p.kind == kind {
			n++
		}
	}
	return n
}

func (r summaryRoom) ofFinding(finding int, kind partKind) (n int) {
	for _, p := range r {
		if p.of == finding && p.kind == kind {
			n++
		}
	}
	return n
}

// moreEvidence returns how many pieces of evidence are left out.
func (s *Summary) moreEvidence(room summaryRoom) (n int) {
	for i := range s.Diagnosis.Findings {
		n += max(0, len(s.Diagnosis.Findings[i].Evidence)-room.ofFinding(i, partEvidence))
	}
	return n
}

func (s *Summary) write(w io.Writer, draw func(summaryRoom) []byte) error {
	parts := s.parts()
	return writeFitting(w, len(parts), false, func(n int) []byte { return draw(parts[:n]) })
}

// SummaryJSON writes one line of JSON, of at most [MaxAnswer] bytes: see the schema summary@3. The findings come first, with kind,
// severity and steps of all, and as much of the rest as there is room for; more_evidence and more_worst say how much is left out
// for the length. reward says which columns are the reward, if the log has several. The origin is as in [JSON]; freshness
// is "live", "idle 14 min", "ended" or, for what is no file, "unknown". Steps that are open count in none of the sums.
func SummaryJSON(w io.Writer, s *Summary) error {
	return s.write(w, func(room summaryRoom) []byte {
		g, d := s.Glance, s.Diagnosis
		state, written := s.freshness()
		first, last := s.span()
		worst := []object{}
		worstShown := room.count(partWorst)
		for i := range g.Spans[:worstShown] {
			span := &g.Spans[i]
			worst = append(worst, object{
				{"from", span.From},
				{"to", span.To},
				{"cause", shorten(span.Cause(), 140)},
				{"groups", span.Groups},
				{"signal_groups", span.Signal},
				{"group", some(s.example(i))},
			})
		}
		warnings := model.Mapped(s.warnings()[:room.count(partWarning)], func(x warningSpan) object {
			return object{{"kind", x.Kind}, {"steps", x.Steps}, {"first_step", x.First}}
		})
		return s.document("vantage/summary@3", append(healthJSON(d), object{
			{"findings", findingsJSON(d, room.ofFinding)},
			{"more_evidence", some(s.moreEvidence(room))},
			{"advice", s.advice()},
			{"origin", s.Choice.Origin},
			{"reward", some(s.reward())},
			{"reward_sum", s.sumJSON(room)},
			{"format", s.Snap.Run.Format},
			{"freshness", state},
			{"last_write", some(written)},
			{"last_row", some(s.rowTime())},
			{"steps", g.Steps - len(g.Open)},
			{"first_step", first},
			{"last_step", last},
			{"all_steps", some(s.allSteps())},
			{"open_steps", append([]int64{}, g.Open...)},
			{"samples", g.Rows},
			{"nonzero_samples", g.Nonzero},
			{"residue_samples", some(g.Residue)},
			{"statuses", statusesOf(g.Statuses)},
			{"evaluation", some(s.Snap.Run.Evaluates())},
			{"groups", g.Groups},
			{"signal_groups", g.Signal},
			{"fates", fatesOf(g.Fates)},
			{"reward_mean", known(g.Reward())},
			{"invalid_rewards", some(g.InvalidRewards)},
			{"length_mean", known(g.Length())},
			{"notes", s.notes()[:room.count(partNote)]},
			{"worst", worst},
			{"more_worst", some(len(g.Spans) - worstShown)},
			{"unread_steps", some(g.Unread())},
			{"warnings", warnings},
			{"not_checked", some(s.notChecked(room, false))},
		}...)...)
	})
}

// example returns the name of a group without signal of one of the worst steps, for why and show; "" if there is none.
func (s *Summary) example(i int) string {
	if i >= len(s.Examples) {
		return ""
	}
	return shorten(s.Examples[i], 64)
}

func (s *Summary) span() (first, last int64) {
	if n := len(s.Trend.Steps); n > 0 {
		return s.Trend.Steps[0].Step, s.Trend.Steps[n-1].Step
	}
	return 0, 0
}

// allSteps is how many steps the log has, 0 if the summary is of all of them.
func (s *Summary) allSteps() int {
	if all := len(s.Snap.Steps); all > len(s.Trend.Steps) {
		return all
	}
	return 0
}

func (s *Summary) advice() string { return shorten(withoutKeys(s.Glance.Advice(s.Diagnosis)), 240) }

func (s *Summary) reward() string { return shorten(s.Choice.Rewards.String(), 120) }

func (s *Summary) notes() []string {
	run := s.Snap.Run
	var notes []string
	if n := len(run.Problems); n > 0 {
		notes = append(notes, fmt.Sprintf("%s could not be read, first %s", units.Plural(max(n, run.Skipped), "records"), run.Problems[0]))
	}
	if run.Config != "" {
		notes = append(notes, run.Config)
	}
	for _, note := range run.Notes {
		notes = append(notes, "left out: "+note)
	}
	if text := s.Glance.UnreadText(); text != "" {
		notes = append(notes, text)
	}
	out := model.Mapped(notes[:min(3, len(notes))], func(note string) string { return shorten(note, 110) })
	if more := len(notes) - len(out); more > 0 {
		out = append(out, fmt.Sprintf("%d more: vantage report", more))
	}
	return out
}

const maxWarnings = 4

func (s *Summary) warnings() (all warningSpans) {
	for i := range s.Trend.Steps {
		all.add(&s.Trend.Steps[i])
	}
	return all[:min(maxWarnings, len(all))]
}

// SummaryText writes the same in lines, of at most [MaxAnswer] bytes together.
func SummaryText(w io.Writer, s *Summary) error { return s.write(w, s.text) }

func (s *Summary) text(room summaryRoom) []byte {
	var b bytes.Buffer
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-8s  %s\n", name, fmt.Sprintf(format, args...))
	}
	s.findingsText(line, room)
	s.trainsText(line)
	s.worstText(line, room)
	line("advice", "%s", s.advice())
	s.logText(line, room)
	s.notCheckedText(&b, room, false)
	return b.Bytes()
}

// writeLine writes a line of an answer: what it is about, and what is said.
type writeLine func(name, format string, args ...any)

// trainsText says what trains.
func (s *Summary) trainsText(line writeLine) {
	g := s.Glance
	line("samples", "%s", g.SamplesText())
	line("groups", "%s carry signal; %s", units.Fraction(g.Signal, g.Groups), fatesLine(g.Fates))
	if g.Harsh != "" {
		line("filter", "%s of what there is without it", g.Harsh)
	}
	invalid, length := figures.InvalidText(g.InvalidRewards, g.InvalidCount), ""
	if invalid != "" {
		invalid = ", " + invalid
	}
	if x := g.Length(); !math.IsNaN(x) {
		length = fmt.Sprintf(", length %s %s", units.Short(x), s.Snap.Run.LengthUnit)
	}
	line("means", "reward %s%s%s", meanText(g.Reward()), invalid, length)
}

// worstText says which steps are worst, and what warns of steps.
func (s *Summary) worstText(line writeLine, room summaryRoom) {
	n := room.count(partWorst)
	for i := range s.Glance.Spans[:n] {
		x := &s.Glance.Spans[i]
		cause := shorten(x.Cause(), 140)
		if example := s.example(i); example != "" {
			cause += "; such as group " + example
		}
		line("worst", "%s: %s", x.Steps(), cause)
	}
	if more := len(s.Glance.Spans) - n; more > 0 {
		line("", "%d more that are less bad", more)
	}
	var kinds []string
	for _, x := range s.warnings()[:room.count(partWarning)] {
		kinds = append(kinds, fmt.Sprintf("%s (%s, first %d)", x.Kind, units.Plural(x.Steps, "steps"), x.First))
	}
	if len(kinds) > 0 {
		line("warnings", "%s", strings.Join(kinds, ", "))
	}
}

// logText says which log it is, whether it grows, and by whose arithmetic it was computed.
func (s *Summary) logText(line writeLine, room summaryRoom) {
	g := s.Glance
	first, last := s.span()
	steps := units.Count(g.Steps - len(g.Open))
	if all := s.allSteps(); all > 0 {
		steps += " of " + units.Count(all)
	}
	line("run", "%s: %s, steps %d to %d (%s), %s", shorten(s.Path, 120), s.Snap.Run.Format, first, last, steps,
		units.Plural(g.Rows, "samples"))
	for _, open := range g.Open {
		line("open", "step %d is still being written and is not counted", open)
	}
	if state, written := s.freshness(); written != "" {
		if p := s.Snap.Run.Progress; p.Copied() {
			state += ", rows dated " + p.RowTime.UTC().Format(time.RFC3339)
		}
		line("fresh", "%s, last written %s", state, written)
	}
	line("numbers", "%s", s.computedAs(200))
	if set := s.Trend.Settings; set.OffPolicy != "" {
		line("rule", "%s %s", set.OffPolicy, shorten(set.RuleKey().Options.String(), 200))
	}
	if r := s.reward(); r != "" {
		line("columns", "reward %s", r)
	}
	for _, note := range s.notes()[:room.count(partNote)] {
		line("note", "%s", note)
	}
}

func (s *Summary) findingsText(line writeLine, room summaryRoom) {
	for _, f := range findingFacts(s.Diagnosis, room.ofFinding) {
		line(f.Label, "%s", sanitize.Line(f.Text))
	}
	if more := s.moreEvidence(room); more > 0 {
		line("", "%d more pieces of evidence: vantage report", more)
	}
}

// sumJSON is what the reward is made of, if there is room for it.
func (s *Summary) sumJSON(room summaryRoom) any {
	if room.count(partSum) == 0 {
		return absent{}
	}
	return rewardSumJSON(s.Diagnosis.Sum)
}

// notChecked is one line on the kinds that could not be looked for, cut unless it is to be whole, and only how many where there is no room.
func (s *Summary) notChecked(room summaryRoom, whole bool) string {
	text := sanitize.Line(s.Diagnosis.NotChecked())
	switch {
	case whole || text == "":
		return text
	case room.count(partBlind) == 0:
		looked, kinds := s.Diagnosis.Looked()
		parts := []string{fmt.Sprintf("%d of %d kinds: vantage report", kinds-looked, kinds)}
		if unread := s.Diagnosis.Answers.Unread(); unread != "" {
			parts = slices.Insert(parts, 0, unread)
		}
		return "not checked: " + strings.Join(parts, "; ")
	}
	return shorten(text, maxNotChecked)
}

// notCheckedText writes that line, the last of an answer.
func (s *Summary) notCheckedText(b *bytes.Buffer, room summaryRoom, whole bool) {
	if text := s.notChecked(room, whole); text != "" {
		fmt.Fprintln(b, text)
	}
}

func meanText(x float64) string {
	if math.IsNaN(x) {
		return units.Missing
	}
	return units.Short(x)
}

// Steps is some steps of a run in a short answer.
type Steps struct {
	Answer
	Steps    []analysis.StepFigures // ascending
	Explicit bool                   // so many were asked for: none is left out so that the answer fits into [MaxAnswer]
}

// StepsJSON writes one line of JSON, of at most [MaxAnswer] bytes unless more steps were asked for: see the schema steps@1.
// A mean that is not known is null. left_out is how many of the older steps are left out for the length.
func StepsJSON(w io.Writer, s *Steps) error {
	return writeFitting(w, len(s.Steps), s.Explicit, func(n int) []byte {
		rows, open := [][]any{}, []int64{}
		for i := len(s.Steps) - n; i < len(s.Steps); i++ {
			if s.Steps[i].Open {
				open = append(open, s.Steps[i].Step)
			}
			row := model.Mapped(stepObject(&s.Steps[i]), func(m member) any { return m.value })
			rows = append(rows, row)
		}
		columns := append(anyNames(answerFigures()), "fates")
		return s.document("vantage/steps@1", object{
			{"columns", columns},
			{"rows", rows},
			{"open_steps", open},
			{"left_out", some(len(s.Steps) - n)},
		}...)
	})
}

// StepsText writes the same as a table.
func StepsText(w io.Writer, s *Steps) error {
	return writeFitting(w, len(s.Steps), s.Explicit, func(n int) []byte {
		var b bytes.Buffer
		fmt.Fprintf(&b, "computed as %s\n", s.computedAs(240))
		if more := len(s.Steps) - n; more > 0 {
			fmt.Fprintf(&b, "%s before these are left out: give --last\n", units.Plural(more, "steps"))
		}
		fmt.Fprintf(&b, "%7s %12s %10s %8s %8s  %s\n", "step", "train", "signal", "reward", "length", "groups")
		for i := len(s.Steps) - n; i < len(s.Steps); i++ {
			b.WriteString(stepLine(&s.Steps[i]))
		}
		return b.Bytes()
	})
}

func stepLine(s *analysis.StepFigures) string {
	signal, open := fmt.Sprintf("%d/%d", s.Signal, s.Groups), ""
	reward, counted := figures.Reward(s)
	if s.InvalidRewards > 0 && units.IsFinite(reward) {
		open = "; rewards " + figures.InvalidText(s.InvalidRewards, counted)
	}
	if s.Open {
		signal, open = units.Missing, open+" (still being written)"
	}
	return fmt.Sprintf("%7d %12s %10s %8s %8s  %s%s\n", s.Step, fmt.Sprintf("%d/%d", s.Nonzero, s.Rows), signal,
		meanText(reward), meanText(s.Metric("response_length/mean")), fatesLine(s.Fates), open)
}

// TailLine is a step that is complete, what begins to ail the run, or the end of a tail.
type TailLine struct {
	Step   *analysis.StepFigures // nil in the other lines
	Choice match.Choice

	Finding *diagnosis.Finding // nil in the other lines
	At      int64              // the newest complete step when it was found

	End        string        // "idle", "interrupted" or "input ended"
	Quiet      time.Duration // for which no row came, if End is "idle"
	Steps      int           // lines before the end
	Unfinished *int64        // the newest step, if it may still be written
}

// TailJSON writes a line for a complete step, with the keys of [StepsJSON] and the kinds of its warnings, one for a finding with all
// of it, and one for the end: see the schema tail@3.
func TailJSON(w io.Writer, l TailLine) error {
	line := object{{"schema", "vantage/tail@3"}}
	switch {
	case l.Finding != nil:
		found := findingsJSON(&diagnosis.Diagnosis{Findings: []diagnosis.Finding{*l.Finding}}, wholeFinding)
		line = append(line, object{{"at_step", l.At}, {"finding", found[0]}}...)
	case l.Step == nil:
		line = append(line, object{
			{"end", l.End},
			{"quiet_seconds", some(l.Quiet.Seconds())},
			{"steps", l.Steps},
			{"unfinished_step", some(l.Unfinished)},
		}...)
	default:
		kinds := []model.WarningKind{} // each once
		for i := range l.Step.Warnings {
			if k := l.Step.Warnings[i].Kind; !slices.Contains(kinds, k) {
				kinds = append(kinds, k)
			}
		}
		computedAs := object{{"computed_as", shorten(l.Choice.WithScale(), 200)}}
		line = slices.Concat(line, computedAs, stepObject(l.Step), object{{"warnings", kinds}})
	}
	_, err := w.Write(line.line())
	return err
}

// TailText writes the same as rows of the table of [StepsText], of a finding its title.
func TailText(w io.Writer, l TailLine) error {
	if f := l.Finding; f != nil {
		_, err := fmt.Fprintf(w, "%7d  %s: %s %s: %s\n", l.At, f.Severity, f.Kind.Words(), f.When(), shorten(f.Title, maxTitle))
		return err
	}
	if l.Step != nil {
		_, err := io.WriteString(w, stepLine(l.Step))
		return err
	}
	text := "end: " + l.End
	if l.Quiet > 0 {
		text += ", no row for " + units.ApproxDuration(l.Quiet)
	}
	if l.Unfinished != nil {
		text += fmt.Sprintf("; step %d may be unfinished", *l.Unfinished)
	}
	_, err := fmt.Fprintf(w, "%s; %s\n", text, units.Plural(l.Steps, "steps"))
	return err
}
