package figures

import (
	"math"

	"vantage/model/ledger"
	"vantage/model/units"
)

// Prompts returns the figures of a prompt over a whole run.
func Prompts() []Of[*ledger.Prompt] {
	return []Of[*ledger.Prompt]{
		{func(p *ledger.Prompt) Number { return Word(string(p.State())) }, Entry{"state", "–", "", "the class of the prompt: learning, solved, hopeless, flat, forgotten, suspect, rare or unsure", ""}},
		{func(p *ledger.Prompt) Number { return Text(p.Name()) }, Entry{"name", "–", "", "a hash of prompt and ground truth, or the log's id of its groups", ""}},
		{func(p *ledger.Prompt) Number { return Count(p.Seen) }, Entry{"seen", "groups", "", "how often the prompt came: groups of it", ""}},
		{func(p *ledger.Prompt) Number { return Count(p.Samples) }, Entry{"samples", "samples", "", "its samples in all steps", ""}},
		{func(p *ledger.Prompt) Number { return Mean(p.Rate()) }, Entry{"rate", "share or reward", "solved / tries, or Σgrade / tries", "solve rate; of a prompt that is graded by degrees its mean reward on the scale of the run, from 0 (wrong) to 1 (full marks); if nothing shows what those are, the mean reward as logged", ""}},
		{func(p *ledger.Prompt) Number { return Word(p.RateOf()) }, Entry{"rate_of", "–", "", "what rate is of: solved tries, or mean reward", ""}},
		{func(p *ledger.Prompt) Number { return Mean(p.SolveRate()) }, Entry{"solve_rate", "share", "solved / tries", "share of its tries that is [solved](decisions.md#which-samples-are-solved); missing if the rewards don't show which are", ""}},
		{func(p *ledger.Prompt) Number { return Mean(p.Reward()) }, Entry{"reward", "reward", "Σr / #{finite r}", "mean reward of its tries", ""}},
		{func(p *ledger.Prompt) Number { low, _ := p.Interval(); return Mean(low) }, Entry{"low_95", "share or reward", "Wilson's score interval, or mean ± 1.96·std / √n", "lower end of the 95 % interval of rate", ""}},
		{func(p *ledger.Prompt) Number { _, high := p.Interval(); return Mean(high) }, Entry{"high_95", "share or reward", "as low_95", "upper end of it", ""}},
		{func(p *ledger.Prompt) Number { x, _ := p.Trend(); return Mean(x).As(signed(x)) }, Entry{"trend", "share or reward", "later half − earlier half of its groups", "how much greater its rate is than before", ""}},
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

func signed(x float64) string {
	if math.IsNaN(x) {
		return units.Missing
	}
	return units.Signed(x)
}
