package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	rules "vantage/estimators/offpolicy"
	"vantage/model/offpolicy"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// OffPolicy is how far the samples of a log are from the policy that trains them, and what a rule does to them.
type OffPolicy struct {
	// Read visits the samples; those of a step come together.
	Read func(offpolicy.Visit) error

	offpolicy.Asked

	Per    string // "run": a summary; "step" or "sample": a line for each
	Tokens bool   // of each sample, with a rule: letters and weights of its tokens
	Rules  bool   // in a summary all rules, and sweeps of their bounds
}

func (o *OffPolicy) perSample() bool { return o.Per == "sample" }

// OffPolicyText writes a summary, or a line for each step or each sample.
func OffPolicyText(w io.Writer, o *OffPolicy) error {
	if o.Per == "run" {
		return o.writeSummary(w)
	}
	head := fmt.Sprintf("%6s %9s %9s %9s %9s %9s %9s %9s", "step", "rows", "tokens", "unscored", "mean |d|", "max |d|", "k3", "ESS")
	if o.perSample() {
		head = fmt.Sprintf("%6s %-24s %9s %9s %9s %9s %9s %9s %9s", "step", "sample", "tokens", "unscored", "mean |d|", "max |d|", "k3",
			"Σd", "lag")
	}
	if o.Rule != nil {
		head += fmt.Sprintf(" %9s", "kept")
	}
	return o.write(w, head+"\n", func(s *offPolicyStep) []byte {
		var b strings.Builder
		if !o.perSample() {
			fmt.Fprintf(&b, "%6d %9d %9d %9d %9s %9s %9s %9s", s.step, s.Rows, s.Tokens, s.Unscored,
				offpolicy.Nats(s.MeanAbs()), offpolicy.Nats(s.MaxAbs()), offpolicy.Nats(s.K3()), offpolicy.Share(s.EffectiveShare()))
			if o.Rule != nil {
				fmt.Fprintf(&b, " %9s", offpolicy.Share(float64(s.kept)/float64(s.judged)))
			}
			b.WriteByte('\n')
		}
		for i, x := range s.samples {
			if !o.perSample() {
				break
			}
			f := s.figures[i]
			name := cmp.Or(x.ID, x.File+":"+strconv.FormatInt(x.Line, 10))
			fmt.Fprintf(&b, "%6d %-24s %9d %9d %9s %9s %9s %9s %9s", s.step, firstRunes(sanitize.Line(name), 24), f.Tokens, f.Unscored,
				offpolicy.Nats(f.MeanAbs), offpolicy.Nats(f.MaxAbs), offpolicy.Nats(f.K3), offpolicy.Nats(f.LogSequenceRatio), lagText(x))
			if o.Rule != nil {
				fmt.Fprintf(&b, " %9s", s.keptOf(i))
			}
			b.WriteByte('\n')
		}
		return []byte(b.String())
	}, func(samples int, notes string) []byte {
		return fmt.Appendf(nil, "%scomplete: %s\n", notes, units.Plural(samples, "samples"))
	})
}

// OffPolicyJSONL writes an object in a line for each step, or each sample. A figure of no token is "NaN".
func OffPolicyJSONL(w io.Writer, o *OffPolicy) error {
	return o.write(w, "", func(s *offPolicyStep) (out []byte) {
		if !o.perSample() {
			line := object{
				{"step", s.step},
				{"rows", s.Rows},
				{"tokens", s.Tokens},
				{"unscored", s.Unscored},
				{"mean_abs", s.MeanAbs()},
				{"max_abs", s.MaxAbs()},
				{"k3", s.K3()},
				{"ess_share", s.EffectiveShare()},
			}
			if o.Rule != nil {
				line = append(line, member{"judged", s.judged}, member{"kept", s.kept})
			}
			return line.line()
		}
		for i := range s.samples {
			out = append(out, o.sampleJSON(s, i).line()...)
		}
		return out
	}, func(int, string) []byte { return nil })
}

func (o *OffPolicy) sampleJSON(s *offPolicyStep, i int) object {
	x, f := s.samples[i], s.figures[i]
	line := object{
		{"file", x.File},
		{"line", int(x.Line)},
		{"step", x.Step},
		{"id", some(x.ID)},
		{"group", some(x.Group)},
		{"tokens", f.Tokens},
		{"unscored", f.Unscored},
		{"mean_abs", f.MeanAbs},
		{"max_abs", f.MaxAbs},
		{"k1", f.K1},
		{"k3", f.K3},
		{"log_sequence_ratio", f.LogSequenceRatio},
		{"log_geometric_ratio", f.LogGeometricRatio},
		{"version_lag", lagJSON(x)},
		{"version_span", some(x.VersionSpan)},
	}
	if o.Rule == nil {
		return line
	}
	outcome := s.result.Rows[i]
	if outcome.Unscored {
		return append(line, member{"kept", nil})
	}
	line = append(line, member{"kept", outcome.Left})
	if o.Tokens {
		line = append(line, member{"kept_tokens", outcome.Letters()}, member{"weights", weightsJSON(outcome)})
	}
	return line
}

// weightsJSON are the weights of the tokens: null where the logged mask is 0, a text for what JSON lacks. Without weights each is 1.
func weightsJSON(o rules.Outcome) []any {
	all := make([]any, len(o.Kept))
	for i := range all {
		weight := float32(1)
		if o.Weights != nil {
			weight = o.Weights[i]
		}
		switch x := float64(weight); {
		case o.Kept[i] == rules.NotTrainable:
		case x != x:
			all[i] = "NaN"
		case math.IsInf(x, 1):
			all[i] = "Infinity"
		default:
			all[i] = shortest(weight)
		}
	}
	return all
}

// shortest is a float32 that is written as the shortest decimal that reads back the same.
func shortest(x float32) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(float64(x), 'g', -1, 32), 64)
	return y
}

// write reads the samples, and writes those of each step, below a head.
func (o *OffPolicy) write(w io.Writer, head string, lines func(*offPolicyStep) []byte, foot func(samples int, notes string) []byte) error {
	var step *offPolicyStep
	samples, notes, apart := 0, "", map[string]int{} // by what they lack
	flush := func() error {
		if step == nil {
			return nil
		}
		if err := step.judge(o); err != nil {
			return fmt.Errorf("step %d: %s/%s: %w", step.step, o.Rule.Framework, o.Rule.Name, err)
		}
		if step.result.Inexact != "" {
			notes = "note: " + step.result.Inexact + "\n"
		}
		_, err := w.Write(append([]byte(head), lines(step)...))
		head = ""
		return err
	}
	add := func(x offpolicy.Sample) error {
		samples++
		if lacks := x.Lacks(); lacks != "" {
			apart[lacks]++
		}
		if step == nil || step.step != x.Step {
			if err := flush(); err != nil {
				return err
			}
			step = &offPolicyStep{step: x.Step}
		}
		step.add(x)
		return nil
	}
	err := o.Read(func(x offpolicy.Sample) func(line int64) error {
		return func(line int64) error {
			x.Line = line
			return add(x)
		}
	})
	if err == nil {
		err = flush()
	}
	for _, lacks := range slices.Sorted(maps.Keys(apart)) {
		notes += "note: " + units.Plural(apart[lacks], "samples") + " cannot be compared: " + lacks + "\n"
	}
	if err == nil {
		_, err = w.Write(foot(samples, notes))
	}
	return err
}

// offPolicyStep is the samples of one step, and sums over them.
type offPolicyStep struct {
	step    int
	samples []offpolicy.Sample
	figures []rules.Figures
	result  rules.Result

	offpolicy.Tally
	judged, kept int // tokens that the rule could look at, and that still count after it
}

func (s *offPolicyStep) add(x offpolicy.Sample) {
	f := rules.FiguresOf(x.Row)
	s.samples, s.figures = append(s.samples, x), append(s.figures, f)
	s.Add(f)
}

// judge applies the rule to the step.
func (s *offPolicyStep) judge(o *OffPolicy) (err error) {
	s.Settle()
	if o.Rule == nil {
		return nil
	}
	batch := rules.Batch{Step: s.step}
	for _, x := range s.samples {
		batch.Rows = append(batch.Rows, x.Row)
	}
	s.result, err = o.Rule.Apply(batch, o.Values)
	for _, r := range s.result.Rows {
		s.kept += r.Left
		s.judged += r.Tokens
	}
	return err
}

func (s *offPolicyStep) keptOf(i int) string {
	if s.result.Rows[i].Unscored {
		return "—"
	}
	return strconv.Itoa(s.result.Rows[i].Left)
}

// lagJSON is by how many versions the first token is older than the weights that train, null if nobody knows.
func lagJSON(x offpolicy.Sample) any {
	if lag, found := x.Lag(); found {
		return lag
	}
	return nil
}

func lagText(x offpolicy.Sample) string {
	if lag, found := x.Lag(); found {
		return strconv.Itoa(lag)
	}
	return "—"
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}
