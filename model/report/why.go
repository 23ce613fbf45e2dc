package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"vantage/model/analysis"
	"vantage/model/units"
)

// Why is a group of a step in a short answer: what became of it and why.
type Why struct {
	Answer
	Analysis *analysis.Analysis // of the step
	Group    int                // index in its table
	Steps    []int64            // that have a group of this name, ascending
}

func (y *Why) group() *analysis.Group { return &y.Analysis.Table[y.Group] }

// ranked returns the samples of the group as columns of the analysis, the best reward first.
func (y *Why) ranked() []int {
	g := y.group()
	columns := make([]int, 0, g.Size())
	for i := g.Start; i < g.End; i++ {
		columns = append(columns, i)
	}
	rewards := y.Analysis.LoggedRewards
	slices.SortStableFunc(columns, func(i, j int) int { return cmp.Compare(rewards[j], rewards[i]) }) // NaN is last
	return columns
}

// Best returns the column of the sample with the best reward, and Worst that with the worst one: NaN is worse
// than any number.
func (y *Why) Best() int { return y.ranked()[0] }

// Worst is described at [Why.Best].
func (y *Why) Worst() int { return y.ranked()[y.group().Size()-1] }

// groupHead is what the answers about a group begin with.
type groupHead struct {
	answerJSON
	Group  string `json:"group"`
	Step   int64  `json:"step"`
	Prompt string `json:"prompt"`
}

func (y *Why) head(schema string) groupHead {
	g := y.group()
	return groupHead{y.json(schema), shorten(g.Name, 96), g.Step, shorten(g.Preview, 160)}
}

// cause says why the group has its fate; for one that is alive, which nothing happened to, what a fate means.
func (y *Why) cause() string {
	return shorten(cmp.Or(y.Analysis.Cause(y.Group), y.group().Fate.Doc()), 300)
}

// maxSteps is how many of the steps that have a group of the name are listed, the newest ones.
const maxSteps = 12

func (y *Why) steps() []int64 { return y.Steps[max(0, len(y.Steps)-maxSteps):] }

// maxSamples is the most samples of a group that are tried to fit.
const maxSamples = 64

// some returns n of the samples, the best and the worst of them.
func (y *Why) some(n int) []int {
	all := y.ranked()
	if n >= len(all) {
		return all
	}
	return slices.Concat(all[:(n+1)/2], all[len(all)-n/2:])
}

// WhyJSON writes one line of JSON, of at most [MaxAnswer] bytes:
//
//	{"schema": "vantage/why@1", "path": "…", "computed_as": "…", "group": "a3…", "step": 7, "prompt": "…",
//	 "fate": "killed", "cause": "…", "steps": [3, 7], "size": 16, "kept": 9, "nonzero": 0, "flips": 0,
//	 "reward_mean": 0.4, "reward_std": 0.5, "admitted": true,
//	 "columns": ["index", "reward", "original", "kept", "advantage", "length"], "samples": [[112, 1, 0.8, true, 0, 512], …],
//	 "more_samples": 4, "complete": true}
//
// samples have the best reward first; if not all fit, those in the middle are left out. index is the row of the
// step, as in exports; original is the advantage before the sample filter; length is -1 where unknown. Numbers have
// six digits: exports have every bit. steps are the newest that have a group of this name.
func WhyJSON(w io.Writer, y *Why) error {
	return writeFitting(w, min(maxSamples, y.group().Size()), func(n int) []byte {
		g := y.group()
		samples := [][]any{}
		for _, i := range y.some(n) {
			a := y.Analysis
			samples = append(samples, []any{a.InputRow[i], rounded(a.LoggedRewards[i]), rounded(a.Original[i]), a.Keep[i], rounded(a.Processed[i]), a.Lengths[i]})
		}
		return encode(struct {
			groupHead
			Fate     string   `json:"fate"`
			Cause    string   `json:"cause"`
			Steps    []int64  `json:"steps"`
			Size     int      `json:"size"`
			Kept     int      `json:"kept"`
			Nonzero  int      `json:"nonzero"`
			Flips    int      `json:"flips"`
			Mean     rounded  `json:"reward_mean"`
			Std      rounded  `json:"reward_std"`
			Admitted bool     `json:"admitted"`
			Columns  []string `json:"columns"`
			Samples  [][]any  `json:"samples"`
			More     int      `json:"more_samples,omitempty"`
			Complete bool     `json:"complete"`
		}{
			y.head("vantage/why@1"), g.Fate.Key(), y.cause(), y.steps(), g.Size(), g.Kept(), int(g.Nonzero), g.Flips.Total(), rounded(g.RewardMean), rounded(g.RewardStd),
			g.Admitted,
			[]string{"index", "reward", "original", "kept", "advantage", "length"},
			samples, g.Size() - len(samples), true,
		})
	})
}

// WhyText writes the same in lines.
func WhyText(w io.Writer, y *Why) error {
	return writeFitting(w, min(maxSamples, y.group().Size()), func(n int) []byte {
		var b bytes.Buffer
		g, a := y.group(), y.Analysis
		y.writeHead(&b)
		fmt.Fprintf(&b, "fate     %s: %s\n", g.Fate, strings.TrimPrefix(y.cause(), g.Fate.String()+" "))
		fmt.Fprintf(&b, "rewards  mean %s, std %s\n", meanText(g.RewardMean), meanText(g.RewardStd))
		fmt.Fprintf(&b, "samples  %s, %d kept, %d train: their advantage is not 0\n", g.SizeText(), g.Kept(), g.Nonzero)
		fmt.Fprintf(&b, "%8s %9s %9s %5s %9s %7s\n", "index", "reward", "original", "kept", "advantage", "length")
		for _, i := range y.some(n) {
			fmt.Fprintf(&b, "%8d %9s %9s %5t %9s %7d\n", a.InputRow[i], meanText(a.LoggedRewards[i]), meanText(a.Original[i]), a.Keep[i], meanText(a.Processed[i]), a.Lengths[i])
		}
		if more := g.Size() - n; more > 0 {
			fmt.Fprintf(&b, "%d more between the best and the worst of them\n", more)
		}
		return b.Bytes()
	})
}

// writeHead writes what group it is, and under whose arithmetic.
func (y *Why) writeHead(b *bytes.Buffer) {
	h := y.head("")
	fmt.Fprintf(b, "group    %s of step %d", h.Group, h.Step)
	if len(y.Steps) > 1 {
		fmt.Fprintf(b, "; %s have one of this name, such as %d", units.Plural(len(y.Steps), "steps"), y.Steps[0])
	}
	fmt.Fprintf(b, "\nprompt   %s\nnumbers  %s\n", h.Prompt, h.ComputedAs)
}
