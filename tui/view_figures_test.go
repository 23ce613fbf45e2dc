package tui

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"vantage/model"
	"vantage/tui/chart"
	"vantage/tui/steps"
	"vantage/tui/trend"
	"vantage/tui/view"
)

// Tab shows all metrics as small charts. z draws the one under the cursor alone and goes back, Enter draws it above the table.
func TestSmallCharts(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(30), 120, 36, filterSettings(), func(d *driver) {
		d.press("3", "3", "tab")
		d.wantText("all metrics  1–", "of 55", "critic/score/mean", "pass@1", "1/55")
		d.press("l", "j") // three columns: figure 5
		names := trend.MetricNames(d.app.env)
		d.press("z")
		if d.app.views.steps.DrawnMetric(d.app.env) != names[4] || strings.Contains(d.frame(), "all steps") {
			t.Errorf("z draws %s", d.app.views.steps.DrawnMetric(d.app.env))
		}
		d.press("z")
		d.wantText("of 55", "5/55")
		d.press("h", "enter")
		if d.app.views.steps.DrawnMetric(d.app.env) != names[3] {
			t.Errorf("Enter draws %s", d.app.views.steps.DrawnMetric(d.app.env))
		}
		d.wantText("all steps  30", "metric 4/55")
		d.press("esc")
		d.wantText("of 55")
		d.press("G")
		d.wantText(names[len(names)-1], "55/55")
		d.press("j", "l")
		d.wantText("55/55")
		d.press("g", "k", "h")
		d.wantText("1/55")
		d.press("esc")
		if d.app.position.view == view.Figures {
			t.Error("Esc stays")
		}
	})
}

// The list of figures is searched by name, by letters in their order, and by meaning, in this order.
func TestListOfFigures(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(30), 120, 36, filterSettings(), func(d *driver) {
		d.press("D")
		d.wantText("55", "type a part of its name or meaning")
		for _, c := range []struct{ query, first string }{
			{"flips", "vantage/flips"},
			{"clipr", "response_length/clip_ratio"}, // letters in their order
			{"no_cutoff max", "response_length_no_cutoff/max"},
			{"Chen", "pass@1"}, // by its meaning: the paper
		} {
			d.app.views.steps.Picker = steps.FigurePicker{Query: c.query}
			list := d.app.views.steps.PickedFigures(d.app.env)
			if len(list) == 0 || list[0] != c.first {
				t.Errorf("%q finds %q, want %s first", c.query, list, c.first)
			}
		}
		d.app.views.steps.Picker = steps.FigurePicker{}
		d.typeText("zzz")
		d.wantText("no metric is called that")
		d.press("enter")
		d.press("backspace", "backspace", "backspace")
		d.typeText("flip")
		d.press("enter")
		if d.app.position.view != view.Steps || d.app.views.steps.DrawnMetric(d.app.env) != "vantage/flips" {
			t.Errorf("Enter draws %s in view %v", d.app.views.steps.DrawnMetric(d.app.env), d.app.position.view)
		}
		d.typeText(":metric pass")
		d.press("enter")
		if d.app.views.steps.DrawnMetric(d.app.env) != "pass@1" {
			t.Errorf(":metric pass draws %s", d.app.views.steps.DrawnMetric(d.app.env))
		}
		d.typeText(":metric zzz")
		d.press("enter")
		d.wantText(`no metric is called "zzz"`)
	})
}

// Each line of the list has the figure's value and what it means.
func TestEveryFigureIsExplained(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(3), 200, 60, filterSettings(), func(d *driver) {
		for _, name := range trend.MetricNames(d.app.env) {
			if steps.FigureMeaning(name) == "" {
				t.Errorf("%s has no meaning", name)
			}
		}
		d.press("D")
		d.wantText("samples that the filter keeps")
		d.typeText("vantage/kept")
		d.wantText("vantage/kept: samples that the filter keeps = kept / N (share of samples)")
	})
}

// Enter in the pane of metrics draws the metric under the cursor, which stays in sight.
func TestEnterDrawsTheMetric(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(30), 80, 24, filterSettings(), func(d *driver) {
		d.press("5")
		for range 40 {
			d.press("j")
		}
		name := d.app.env.Result.Analysis.Metrics[40].Name
		d.wantText(name)
		d.press("enter")
		if d.app.position.view != view.Steps || d.app.views.steps.DrawnMetric(d.app.env) != name {
			t.Errorf("Enter draws %s, want %s", d.app.views.steps.DrawnMetric(d.app.env), name)
		}
		d.press("esc", "g")
		if d.app.views.panes.Metric != 0 || d.app.views.panes.MetricScroll != 0 {
			t.Errorf("g goes to metric %d, row %d", d.app.views.panes.Metric, d.app.views.panes.MetricScroll)
		}
	})
}

// A draws moving averages, and the lines behind them.
func TestMovingAverageOfALine(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(30), 120, 36, filterSettings(), func(d *driver) {
		d.press("3", "3")
		raw := d.app.views.steps.NewChart(d.app.env, "critic/score/mean", "", 80, 10).Plot.Lines
		d.press("A")
		d.wantText("moving average 0.6")
		lines := d.app.views.steps.NewChart(d.app.env, "critic/score/mean", "", 80, 10).Plot.Lines
		if len(raw) != 1 || len(lines) != 2 || lines[0].Stroke != chart.Solid || lines[1].Stroke != chart.Sparse || lines[1].Y[5] != raw[0].Y[5] {
			t.Errorf("%d and %d lines", len(raw), len(lines))
		}
		// the first is the value, the second (0.24·v₁ + 0.4·v₂) / 0.64
		if v := raw[0].Y; lines[0].Y[0] != v[0] || !near(lines[0].Y[1], (0.24*v[0]+0.4*v[1])/0.64) {
			t.Errorf("%v of %v", lines[0].Y[:2], v[:2])
		}
		d.press("A")
		d.wantText("moving average 0.9")
		d.press("A")
		if strings.Contains(d.frame(), "moving average") {
			t.Error("it is never off")
		}
	})
}

func near(x, y float64) bool { return x-y < 1e-12 && y-x < 1e-12 }

// With two runs charts have a line of each, named, over the steps of both.
func TestChartsOfTwoRuns(t *testing.T) {
	t.Parallel()
	driveTwoRuns(t, 120, 36, func(d *driver) {
		d.press("3", "3")
		d.wantText("── base", "╌· new")
		lines := d.app.views.steps.NewChart(d.app.env, "critic/score/mean", "", 80, 10).Plot.Lines
		if len(lines) != 2 {
			t.Fatalf("%d lines", len(lines))
		}
		for i, v := range lines[0].Y { // the rewards of the second run are 1 − r, but for two of 192, which count as 0
			if sum := v + lines[1].Y[i]; math.Abs(sum-190.0/192) > 1e-7 {
				t.Errorf("step %d: %v and %v", i, v, lines[1].Y[i])
			}
		}
		before := d.app.env.Second.Trend.Value.Trend
		d.press("p")
		if after := d.app.env.Second.Trend.Value.Trend; after == before || after.Settings != d.app.env.Settings.Now.Effective() {
			t.Error("a setting changes the first run only")
		}
		d.press("tab")
		d.wantText("all metrics", "── base", "╌· new")
	})
}

// A baseline has a line of its own.
func TestChartOfABaseline(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(30), 120, 36, filterSettings(), func(d *driver) {
		d.press("b", "p", "p", "3", "3", "v", "v")
		d.wantText("── this run", "·· baseline")
		lines := d.app.views.steps.NewChart(d.app.env, "vantage/kept", "", 80, 10).Plot.Lines
		if len(lines) != 2 || slices.Equal(lines[0].Y, lines[1].Y) {
			t.Errorf("%d lines", len(lines))
		}
	})
}

// A frame draws charts from the cache, whatever key was pressed before: computing them takes longer than the rest of a frame.
func TestChartsOfFramesComeFromTheCache(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(30), 120, 36, filterSettings(), func(d *driver) {
		for _, pressed := range []string{"3", "3", "v", "+", "A", "x", ".", "k", "z", "z", "tab", "j", "j", "pgdown", "t", "z", "esc", "b", "p", "/", "esc", ":", "esc", "G", "w"} {
			d.press(pressed)
			if !d.app.position.drawsSteps() {
				continue
			}
			key := d.app.views.steps.Cache.Key
			fresh := d.app
			fresh.views.steps.Cache = steps.FigureCache{}
			if d.frame() != fresh.frame() {
				t.Fatal("the cache is old")
			}
			d.app.views.steps.Cache.Charts[0].Rows[0] = "from the cache"
			d.wantText("from the cache")
			d.app.views.steps.Cache = fresh.views.steps.DrawFigures(fresh.env, strings.Split(key.Names, "\n"), key.Over, key.W, key.H)
		}
	})
}

// A run of one step, of many steps, and one whose figures are NaN fill the screen.
func TestChartsOfOddRuns(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]*madeSource{"one step": madeRun(1), "NaN": runWithNaNFromStep7(), "continuous": runOfContinuousRewards()} {
		drive(t, source, 100, 30, filterSettings(), func(d *driver) {
			for _, keys := range [][]string{{"3", "3"}, {"x"}, {"X"}, {","}, {"A"}, {"z"}, {"z"}, {"tab"}, {"G"}, {"z"}, {"esc"}, {"D"}} {
				d.press(keys...)
				lines := strings.Split(d.frame(), "\n")
				if len(lines) != 30 {
					t.Fatalf("%s: %d lines", name, len(lines))
				}
				for _, line := range lines {
					if ansi.StringWidth(line) != 100 {
						t.Fatalf("%s: %q", name, line)
					}
				}
			}
		})
	}
}

// runOfManySteps returns a run of 10,000 steps with one group of two each.
func runOfManySteps() *madeSource {
	chunk := &model.Chunk{Format: "made", Files: []string{"made.jsonl"}, Progress: model.Progress{Files: 1, CaughtUp: true}}
	for i := range 20_000 {
		chunk.Records = append(chunk.Records, model.Record{Step: int64(i/2 + 1), Prompt: 1, Reward: float64(i % 7 % 2), Advantage: math.NaN(), Length: int32(9 + i%5)})
	}
	return &madeSource{chunks: []*model.Chunk{chunk}}
}

// A small chart has 30 columns: each point is the mean of a thirtieth of 10,000 steps, and of ten where there are few. 30 steps are
// drawn as they are.
func TestChartsOfManySteps(t *testing.T) {
	t.Parallel()
	drive(t, runOfManySteps(), 120, 36, filterSettings(), func(d *driver) {
		d.press("3", "3", "tab")
		d.wantText("means of 334 steps", "5000", "10000")
		d.typeText(":range last 120")
		d.press("enter")
		d.wantText("steps 9881–10000 of 1–10000", "means of 10 steps")
		d.typeText(":range last 30")
		d.press("enter")
		if strings.Contains(d.frame(), "means of") {
			t.Error("30 steps are not drawn as they are")
		}
	})
}

// BenchmarkFigures draws the small charts of a run of 1,000 steps at 200×60, and smooths them.
func BenchmarkFigures(b *testing.B) {
	d := &driver{t: b, app: New(context.Background(), madeRun(1000), Options{Title: "runs/made", Settings: filterSettings()})}
	d.app.work.throttled = true // one refresh at the end instead of two a second
	d.send(tea.WindowSizeMsg{Width: 200, Height: 60})
	d.run(readChunk(d.app.commands.Ctx, d.app.source, 0))
	d.send(throttleEndedMsg{})
	d.press("3", "3", "tab")
	b.Run("frame", func(b *testing.B) {
		for b.Loop() {
			d.frame()
		}
	})
	for name, key := range map[string]string{"smooth": "A", "step": "["} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				d.press(key)
				d.frame()
			}
		})
	}
}
