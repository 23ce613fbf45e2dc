package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/ledger"
	"vantage/model/units"
)

// GroupOf is a group of an analysis.
type GroupOf struct {
	*analysis.Group
	In *analysis.Analysis
	At int // its index in the table
}

// NewGroupOf returns group i of an analysis.
func NewGroupOf(a *analysis.Analysis, i int) GroupOf { return GroupOf{&a.Table[i], a, i} }

// SampleOf is a sample of an analysis.
type SampleOf struct {
	In *analysis.Analysis
	At int // its index in the columns
}

// Groups returns the figures of a group, also the flips of each kind.
func Groups() []Of[GroupOf] {
	return slices.Concat(groupFigures(), flipFigures(func(g GroupOf) (*analysis.Flips, int) { return &g.Flips, g.Kept() }))
}

// KeptBySign writes how many samples of a group are kept of each sign: 5+3−, and 2 zero with advantage 0 or a rounding error; 4 NaN of a
// group without advantages.
func KeptBySign(g *analysis.Group) string {
	if g.Fate == model.FateInvalid {
		return units.Count(g.Kept()) + " NaN"
	}
	text := KeptWithSign(g)
	if g.KeptZero > 0 {
		text += fmt.Sprintf(" %d zero", g.KeptZero)
	}
	return cmp.Or(strings.TrimSpace(text), "0")
}

// KeptWithSign is [KeptBySign] without those at zero, for narrow columns: 5+3−, or "" if there are none.
func KeptWithSign(g *analysis.Group) string {
	if g.Fate == model.FateInvalid || g.KeptPos == 0 && g.KeptNeg == 0 {
		return ""
	}
	return fmt.Sprintf("%d+%d−", g.KeptPos, g.KeptNeg)
}

// solved counts the solved samples where the rewards of the run say which those are.
func solved(g *analysis.Group) Number {
	if !g.HasSolved {
		return Mean(math.NaN())
	}
	return Count(g.Solved)
}

func groupFigures() []Of[GroupOf] {
	return []Of[GroupOf]{
		{
			Value: func(g GroupOf) Number { return Text(g.In.WhySkipped(g.At)) },
			Entry: Entry{
				Names: []string{"why_skipped"}, Unit: "text",
				Meaning: "the value by which the group filter rejects the group: std 0",
			},
		},
		{
			Value: func(g GroupOf) Number { return Word(g.Fate.Key()).As(g.Fate.String()) },
			Entry: Entry{
				Names: []string{"fate"}, Unit: "–",
				Meaning: "what becomes of the group under its rewards and these settings: alive, killed, all wrong, …",
			},
		},
		{
			Value: func(g GroupOf) Number { return Text(g.Name) },
			Entry: Entry{
				Names: []string{"group", "name"}, Unit: "–",
				Meaning: "the log's id, or a hash of prompt and ground truth",
			},
		},
		{
			Value: func(g GroupOf) Number { return Text(g.Preview) },
			Entry: Entry{
				Names: []string{"prompt"}, Unit: "–",
				Meaning: "the beginning of the prompt, or the group's id",
			},
		},
		{
			Value: func(g GroupOf) Number { return Count(g.Size()).As(g.SizeText()) },
			Entry: Entry{
				Names: []string{"n", "size", "samples"}, Unit: "samples",
				Meaning: "samples of the group; rollouts/rows where a rollout has several rows",
			},
		},
		{
			Value: func(g GroupOf) Number { return Ordinal(g.Step) },
			Entry: Entry{
				Names: []string{"step"}, Unit: "number",
				Meaning: "the step that the group is of",
			},
		},
		{
			Value: func(g GroupOf) Number { return Count(g.Rollouts) },
			Entry: Entry{
				Names: []string{"rollouts"}, Unit: "rollouts",
				Meaning: "rollouts of the group; one may have several rows",
			},
		},
		{
			Value: func(g GroupOf) Number { return Count(g.Kept()).As(KeptBySign(g.Group)) },
			Entry: Entry{
				Names: []string{"kept"}, Unit: "samples", Formula: "kept_pos+ kept_neg− kept_zero zero",
				Meaning: "samples that the filter keeps, by the sign of A before it: 12+4− is 12 above 0 and 4 below; 16 zero " +
					"are 16 at 0, which do not train; 16 NaN have an advantage of NaN",
			},
		},
		{
			Value: func(g GroupOf) Number { return Count(g.KeptPos) },
			Entry: Entry{
				Names: []string{"kept_pos", "pos"}, Unit: "samples", Formula: "#{kept, A > 0}",
				Meaning: "kept samples with A > 0",
			},
		},
		{
			Value: func(g GroupOf) Number { return Count(g.KeptNeg) },
			Entry: Entry{
				Names: []string{"kept_neg", "neg"}, Unit: "samples", Formula: "#{kept, A < 0}",
				Meaning: "kept samples with A < 0",
			},
		},
		{
			Value: func(g GroupOf) Number { return Count(g.KeptZero) },
			Entry: Entry{
				Names: []string{"kept_zero"}, Unit: "samples", Formula: "#{kept, A = 0}",
				Meaning: "kept samples with A = 0, or a rounding error: without effect",
			},
		},
		{
			Value: func(g GroupOf) Number { return Count(g.Size() - g.Kept()) },
			Entry: Entry{
				Names: []string{"dropped"}, Unit: "samples", Formula: "n − kept",
				Meaning: "samples whose advantage the filter sets to 0",
			},
		},
		{
			Value: func(g GroupOf) Number { return Count(g.Nonzero) },
			Entry: Entry{
				Names: []string{"nonzero"}, Unit: "samples", Formula: "#{A′ ≠ 0}",
				Meaning: "samples of the group that train",
			},
		},
		{
			Value: func(g GroupOf) Number { return CountOf(g.Flips.Total(), g.Kept()) },
			Entry: Entry{
				Names: []string{"flips"}, Unit: "kept samples", Formula: "#{kept: sign A′ ≠ sign A}",
				Meaning: "kept samples whose advantage changes sign in recompute, also from or to 0",
			},
		},
		{
			Value: func(g GroupOf) Number { return solved(g.Group) },
			Entry: Entry{
				Names: []string{"solved"}, Unit: "samples", Formula: "#{r ≥ solved}",
				Meaning: "samples of the group that are solved",
			},
		},
		{
			Value: func(g GroupOf) Number { return Mean(g.RewardMean) },
			Entry: Entry{
				Names: []string{"reward", "reward_mean"}, Unit: "reward", Formula: "μ = Σr / n over the finite rewards that count",
				Meaning: "mean reward of the group ± the std of its rewards",
			},
		},
		{
			Value: func(g GroupOf) Number { return Mean(g.RewardStd) },
			Entry: Entry{
				Names: []string{"std", "reward_std"}, Unit: "reward", Formula: "√(Σ(r − μ)² / (n − 1)), ddof 1",
				Meaning:  "spread of the rewards; the estimator's own std may have another ddof: `vantage list estimators`",
				Trainers: "TRL, ms-swift `reward_std` is the std of the whole batch",
			},
		},
		{
			Value: func(g GroupOf) Number { return Count(g.Invalid) },
			Entry: Entry{
				Names: []string{"invalid"}, Unit: "rewards",
				Meaning: "rewards that are NaN, infinite or missing",
			},
		},
		{
			Value: func(g GroupOf) Number { return Flag(g.Admitted) },
			Entry: Entry{
				Names: []string{"admitted"}, Unit: "yes or no",
				Meaning: "whether the group filter admits the group; every group without one",
			},
		},
		{
			Value: func(g GroupOf) Number { return Flag(g.In.Refused(g.At)) },
			Entry: Entry{
				Names: []string{"refused"}, Unit: "yes or no",
				Meaning: "the trainer's own code would raise an error for the group",
			},
		},
	}
}

// Samples returns the figures of a sample.
func Samples() []Of[SampleOf] {
	return []Of[SampleOf]{
		{
			Entry: Entry{
				Names: []string{"rank", "#"}, Unit: "–",
				Meaning: "rank by reward, the best first",
			},
		},
		{
			Value: func(s SampleOf) Number { return Ordinal(s.In.InputRow[s.At]) },
			Entry: Entry{
				Names: []string{"index", "row"}, Unit: "–",
				Meaning: "place in the log: of the step from 0 in `export`, of the group from 1 in tables of the screen",
			},
		},
		{
			Entry: Entry{
				Names: []string{"rollout"}, Unit: "–",
				Meaning: "number of the rollout that the row belongs to; its last row is marked",
			},
		},
		{
			Value: func(s SampleOf) Number { return Mean(s.In.LoggedRewards[s.At]) },
			Entry: Entry{
				Names: []string{"reward", "sample.reward"}, Unit: "reward", Formula: "r",
				Meaning: "as logged, chosen or weighted",
			},
		},
		{
			Value: func(s SampleOf) Number { return Count(s.In.Lengths[s.At]) },
			Entry: Entry{
				Names: []string{"tokens", "length", "sample.length"}, Unit: "tokens", Formula: "l",
				Meaning: "length of the response: tokens, or the unit of the report's line *lengths*",
			},
		},
		{
			Entry: Entry{
				Names: []string{"geo"}, Unit: "ratio", Formula: "e^(mean d), d = trainer − sampler, of a group over all tokens",
				Meaning: "ratio of the policy that trains to that which sampled, for a typical token: 1 is on-policy",
			},
		},
		{
			Value: func(s SampleOf) Number { return Mean(s.In.Unfiltered[s.At]) },
			Entry: Entry{
				Names: []string{"adv", "orig", "advantage_original", "sample.adv"}, Unit: "advantage",
				Formula:  "A: the estimator's formula",
				Meaning:  "original advantage: before the filter",
				Trainers: "EasyR1 `advantages_original`",
			},
		},
		{
			Value: func(s SampleOf) Number { return Mean(s.In.Processed[s.At]) },
			Entry: Entry{
				Names: []string{"proc", "advantage", "sample.new"}, Unit: "advantage",
				Formula:  "A′ = A if kept, 0 if dropped; with recompute the formula over the kept ones",
				Meaning:  "processed advantage: after filter and recompute, what trains",
				Trainers: "verl, EasyR1 `advantages`",
			},
		},
		{
			Value: func(s SampleOf) Number { return Flag(s.In.Keep[s.At]) },
			Entry: Entry{
				Names: []string{"kept", "sample.kept", "drop"}, Unit: "yes or no",
				Meaning: "whether the filter keeps the sample: ● kept, ○ drop",
			},
		},
		{
			Entry: Entry{
				Names: []string{"reward component", "reward/NAME"}, Unit: "reward",
				Meaning: "one of the log's reward columns; :reward takes it, or a sum of several, as the reward",
			},
		},
		{
			Value: func(s SampleOf) Number { return Mean(s.In.LoggedAdvantages[s.At]) },
			Entry: Entry{
				Names: []string{"logged", "sample.logged", "advantage_logged"}, Unit: "advantage",
				Meaning: "the advantage in the log, where it has one",
			},
		},
		{
			Value: func(s SampleOf) Number { return Flag(s.In.Trains(s.At)) },
			Entry: Entry{
				Names: []string{"admitted"}, Unit: "yes or no",
				Meaning: "whether the group filter lets the sample through",
			},
		},
		{
			Value: func(s SampleOf) Number { return Flag(s.In.Pushes(s.At)) },
			Entry: Entry{
				Names: []string{"trains"}, Unit: "yes or no", Formula: "A′ ≠ 0",
				Meaning: "whether the advantage is a number other than 0, rounding errors aside: what train counts; in `export` " +
					"if `--columns` names it",
			},
		},
		{
			Value: func(s SampleOf) Number { return Word(s.In.StatusOf(s.At).String()) },
			Entry: Entry{
				Names: []string{"status", "sample.status"}, Unit: "–",
				Meaning: "the trainer's status of the sample: trains, cut off, masked, dropped, errored, empty if it has no " +
					"response, or not in the log if it has no row; masked, dropped and errored ones do not train",
			},
		},
		{
			Entry: Entry{
				Names: []string{"loss_weight"}, Unit: "weight", Formula: "w: the loss's formula",
				Meaning: "weight of the sample in the loss; empty if no loss is set or lengths are unknown",
			},
		},
		{
			Entry: Entry{
				Names: []string{"fate"}, Unit: "–",
				Meaning: "the same as the group's",
			},
		},
		{
			Entry: Entry{
				Names: []string{"refused"}, Unit: "yes or no",
				Meaning: "the same as the group's",
			},
		},
		{
			Entry: Entry{
				Names: []string{"file", "line"}, Unit: "–",
				Meaning: "where the record begins: the file below the path that was opened and the line from 1, of Parquet the " +
					"row; in `export`",
			},
		},
		{
			Entry: Entry{
				Names: []string{"prompt", "response", "ground_truth"}, Unit: "text",
				Meaning: "as logged; `export` has them if `--columns` names them",
			},
		},
		{
			Entry: Entry{
				Names: []string{"+→−", "−→+", "0→+", "0→−", "+→0", "−→0"}, Unit: "–", Formula: "sign A → sign A′",
				Meaning: "how the sign of a kept sample's advantage changes in recompute",
			},
		},
	}
}

// Prompts returns the figures of a prompt over a whole run.
func Prompts() []Of[*ledger.Prompt] {
	return []Of[*ledger.Prompt]{
		{
			Value: func(p *ledger.Prompt) Number { return Word(string(p.State())) },
			Entry: Entry{
				Names: []string{"state"}, Unit: "–",
				Meaning: "the class of the prompt: learning, solved, hopeless, flat, forgotten, suspect, rare or unsure",
			},
		},
		{
			Value: func(p *ledger.Prompt) Number { return Text(p.Name()) },
			Entry: Entry{
				Names: []string{"name"}, Unit: "–",
				Meaning: "a hash of prompt and ground truth, or the log's id of its groups",
			},
		},
		{
			Value: func(p *ledger.Prompt) Number { return Count(p.Seen) },
			Entry: Entry{
				Names: []string{"seen"}, Unit: "groups",
				Meaning: "how often the prompt came: groups of it",
			},
		},
		{
			Value: func(p *ledger.Prompt) Number { return Count(p.Samples) },
			Entry: Entry{
				Names: []string{"samples"}, Unit: "samples",
				Meaning: "its samples in all steps",
			},
		},
		{
			Value: func(p *ledger.Prompt) Number { return Mean(p.Rate()) },
			Entry: Entry{
				Names: []string{"rate"}, Unit: "share or reward", Formula: "solved / tries, or Σgrade / tries",
				Meaning: "solve rate; of a prompt that is graded by degrees its mean reward on the scale of the run, from 0 " +
					"(wrong) to 1 (full marks); if nothing shows what those are, the mean reward as logged",
			},
		},
		{
			Value: func(p *ledger.Prompt) Number { return Word(p.RateOf()) },
			Entry: Entry{
				Names: []string{"rate_of"}, Unit: "–",
				Meaning: "what rate is of: solved tries, or mean reward",
			},
		},
		{
			Value: func(p *ledger.Prompt) Number { return Mean(p.SolveRate()) },
			Entry: Entry{
				Names: []string{"solve_rate"}, Unit: "share", Formula: "solved / tries",
				Meaning: "share of its tries that is solved; missing if the rewards don't show which are",
			},
		},
		{
			Value: func(p *ledger.Prompt) Number { return Mean(p.Reward()) },
			Entry: Entry{
				Names: []string{"reward"}, Unit: "reward", Formula: "Σr / #{finite r}",
				Meaning: "mean reward of its tries",
			},
		},
		{
			Value: func(p *ledger.Prompt) Number { low, _ := p.Interval(); return Mean(low) },
			Entry: Entry{
				Names: []string{"low_95"}, Unit: "share or reward", Formula: "Wilson's score interval, or mean ± 1.96·std / √n",
				Meaning: "lower end of the 95 % interval of rate",
			},
		},
		{
			Value: func(p *ledger.Prompt) Number { _, high := p.Interval(); return Mean(high) },
			Entry: Entry{
				Names: []string{"high_95"}, Unit: "share or reward", Formula: "as low_95",
				Meaning: "upper end of it",
			},
		},
		{
			Value: func(p *ledger.Prompt) Number { x, _ := p.Trend(); return Mean(x).As(units.SignedOrMissing(x)) },
			Entry: Entry{
				Names: []string{"trend"}, Unit: "share or reward", Formula: "later half − earlier half of its groups",
				Meaning: "how much greater its rate is than before",
			},
		},
		{
			Value: func(p *ledger.Prompt) Number { _, err := p.Trend(); return Mean(err) },
			Entry: Entry{
				Names: []string{"trend_error", "±"}, Unit: "share or reward", Formula: "std·√(1/n + 1/m)",
				Meaning: "standard error of trend if nothing changes",
			},
		},
		{
			Value: func(p *ledger.Prompt) Number { return CountOf(p.Signal, p.Seen) },
			Entry: Entry{
				Names: []string{"signal"}, Unit: "groups", Formula: "alive + short",
				Meaning: "groups of it with signal",
			},
		},
		{
			Value: func(p *ledger.Prompt) Number { return Mean(p.Abs) },
			Entry: Entry{
				Names: []string{"sum_abs", "Σ|A|"}, Unit: "advantage", Formula: "Σ|A′|",
				Meaning: "absolute advantages of all of its samples that train: how much it taught",
			},
		},
		{
			Value: func(p *ledger.Prompt) Number { return Count(int(p.Tokens)) },
			Entry: Entry{
				Names: []string{"tokens"}, Unit: "tokens", Formula: "Σ length, of known ones",
				Meaning: "what its responses cost, in the unit of the report's line *lengths*",
			},
		},
		{
			Value: func(p *ledger.Prompt) Number { return Mean(p.PerThousand()) },
			Entry: Entry{
				Names: []string{"per_1k", "Σ|A|/1k"}, Unit: "advantage", Formula: "1000·sum_abs / tokens",
				Meaning: "Σ|A| that 1,000 tokens of it gave",
			},
		},
		{
			Value: func(p *ledger.Prompt) Number { return Ordinal(p.First) },
			Entry: Entry{
				Names: []string{"first_step"}, Unit: "number",
				Meaning: "the first step in which it came",
			},
		},
		{
			Value: func(p *ledger.Prompt) Number { return Ordinal(p.Last) },
			Entry: Entry{
				Names: []string{"last_step"}, Unit: "number",
				Meaning: "the last step in which it came",
			},
		},
		{
			Value: func(p *ledger.Prompt) Number { return Text(p.Why()) },
			Entry: Entry{
				Names: []string{"state_why"}, Unit: "text",
				Meaning: "the numbers by which it is in its state",
			},
		},
		{
			Value: func(p *ledger.Prompt) Number { return Text(p.Preview) },
			Entry: Entry{
				Names: []string{"prompt"}, Unit: "–",
				Meaning: "the beginning of the prompt, or the id of its groups",
			},
		},
	}
}
