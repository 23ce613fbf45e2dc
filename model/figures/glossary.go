package figures

import (
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
)

// Entry explains one figure, or a few that differ in a word.
type Entry struct {
	Names    []string // as shown, the usual one first: "kept" and "kept_samples", "critic/score/{mean,max,min}"
	Unit     string   // "samples", "share of groups", "advantage", …
	Formula  string   // with the symbols of the page; ddof where there is a standard deviation
	Meaning  string   // a sentence
	Trainers string   // what trainers call it, or one that is near; "" if none has it
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

	OffPolicy Place = "offpolicy"

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
const Symbols = "r is the reward of a sample as the estimator reads it, A its advantage before the filter (original), A′ after filter " +
	"and recompute (processed), l the length of its response. n samples of a group, c or s of them solved; N samples and G groups of the " +
	"step. #{…} counts what matches. ddof: a standard deviation divides by n − ddof. near: similar, but computed differently."

// Sections returns all places with their entries, in the order of the page.
func Sections() []Section {
	return []Section{
		{
			Place: Step, Title: "A step or the run", Entries: entries(stepFigures()),
			Intro: "In the line of the step, the tables of steps, `report` and `check`.",
		},
		{
			Place: Metrics, Title: "Metrics of a step", Entries: metrics(),
			Intro: "Under the name that the trainer logs; `vantage/` marks ours. The report's line *lengths* names the unit of " +
				"lengths and weights: tokens, or else characters or words of the text; a sample of unknown length weighs 1.",
		},
		{
			Place: Fates, Title: "Fates of a group", Entries: entries(fateFigures()),
			Intro: "Each group has one. Counts in tables and rules are of groups; columns of CSV are named `killed_groups`.",
		},
		{
			Place: Group, Title: "A group", Entries: entries(groupFigures()),
			Intro: "In the table of groups, `report --per group`, and as fields of filters and `--where`.",
		},
		{
			Place: Sample, Title: "A sample", Entries: entries(Samples()),
			Intro: "In an open group, and in `export`.",
		},
		{
			Place: Parts, Title: "Breakdown", Entries: partFigures(),
			Intro: "Samples that have something in common, in `report --by` and `:by`. A part is named by a difficulty, a " +
				"length, a fate, a step, or a value of a column of the log.",
		},
		{
			Place: Prompt, Title: "A prompt over the run", Entries: entries(Prompts()),
			Intro: "In `prompts`, and as fields of its `--where`.",
		},
		{
			Place: Sweep, Title: "Sweep", Entries: sweepFigures(),
			Intro: "A cell shows what a pair of ratios does to all groups of the steps, computed as in a report.",
		},
		{
			Place: Sizes, Title: "Group size", Entries: groupSizeFigures(),
			Intro: "What groups of m samples would do; a group of the log has n samples, of which s are solved.",
		},
		{
			Place: OffPolicy, Title: "Off-policy", Entries: offPolicyFigures(),
			Intro: "On the view `:offpolicy`, and in `offpolicy`: r is the log-prob of a token by the engine that sampled, o that by the " +
				"trainer before the update, d = o − r. Tokens are those that train and have both.",
		},
		{
			Place: Compare, Title: "Compare", Entries: compareFigures(),
			Intro: "The first run is a, the second is b.",
		},
		{
			Place: Match, Title: "Match", Entries: matchFigures(),
			Intro: "Logged advantages against those that are computed.",
		},
		{
			Place: Check, Title: "Check", Entries: checkFigures(),
			Intro: "Names in rules besides all of the above.",
		},
		{
			Place: Warning, Title: "Warnings", Entries: warnings(),
			Intro: "Each counts groups or samples; a rule may name one.",
		},
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
	for _, name := range e.Names {
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

// Line explains the figure in one line: "kept: samples that the filter keeps = kept / N (samples)".
func (e Entry) Line() string { return e.Name() + ": " + e.Explanation() }

// Equal reports whether two entries say the same.
func (e Entry) Equal(o Entry) bool {
	isWorded := e.Unit == o.Unit && e.Formula == o.Formula && e.Meaning == o.Meaning && e.Trainers == o.Trainers
	return isWorded && slices.Equal(e.Names, o.Names)
}

// Name returns the usual name, of several that differ in a word with braces: "critic/score/{mean,max,min}".
func (e Entry) Name() string { return e.Names[0] }

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
		{
			Names: []string{"keep_pos_ratio", "keep_neg_ratio"}, Unit: "ratio", Formula: "k = n if 1, 0 if 0, else max(1, int(n·ratio))",
			Meaning:  "share of the positive, or negative, samples of each group that is kept",
			Trainers: "EasyR1 `algorithm.keep_pos_ratio`, `algorithm.keep_neg_ratio`",
		},
		{
			Names: []string{"compute_new_adv"}, Unit: "yes or no",
			Meaning:  "whether advantages are recomputed over the kept samples",
			Trainers: "EasyR1 `algorithm.compute_new_adv`",
		},
		{
			Names: []string{"signal"}, Unit: "groups", Formula: "alive + short",
			Meaning: "groups that still have a gradient",
		},
		{
			Names: []string{"kept"}, Unit: "samples",
			Meaning: "samples that the filter keeps, including those with A = 0",
		},
		{
			Names: []string{"killed"}, Unit: "groups",
			Meaning: "groups that have signal without the filter and none with it",
		},
		{
			Names: []string{"short"}, Unit: "groups",
			Meaning: "groups with fewer than 2 kept samples: recompute leaves their original values",
		},
		{
			Names: []string{"trained", "train"}, Unit: "samples, share of N", Formula: "#{A′ ≠ 0}",
			Meaning: "samples that train, as in the header",
		},
		{
			Names: []string{"effective"}, Unit: "samples", Formula: "(Σ|A′|)² / ΣA′²",
			Meaning: "effective sample size (ESS): so many samples of equal |A| would make as concentrated an update",
		},
		{
			Names: []string{"flips"}, Unit: "kept samples", Formula: "#{kept: sign A′ ≠ sign A}",
			Meaning: "kept samples whose advantage changes sign in recompute, also from or to 0",
		},
		{
			Names: []string{"abs", "Σ|A|"}, Unit: "ratio", Formula: "Σ|A′| / Σ|A|",
			Meaning: "total advantage compared with no filter",
		},
		{
			Names: []string{"push"}, Unit: "−1 to 1", Formula: "ΣA′ / Σ|A′|",
			Meaning: "+1: all samples are pushed up; −1: all are pushed down; 0: even",
		},
		{
			Names: []string{"+:−", "+ : −"}, Unit: "% of Σ|A′|", Formula: "50·(1 + push) : 50·(1 − push)",
			Meaning: "shares of Σ|A| from positive and from negative advantages",
		},
		{
			Names: []string{"mean", "mean of all"}, Unit: "advantage", Formula: "ΣA′ / N",
			Meaning: "mean advantage over all samples, dropped ones and NaN as 0; far from 0 the update is one-sided",
		},
		{
			Names: []string{"std", "std of all"}, Unit: "advantage", Formula: "√(Σ(A′ − mean)² / (N − 1)), ddof 1",
			Meaning: "spread over all samples, dropped ones and NaN as 0; not weighted by length",
		},
		{
			Names: []string{"on_front", "☆"}, Unit: "yes or no",
			Meaning: "no other cell is better in one of the compared metrics without being worse in another",
		},
		{
			Names: []string{"recommended", "★"}, Unit: "yes or no",
			Meaning: "the best cell for the goal",
		},
	}
}

func groupSizeFigures() []Entry {
	return []Entry{
		{
			Names: []string{"size"}, Unit: "samples", Formula: "m",
			Meaning:  "samples of a group (rollouts per prompt)",
			Trainers: "verl `rollout.n`, TRL `num_generations`",
		},
		{
			Names: []string{"dead", "dead_low", "dead_high"}, Unit: "share of groups",
			Formula: "mean over groups of E[pᵐ] + E[(1−p)ᵐ], p ~ Beta(a + s, b + n − s)",
			Meaning: "groups without signal: all samples are solved, or none is; low and high bound 90 % of repeats",
		},
		{
			Names: []string{"all wrong", "none_solved"}, Unit: "share of groups",
			Formula: "mean of B(a + s, b + n − s + m) / B(a + s, b + n − s)",
			Meaning: "groups of which no sample is solved",
		},
		{
			Names: []string{"all correct", "all_solved"}, Unit: "share of groups",
			Formula: "mean of B(a + s + m, b + n − s) / B(a + s, b + n − s)",
			Meaning: "groups of which all samples are solved",
		},
		{
			Names: []string{"cost", "samples_per_alive", "samples_per_alive_low", "samples_per_alive_high"}, Unit: "samples",
			Formula: "m / (1 − dead)",
			Meaning: "samples to generate for each group that is not dead",
		},
		{
			Names: []string{"range"}, Unit: "share, samples", Formula: "± 1.645·√(Σ dead·(1 − dead) / G² + variance of the fit)",
			Meaning: "90 % range of the number if the same prompts are sampled again",
		},
		{
			Names: []string{"a", "b", "rates"}, Unit: "number",
			Formula: "most likely under Π B(a + s, b + n − s) / B(a, b) · (a + b)^(−5/2)",
			Meaning: "the Beta distribution of the prompts' solve rates",
		},
		{
			Names: []string{"partial"}, Unit: "groups", Formula: "dead, and rewards differ",
			Meaning: "groups with signal although all or none of their samples are solved",
		},
	}
}

func compareFigures() []Entry {
	return []Entry{
		{
			Names: []string{"a", "b", "reward_a", "reward_b"}, Unit: "reward",
			Formula: "mean reward of the prompt's compared samples, over the steps that both runs have",
			Meaning: "mean reward of a prompt that both runs have",
		},
		{
			Names: []string{"delta", "Δ", "mean Δ"}, Unit: "reward", Formula: "second run − first run; its mean over prompts",
			Meaning: "difference of the second run from the first",
		},
		{
			Names: []string{"std_err", "±", "s.e."}, Unit: "reward", Formula: "√(Σ(Δ − mean Δ)² / (P − 1) / P) over P prompts",
			Meaning: "standard error of mean Δ",
		},
		{
			Names: []string{"samples_a", "samples_b", "of_samples"}, Unit: "samples",
			Meaning: "samples of the prompt in each run, in the steps that both have",
		},
		{
			Names: []string{"samples"}, Unit: "samples", Formula: "min(samples_a, samples_b)",
			Meaning: "compared samples of each run, spread evenly over its steps; under left_out the others",
		},
		{
			Names: []string{"same_steps", "other_steps"}, Unit: "yes or no; prompts",
			Meaning: "whether both runs saw the prompt at the same steps; at how many prompts they did not",
		},
		{
			Names: []string{"wins", "losses", "ties"}, Unit: "prompts", Formula: "Δ > 1e-9, Δ < −1e-9, else",
			Meaning: "prompts at which the second run is better, worse, equal",
		},
		{
			Names: []string{"p"}, Unit: "0 to 1", Formula: "2·Σ C(m, i)·2⁻ᵐ for i ≤ min(wins, losses), m = wins + losses, at most 1",
			Meaning: "p-value of the exact two-sided sign test: how often equal runs would differ as much",
		},
		{
			Names: []string{"win_share_95", "win rate"}, Unit: "share", Formula: "Wilson's score interval of wins / (wins + losses)",
			Meaning: "95 % confidence interval of the share of prompts that the second run wins",
		},
		{
			Names: []string{"only_a", "only_b"}, Unit: "prompts",
			Meaning: "prompts of the first run, and of the second, that are not compared",
		},
		{
			Names: []string{"from", "to", "prompts"}, Unit: "reward; prompts",
			Formula: "mean reward over the compared samples of both runs",
			Meaning: "a bin of difficulty and the prompts in it",
		},
	}
}

func matchFigures() []Entry {
	return []Entry{
		{
			Names: []string{"compared"}, Unit: "samples",
			Meaning: "logged advantages that are compared",
		},
		{
			Names: []string{"exact"}, Unit: "samples",
			Meaning: "of these, equal in every bit of float32, or of float64 where the trainer has it",
		},
		{
			Names: []string{"near"}, Unit: "samples",
			Formula: "|logged − computed| ≤ 1e-6 of the largest advantage of the group (whitened over tokens 1e-4, NeMo-RL " +
				"1e-5), or equal at the decimals of the log",
			Meaning: "of these, as close as logs are; includes exact",
		},
		{
			Names: []string{"cut"}, Unit: "samples",
			Meaning: "left out, since their groups hold fewer than others",
		},
		{
			Names: []string{"short_groups", "missing_rows"}, Unit: "groups; rows",
			Formula: "full − rows, summed over groups with fewer rows than a full one",
			Meaning: "groups that lack rows, and how many",
		},
	}
}

// checkFigures are names in rules that nothing else has.
func checkFigures() []Entry {
	return []Entry{
		{
			Names: []string{"rows"}, Unit: "rows, share of the usual", Formula: "rows of the step / median of the eight steps before",
			Meaning: "whether a step was cut off",
		},
		{
			Names: []string{"unreadable"}, Unit: "rows, share of all", Formula: "rows that cannot be read / all rows",
			Meaning: "torn rows, and rows that are not understood",
		},
		{
			Names: []string{"stall"}, Unit: "×, s, m, h", Formula: "now − time of the last row; x: / median time between steps",
			Meaning: "whether a run that should write does not",
		},
		{
			Names: []string{"alarm"}, Unit: "findings",
			Meaning: "illnesses that are worth stopping the run for",
		},
		{
			Names: []string{"watch"}, Unit: "findings",
			Meaning: "what may become an alarm",
		},
		{
			Names: []string{"over"}, Unit: "findings",
			Meaning: "an alarm for a stretch of the run that has ended",
		},
	}
}

// warnings are those of the rules.
func warnings() []Entry {
	var all []Entry
	for _, r := range analysis.WarningRules() {
		if r.Meaning != "" {
			all = append(all, Entry{
				Names: []string{string(r.Kind)}, Unit: r.Unit, Formula: r.Formula, Meaning: r.Meaning, Trainers: r.Trainers,
			})
		}
	}
	return all
}

// partFigures are those of samples that have something in common.
func partFigures() []Entry {
	return []Entry{
		{
			Names: []string{"difficulty"}, Unit: "share of the group", Formula: "s / n: 0, ≤ 25 %, ≤ 50 %, ≤ 75 %, < 100 %, 100 %",
			Meaning: "share of the group's n samples that are solved",
		},
		{
			Names: []string{"length"}, Unit: "quarters of the step",
			Formula: "lengths up to those at n/4, n/2 and 3n/4 in order, rounded up",
			Meaning: "quarter of the step's response lengths that the sample is in",
		},
		{
			Names: []string{"samples"}, Unit: "samples",
			Meaning: "samples of the part",
		},
		{
			Names: []string{"groups"}, Unit: "groups",
			Meaning: "groups with samples in the part; a group may be in several parts",
		},
		{
			Names: []string{"reward", "reward_mean"}, Unit: "reward", Formula: "Σr / #{finite r}",
			Meaning: "mean reward of the part, after a length penalty if one is set",
		},
		{
			Names: []string{"signal", "signal_groups"}, Unit: "groups", Formula: "alive + short",
			Meaning: "groups of the part with signal",
		},
		{
			Names: []string{"admitted", "admitted_groups"}, Unit: "groups",
			Meaning: "groups of the part that the group filter admits; all without one",
		},
		{
			Names: []string{"kept_samples"}, Unit: "samples",
			Meaning: "samples that the filter keeps, including those with A = 0",
		},
		{
			Names: []string{"train", "A≠0", "nonzero_samples"}, Unit: "samples", Formula: "#{A′ ≠ 0}",
			Meaning: "samples that train",
		},
		{
			Names: []string{"solved_samples", "judged_samples"}, Unit: "samples",
			Meaning: "solved samples, and samples whose rewards tell whether they are",
		},
		{
			Names: []string{"Σ|A|", "abs_advantage", "abs_advantage_original"}, Unit: "share of all parts; in CSV and JSON the sum",
			Formula: "Σ|A′|; original Σ|A|",
			Meaning: "the part's share of the total advantage",
		},
		{
			Names: []string{"push"}, Unit: "−1 to 1", Formula: "ΣA′ / Σ|A′|",
			Meaning: "+1: all samples of the part are pushed up; −1: all are pushed down; 0: even",
		},
		{
			Names: []string{"sum_advantage"}, Unit: "advantage", Formula: "ΣA′",
			Meaning: "sum of the advantages",
		},
		{
			Names: []string{"tokens"}, Unit: "share of all parts; in CSV and JSON the sum", Formula: "Σ length, of known ones",
			Meaning: "tokens of the responses: the cost of generating the part",
		},
		{
			Names: []string{"Σw|A|", "loss_mass_positive", "loss_mass_negative"}, Unit: "share of all parts; in CSV and JSON the sums",
			Formula: "Σw·A′ over A′ > 0; Σw·|A′| over A′ < 0",
			Meaning: "the part's share of the loss",
		},
		{
			Names: []string{"loss_weight"}, Unit: "weight", Formula: "Σw",
			Meaning: "total weight of the part in the loss, samples with A = 0 included",
		},
	}
}
