package figures

import (
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
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

// Section is the entries of a place.
type Section struct {
	Place        Place
	Title, Intro string
	Entries      []Entry
}

// Symbols explains the letters of the formulas.
const Symbols = "r is the reward of a sample as the estimator reads it, A its advantage before the filter (original), A′ after filter and " +
	"recompute (processed), l the length of its response. n samples of a group, c or s of them solved; N samples and G groups of the step. " +
	"#{…} counts what matches. ddof: a standard deviation divides by n − ddof. near: similar, but computed differently."

// Sections returns all places with their entries, in the order of the page.
func Sections() []Section {
	return []Section{
		{Step, "A step or the run", "In the line of the step, the tables of steps, `report` and `check`.", entries(stepFigures())},
		{Metrics, "Metrics of a step", "Under the name that the trainer logs; `vantage/` marks ours. The report's line *lengths* names the unit of lengths and weights: tokens, or else characters or words of the text; a sample of unknown length weighs 1.", metrics()},
		{Fates, "Fates of a group", "Each group has one. Counts in tables and rules are of groups; columns of CSV are named `killed_groups`.", entries(fateFigures())},
		{Group, "A group", "In the table of groups, `report --per group`, and as fields of filters and `--where`.", entries(groupFigures())},
		{Sample, "A sample", "In an open group, and in `export`.", entries(Samples())},
		{Parts, "Breakdown", "Samples that have something in common, in `report --by` and `:by`. A part is named by a difficulty, a length, a fate, a step, or a value of a column of the log.", partFigures()},
		{Prompt, "A prompt over the run", "In `prompts`, and as fields of its `--where`.", entries(Prompts())},
		{Sweep, "Sweep", "A cell shows what a pair of ratios does to all groups of the steps, computed as in a report.", sweepFigures()},
		{Sizes, "Group size", "What groups of m samples would do; a group of the log has n samples, of which s are solved.", groupSizeFigures()},
		{Compare, "Compare", "The first run is a, the second is b.", compareFigures()},
		{Match, "Match", "Logged advantages against those that are computed.", matchFigures()},
		{Check, "Check", "Names in rules besides all of the above.", checkFigures()},
		{Warning, "Warnings", "Each counts groups or samples; a rule may name one.", warnings()},
	}
}

// All returns the entries of a place.
func All(place Place) (entries []Entry) {
	for _, s := range Sections() {
		if s.Place == place {
			entries = s.Entries
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
	for _, s := range Sections() {
		if e, ok := entryOf(s.Entries, name); ok {
			return e, true
		}
	}
	return Entry{}, false
}

// Named returns the section of a place, or of each place the entries that a name has there.
func Named(name string) (found []Section) {
	for _, s := range Sections() {
		if string(s.Place) == name {
			return []Section{s}
		}
		if e, ok := entryOf(s.Entries, canonical(name)); ok {
			found = append(found, Section{Place: s.Place, Title: s.Title, Intro: s.Intro, Entries: []Entry{e}})
		}
	}
	return found
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
	return model.Mapped(Sections(), func(s Section) Place { return s.Place })
}

func sweepFigures() []Entry {
	return []Entry{
		{"keep_pos_ratio, keep_neg_ratio", "ratio", "k = n if 1, 0 if 0, else max(1, int(n·ratio))", "share of the positive, or negative, samples of each group that is kept", "EasyR1 `algorithm.keep_pos_ratio`, `algorithm.keep_neg_ratio`"},
		{"compute_new_adv", "yes or no", "", "whether advantages are recomputed over the kept samples", "EasyR1 `algorithm.compute_new_adv`"},
		{"signal", "groups", "alive + short", "groups that still have a gradient", ""},
		{"kept", "samples", "", "samples that the filter keeps, including those with A = 0", ""},
		{"killed", "groups", "", "groups that have signal without the filter and none with it", ""},
		{"short", "groups", "", "groups with fewer than 2 kept samples: recompute leaves their original values", ""},
		{"trained, train", "samples, share of N", "#{A′ ≠ 0}", "samples that train, as in the header", ""},
		{"effective", "samples", "(Σ|A′|)² / ΣA′²", "effective sample size (ESS): the update is as concentrated as one of so many samples of equal |A|", ""},
		{"flips", "kept samples", "#{kept: sign A′ ≠ sign A}", "kept samples whose advantage changes sign in recompute, also from or to 0", ""},
		{"abs, Σ|A|", "ratio", "Σ|A′| / Σ|A|", "total advantage compared with no filter", ""},
		{"push", "−1 to 1", "ΣA′ / Σ|A′|", "balance of positive and negative advantages: 0 is even, +1 only positive, −1 only negative", ""},
		{"+:−, + : −", "% of Σ|A′|", "50·(1 + push) : 50·(1 − push)", "shares of Σ|A| from positive and from negative advantages", ""},
		{"mean, mean of all", "advantage", "ΣA′ / N", "mean advantage over all samples, dropped ones and NaN as 0; far from 0 the update is one-sided", ""},
		{"std, std of all", "advantage", "√(Σ(A′ − mean)² / (N − 1)), ddof 1", "spread over all samples, dropped ones and NaN as 0; not weighted by length", ""},
		{"on_front", "yes or no", "", "☆: no other cell is better in one of the compared metrics without being worse in another", ""},
		{"recommended", "yes or no", "", "★: the best cell for the goal", ""},
	}
}

func groupSizeFigures() []Entry {
	return []Entry{
		{"size", "samples", "m", "samples of a group (rollouts per prompt)", "verl `rollout.n`, TRL `num_generations`"},
		{"dead, dead_low, dead_high", "share of groups", "mean over groups of E[pᵐ] + E[(1−p)ᵐ], p ~ Beta(a + s, b + n − s)", "groups without signal: all samples are solved, or none is; low and high bound 90 % of repeats", ""},
		{"all wrong, none_solved", "share of groups", "mean of B(a + s, b + n − s + m) / B(a + s, b + n − s)", "groups of which no sample is solved", ""},
		{"all correct, all_solved", "share of groups", "mean of B(a + s + m, b + n − s) / B(a + s, b + n − s)", "groups of which all samples are solved", ""},
		{"cost, samples_per_alive, samples_per_alive_low, samples_per_alive_high", "samples", "m / (1 − dead)", "samples to generate for each group that is not dead", ""},
		{"range", "share, samples", "± 1.645·√(Σ dead·(1 − dead) / G² + variance of the fit)", "90 % range of the number if the same prompts are sampled again", ""},
		{"a, b, rates", "number", "most likely under Π B(a + s, b + n − s) / B(a, b) · (a + b)^(−5/2)", "the Beta distribution of the prompts' solve rates", ""},
		{"partial", "groups", "dead, and rewards differ", "groups with signal although all or none of their samples are solved", ""},
	}
}

func compareFigures() []Entry {
	return []Entry{
		{"a, b, reward_a, reward_b", "reward", "mean reward of the prompt's compared samples, over the steps that both runs have", "mean reward of a prompt that both runs have", ""},
		{"delta, Δ, mean Δ", "reward", "second run − first run; its mean over prompts", "difference of the second run from the first", ""},
		{"std_err, ±, s.e.", "reward", "√(Σ(Δ − mean Δ)² / (P − 1) / P) over P prompts", "standard error of mean Δ", ""},
		{"samples_a, samples_b, of_samples", "samples", "", "samples of the prompt in each run, in the steps that both have", ""},
		{"samples", "samples", "min(samples_a, samples_b)", "compared samples of each run, spread evenly over its steps; under left_out the others", ""},
		{"same_steps, other_steps", "yes or no; prompts", "", "whether both runs saw the prompt at the same steps; at how many prompts they did not", ""},
		{"wins, losses, ties", "prompts", "Δ > 1e-9, Δ < −1e-9, else", "prompts at which the second run is better, worse, equal", ""},
		{"p", "0 to 1", "2·Σ C(m, i)·2⁻ᵐ for i ≤ min(wins, losses), m = wins + losses, at most 1", "p-value of the exact two-sided sign test: how often equal runs would differ as much", ""},
		{"win_share_95, win rate", "share", "Wilson's score interval of wins / (wins + losses)", "95 % confidence interval of the share of prompts that the second run wins", ""},
		{"only_a, only_b", "prompts", "", "prompts of the first run, and of the second, that are not compared", ""},
		{"from, to, prompts", "reward; prompts", "mean reward over the compared samples of both runs", "a bin of difficulty and the prompts in it", ""},
	}
}

func matchFigures() []Entry {
	return []Entry{
		{"compared", "samples", "", "logged advantages that are compared", ""},
		{"exact", "samples", "", "of these, equal in every bit of float32, or of float64 where the trainer has it", ""},
		{"near", "samples", "|logged − computed| ≤ 1e-6 of the largest advantage of the group (whitened over tokens 1e-4, NeMo-RL 1e-5), or equal at the decimals of the log", "of these, as close as logs are; includes exact", ""},
		{"cut", "samples", "", "left out, since their groups hold fewer than others", ""},
		{"short_groups, missing_rows", "groups; rows", "full − rows, summed over groups with fewer rows than a full one", "groups that lack rows, and how many", ""},
	}
}

// checkFigures are names in rules that nothing else has.
func checkFigures() []Entry {
	return []Entry{
		{"rows", "rows, share of the usual", "rows of the step / median of the eight steps before", "whether a step was cut off", ""},
		{"unreadable", "rows, share of all", "rows that cannot be read / all rows", "torn rows, and rows that are not understood", ""},
		{"stall", "×, s, m, h", "now − time of the last row; x: / median time between steps", "whether a run that should write does not", ""},
		{"alarm", "findings", "", "illnesses that are worth stopping the run for", ""},
		{"watch", "findings", "", "what may become an alarm", ""},
		{"over", "findings", "", "an alarm for a stretch of the run that has ended", ""},
	}
}

// warnings are those of the rules.
func warnings() []Entry {
	var all []Entry
	for _, r := range analysis.WarningRules() {
		if r.Meaning != "" {
			all = append(all, Entry{string(r.Kind), r.Unit, r.Formula, r.Meaning, r.Trainers})
		}
	}
	return all
}

// partFigures are those of samples that have something in common.
func partFigures() []Entry {
	return []Entry{
		{"difficulty", "share of the group", "s / n: 0, ≤ 25 %, ≤ 50 %, ≤ 75 %, < 100 %, 100 %", "share of the group's n samples that are solved", ""},
		{"length", "quarters of the step", "lengths up to those at n/4, n/2 and 3n/4 in order, rounded up", "quarter of the step's response lengths that the sample is in", ""},
		{"samples", "samples", "", "samples of the part", ""},
		{"groups", "groups", "", "groups with samples in the part; a group may be in several parts", ""},
		{"reward, reward_mean", "reward", "Σr / #{finite r}", "mean reward of the part, after a length penalty if one is set", ""},
		{"signal, signal_groups", "groups", "alive + short", "groups of the part with signal", ""},
		{"admitted, admitted_groups", "groups", "", "groups of the part that the group filter admits; all without one", ""},
		{"kept_samples", "samples", "", "samples that the filter keeps, including those with A = 0", ""},
		{"train, A≠0, nonzero_samples", "samples", "#{A′ ≠ 0}", "samples that train", ""},
		{"solved_samples, judged_samples", "samples", "", "solved samples, and samples whose rewards tell whether they are", ""},
		{"Σ|A|, abs_advantage, abs_advantage_original", "share of all parts; in CSV and JSON the sum", "Σ|A′|; original Σ|A|", "the part's share of the total advantage", ""},
		{"push", "−1 to 1", "ΣA′ / Σ|A′|", "+1: all samples of the part are pushed up; −1: all are pushed down; 0: balance", ""},
		{"sum_advantage", "advantage", "ΣA′", "sum of the advantages", ""},
		{"tokens", "share of all parts; in CSV and JSON the sum", "Σ length, of known ones", "tokens of the responses: the cost of generating the part", ""},
		{"Σw|A|, loss_mass_positive, loss_mass_negative", "share of all parts; in CSV and JSON the sums", "Σw·A′ over A′ > 0; Σw·|A′| over A′ < 0", "the part's share of the loss", ""},
		{"loss_weight", "weight", "Σw", "total weight of the part in the loss, samples with A = 0 included", ""},
	}
}
