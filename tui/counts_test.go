package tui

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/check"
	"vantage/model/report"
	"vantage/model/sweep"
	"vantage/tui/header"
	"vantage/tui/steps"
)

// runWithNaN returns a step of four groups of four: one that trains, one with a NaN among its rewards, one
// all correct and one all wrong.
func runWithNaN() *madeSource {
	chunk := &model.Chunk{Format: "made", Files: []string{"made.jsonl"}, HasTruth: true, LengthUnit: model.LengthTokens, Progress: model.Progress{Files: 1, CaughtUp: true}}
	for g, rewards := range [][]float64{{1, 0, 1, 0}, {1, 1, math.NaN(), 1}, {1, 1, 1, 1}, {0, 0, 0, 0}} {
		for i, r := range rewards {
			chunk.Records = append(chunk.Records, model.Record{
				Step: 1, Prompt: uint64(g + 1), Preview: fmt.Sprintf("prompt %d", g+1), Reward: r, Advantage: math.NaN(), Length: 10, Line: int64(g*4 + i + 1),
			})
		}
	}
	return &madeSource{chunks: []*model.Chunk{chunk}}
}

// A group with a NaN among its rewards counts the same wherever groups with signal and samples that train
// are counted. By hand: EasyR1 reads the NaN as 0, so that all four samples of the group have an advantage;
// verl's mean and std are NaN, so that none has.
func TestCountsAgreeOnInvalidGroup(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		framework              string
		signal, nonzero, wrong int
		fate                   model.Fate
	}{
		{"easyr1", 2, 8, 1, model.FateAlive},
		{"verl", 1, 4, 1, model.FateInvalid},
	} {
		set := model.DefaultSettings()
		set.Framework = c.framework
		drive(t, runWithNaN(), 200, 60, set, func(d *driver) {
			x := d.app.env.Result.Analysis
			if fate := x.Table[1].Fate; fate != c.fate || x.Fates[model.FateAllWrong] != c.wrong {
				t.Errorf("%s: %v, %v", c.framework, fate, x.Fates)
			}
			signal, nonzero := fmt.Sprintf("%d/4", c.signal), fmt.Sprintf("%d/16", c.nonzero)
			wants := func(where string, lines []string, wanted ...string) {
				text := strings.Join(strings.Fields(ansi.Strip(strings.Join(lines, " "))), " ")
				for _, want := range wanted {
					if !strings.Contains(text, want) {
						t.Errorf("%s: %s: no %q in %s", c.framework, where, want, text)
					}
				}
			}
			wants("header", header.Lines(d.app.env, 200), "signal "+signal, "train "+nonzero)
			wants("chain", d.app.views.chain.Draw(d.app.env, 200, 40), "signal "+signal, "train "+nonzero)
			wants("steps", steps.Table(d.app.env, 200, 10).Lines, signal, nonzero)
			wants("metrics", d.app.views.panes.Metrics(d.app.env, 76, 60).Lines, fmt.Sprintf("vantage/signal %.3g", float64(c.signal)/4), fmt.Sprintf("sample_distribution/total %d", c.nonzero), fmt.Sprintf("vantage/nonzero_advantages %d", c.nonzero))
			checkCountsOutside(t, d.app.env.Snap, set, c.signal, c.nonzero)
		})
	}
}

// checkCountsOutside compares the counts of report, check, sweep and parts.
func checkCountsOutside(t *testing.T, snap model.Snapshot, set model.Settings, signal, nonzero int) {
	t.Helper()
	ctx := context.Background()
	got := map[string][2]int{}

	var out bytes.Buffer
	r, err := report.New(ctx, snap, set)
	if err == nil {
		_, err = report.JSON(&out, r)
	}
	var page struct {
		Rows []struct {
			Signal  int `json:"signal_groups"`
			Nonzero int `json:"nonzero_samples"`
		} `json:"steps"`
	}
	if err = errors.Join(err, json.Unmarshal(out.Bytes(), &page)); err != nil || len(page.Rows) != 1 {
		t.Fatal(err, out.String())
	}
	got["report"] = [2]int{page.Rows[0].Signal, page.Rows[0].Nonzero}

	a, err := analysis.Analyze(ctx, snap, 0, set)
	if err != nil {
		t.Fatal(err)
	}
	rules, err := check.ParseAll([]string{fmt.Sprintf("signal<%d", signal), fmt.Sprintf("signal>%d", signal), fmt.Sprintf("nonzero<%d", nonzero), fmt.Sprintf("nonzero>%d", nonzero)})
	if err != nil {
		t.Fatal(err)
	}
	evaluator := check.NewEvaluator(rules)
	evaluator.Add(&a.StepFigures)
	for _, f := range evaluator.Findings {
		if !f.Passed() {
			t.Errorf("%s: check fails %s", set.Framework, f.Rule)
		}
	}
	var parts analysis.Breakdown
	parts.Add(a, func(int, int) string { return "all" })
	got["parts"] = [2]int{parts.All.Signal, parts.All.Nonzero}
	all := []int{0, 1, 2, 3}
	subset := a.Subset(all)
	got["subset"] = [2]int{subset.Signal, subset.Nonzero}
	if e, _ := set.FindEstimator(); e.CanFilter {
		grid, err := sweep.New(set, sweep.DefaultRatios())
		if err == nil {
			grid, err = grid.WithSteps(ctx, snap, []int{0}, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		none := grid.NoFilter()
		got["sweep"] = [2]int{none.Signal, none.Trained}
	}
	for where, counts := range got {
		if counts != [2]int{signal, nonzero} {
			t.Errorf("%s: %s counts %v, want %d and %d", set.Framework, where, counts, signal, nonzero)
		}
	}
}
