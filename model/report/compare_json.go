package report

import (
	"io"

	"vantage/model/compare"
	"vantage/model/sanitize"
)

type comparisonJSON struct {
	Schema     string         `json:"schema"`
	A          string         `json:"a"`
	B          string         `json:"b"`
	Names      [2]string      `json:"names"`
	Verdict    string         `json:"verdict"`
	Wins       int            `json:"wins"`
	Losses     int            `json:"losses"`
	Ties       int            `json:"ties"`
	Delta      *float64       `json:"delta,omitempty"`
	StdErr     *float64       `json:"std_err,omitempty"`
	P          float64        `json:"p"`
	Share      [2]float64     `json:"win_share_95"`
	Steps      int            `json:"steps"`
	OtherSteps int            `json:"other_steps"`
	OnlyA      int            `json:"only_a"`
	OnlyB      int            `json:"only_b"`
	LeftOut    bothScopesJSON `json:"left_out"`
	Note       string         `json:"note,omitempty"`
	Difficulty []binJSON      `json:"difficulty"`
	Pairs      []pairJSON     `json:"pairs"`
	Complete   bool           `json:"complete"`
}

type bothScopesJSON struct {
	A scopeJSON `json:"a"`
	B scopeJSON `json:"b"`
}

type scopeJSON struct {
	Steps          int `json:"steps"`
	OfSteps        int `json:"of_steps"`
	OpenSteps      int `json:"open_steps"`
	Prompts        int `json:"prompts"`
	OfPrompts      int `json:"of_prompts"`
	Samples        int `json:"samples"`
	OfSamples      int `json:"of_samples"`
	InvalidSamples int `json:"invalid_samples"`
	SurplusSamples int `json:"surplus_samples"`
}

type binJSON struct {
	From   float64  `json:"from"`
	To     float64  `json:"to"`
	Count  int      `json:"prompts"`
	Delta  *float64 `json:"delta,omitempty"`
	StdErr *float64 `json:"std_err,omitempty"`
}

type pairJSON struct {
	Prompt    string  `json:"prompt"`
	A         float64 `json:"a"`
	B         float64 `json:"b"`
	SamplesA  int     `json:"samples_a"`
	SamplesB  int     `json:"samples_b"`
	Samples   int     `json:"samples"`
	SameSteps bool    `json:"same_steps"`
}

// CompareJSON writes {"schema": "vantage/compare@2", "a": …, "b": …, "names": […], "verdict": …, "wins": …, "losses": …,
// "ties": …, "delta": …, "std_err": …, "p": …, "win_share_95": [lo, hi], "steps": …, "other_steps": …,
// "only_a": …, "only_b": …, "left_out": {"a": {"steps", "of_steps", "open_steps", "prompts", "of_prompts",
// "samples", "of_samples", "invalid_samples", "surplus_samples"}, "b": {…}}, "note": …,
// "difficulty": [{"from", "to", "prompts", "delta", "std_err"}],
// "pairs": [{"prompt", "a", "b", "samples_a", "samples_b", "samples", "same_steps"}], "complete": true}.
//
// a is the first run and b the second, everywhere: at the top their paths or labels, which names has short, as the verdict calls them. only_a and only_b are the prompts that are left out.
// delta and std_err are missing where there are too few prompts. complete comes last.
func CompareJSON(w io.Writer, c Comparison) error {
	a, b := c.Baseline, c.Candidate
	out := comparisonJSON{
		Schema: "vantage/compare@2", A: c.Titles[0], B: c.Titles[1], Names: c.Names, Verdict: c.Sentence(), Wins: c.Wins, Losses: c.Losses, Ties: c.Ties,
		Delta: finite(c.Delta), StdErr: finite(c.StdErr), P: c.PValue, Share: c.WinShare,
		Steps: c.Steps, OtherSteps: c.OtherSteps, OnlyA: a.LeftOutPrompts, OnlyB: b.LeftOutPrompts, LeftOut: bothScopesJSON{newScopeJSON(a), newScopeJSON(b)},
		Note: c.Scales, Difficulty: []binJSON{}, Pairs: []pairJSON{}, Complete: true,
	}
	for _, b := range c.Bins {
		out.Difficulty = append(out.Difficulty, binJSON{b.Lo, b.Hi, b.Pairs, finite(b.Delta), finite(b.StdErr)})
	}
	for _, p := range c.Pairs {
		out.Pairs = append(out.Pairs, pairJSON{sanitize.Line(p.Preview), p.Baseline, p.Candidate, p.OfBaseline, p.OfCandidate, p.Samples, p.SameSteps})
	}
	return writeJSON(w, out)
}

func newScopeJSON(s compare.Scope) scopeJSON {
	return scopeJSON{s.LeftOutSteps, s.Steps, s.OpenSteps, s.LeftOutPrompts, s.Prompts, s.LeftOutSamples, s.Samples, s.InvalidSamples, s.SurplusSamples}
}

// finite returns a pointer to x, nil if it is not finite.
func finite(x float64) *float64 {
	if x-x != 0 {
		return nil
	}
	return &x
}
