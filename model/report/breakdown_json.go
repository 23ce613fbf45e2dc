package report

import (
	"io"

	"vantage/model/analysis"
)

// BreakdownJSON writes one object, whose parts have the columns of [BreakdownCSV], the first of them as value:
//
//	{"schema": "vantage/breakdown@1", "by": "length", "where": "fate:alive", "note": "…", "steps": 3, "settings": {…}, "estimator": {…},
//	 "reward": {…}, "parts": [{"value": "0 – 120", "samples": 4, …}], "complete": true}
//
// settings, estimator and reward are as in [JSON].
func BreakdownJSON(w io.Writer, b *Breakdown) error {
	parts := []partJSON{}
	for i := range b.sorted().Parts.Parts {
		parts = append(parts, newPartJSON(&b.Parts.Parts[i]))
	}
	return writeJSON(w, struct {
		Schema    string       `json:"schema"`
		By        string       `json:"by"`
		Where     string       `json:"where,omitempty"`
		Note      string       `json:"note,omitempty"`
		Steps     int          `json:"steps"`
		Settings  settingsJSON `json:"settings"`
		Estimator *choiceJSON  `json:"estimator,omitempty"`
		Reward    *rewardJSON  `json:"reward,omitempty"`
		Parts     []partJSON   `json:"parts"`
		Complete  bool         `json:"complete"`
	}{"vantage/breakdown@1", b.By, b.Where, b.Note, b.Parts.Steps, newSettingsJSON(b.Settings), newChoiceJSON(b.Choice), newRewardJSON(b.Choice.Rewards), parts, true})
}

// partJSON is a row of [Breakdown.Table].
type partJSON struct {
	Value    string     `json:"value"`
	Samples  int        `json:"samples"`
	Groups   int        `json:"groups"`
	Signal   int        `json:"signal_groups"`
	Admitted int        `json:"admitted_groups"`
	Kept     int        `json:"kept_samples"`
	Nonzero  int        `json:"nonzero_samples"`
	Solved   int        `json:"solved_samples"`
	Judged   int        `json:"judged_samples"`
	Reward   numberJSON `json:"reward_mean"`
	Tokens   int64      `json:"tokens"`
	Before   numberJSON `json:"abs_advantage_original"`
	After    numberJSON `json:"abs_advantage"`
	Push     numberJSON `json:"sum_advantage"`
	Weight   numberJSON `json:"loss_weight"`
	Positive numberJSON `json:"loss_mass_positive"`
	Negative numberJSON `json:"loss_mass_negative"`
}

func newPartJSON(p *analysis.Part) partJSON {
	return partJSON{
		p.Name, p.Samples, p.Groups, p.Signal, p.Admitted, p.Kept, p.Nonzero, p.Solved, p.Judged,
		numberJSON(p.Reward()), p.Tokens, numberJSON(p.AbsOriginal), numberJSON(p.AbsProcessed), numberJSON(p.Push),
		numberJSON(p.Mass.Weight), numberJSON(p.Mass.Positive), numberJSON(p.Mass.Negative),
	}
}
