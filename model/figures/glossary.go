package figures

import (
	"slices"
	"strings"

	"vantage/model"
)

// Entry explains one figure, or a few that differ in a word.
type Entry struct {
	Names    string // as shown, the usual one first: "kept, kept_samples", "critic/score/{mean,max,min}"
	Unit     string // "samples", "share of groups", "advantage", …
	Formula  string // with the symbols of the page; ddof where there is a standard deviation
	Meaning  string // a sentence
	Trainers string // what trainers call it, or one that is near; "" if none has it
}

// Place is where figures are shown.
type Place string

// The places, in the order of the page.
const (
	Step    Place = "step"    // header, tables of steps, reports
	Metrics Place = "metrics" // by the trainers' names
	Fates   Place = "fates"
	Group   Place = "group"
	Sample  Place = "sample"
	Parts   Place = "parts" // who pays
	Prompt  Place = "prompts"
	Sweep   Place = "sweep"
	Sizes   Place = "groupsize"
	Compare Place = "compare"
	Match   Place = "match"
	Check   Place = "check" // rules
	Warning Place = "warning"
)

// section is the entries of a place.
type section struct {
	place        Place
	title, intro string
	entries      []Entry
}

func sections() []section {
	return []section{
		{Step, "A step or the run", "In the line of the step, the tables of steps, `report` and `check`.", entries(stepFigures())},
		{Metrics, "Metrics of a step", "Under the name that the trainer logs; `vantage/` marks ours. The report's line *lengths* names the unit of lengths and weights: tokens, or else characters or words of the text; a sample of unknown length weighs 1.", metrics()},
		{Fates, "Fates of a group", "Each group has one. Counts in tables and rules are of groups; columns of CSV are named `killed_groups`.", entries(fateFigures())},
		{Group, "A group", "In the table of groups, `report --per group`, and as fields of filters and `--where`.", entries(groupFigures())},
		{Sample, "A sample", "In an open group, and in `export`.", entries(Samples())},
		{Parts, "Breakdown", "Samples that have something in common, in `report --by` and `:by`. A part is named by a difficulty, a length, a fate, a step, or a value of a column of the log.", partFigures()},
		{Prompt, "A prompt over the run", "In `prompts`, and as fields of its `--where`: see [prompts](prompts.md).", entries(Prompts())},
		{Sweep, "Sweep", "A cell shows what a pair of ratios does to all groups of the steps, computed as in a report.", sweepFigures()},
		{Sizes, "Group size", "What groups of m samples would do; a group of the log has n samples, of which s are solved.", groupSizeFigures()},
		{Compare, "Compare", "The first run is a, the second is b.", compareFigures()},
		{Match, "Match", "Logged advantages against those that are computed.", matchFigures()},
		{Check, "Check", "Names in rules besides all of the above: see [checking](checking.md).", checkFigures()},
		{Warning, "Warnings", "Each counts groups or samples; a rule may name one.", warnings()},
	}
}

// All returns the entries of a place.
func All(place Place) (entries []Entry) {
	for _, s := range sections() {
		if s.place == place {
			entries = s.entries
		}
	}
	return entries
}

// Explain returns the entry of a name that is shown at a place: that of the place, else of any other.
func Explain(place Place, name string) (Entry, bool) {
	name = canonical(name)
	if e, ok := entryOf(All(place), name); ok {
		return e, true
	}
	for _, s := range sections() {
		if e, ok := entryOf(s.entries, name); ok {
			return e, true
		}
	}
	return Entry{}, false
}

func entryOf(list []Entry, name string) (Entry, bool) {
	for _, e := range list {
		if slices.Contains(e.AllNames(), name) {
			return e, true
		}
	}
	return Entry{}, false
}

// canonical returns the name under which the list has a figure that is one of many: pass@k for pass@8, and
// killed for the column killed_groups.
func canonical(name string) string {
	if k, ok := strings.CutPrefix(name, "pass@"); ok && strings.Trim(k, "0123456789") == "" {
		return "pass@k"
	}
	if fate, ok := strings.CutSuffix(name, "_groups"); ok && fate != "signal" {
		return fate
	}
	return name
}

// AllNames returns every name, with {mean,max,min} written out.
func (e Entry) AllNames() []string {
	var all []string
	for _, name := range splitNames(e.Names) {
		before, rest, found := strings.Cut(name, "{")
		words, after, _ := strings.Cut(rest, "}")
		if !found {
			all = append(all, name)
			continue
		}
		for word := range strings.SplitSeq(words, ",") {
			all = append(all, before+word+after)
		}
	}
	return all
}

// splitNames divides names at ", ", which no braces contain.
func splitNames(names string) []string { return strings.Split(names, ", ") }

// Line explains the figure in one line: "kept: samples that the filter keeps = kept / N (samples)".
func (e Entry) Line() string { return e.Name() + ": " + e.Explanation() }

// Name returns the usual name, of several that differ in a word with braces: "critic/score/{mean,max,min}".
func (e Entry) Name() string { return splitNames(e.Names)[0] }

// Explanation is the line without the name: meaning, formula and unit.
func (e Entry) Explanation() string {
	line := e.Meaning
	if e.Formula != "" {
		line += " = " + e.Formula
	}
	if e.Unit != "–" {
		line += " (" + e.Unit + ")"
	}
	return line
}

// Places returns all places, in the order of the page.
func Places() []Place {
	return model.Mapped(sections(), func(s section) Place { return s.place })
}
