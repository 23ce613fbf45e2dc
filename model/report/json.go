package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"time"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/figures"
	"vantage/model/match"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// JSON writes the run and its steps as one object, which the schema report@4 of the documentation describes. by_group is
// present for a row per group, in the order of the log; for one row for the run, steps is empty. The summary has sums of
// counts, and means of metrics over the complete steps. complete comes last.
//
// The schema's number changes when a key is removed or changes its meaning; keys may be added. Numbers that JSON lacks
// are the strings "NaN", "Infinity" and "-Infinity".
func JSON(w io.Writer, r *Report) (*Charts, error) {
	return r.write(w, pageFormat{head: jsonHead, step: jsonStep, groups: jsonGroups, foot: jsonFoot, between: ","})
}

func jsonHead(p *page) {
	p.printf("{\n")
	date := ""
	if !p.Head.Date.IsZero() {
		date = p.Head.Date.UTC().Format(time.RFC3339)
	}
	p.writeMembers(slices.Concat(object{
		{"schema", "vantage/report@4"},
		{"path", some(p.Head.Path)},
		{"date", some(date)},
		{"version", some(p.Head.Version)},
		{"run", p.runJSON()},
		{"settings", settingsJSON(p.Settings)},
	}, choiceJSON(p.Choice), diagnosisJSON(p.Diagnosis), object{{"per", p.Per}}))
	p.printf("  \"steps\": [")
}

func (p *page) writeMembers(members object) {
	for _, m := range members {
		if _, left := m.value.(absent); !left {
			p.printf("  %q: %s,\n", m.key, appendJSON(nil, m.value, jsonBreak[:3]))
		}
	}
}

func jsonStep(p *page, s *analysis.StepFigures) []byte { return jsonElement(p.stepJSON(s)) }

func jsonGroups(p *page, a *analysis.Analysis) []byte {
	groups := make([]object, len(a.Table))
	for i := range groups {
		groups[i] = p.groupJSON(figures.NewGroupOf(a, i))
	}
	return jsonElement(append(p.stepJSON(&a.StepFigures), member{"by_group", some(groups)}))
}

// jsonElement returns a step as an element of the array.
func jsonElement(s object) []byte {
	return appendJSON(append(make([]byte, 0, 4<<10), jsonBreak[:5]...), s, jsonBreak[:5])
}

func jsonFoot(p *page) {
	if p.Per != PerRun && p.rows > 0 {
		p.printf("\n  ")
	}
	p.printf("],\n")
	problems := model.Mapped(p.Snap.Run.Problems, func(one model.Problem) object {
		return object{{"file", one.File}, {"line", some(one.Line)}, {"reason", one.Reason}}
	})
	counted := object{
		{"steps", p.total.complete()},
		{"open_steps", append([]int64{}, p.total.Open...)},
		{"open_samples", p.total.openRows},
	}
	warnings := object{{"warnings", append([]warningSpan{}, p.total.warningSpans...)}}
	summary := slices.Concat(counted, p.figuresJSON(p.total.summary()), warnings)
	p.writeMembers(object{{"problems", problems}, {"summary", summary}})
	p.printf("  \"complete\": true\n}\n")
}

func (p *page) runJSON() object {
	snap, run := p.Snap, p.Snap.Run
	return object{
		{"format", run.Format},
		{"read", run.Provenance},
		{"grouping", p.Grouping.Evidence},
		{"grouping_doubt", some(p.Grouping.Doubt)},
		{"groups", p.groupingJSON()},
		{"steps", len(snap.Steps)},
		{"samples", snap.Rows},
		{"skipped_records", run.Skipped},
		{"rollouts", some(snap.RolloutEvidence(p.Settings))},
		{"lengths", run.LengthUnit.String()},
		{"last_write", some(p.lastWrite(time.UTC, time.RFC3339))},
		{"solved_at", solvedAt(p.rewardScales)},
		{"solved", snap.SolvedEvidence(p.rewardScales)},
		{"attempts", some(attemptsJSON(run.Attempts))},
		{"evaluation", some(evaluationJSON(run.Evaluation))},
		{"notes", append([]string{}, run.Notes...)},
		{"config", some(run.Config)},
	}
}

// groupingJSON is by what rows are grouped, and who decided it: with how many consecutive rows, if groups are divided,
// or if several runs were opened with how many of each folder.
func (p *page) groupingJSON() object {
	size, sizes := 0, map[string]int{}
	if p.Snap.RunCount() == 1 || p.Grouping.Size > 0 {
		size = p.Grouping.FullSize(0)
	} else {
		for run := range p.Snap.RunCount() {
			if n := p.Grouping.FullSize(run); n > 0 {
				sizes[p.Snap.RunName(run)] = n
			}
		}
	}
	return object{
		{"by", p.Grouping.By},
		{"origin", some(p.Choice.Groups)},
		{"rows_per_group", some(size)},
		{"rows_per_group_in_folder", some(sizes)},
	}
}

// attemptsJSON is which attempt of the run is shown, 0 if several runs differ in it, and what is left out for that; nil
// if the log has one attempt, of which nothing is left out.
func attemptsJSON(a model.RunAttempts) object {
	if a.Count < 2 && len(a.LeftOut)+len(a.Doubts) == 0 {
		return nil
	}
	all := model.Mapped(a.LeftOut, func(l model.LeftOut) object {
		one := object{{"attempt", l.Attempt}, {"run", some(l.Run)}, {"why", l.Cause.String()}}
		if l.Cause == model.Resumed {
			one = append(one, member{"resumed_at", l.Step})
		}
		one = append(one, object{
			{"files", l.Files},
			{"steps", l.Steps},
			{"samples", l.Samples},
			{"first_step", l.First},
			{"last_step", l.Last},
		}...)
		if !l.Start.IsZero() { // else rows are left out of a file
			one = append(one, object{
				{"first_write", l.Start.UTC().Format(time.RFC3339)},
				{"last_write", l.End.UTC().Format(time.RFC3339)},
			}...)
		}
		return one
	})
	return object{{"shown", a.Shown}, {"count", a.Count}, {"left_out", all}, {"doubts", some(a.Doubts)}}
}

// evaluationJSON is the rows that a trainer wrote into its log of training while it evaluated; nil if there are none.
// The lost steps of training were overwritten before they were read, the kept ones after that, and are counted.
func evaluationJSON(e *model.Evaluation) object {
	if e == nil {
		return nil
	}
	evidence := model.Mapped(e.Evidence, func(why model.EvaluationEvidence) object {
		return object{{"kind", why.Kind}, {"why", why.Why}, {"steps", why.Steps}, {"first_step", why.First}, {"file", why.File}}
	})
	return object{
		{"counted", e.Shown},
		{"steps", append([]int64{}, e.Steps...)},
		{"rows", e.Rows},
		{"lost_training_steps", append([]int64{}, e.Lost...)},
		{"kept_training_steps", append([]int64{}, e.Kept...)},
		{"evidence", evidence},
	}
}

func solvedAt(scales []model.RewardScale) any {
	for _, s := range scales {
		if !s.Known || s.Column != "" || math.IsInf(s.Solved, 0) || s.Solved != scales[0].Solved {
			return nil
		}
	}
	return scales[0].Solved
}

// optionsJSON are options by key, of which there may be none.
func optionsJSON(o estimators.Options) any { return some(maps.Collect(o.All())) }

func settingsJSON(s model.Settings) object {
	return object{
		{"framework", s.Framework},
		{"adv_estimator", s.Estimator},
		{"scale", s.Scale},
		{"options", optionsJSON(s.Options)}, // not at their default
		{"keep_pos_ratio", s.KeepPos},
		{"keep_neg_ratio", s.KeepNeg},
		{"compute_new_adv", s.Recompute},
		{"reward", some(s.Reward)},
		{"weights", some(s.Weights)},
		{"solved_at", some(s.SolvedAt)},
		{"truncated", some(s.Truncated)},
		{"overlong", some(s.Overlong)},
		{"group_filter", some(s.GroupFilter)},
		{"off_policy", some(s.OffPolicy)},
		{"loss", some(s.Loss)},
		{"stage_options", optionsJSON(s.StageOptions)}, // of these stages
	}
}

// choiceJSON is an estimator, who chose it and what the log says of it; and which columns are the reward, if that was chosen.
func choiceJSON(c match.Choice) object {
	estimator := object{
		{"origin", c.Origin},
		{"framework", c.Framework},
		{"estimator", c.Estimator},
		{"scale", c.Scale},
		{"options", optionsJSON(c.Options)},
		{"exact", c.Exact},
		{"near", c.Agreeing},
		{"compared", c.Compared},
	}
	if c.Origin == "" {
		estimator = nil
	}
	return object{{"estimator", some(estimator)}, {"reward", rewardJSON(c.Rewards)}}
}

func rewardJSON(r match.Rewards) any {
	if !r.IsChoice() {
		return absent{}
	}
	var weights map[string]float64
	names := r.Weights.Names()
	factors, _ := r.Weights.Factors(names)
	for k, name := range names {
		if weights == nil {
			weights = map[string]float64{}
		}
		weights[name] = factors[k]
	}
	return object{
		{"origin", r.Origin},
		{"formula", r.Formula},
		{"weights", weights},
		{"not_counted", append([]string{}, r.NotCounted...)},
		{"evidence", r.String()},
	}
}

func (p *page) figuresJSON(s *analysis.StepFigures) object {
	var o object
	for _, c := range p.counts {
		o = append(o, member{c.Name, c.Value(s)})
		if c.Name == "samples" {
			o = append(o, member{"rollouts", rolloutsJSON(s.Rollouts, s.Rows)})
		}
	}
	return append(o, object{
		{"flip_kinds", flipKindsJSON(&s.Flips)},
		{"fates", fatesOf(s.Fates)},
		{"statuses", statusesOf(s.Statuses)},
		{"metrics", s.Metrics},
	}...)
}

func flipKindsJSON(f *analysis.Flips) any {
	kinds := object{}
	for k, kind := range analysis.FlipKinds() {
		if f[k] > 0 {
			kinds = append(kinds, member{kind.Name, int(f[k])})
		}
	}
	return some(kinds.byKey())
}

func (o object) byKey() object {
	slices.SortFunc(o, func(a, b member) int { return cmp.Compare(a.key, b.key) })
	return o
}

// rolloutsJSON is the number of rollouts, unless each of the samples is one.
func rolloutsJSON(rollouts, samples int) any {
	if rollouts == samples {
		return absent{}
	}
	return rollouts
}

// fatesOf counts groups by the name of their fate, without fates that do not occur.
func fatesOf(counts [model.FateCount]int) object {
	fates := object{}
	for _, f := range model.Fates() {
		if counts[f] > 0 {
			fates = append(fates, member{f.Key(), counts[f]})
		}
	}
	return fates.byKey()
}

// statusesOf counts the samples of which the log says more than that they train, by status.
func statusesOf(counts model.StatusCounts) any {
	statuses := object{}
	for _, s := range model.Statuses() {
		if counts[s] > 0 {
			statuses = append(statuses, member{s.String(), counts[s]})
		}
	}
	return some(statuses.byKey())
}

func (p *page) stepJSON(s *analysis.StepFigures) object {
	warnings := model.Mapped(s.Warnings, func(w model.Warning) object {
		return object{
			{"kind", w.Kind},
			{"count", w.Count},
			{"of", w.Of},
			{"unit", w.Unit},
			{"text", w.Sentence()},
			{"advice", withoutKeys(w.Advice)},
			{"example", some(p.example(w))},
		}
	})
	return slices.Concat(object{{"step", s.Step}, {"open", some(s.Open)}}, p.figuresJSON(s), object{{"warnings", warnings}})
}

// groupJSON is a group of a step. What says nothing of most groups is left out of the others.
func (p *page) groupJSON(g figures.GroupOf) object {
	var o object
	for _, c := range p.groupKeys {
		value := any(c.Value(g))
		switch c.Name {
		case "rollouts":
			value = rolloutsJSON(g.Rollouts, g.Size())
		case "prompt":
			value = some(sanitize.Line(g.Preview))
		case "refused", "why_skipped":
			value = some(c.Value(g).Cell())
		}
		o = append(o, member{c.Name, value})
		if c.Name == "flips" {
			o = append(o, member{"flip_kinds", flipKindsJSON(&g.Flips)})
		}
	}
	return o
}

type example struct {
	Group  string `json:"group"`
	Prompt string `json:"prompt,omitempty"`
}

func (p *page) example(w model.Warning) *example {
	if w.Example < 0 {
		return nil
	}
	i, ok := p.Snap.Find(w.Step)
	if !ok {
		return &example{}
	}
	step := &p.Snap.Steps[i]
	order, offsets, err := p.Snap.Layout(p.Grouping.GroupRule, i)
	if err != nil || w.Example >= len(offsets)-1 {
		return &example{}
	}
	row := int(order[offsets[w.Example]])
	return &example{
		Group:  p.Snap.GroupName(p.Grouping.GroupRule, step, order, offsets, w.Example),
		Prompt: sanitize.Line(p.Snap.Preview(step, row)),
	}
}

// object is an object of JSON whose keys keep their order. A member that is [absent] is left out.
type object []member

type member struct {
	key   string
	value any
}

// absent is the value of a member that an object leaves out.
type absent struct{}

// some returns a value, which an object leaves out if it is the zero value of its type, or holds nothing.
func some(x any) any {
	v := reflect.ValueOf(x)
	isEmptyList := (v.Kind() == reflect.Map || v.Kind() == reflect.Slice) && v.Len() == 0
	if !v.IsValid() || v.IsZero() || isEmptyList {
		return absent{}
	}
	return x
}

// MarshalJSON writes the members.
func (o object) MarshalJSON() ([]byte, error) { return appendJSON(nil, o, ""), nil }

func (o object) line() []byte { return append(appendJSON(nil, o, ""), '\n') }

func (o object) writeIndented(w io.Writer) error {
	_, err := w.Write(append(appendJSON(nil, o, jsonBreak[:1]), '\n'))
	return err
}

// jsonBreak begins a line of JSON. A value in lines is written with as many of its spaces as its first line has; "" is for one line.
const jsonBreak = "\n                                                                "

// appendJSON appends a value as JSON. Figures and numbers may be what JSON lacks.
func appendJSON(out []byte, value any, line string) []byte {
	inner, colon := line, ":"
	if line != "" {
		inner, colon = jsonBreak[:len(line)+2], ": "
	}
	isFirst := true
	next := func() []byte {
		if !isFirst {
			out = append(out, ',')
		}
		isFirst = false
		return append(out, inner...)
	}
	end := func(bracket byte) []byte {
		if !isFirst {
			out = append(out, line...)
		}
		return append(out, bracket)
	}
	switch v := value.(type) {
	case figures.Number:
		return appendJSON(out, v.Cell(), line)
	case float64:
		return appendNumber(out, v+0, 64) // never -0, as of all that is computed over samples
	case string:
		return appendJSONText(out, v, false)
	case int:
		return strconv.AppendInt(out, int64(v), 10)
	case object:
		out = append(out, '{')
		for _, m := range v {
			if _, left := m.value.(absent); !left {
				out = appendJSON(append(appendJSONText(next(), m.key, false), colon...), m.value, inner)
			}
		}
		return end('}')
	case []analysis.Metric:
		return appendMetrics(out, v, line, inner, colon)
	case interface{ objects() []object }:
		return appendJSON(out, v.objects(), line)
	case []object:
		if v != nil {
			out = append(out, '[')
			for _, o := range v {
				out = appendJSON(next(), o, inner)
			}
			return end(']')
		}
	}
	return appendEncoded(out, value, line)
}

// appendMetrics is appendJSON of the metrics of a step, of which a report has millions.
func appendMetrics(out []byte, metrics []analysis.Metric, line, inner, colon string) []byte {
	out = append(out, '{')
	for i, m := range metrics {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendNumber(append(appendJSONText(append(out, inner...), m.Name, false), colon...), m.Value+0, 64)
	}
	if len(metrics) > 0 {
		out = append(out, line...)
	}
	return append(out, '}')
}

// appendEncoded is appendJSON of what the standard library encodes.
func appendEncoded(out []byte, value any, line string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // answers are full of <tags>
	if line != "" {
		enc.SetIndent(line[1:], "  ")
	}
	_ = enc.Encode(value) // our own types cannot fail
	return append(out, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}

// writeDocument writes an indented object of a schema, which ends with the sign that it is complete.
func writeDocument(w io.Writer, schema string, parts ...object) error {
	return slices.Concat(object{{"schema", schema}}, slices.Concat(parts...), object{{"complete", true}}).writeIndented(w)
}

// plainBytes are those that a string of JSON has as they are, without and with the escapes of HTML.
var plainBytes = func() (plain [2][256]bool) {
	for c := ' '; c <= '~'; c++ {
		plain[0][c] = c != '"' && c != '\\'
		plain[1][c] = plain[0][c] && c != '<' && c != '>' && c != '&'
	}
	return plain
}()

// appendJSONText appends a string; asHTML escapes what HTML would take for a tag or an entity.
func appendJSONText(line []byte, s string, asHTML bool) []byte {
	plain, isPlain := 0, &plainBytes[model.Count01(asHTML)]
	for plain < len(s) && isPlain[s[plain]] {
		plain++
	}
	if plain == len(s) { // most are
		return append(append(append(line, '"'), s...), '"')
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(asHTML)
	_ = enc.Encode(s) // a string cannot fail
	return append(line, bytes.TrimSuffix(text.Bytes(), []byte("\n"))...)
}

// appendNumber appends the shortest decimal that parses to x as a float of that many bits,
// or its name as a string where JSON has no such number.
func appendNumber(out []byte, x float64, bits int) []byte {
	switch {
	case math.IsNaN(x):
		return append(out, `"NaN"`...)
	case math.IsInf(x, 1):
		return append(out, `"Infinity"`...)
	case math.IsInf(x, -1):
		return append(out, `"-Infinity"`...)
	case x == 0 && math.Signbit(x):
		return append(out, "-0.0"...) // Python takes -0 for an integer, which has no sign
	}
	form := byte('f')
	if abs := math.Abs(x); x != 0 && abs < 1e-6 || abs >= 1e21 {
		form = 'e'
	}
	return strconv.AppendFloat(out, x, form, -1, bits)
}

// rounded is a number in JSON with six significant digits: export has every bit.
type rounded float64

// MarshalJSON writes what JSON lacks as in [JSON].
func (x rounded) MarshalJSON() ([]byte, error) {
	if f := float64(x); units.IsFinite(f) {
		x6, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'g', 6, 64), 64)
		x = rounded(x6)
	}
	return appendNumber(nil, float64(x)+0, 64), nil
}
