// Package diagnosis says what ails a run, since which step, on what evidence, and what to do: the judgement of somebody who has seen
// many runs die.
//
//	model.Snapshot ── Observe ──→ Observations ─┐
//	texts of sampled groups ── Read ──→ Texts ──┼→ Of → Diagnosis: Findings (worst first), Blind
//	the trainer's own scalars ──────────────────┘
//
// A detector is a function of these on one kind of illness; [Kinds] lists them with their words. It rests on what the illness is: a
// share beyond a named limit, a change too large and too unlikely to be chance, the same prompts before and after. All are pure: the
// same run gives the same findings, whatever the order of rows within a step.
package diagnosis

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sort"
	"strconv"

	"vantage/model"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// Severity is how much a finding matters.
type Severity string

// The severities.
const (
	Alarm Severity = "alarm" // worth stopping the run for
	Watch Severity = "watch" // it may become an alarm
	Over  Severity = "over"  // it was an alarm for a stretch of the run, and is not any more
)

// Severities returns them, the worst first.
func Severities() []Severity { return []Severity{Alarm, Watch, Over} }

// Finding is an illness of a run.
type Finding struct {
	Kind     Kind
	Severity Severity
	Since    int64  // number of the step at which it set in
	Until    int64  // number of the last step that it holds for
	Lasting  bool   // it holds to the newest step
	Title    string // one sentence without a full stop, with figures: sanitised
	Evidence []Evidence
	Example  Example
	Before   Quote // an answer before the onset; its text is "" if none was read
	After    Quote // and one after
	Cost     Cost
	Advice   string   // what to do, one sentence
	Series   Series   // what shows it over the steps
	Follows  []string // titles of what follows from it

	first, last int  // indexes of Since and Until in Observations.Steps
	takesOver   bool // of a phrase: most answers have it in the end
}

// When says at which steps a finding holds: "since step 61", "steps 61 to 70".
func (f *Finding) When() string {
	if f.Lasting {
		return "since step " + strconv.FormatInt(f.Since, 10)
	}
	return units.Steps(f.Since, f.Until)
}

// Evidence is a figure before and after the onset.
type Evidence struct {
	Name                        string // of the figure, as in the glossary where it is there
	Before, After               float64
	Share                       bool   // the values are shares
	BeforeFrom, BeforeTo        int64  // steps
	AfterFrom, AfterTo          int64  // steps
	BeforeSamples, AfterSamples int    // or groups, texts …: see Of
	Of                          string // what is counted: "samples", "groups", "answers"
}

// fall is by how much the figure is less than before.
func (e *Evidence) fall() float64 { return e.Before - e.After }

// String is the figure before and after: "format 0.62 → 1.00 (steps 41–60 against 61–80, 640 samples each)".
func (e Evidence) String() string {
	before, now := units.Short(e.Before), units.Short(e.After)
	if e.Share {
		before, now = units.Shares(e.Before, e.After)
	}
	steps := func(from, to int64) string {
		if from == to {
			return strconv.FormatInt(from, 10)
		}
		return strconv.FormatInt(from, 10) + "–" + strconv.FormatInt(to, 10)
	}
	after, counted := steps(e.AfterFrom, e.AfterTo), units.Plural(e.AfterSamples, e.Of)
	if e.BeforeSamples == 0 {
		return e.Name + " " + now + " (steps " + after + ", " + counted + ")"
	}
	if e.BeforeSamples == e.AfterSamples {
		counted += " each"
	} else {
		counted = units.Count(e.BeforeSamples) + " and " + counted
	}
	return e.Name + " " + before + " → " + now + " (steps " + steps(e.BeforeFrom, e.BeforeTo) + " against " + after +
		", " + counted + ")"
}

// Example is where to look: a step, and a group of it where one shows the illness.
type Example struct {
	Step  int64
	Group string // its name, as analysis.Group has it; "" where the step as a whole shows it. As logged: sanitise before showing
}

// Cost is what was generated since the onset.
type Cost struct {
	Samples int
	Tokens  int64   // 0 if the log has no token counts
	Share   float64 // of all samples of the run
}

// String is what was generated: "12,800 samples, 3.21M tokens (25% of the run)"; "" if nothing was counted.
func (c Cost) String() string {
	if c.Samples == 0 {
		return ""
	}
	text := units.Plural(c.Samples, "samples")
	if c.Tokens > 0 {
		text += ", " + units.Count(int(c.Tokens)) + " tokens"
	}
	return text + " (" + units.Share(c.Share) + " of the run)"
}

// Series is a figure over the steps: NaN where a step has none.
type Series struct {
	Name   string
	Values []float64 // by Observations.Steps
}

// Blind is a kind that cannot be told, and why.
type Blind struct {
	Kind Kind
	Why  string // "the log has no texts"
}

// Diagnosis is what is said of a run.
type Diagnosis struct {
	Findings []Finding // worst first: alarms, watches, what is over, and of each the earlier before the later
	Blind    []Blind   // kinds that nothing can be said of, in the order of Kinds
	Steps    int       // that were looked at
	Numbers  []int64   // of these, as Series.Values has them
	Rewards  []float64 // mean of the finite rewards of the samples of these; nil if there are no samples
	LogProbs bool      // log-probs of tokens were looked at: see Kind.OfLogProbs
	ByRule   bool      // the trainer's own averages of advantages are those that the rule of the settings gives
	Averages *Averages // of the samples, as trainers average them; nil if there are none
	Notes    []string  // what was read of the trainer's own scalars, and what was not
	Learning *Learning // by how much the reward gains; nil if there is none
	Sum      *Sum      // what the reward is made of; nil if the samples do not show it
	Grounds  Grounds   // what the word on the run rests on
	Answers  Answers   // which were read
}

// Of says what ails a run. texts may be nil, if none could be read.
func Of(o *Observations, texts *Texts) *Diagnosis {
	d := &Diagnosis{Steps: len(o.Steps)}
	kinds := slices.DeleteFunc(Kinds(), func(k KindInfo) bool { return k.Name.OfLogProbs() }) // package offpolicy looks for these
	all := make([]detected, len(kinds))
	if texts != nil {
		texts.all() // in order, before several look at them
		newEvidence(o, texts).findPhrases()
	}
	e := newEvidence(o, texts)
	model.InParallel(context.Background(), runtime.GOMAXPROCS(0), len(kinds), func(i int) {
		known := false
		if texts != nil && texts.foundOf == texts.asked {
			all[i], known = texts.found[kinds[i].Name]
		}
		if !known {
			all[i].findings, all[i].blind = kinds[i].detect(e)
		}
	})
	for i, k := range kinds {
		if isUnseen := k.groups && len(all[i].findings) == 0; isUnseen && all[i].blind == "" {
			all[i].blind = o.ungrouped()
		}
		if all[i].blind != "" {
			d.Blind = append(d.Blind, Blind{k.Name, all[i].blind})
		}
		for _, f := range all[i].findings {
			f.Kind = k.Name
			f.Advice = cmp.Or(f.Advice, k.Advice)
			o.complete(&f)
			e.quote(&f)
			d.Findings = append(d.Findings, f)
		}
	}
	d.Findings = withoutConsequences(d.Findings, d.Steps)
	d.WithoutNeedlessWord()
	d.SortFindings()
	return d
}

// SortFindings sorts the findings, worst first.
func (d *Diagnosis) SortFindings() {
	sort.SliceStable(d.Findings, func(i, j int) bool {
		a, b := &d.Findings[i], &d.Findings[j]
		return cmp.Or(cmp.Compare(a.Severity.rank(), b.Severity.rank()), cmp.Compare(a.Since, b.Since)) < 0
	})
}

// rank is the place of a severity among others, the worst first.
func (s Severity) rank() int { return slices.Index([]Severity{Alarm, Watch, Over}, s) }

// complete fills in what follows from the first and the last step of a finding.
func (o *Observations) complete(f *Finding) {
	f.Since, f.Until, f.Lasting = o.Steps[f.first].Step, o.Steps[f.last].Step, f.last == len(o.Steps)-1
	f.Title, f.Series.Name = sanitize.Line(f.Title), sanitize.Line(f.Series.Name) // names of columns and sources are the log's
	for i := range f.Evidence {
		f.Evidence[i].Name = sanitize.Line(f.Evidence[i].Name)
	}
	for i := f.first; i <= f.last; i++ {
		f.Cost.Samples += o.Steps[i].Rows
		if o.Unit == model.LengthTokens {
			f.Cost.Tokens += o.Steps[i].Tokens
		}
	}
	f.Cost.Share = float64(f.Cost.Samples) / float64(max(1, o.rows))
}

// consequences tells which findings may follow from which.
type consequences struct {
	of    map[Kind][]Kind
	slack int // steps by which one may seem to be there before its cause: their noise does not tell which was first
}

func consequencesIn(steps int) consequences {
	c := consequences{of: map[Kind][]Kind{}, slack: max(leastSteps, steps/8)}
	for _, k := range Kinds() {
		c.of[k.Name] = k.follows
	}
	return c
}

// follows reports whether a finding may follow from an alarm, or, if both are over, from one at the same steps.
func (c *consequences) follows(from, f *Finding) bool {
	areBothOver := from.Severity == Over && f.Severity == Over && f.first <= from.last && from.first <= f.last
	if from.Severity != Alarm && !areBothOver {
		return false
	}
	isPhraseOfAll := from.takesOver && f.Kind == AnswerCollapse || from.Kind == AnswerCollapse && f.takesOver
	if isPhraseOfAll {
		return f.takesOver // the phrase is the one answer
	}
	return slices.Contains(c.of[from.Kind], f.Kind) && f.first >= from.first-c.slack
}

// isCause reports whether a finding is left out for another. Of two that may follow from each other the first is the cause.
func (c *consequences) isCause(from, f *Finding) bool {
	isFirst := f.first < from.first || f.first == from.first && cmp.Less(f.Kind, from.Kind)
	isMutual := c.follows(f, from) && isFirst
	return c.follows(from, f) && !isMutual
}

// withoutConsequences leaves out findings that may follow from another, and lists them there.
func withoutConsequences(all []Finding, steps int) (kept []Finding) {
	c := consequencesIn(steps)
	for j := range all {
		if !slices.ContainsFunc(all, func(from Finding) bool { return c.isCause(&from, &all[j]) }) {
			kept = append(kept, all[j])
		}
	}
	for j := range all {
		isKept := slices.ContainsFunc(kept, func(f Finding) bool { return f.Kind == all[j].Kind })
		for i := range kept {
			if !isKept && c.follows(&kept[i], &all[j]) {
				kept[i].Follows = append(kept[i].Follows, all[j].Title)
				break
			}
		}
	}
	return kept
}
