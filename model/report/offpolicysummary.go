package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"vantage/model"
	"vantage/model/offpolicy"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// maxCourse is how many lines the course of a summary has at most.
const maxCourse = 10

// study reads the log once.
func (o *OffPolicy) study() (*offpolicy.Study, error) {
	s := offpolicy.New(o.Asked, o.Rules)
	err := o.Read(s.Visit)
	s.Finish()
	return s, cmp.Or(err, s.Refused())
}

// writeSummary writes the course, the cause, the rule of the run and which rule would be best; with Rules all of them.
func (o *OffPolicy) writeSummary(w io.Writer) error {
	s, err := o.study()
	if err != nil {
		return err
	}
	var b strings.Builder
	t := &s.Total
	fmt.Fprintf(&b, "%s in %s, %s compared (d = trainer − sampler, in nats)\n\n", units.Plural(t.Rows, "samples"),
		units.Plural(len(s.Steps()), "steps"), units.Plural(t.Tokens, "tokens"))
	fmt.Fprintf(&b, "%11s %8s %9s %9s %9s %7s %7s %6s\n", "steps", "rows", "tokens", "mean |d|", "k3", "ESS", "top 1", "lag")
	for _, c := range s.Course(maxCourse) {
		fmt.Fprintf(&b, "%11s %8d %9d %9s %9s %7s %7s %6s\n", rangeText(c), c.Rows, c.Tokens, offpolicy.Nats(c.MeanAbs()),
			offpolicy.Nats(c.K3()),
			offpolicy.Share(c.EffectiveShare()), offpolicy.Share(c.Top), offpolicy.Nats(c.Lag()))
	}
	b.WriteByte('\n')
	cause, force := s.Cause(), s.InForce()
	writeFacts(&b, 9, fact("unscored", unscoredText(s)), fact("signs", signsText(s)), fact("cause", string(cause.Verdict)+": "+cause.Why),
		fact("rule", forceText(force)), fact("answer", s.Answer().Text))
	if o.Rules {
		writeRules(&b, s)
	}
	fmt.Fprintf(&b, "\ncomplete: %s\n", units.Plural(s.Samples, "samples"))
	_, err = io.WriteString(w, b.String())
	return err
}

func rangeText(c offpolicy.Span) string {
	if c.First == c.Last {
		return strconv.Itoa(c.First)
	}
	return strconv.Itoa(c.First) + "–" + strconv.Itoa(c.Last)
}

// unscoredText says what cannot be compared, and why.
func unscoredText(s *offpolicy.Study) string {
	t := &s.Total
	if t.Unscored == 0 && t.Rows == t.Compared {
		return ""
	}
	var parts, why []string
	if t.Unscored > 0 {
		parts = append(parts, units.Plural(t.Unscored, "tokens"))
	}
	if apart := t.Rows - t.Compared; apart > 0 {
		parts = append(parts, units.Plural(apart, "rows")+" without any that can be compared")
	}
	for _, lacks := range slices.Sorted(maps.Keys(s.Lacks)) {
		text := lacks
		if len(s.Lacks) > 1 {
			text = units.Plural(s.Lacks[lacks], "rows") + " with " + lacks
		}
		why = append(why, text)
	}
	if s.Gaps > 0 {
		why = append(why, "a side has no number for "+units.Plural(s.Gaps, "tokens")+" of the others")
	}
	return strings.Join(parts, ", and ") + ": " + strings.Join(why, ", ")
}

func signsText(s *offpolicy.Study) string {
	negative, positive := &s.Signs[0], &s.Signs[2]
	if negative.Tokens == 0 || positive.Tokens == 0 {
		return ""
	}
	return fmt.Sprintf("mean |d| is %s where A < 0 and %s where A > 0", offpolicy.Nats(negative.MeanAbs()),
		offpolicy.Nats(positive.MeanAbs()))
}

// forceText says what the rule of the run clips and drops.
func forceText(f offpolicy.InForce) string {
	t := f.Trial
	switch {
	case t == nil:
		return f.By
	case t.Reason() != "":
		return t.Label() + ", " + f.By + ": " + t.Reason()
	}
	text := fmt.Sprintf("%s, %s: clips %s, drops %s of %s and %s of %s", t.Label(), f.By, units.Plural(t.Clipped, "tokens"),
		units.Count(t.Tokens-t.TokensKept), units.Plural(t.Tokens, "tokens"), units.Count(t.Rows-t.RowsKept), units.Plural(t.Rows, "rows"))
	if t.Groups > 0 {
		text += fmt.Sprintf(", empties %s of %s", units.Count(t.Emptied), units.Plural(t.Groups, "groups"))
	}
	switch m := t.Mass(); {
	case m.All > 0:
		text += fmt.Sprintf(", keeps %s of Σ|A| as logged (A > 0: %s, A < 0: %s)", offpolicy.Share(m.Share()),
			offpolicy.Share(t.Positive.Share()), offpolicy.Share(t.Negative.Share()))
	case t.Advised > 0:
		text += "; every logged advantage is 0"
	default:
		text += "; no advantages in the log"
	}
	if t.Inexact {
		text += "; exact at the first update of a batch"
	}
	if t.Fails != "" {
		text += "; " + t.Fails
	}
	return text
}

// writeRules writes a table of all rules, and one of the bounds of those that have one.
func writeRules(b *strings.Builder, s *offpolicy.Study) {
	head := fmt.Sprintf("%9s %7s %7s %7s %7s %7s %7s", "tokens", "rows", "emptied", "Σ|A|", "A > 0", "A < 0", "ESS")
	line := func(name string, t *offpolicy.Trial, mark string) {
		if reason := t.Reason(); reason != "" {
			fmt.Fprintf(b, "%s %s\n", name, sanitize.Line(reason))
			return
		}
		emptied := "—"
		if t.Groups > 0 {
			emptied = strconv.Itoa(t.Emptied)
		}
		m := t.Mass()
		fmt.Fprintf(b, "%s %9s %7s %7s %7s %7s %7s %7s%s\n", name, offpolicy.Share(float64(t.TokensKept)/float64(t.Tokens)),
			offpolicy.Share(float64(t.RowsKept)/float64(t.Rows)),
			emptied, offpolicy.Share(m.Share()), offpolicy.Share(t.Positive.Share()), offpolicy.Share(t.Negative.Share()),
			offpolicy.Share(t.Effective()), mark)
	}
	fmt.Fprintf(b, "\nWhat each rule keeps at its trainer's bound: * off by default there,\n~ exact at the first update of a batch, ! "+
		"the trainer fails at a step\n%-40s %s\n", "rule", head)
	for _, t := range s.Trials {
		if t.Bound != "" {
			continue
		}
		mark := ""
		if t.Options != "" {
			mark += " *"
		}
		if t.Inexact {
			mark += " ~"
		}
		if t.Fails != "" {
			mark += " !"
		}
		line(fmt.Sprintf("%-40s", t.Name()), t, mark)
	}
	fmt.Fprintf(b, "\nThe same with other bounds: < is the trainer's\n%-40s %s\n", "rule, bound", head)
	name := ""
	for _, t := range s.Trials {
		if t.Bound == "" || t.Reason() != "" {
			continue
		}
		if t.Name() != name {
			name = t.Name()
			fmt.Fprintf(b, "%s, %s", name, t.Moves())
			if others := t.ElsewhereText(); others != "" {
				fmt.Fprintf(b, "; elsewhere %s", others)
			}
			b.WriteByte('\n')
		}
		mark := ""
		if t.IsUsual {
			mark = " <"
		}
		line(fmt.Sprintf("    %-36s", firstRunes(t.Bound, 36)), t, mark)
	}
}

// table is the course as a table, a row for each step; with Rules a row for each rule and bound.
func (o *OffPolicy) table(s *offpolicy.Study) Table {
	if o.Rules {
		return OffPolicyTrials(s)
	}
	t := Table{Title: "offpolicy", Columns: []string{
		"step", "rows", "compared", "tokens", "unscored", "mean_abs", "max_abs", "k1", "k3", "ess_share", "top_share", "lag",
	}}
	for _, c := range s.Steps() {
		t.Rows = append(t.Rows, []any{
			c.First, c.Rows, c.Compared, c.Tokens, c.Unscored, c.MeanAbs(), c.MaxAbs(), c.K1(), c.K3(), c.EffectiveShare(), c.Top, c.Lag(),
		})
	}
	return t
}

// OffPolicyTrials is a table with a row for each rule and bound.
func OffPolicyTrials(s *offpolicy.Study) Table {
	t := Table{Title: "rules", Columns: []string{
		"rule", "options", "bound", "usual", "reason", "exact", "rows", "rows_kept", "tokens", "tokens_kept", "clipped", "groups",
		"groups_emptied",
		"abs", "abs_kept", "abs_positive", "abs_positive_kept", "abs_negative", "abs_negative_kept", "ess_share",
		"elsewhere",
	}}
	for _, r := range s.Trials {
		m := r.Mass()
		t.Rows = append(t.Rows, []any{
			r.Name(), strings.Join(r.Options.List(), ", "), r.Bound, r.IsUsual || r.Bound == "", r.Reason(), !r.Inexact, r.Rows, r.RowsKept,
			r.Tokens,
			r.TokensKept, r.Clipped, r.Groups, r.Emptied, m.All, m.Kept, r.Positive.All, r.Positive.Kept, r.Negative.All, r.Negative.Kept,
			r.Effective(), r.ElsewhereText(),
		})
	}
	return t
}

// OffPolicyCSV writes the course, or with Rules all rules, as a table.
func OffPolicyCSV(w io.Writer, o *OffPolicy) error {
	s, err := o.study()
	if err != nil {
		return err
	}
	return TableCSV(w, o.table(s))
}

// OffPolicyJSON writes the object that the schema offpolicy@1 describes. A figure of no token is null.
func OffPolicyJSON(w io.Writer, o *OffPolicy) error {
	s, err := o.study()
	if err != nil {
		return err
	}
	cause, force, answer := s.Cause(), s.InForce(), s.Answer()
	lags := model.Mapped(s.Lags, func(l offpolicy.Lag) object { return append(object{{"lag", l.Versions}}, tallyJSON(&l.Tally)...) })
	own := object{{"said", force.By}}
	if force.Trial != nil {
		own = append(own, trialJSON(force.Trial)...)
	}
	chosen := object{{"verdict", answer.Verdict}, {"text", answer.Text}}
	if answer.Trial != nil {
		chosen = append(chosen, member{"rule", answer.Trial.Name()}, member{"bound", answer.Trial.Label()})
	}
	var tenths []object
	for i, p := range s.Tenths {
		tenths = append(tenths, object{{"from", float64(i) / 10}, {"tokens", p.Tokens}, {"mean_abs", orNull(p.MeanAbs())}})
	}
	return writeDocument(w, "vantage/offpolicy@1", object{
		{"samples", s.Samples},
		{"writer", some(s.Writer())},
		{"total", append(tallyJSON(&s.Total), member{"lag", orNull(s.Total.Lag())})},
		{"steps", model.Mapped(s.Steps(), func(c offpolicy.Span) object {
			return append(append(object{{"step", c.First}}, tallyJSON(&c.Tally)...), member{"lag", orNull(c.Lag())})
		})},
		{"lags", some(lags)},
		{"signs", object{{"negative", tallyJSON(&s.Signs[0])}, {"zero", tallyJSON(&s.Signs[1])}, {"positive", tallyJSON(&s.Signs[2])}}},
		{"probabilities", tenths},
		{"cause", object{
			{"verdict", string(cause.Verdict)},
			{"why", cause.Why},
			{"by_lag", cause.ByLag},
			{"engine", intervalJSON(cause.Engine)},
			{"staleness", intervalJSON(cause.Staleness)},
			{"staleness_share", orNull(cause.Share)},
		}},
		{"rule", own},
		{"rules", model.Mapped(s.Tried(), func(t offpolicy.Tried) object {
			return append(trialJSON(t.Trial), member{"sweep", some(model.Mapped(t.Sweep, boundJSON))},
				member{"elsewhere", some(model.Mapped(t.Elsewhere(t.Sweep), markJSON))})
		})},
		{"answer", chosen},
	})
}

func tallyJSON(t *offpolicy.Tally) object {
	return object{
		{"rows", t.Rows},
		{"compared", t.Compared},
		{"tokens", t.Tokens},
		{"unscored", t.Unscored},
		{"mean_abs", orNull(t.MeanAbs())},
		{"max_abs", orNull(t.MaxAbs())},
		{"k1", orNull(t.K1())},
		{"k3", orNull(t.K3())},
		{"ess_share", orNull(t.EffectiveShare())},
		{"top_share", orNull(t.Top)},
	}
}

func trialJSON(t *offpolicy.Trial) object {
	return append(object{{"rule", t.Name()}, {"options", some(t.Options.List())}}, keptJSON(t)...)
}

func boundJSON(t *offpolicy.Trial) object {
	return append(object{{"bound", t.Bound}, {"usual", t.IsUsual}}, keptJSON(t)...)
}

// markJSON is the bound of other trainers, and where it lies in the sweep.
func markJSON(m offpolicy.Mark) object {
	return object{{"bound", m.Bound}, {"frameworks", m.Frameworks}, {"at", orNull(m.At)}}
}

// keptJSON is what a rule keeps, or the reason why nobody knows.
func keptJSON(t *offpolicy.Trial) object {
	if reason := t.Reason(); reason != "" {
		return object{{"reason", reason}}
	}
	line := object{
		{"exact", !t.Inexact},
		{"rows", t.Rows},
		{"rows_kept", t.RowsKept},
		{"tokens", t.Tokens},
		{"tokens_kept", t.TokensKept},
		{"clipped", t.Clipped},
	}
	if t.Groups > 0 {
		line = append(line, member{"groups", t.Groups}, member{"groups_emptied", t.Emptied})
	}
	if m := t.Mass(); m.All > 0 {
		line = append(line, member{"abs", massJSON(m)}, member{"abs_positive", massJSON(t.Positive)},
			member{"abs_negative", massJSON(t.Negative)})
	}
	return append(line, member{"ess_share", orNull(t.Effective())}, member{"fails", some(t.Fails)})
}

func massJSON(m offpolicy.Mass) object {
	return object{{"all", orNull(m.All)}, {"kept", orNull(m.Kept)}}
}

func intervalJSON(i offpolicy.Interval) any {
	if i.Value != i.Value {
		return nil
	}
	return object{{"value", i.Value}, {"low", orNull(i.Low)}, {"high", orNull(i.High)}}
}

// orNull is a number, and null for one that is not finite.
func orNull(x float64) any {
	if !units.IsFinite(x) {
		return nil
	}
	return x
}
