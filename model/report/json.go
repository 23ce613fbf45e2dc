package report

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"math"
	"strconv"
	"time"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/choice"
	"vantage/model/sanitize"
)

// JSON writes the run and its steps as one object:
//
//	{"schema": "vantage/report@2", "path": "runs/a", "date": "2026-01-02T03:04:05Z", "version": "v1.2.3",
//	 "run": {…}, "settings": {…},
//	 "estimator": {"origin": "logged advantages", "framework": "trl", "estimator": "grpo", "scale": "group",
//	   "exact": 1800, "near": 1800, "compared": 1800},
//	 "reward": {"origin": "logged advantages", "formula": "accuracy + 0.3·format",
//	   "weights": {"accuracy": 1, "format": 0.3}, "not_counted": ["tokens"], "evidence": "…"}, "per": "step",
//	 "steps": [{"step": 1, "samples": 512, "groups": 32,
//	   "fates": {"alive": 24, …}, "metrics": {"critic/score/mean": 0.4, …},
//	   "warnings": [{"kind": "killed-groups", "count": 2, …}],
//	   "by_group": [{"group": "a3…", "fate": "alive", "samples": 16, "kept_pos": 5, "kept_zero": 0, "kept_neg": 3,
//	                 "nonzero": 8, "flips": 0, "reward_mean": 0.4, "reward_std": 0.5, "invalid": 0, "prompt": "…", "refused": true}, …]}, …],
//	 "problems": [{…}],
//	 "summary": {"steps": 3, "samples": 1536, "groups": 96, "fates": {…}, "metrics": {…},
//	   "warnings": [{"kind": "killed-groups", "first_step": 1, "steps": 2}]},
//	 "complete": true}
//
// path, date and version are those of [Head], each present unless it is empty.
//
// The origin of the estimator is "flag", "config", "logged advantages", "trainer" (of the log's
// format), "assumed" or "screen"; of the compared logged advantages so many are exact, in every bit,
// and near, which includes exact. compared is 0 if the log has none, or not what the estimator reads.
// reward is present if the log has a column for each reward function and no total: its origin may also
// be "trainer's record", which is trainer_state.json; weights is null for one column.
// attempts is present in run if the run was started again in the same folder or file: which attempt is
// shown, how many there are, and what was left out.
// Where rollouts have several rows, run.rollouts says how they are counted, and each step, group and the
// summary have their number beside samples. refused is present where the trainer's own code would raise an error for the group.
// by_group is present for a row per group, in the order of the log; for one row for the
// run, steps is empty. The summary has sums of counts, and means of metrics over the
// complete steps. complete comes last.
//
// Beside a number of flips that is not 0 stands flip_kinds, {"pos_to_neg": 198, "zero_to_neg": 100}: see [analysis.Flips].
//
// The schema's number changes when a key is removed or changes its meaning; keys may be
// added. Numbers that JSON lacks are the strings "NaN", "Infinity" and "-Infinity".
func JSON(w io.Writer, r *Report) (*Charts, error) {
	return r.write(w, pageFormat{head: jsonHead, step: jsonStep, groups: jsonGroups, foot: jsonFoot})
}

const reportSchema = "vantage/report@2"

func jsonHead(p *page) {
	p.printf("{\n")
	p.writeMember("schema", reportSchema)
	p.writeHead()
	p.writeMember("run", newRunJSON(p))
	p.writeMember("settings", newSettingsJSON(p.Settings))
	if c := newChoiceJSON(p.Choice); c != nil {
		p.writeMember("estimator", c)
	}
	if r := newRewardJSON(p.Choice.Rewards); r != nil {
		p.writeMember("reward", r)
	}
	p.writeMember("per", p.Per)
	p.printf("  \"steps\": [")
}

// writeMember writes a key and its value, followed by a comma.
func (p *page) writeMember(name string, value any) {
	p.printf("  %q: %s,\n", name, indented(value, "  "))
}

// writeJSON writes value as one indented object or array.
func writeJSON(w io.Writer, value any) error { return jsonEncoder(w, "").Encode(value) }

func jsonEncoder(w io.Writer, prefix string) *json.Encoder {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent(prefix, "  ")
	return enc
}

// indented returns value as lines of JSON; all but the first begin with prefix.
func indented(value any, prefix string) []byte {
	var b bytes.Buffer
	_ = jsonEncoder(&b, prefix).Encode(value) // our own types cannot fail
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func jsonStep(p *page, s *analysis.Summary) { p.writeElement(newStepJSON(p, s)) }

func jsonGroups(p *page, a *analysis.Analysis) {
	out := newStepJSON(p, &a.Summary)
	for i := range a.Table {
		out.ByGroup = append(out.ByGroup, newGroupJSON(a, i))
	}
	p.writeElement(out)
}

// writeElement appends a step to the open array.
func (p *page) writeElement(s stepJSON) {
	if p.jsonElements++; p.jsonElements > 1 {
		p.printf(",")
	}
	p.printf("\n    %s", indented(s, "    "))
}

func jsonFoot(p *page) {
	if p.jsonElements > 0 {
		p.printf("\n  ")
	}
	p.printf("],\n")
	problems := make([]problemJSON, len(p.Snap.Run.Problems))
	for i, one := range p.Snap.Run.Problems {
		problems[i] = problemJSON(one)
	}
	p.writeMember("problems", problems)
	p.writeMember("summary", newSummaryJSON(&p.total))
	p.printf("  \"complete\": true\n}\n")
}

type runJSON struct {
	Format   string `json:"format"`
	Read     string `json:"read"`
	Grouping string `json:"grouping"`
	Doubt    string `json:"grouping_doubt,omitempty"`

	Groups groupingJSON `json:"groups"`

	Steps    int    `json:"steps"`
	Samples  int    `json:"samples"`
	Skipped  int    `json:"skipped_records"`
	Rollouts string `json:"rollouts,omitempty"` // how those of several rows are counted
	Lengths  string `json:"lengths"`
	Written  string `json:"last_write,omitempty"` // in UTC

	SolvedAt *float64 `json:"solved_at"` // null if no reward is solved, or runs differ in it
	Solved   []string `json:"solved"`    // which rewards count as solved and why, a sentence per run

	Attempts   *attemptsJSON   `json:"attempts,omitempty"`
	Evaluation *evaluationJSON `json:"evaluation,omitempty"` // rows that the trainer wrote while it evaluated

	Notes  []string `json:"notes"` // what was left out or deduplicated, and why
	Config string   `json:"config,omitempty"`
}

// lastWrite returns when the newest file with samples was written; "" if the log is no file.
func (p *page) lastWrite(zone *time.Location, layout string) string {
	progress := p.Snap.Run.Progress
	if progress.LastWrite.IsZero() || progress.BytesAll == 0 {
		return ""
	}
	return progress.LastWrite.In(zone).Format(layout)
}

func newRunJSON(p *page) runJSON {
	snap := p.Snap
	return runJSON{
		SolvedAt: solvedAt(p.rewardScales), Solved: snap.SolvedEvidence(p.rewardScales),
		Attempts: newAttemptsJSON(snap.Run.Attempts), Evaluation: newEvaluationJSON(snap.Run.Evaluation),
		Format: snap.Run.Format, Read: snap.Run.Provenance,
		Grouping: p.Grouping.Evidence, Doubt: p.Grouping.Doubt, Groups: newGroupingJSON(p), Config: snap.Run.Config,
		Steps: len(snap.Steps), Samples: snap.Rows, Skipped: snap.Run.Skipped, Rollouts: snap.RolloutEvidence(p.Settings),
		Lengths: snap.Run.LengthUnit.String(), Written: p.lastWrite(time.UTC, time.RFC3339), Notes: append([]string{}, snap.Run.Notes...),
	}
}

// groupingJSON is by what rows are grouped, and who decided it.
type groupingJSON struct {
	By      model.GroupBy  `json:"by"`
	Origin  choice.Origin  `json:"origin,omitempty"`
	Size    int            `json:"rows_per_group,omitempty"`           // consecutive rows, if groups are divided
	SizesOf map[string]int `json:"rows_per_group_in_folder,omitempty"` // if several runs were opened
}

func newGroupingJSON(p *page) groupingJSON {
	g := groupingJSON{By: p.Grouping.By, Origin: p.Choice.Groups}
	if p.Snap.RunCount() == 1 || p.Grouping.Size > 0 {
		g.Size = p.Grouping.FullSize(0)
		return g
	}
	for run := range p.Snap.RunCount() {
		if n := p.Grouping.FullSize(run); n > 0 {
			if g.SizesOf == nil {
				g.SizesOf = map[string]int{}
			}
			g.SizesOf[p.Snap.RunName(run)] = n
		}
	}
	return g
}

// solvedAt returns the reward from which samples are solved, nil if there is not one for all runs.
func solvedAt(scales []model.RewardScale) *float64 {
	for _, s := range scales {
		if !s.Discrete || math.IsInf(s.Solved, 0) || s.Solved != scales[0].Solved {
			return nil
		}
	}
	return &scales[0].Solved
}

type settingsJSON struct {
	Framework string            `json:"framework"`
	Estimator string            `json:"adv_estimator"`
	Scale     string            `json:"scale"`
	Options   map[string]string `json:"options,omitempty"` // not at their default
	KeepPos   float64           `json:"keep_pos_ratio"`
	KeepNeg   float64           `json:"keep_neg_ratio"`
	Recompute bool              `json:"compute_new_adv"`
	Reward    string            `json:"reward,omitempty"`
	Weights   string            `json:"weights,omitempty"`
	SolvedAt  string            `json:"solved_at,omitempty"`

	Overlong    string `json:"overlong,omitempty"`
	GroupFilter string `json:"group_filter,omitempty"`
	Loss        string `json:"loss,omitempty"`

	StageOptions map[string]string `json:"stage_options,omitempty"` // of these three
}

// optionsMap returns options by key, nil without any.
func optionsMap(o estimators.Options) map[string]string {
	if o == "" {
		return nil
	}
	return maps.Collect(o.All())
}

func newSettingsJSON(s model.Settings) settingsJSON {
	return settingsJSON{
		Framework: s.Framework, Estimator: s.Estimator, Scale: string(s.Scale), Options: optionsMap(s.Options),
		KeepPos: s.KeepPos, KeepNeg: s.KeepNeg, Recompute: s.Recompute,
		Reward: s.Reward, Weights: string(s.Weights), SolvedAt: string(s.SolvedAt),
		Overlong: s.Overlong, GroupFilter: s.GroupFilter, Loss: s.Loss, StageOptions: optionsMap(s.StageOptions),
	}
}

// choiceJSON is an estimator, who chose it and what the log says of it.
type choiceJSON struct {
	Origin    choice.Origin     `json:"origin"`
	Framework string            `json:"framework"`
	Estimator string            `json:"estimator"`
	Scale     string            `json:"scale"`
	Options   map[string]string `json:"options,omitempty"`
	Exact     int               `json:"exact"`
	Near      int               `json:"near"`
	Compared  int               `json:"compared"`
}

func newChoiceJSON(c choice.Choice) *choiceJSON {
	if c.Origin == "" {
		return nil
	}
	return &choiceJSON{c.Origin, c.Framework, c.Estimator, string(c.Scale), optionsMap(c.Options), c.Exact, c.Agreeing, c.Compared}
}

// rewardJSON says which columns are the reward.
type rewardJSON struct {
	Origin     choice.Origin      `json:"origin"`
	Formula    string             `json:"formula"`
	Weights    map[string]float64 `json:"weights"`
	NotCounted []string           `json:"not_counted"`
	Evidence   string             `json:"evidence"`
}

func newRewardJSON(r choice.Rewards) *rewardJSON {
	if !r.IsChoice() {
		return nil
	}
	out := rewardJSON{Origin: r.Origin, Formula: r.Formula, NotCounted: append([]string{}, r.NotCounted...), Evidence: r.String()}
	names := r.Weights.Names()
	factors, _ := r.Weights.Factors(names)
	for k, name := range names {
		if out.Weights == nil {
			out.Weights = map[string]float64{}
		}
		out.Weights[name] = factors[k]
	}
	return &out
}

// figuresJSON are the counts and metrics of a step or a run.
type figuresJSON struct {
	Samples  int            `json:"samples"`
	Rollouts int            `json:"rollouts,omitempty"` // 0 if each sample is one
	Groups   int            `json:"groups"`
	Signal   int            `json:"signal_groups"`
	Kept     int            `json:"kept_samples"`
	Nonzero  int            `json:"nonzero_samples"` // whose advantage is not 0
	Flips    int            `json:"flips"`
	Kinds    map[string]int `json:"flip_kinds,omitempty"` // by the names of analysis.FlipKinds, only those that occur
	Fates    map[string]int `json:"fates"`
	Metrics  orderedMetrics `json:"metrics"`
}

func newFiguresJSON(s *analysis.Summary) figuresJSON {
	fates := map[string]int{}
	for _, f := range model.Fates() {
		if n := s.Fates[f]; n > 0 {
			fates[f.Key()] = n
		}
	}
	return figuresJSON{s.Rows, rolloutsJSON(s.Rollouts, s.Rows), s.Groups, s.Signal, s.Kept, s.Nonzero, s.Flips.Total(), newFlipKindsJSON(&s.Flips), fates, s.Metrics}
}

// newFlipKindsJSON returns the kinds of flips that occur, nil if there are none.
func newFlipKindsJSON(f *analysis.Flips) map[string]int {
	if f.Total() == 0 {
		return nil
	}
	kinds := map[string]int{}
	for k, kind := range analysis.FlipKinds() {
		if f[k] > 0 {
			kinds[kind.Name] = int(f[k])
		}
	}
	return kinds
}

// rolloutsJSON returns the number of rollouts, 0 if each of the samples is one.
func rolloutsJSON(rollouts, samples int) int {
	if rollouts == samples {
		return 0
	}
	return rollouts
}

type stepJSON struct {
	Step int64 `json:"step"`
	Open bool  `json:"open,omitempty"`
	figuresJSON
	Warnings []warningJSON `json:"warnings"`
	ByGroup  []groupJSON   `json:"by_group,omitempty"`
}

func newStepJSON(p *page, s *analysis.Summary) stepJSON {
	out := stepJSON{Step: s.Step, Open: s.Open, figuresJSON: newFiguresJSON(s), Warnings: make([]warningJSON, len(s.Warnings))}
	for i, w := range s.Warnings {
		out.Warnings[i] = warningJSON{
			Kind: string(w.Kind), Count: w.Count, Of: w.Of, Unit: w.Unit,
			Text: w.Sentence(), Advice: withoutKeys(w.Advice), Example: p.example(w),
		}
	}
	return out
}

type groupJSON struct {
	Group    string          `json:"group"`
	Fate     string          `json:"fate"`
	Samples  int             `json:"samples"`
	Rollouts int             `json:"rollouts,omitempty"` // 0 if each sample is one
	KeptPos  int             `json:"kept_pos"`
	KeptZero int             `json:"kept_zero"`
	KeptNeg  int             `json:"kept_neg"`
	Nonzero  int             `json:"nonzero"` // samples whose advantage is not 0
	Flips    int             `json:"flips"`
	Kinds    map[string]int  `json:"flip_kinds,omitempty"`
	Mean     json.RawMessage `json:"reward_mean"`
	Std      json.RawMessage `json:"reward_std"`
	Invalid  int             `json:"invalid"`
	Prompt   string          `json:"prompt,omitempty"`
	Refused  bool            `json:"refused,omitempty"` // the trainer's own code would raise
	Admitted bool            `json:"admitted"`          // by the group filter; true without one
	Skipped  string          `json:"why_skipped,omitempty"`
}

func newGroupJSON(a *analysis.Analysis, i int) groupJSON {
	g := &a.Table[i]
	return groupJSON{
		Group: g.Name, Fate: g.Fate.Key(), Samples: g.Size(), Rollouts: rolloutsJSON(g.Rollouts, g.Size()), KeptPos: int(g.KeptPos), KeptZero: int(g.KeptZero), KeptNeg: int(g.KeptNeg),
		Nonzero: int(g.Nonzero), Flips: g.Flips.Total(), Kinds: newFlipKindsJSON(&g.Flips),
		Mean: appendNumber(nil, g.RewardMean, 64), Std: appendNumber(nil, g.RewardStd, 64), Invalid: g.Invalid, Prompt: sanitize.Line(g.Preview), Refused: a.Refused(i),
		Admitted: g.Admitted, Skipped: a.WhySkipped(i),
	}
}

type summaryJSON struct {
	Steps int `json:"steps"`
	figuresJSON
	Warnings []warningSpan `json:"warnings"`
}

func newSummaryJSON(t *runTotal) summaryJSON {
	return summaryJSON{t.Steps, newFiguresJSON(t.summary()), append([]warningSpan{}, t.warningSpans...)}
}

type warningJSON struct {
	Kind    string       `json:"kind"`
	Count   int          `json:"count"`
	Of      int          `json:"of"`
	Unit    string       `json:"unit"`
	Text    string       `json:"text"`
	Advice  string       `json:"advice"`
	Example *exampleJSON `json:"example,omitempty"`
}

type exampleJSON struct {
	Group  string `json:"group"`
	Prompt string `json:"prompt,omitempty"`
}

func (p *page) example(w model.Warning) *exampleJSON {
	if w.Example < 0 {
		return nil
	}
	i, ok := p.Snap.Find(w.Step)
	if !ok {
		return &exampleJSON{}
	}
	step := p.Snap.Steps[i]
	order, offsets, err := p.Snap.Layout(p.Grouping.GroupRule, i)
	if err != nil || w.Example >= len(offsets)-1 {
		return &exampleJSON{}
	}
	row := int(order[offsets[w.Example]])
	return &exampleJSON{Group: p.Snap.GroupName(p.Grouping.GroupRule, step, order, offsets, w.Example), Prompt: sanitize.Line(p.Snap.Preview(step, row))}
}

type problemJSON struct {
	File   string `json:"file"`
	Line   int64  `json:"line,omitempty"`
	Reason string `json:"reason"`
}

// orderedMetrics is encoded as an object in the order of the slice.
type orderedMetrics []analysis.Metric

// MarshalJSON writes {"name": value, …}.
func (f orderedMetrics) MarshalJSON() ([]byte, error) {
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
	case x == 0:
		return append(out, '0') // never -0
	}
	form := byte('f')
	if abs := math.Abs(x); abs < 1e-6 || abs >= 1e21 {
		form = 'e'
	}
	return strconv.AppendFloat(out, x, form, -1, bits)
}
