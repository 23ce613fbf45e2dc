package glossary

// partFigures are those of samples that have something in common.
func partFigures() []Entry {
	return []Entry{
		{"difficulty", "share of the group", "s / n: 0, ≤ 25 %, ≤ 50 %, ≤ 75 %, < 100 %, 100 %", "how many of the n samples of the group are solved", ""},
		{"length", "quarters of the step", "lengths up to those at n/4, n/2 and 3n/4 in order, rounded up", "how long the response is among those of its step", ""},
		{"samples", "samples", "", "samples of the part", ""},
		{"groups", "groups", "", "groups that have samples in the part: one counts in each part that it has samples in", ""},
		{"reward, reward_mean", "reward", "Σr / #{finite r}", "mean of the rewards that train", ""},
		{"signal, signal_groups", "groups", "alive + short", "of its groups, those that carry signal", ""},
		{"admitted, admitted_groups", "groups", "", "of its groups, those that the group filter admits; all without one", ""},
		{"kept_samples", "samples", "", "samples that the filter keeps, those with advantage 0 included", ""},
		{"A≠0, nonzero_samples", "samples", "#{A′ ≠ 0}", "samples that train", ""},
		{"solved_samples, judged_samples", "samples", "", "solved ones, of those whose rewards say what is solved", ""},
		{"Σ|A|, abs_advantage, abs_advantage_original", "share of all parts; in CSV and JSON the sum", "Σ|A′|; original Σ|A|", "how hard the part pushes", ""},
		{"push", "−1 to 1", "ΣA′ / Σ|A′|", "1 if all its samples are pushed up, −1 if all are pushed down", ""},
		{"sum_advantage", "advantage", "ΣA′", "the push before it is divided", ""},
		{"tokens", "share of all parts; in CSV and JSON the sum", "Σ length, of known ones", "what the responses of the part cost to generate", ""},
		{"Σw|A|, loss_mass_positive, loss_mass_negative", "share of all parts; in CSV and JSON the sums", "Σw·A′ over A′ > 0; Σw·|A′| over A′ < 0", "how hard the part pushes in the loss", ""},
		{"loss_weight", "weight", "Σw", "what the loss gives the part, advantages of 0 included", ""},
	}
}
