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
		{func(g GroupOf) Number { return Text(g.In.WhySkipped(g.At)) }, Entry{"why_skipped", "text", "", "the value by which the group filter rejects the group: std 0", ""}},
		{func(g GroupOf) Number { return Word(g.Fate.Key()).As(g.Fate.String()) }, Entry{"fate", "–", "", "what becomes of the group under its rewards and these settings: alive, killed, all wrong, …", ""}},
		{func(g GroupOf) Number { return Text(g.Name) }, Entry{"group, name", "–", "", "the log's id, or a hash of prompt and ground truth", ""}},
		{func(g GroupOf) Number { return Text(g.Preview) }, Entry{"prompt", "–", "", "the beginning of the prompt, or the group's id", ""}},
		{func(g GroupOf) Number { return Count(g.Size()).As(g.SizeText()) }, Entry{"n, size, samples", "samples", "", "samples of the group; rollouts/rows where a rollout has several rows", ""}},
		{func(g GroupOf) Number { return Ordinal(g.Step) }, Entry{"step", "number", "", "the step that the group is of", ""}},
		{func(g GroupOf) Number { return Count(g.Rollouts) }, Entry{"rollouts", "rollouts", "", "rollouts of the group; one may have several rows", ""}},
		{func(g GroupOf) Number { return Count(g.Kept()).As(KeptBySign(g.Group)) }, Entry{"kept", "samples", "kept_pos+ kept_neg− kept_zero zero", "samples that the filter keeps, by the sign of A before it: 12+4− is 12 above 0 and 4 below; 16 zero are 16 at 0, which do not train; 16 NaN have an advantage that is no number", ""}},
		{func(g GroupOf) Number { return Count(g.KeptPos) }, Entry{"kept_pos, pos", "samples", "#{kept, A > 0}", "kept samples with A > 0", ""}},
		{func(g GroupOf) Number { return Count(g.KeptNeg) }, Entry{"kept_neg, neg", "samples", "#{kept, A < 0}", "kept samples with A < 0", ""}},
		{func(g GroupOf) Number { return Count(g.KeptZero) }, Entry{"kept_zero", "samples", "#{kept, A = 0}", "kept samples with A = 0, or a rounding error: without effect", ""}},
		{func(g GroupOf) Number { return Count(g.Size() - g.Kept()) }, Entry{"dropped", "samples", "n − kept", "samples whose advantage the filter sets to 0", ""}},
		{func(g GroupOf) Number { return Count(g.Nonzero) }, Entry{"nonzero", "samples", "#{A′ ≠ 0}", "samples of the group that train", ""}},
		{func(g GroupOf) Number { return CountOf(g.Flips.Total(), g.Kept()) }, Entry{"flips", "kept samples", "#{kept: sign A′ ≠ sign A}", "kept samples whose advantage changes sign in recompute, also from or to 0", ""}},
		{func(g GroupOf) Number { return solved(g.Group) }, Entry{"solved", "samples", "#{r ≥ solved}", "samples of the group that are solved", ""}},
		{func(g GroupOf) Number { return Mean(g.RewardMean) }, Entry{"reward, reward_mean", "reward", "μ = Σr / n over the finite rewards that count", "mean reward of the group ± the std of its rewards", ""}},
		{func(g GroupOf) Number { return Mean(g.RewardStd) }, Entry{"std, reward_std", "reward", "√(Σ(r − μ)² / (n − 1)), ddof 1", "spread of the rewards; the estimator's own std may have another ddof: `vantage list estimators`", "TRL, ms-swift `reward_std` is the std of the whole batch"}},
		{func(g GroupOf) Number { return Count(g.Invalid) }, Entry{"invalid", "rewards", "", "rewards that are NaN, infinite or missing", ""}},
		{func(g GroupOf) Number { return Flag(g.Admitted) }, Entry{"admitted", "yes or no", "", "whether the group filter admits the group; every group without one", ""}},
		{func(g GroupOf) Number { return Flag(g.In.Refused(g.At)) }, Entry{"refused", "yes or no", "", "the trainer's own code would raise an error for the group", ""}},
	}
}

// Samples returns the figures of a sample.
func Samples() []Of[SampleOf] {
	return []Of[SampleOf]{
		{Entry: Entry{"rank, #", "–", "", "rank by reward, the best first", ""}},
		{func(s SampleOf) Number { return Ordinal(s.In.InputRow[s.At]) }, Entry{"index, row", "–", "", "place in the log: of the step from 0 in `export`, of the group from 1 in tables of the screen", ""}},
		{Entry: Entry{"rollout", "–", "", "number of the rollout that the row belongs to; its last row is marked", ""}},
		{func(s SampleOf) Number { return Mean(s.In.LoggedRewards[s.At]) }, Entry{"reward, sample.reward", "reward", "r", "as logged, chosen or weighted", ""}},
		{func(s SampleOf) Number { return Count(s.In.Lengths[s.At]) }, Entry{"tokens, length, sample.length", "tokens", "l", "length of the response: tokens, or the unit of the report's line *lengths*", ""}},
		{func(s SampleOf) Number { return Mean(s.In.Original[s.At]) }, Entry{"adv, orig, advantage_original, sample.adv", "advantage", "A: the estimator's formula", "original advantage: before the filter", "EasyR1 `advantages_original`"}},
		{func(s SampleOf) Number { return Mean(s.In.Processed[s.At]) }, Entry{"proc, advantage, sample.new", "advantage", "A′ = A if kept, 0 if dropped; with recompute the formula over the kept ones", "processed advantage: after filter and recompute, what trains", "verl, EasyR1 `advantages`"}},
		{func(s SampleOf) Number { return Flag(s.In.Keep[s.At]) }, Entry{"kept, sample.kept, drop", "yes or no", "", "whether the filter keeps the sample: ● kept, ○ drop", ""}},
		{Entry: Entry{"reward component, reward/NAME", "reward", "", "one of the log's reward columns; :reward takes it, or a sum of several, as the reward", ""}},
		{func(s SampleOf) Number { return Mean(s.In.LoggedAdvantages[s.At]) }, Entry{"logged, sample.logged, advantage_logged", "advantage", "", "the advantage in the log, where it has one", ""}},
		{func(s SampleOf) Number { return Flag(s.In.Trains(s.At)) }, Entry{"admitted", "yes or no", "", "whether the group filter lets the sample through", ""}},
		{func(s SampleOf) Number { return Flag(s.In.Pushes(s.At)) }, Entry{"trains", "yes or no", "A′ ≠ 0", "whether the advantage is a number other than 0, rounding errors aside: what train counts; in `export` if `--columns` names it", ""}},
		{func(s SampleOf) Number { return Word(s.In.StatusOf(s.At).String()) }, Entry{"status, sample.status", "–", "", "the trainer's status of the sample: trains, cut off, masked, dropped, errored, empty if it has no response, or not in the log if it has no row; masked, dropped and errored ones do not train", ""}},
		{Entry: Entry{"loss_weight", "weight", "w: the loss's formula", "weight of the sample in the loss; empty if no loss is set or lengths are unknown", ""}},
		{Entry: Entry{"fate", "–", "", "the same as the group's", ""}},
		{Entry: Entry{"refused", "yes or no", "", "the same as the group's", ""}},
		{Entry: Entry{"file, line", "–", "", "where the record begins: the file below the path that was opened and the line from 1, of Parquet the row; in `export`", ""}},
		{Entry: Entry{"prompt, response, ground_truth", "text", "", "as logged; `export` has them if `--columns` names them", ""}},
		{Entry: Entry{"+→−, −→+, 0→+, 0→−, +→0, −→0", "–", "sign A → sign A′", "how the sign of a kept sample's advantage changes in recompute", ""}},
	}
}

// Prompts returns the figures of a prompt over a whole run.
func Prompts() []Of[*ledger.Prompt] {
	return []Of[*ledger.Prompt]{
		{func(p *ledger.Prompt) Number { return Word(string(p.State())) }, Entry{"state", "–", "", "the class of the prompt: learning, solved, hopeless, flat, forgotten, suspect, rare or unsure", ""}},
		{func(p *ledger.Prompt) Number { return Text(p.Name()) }, Entry{"name", "–", "", "a hash of prompt and ground truth, or the log's id of its groups", ""}},
		{func(p *ledger.Prompt) Number { return Count(p.Seen) }, Entry{"seen", "groups", "", "how often the prompt came: groups of it", ""}},
		{func(p *ledger.Prompt) Number { return Count(p.Samples) }, Entry{"samples", "samples", "", "its samples in all steps", ""}},
		{func(p *ledger.Prompt) Number { return Mean(p.Rate()) }, Entry{"rate", "share or reward", "solved / tries, or Σgrade / tries", "solve rate; of a prompt that is graded by degrees its mean reward on the scale of the run, from 0 (wrong) to 1 (full marks); if nothing shows what those are, the mean reward as logged", ""}},
		{func(p *ledger.Prompt) Number { return Word(p.RateOf()) }, Entry{"rate_of", "–", "", "what rate is of: solved tries, or mean reward", ""}},
		{func(p *ledger.Prompt) Number { return Mean(p.SolveRate()) }, Entry{"solve_rate", "share", "solved / tries", "share of its tries that is solved; missing if the rewards don't show which are", ""}},
		{func(p *ledger.Prompt) Number { return Mean(p.Reward()) }, Entry{"reward", "reward", "Σr / #{finite r}", "mean reward of its tries", ""}},
		{func(p *ledger.Prompt) Number { low, _ := p.Interval(); return Mean(low) }, Entry{"low_95", "share or reward", "Wilson's score interval, or mean ± 1.96·std / √n", "lower end of the 95 % interval of rate", ""}},
		{func(p *ledger.Prompt) Number { _, high := p.Interval(); return Mean(high) }, Entry{"high_95", "share or reward", "as low_95", "upper end of it", ""}},
		{func(p *ledger.Prompt) Number { x, _ := p.Trend(); return Mean(x).As(units.SignedOrMissing(x)) }, Entry{"trend", "share or reward", "later half − earlier half of its groups", "how much greater its rate is than before", ""}},
		{func(p *ledger.Prompt) Number { _, err := p.Trend(); return Mean(err) }, Entry{"trend_error, ±", "share or reward", "std·√(1/n + 1/m)", "standard error of trend if nothing changes", ""}},
		{func(p *ledger.Prompt) Number { return CountOf(p.Signal, p.Seen) }, Entry{"signal", "groups", "alive + short", "groups of it with signal", ""}},
		{func(p *ledger.Prompt) Number { return Mean(p.Abs) }, Entry{"sum_abs", "advantage", "Σ|A′|", "absolute advantages of all of its samples that train: how much it taught", ""}},
		{func(p *ledger.Prompt) Number { return Count(int(p.Tokens)) }, Entry{"tokens", "tokens", "Σ length, of known ones", "what its responses cost, in the unit of the report's line *lengths*", ""}},
		{func(p *ledger.Prompt) Number { return Mean(p.PerThousand()) }, Entry{"per_1k", "advantage", "1000·sum_abs / tokens", "Σ|A| that 1,000 tokens of it gave", ""}},
		{func(p *ledger.Prompt) Number { return Ordinal(p.First) }, Entry{"first_step", "number", "", "the first step in which it came", ""}},
		{func(p *ledger.Prompt) Number { return Ordinal(p.Last) }, Entry{"last_step", "number", "", "the last step in which it came", ""}},
		{func(p *ledger.Prompt) Number { return Text(p.Why()) }, Entry{"state_why", "text", "", "the numbers by which it is in its state", ""}},
		{func(p *ledger.Prompt) Number { return Text(p.Preview) }, Entry{"prompt", "–", "", "the beginning of the prompt, or the id of its groups", ""}},
	}
}
