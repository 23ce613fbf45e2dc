package chart_test

import (
	"math"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"vantage/themes"
	"vantage/tui/chart"
)

func TestSymmetricAxis(t *testing.T) {
	for _, test := range []struct{ limit, want float64 }{
		{1.2, 1.5}, {2.47, 2.5}, {0.07, 0.08}, {0, 1}, {3, 3}, {95, 100}, {math.MaxFloat64, math.MaxFloat64},
	} {
		if got := chart.SymmetricAxis(test.limit); got.Hi != test.want || got.Lo != -test.want {
			t.Errorf("SymmetricAxis(%v) = %v, want ±%v", test.limit, got, test.want)
		}
	}
}

// Of six values in five bins over ±1 two are on the left, one on the right, one is zero,
// one is NaN and one is not used.
func TestBin(t *testing.T) {
	h := chart.Bin(chart.Axis{Lo: -1, Hi: 1}, 5, []float64{-1, -0.9, 0.9, 0, 0.5, math.NaN()}, []bool{true, true, true, true, false, true})
	want := chart.Histogram{Axis: chart.Axis{Lo: -1, Hi: 1}, Counts: []int{2, 0, 0, 0, 1}, Zeros: 1, NonFinite: 1}
	if diff := cmp.Diff(want, h, cmpopts.IgnoreUnexported(h)); diff != "" {
		t.Error(diff)
	}
	// -1, -0.9, 0.9 and 0: the squared deviations from -0.25 sum to 2.37
	if n, mean, std := h.Moments(); n != 4 || math.Abs(mean+0.25) > 1e-12 || math.Abs(std-math.Sqrt(2.37/3)) > 1e-12 {
		t.Errorf("%d values of mean %v and std %v", n, mean, std)
	}
}

func TestMirror(t *testing.T) {
	axis := chart.Axis{Lo: -1, Hi: 1}
	above := chart.Histogram{Axis: axis, Counts: []int{4, 0, 1, 0, 2}}
	below := chart.Histogram{Axis: axis, Counts: []int{2, 0, 0, 0, 4}}
	got := chart.Mirror(themes.Mono(), chart.Unicode(), above, below, "", 5, 5)
	want := []string{
		"█    ",
		"█ ▄ █",
		"──┼──",
		"█   █",
		"    █",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Kept samples are filled dots and dropped ones hollow, at their advantages.
func TestDotPlot(t *testing.T) {
	axis := chart.Axis{Lo: -1, Hi: 1}
	unfiltered := []float64{-1, -0.5, 0.9, 0.9}
	processed := []float64{-1, 0, 0.9, 0}
	keep := []bool{true, false, true, false}
	if got := chart.DotPlot(themes.Mono(), chart.Unicode(), axis, unfiltered, processed, keep, 9); got != "● ○ │   ◐" {
		t.Errorf("%q", got)
	}
}

func TestSparkline(t *testing.T) {
	values := []float64{0, 0.5, math.NaN(), 1}
	if got := chart.Sparkline(themes.Mono(), chart.Unicode(), values, 3, 0, 1, 6); got != "▁▅ █  " {
		t.Errorf("%q", got)
	}
	if got := chart.Sparkline(themes.Mono(), chart.Unicode(), []float64{0, 0, 1, 1}, -1, 0, 1, 2); got != "▁█" {
		t.Errorf("two values per cell: %q", got)
	}
	if got := chart.Sparkline(themes.Mono(), chart.Unicode(), []float64{0.7, 0.7, 0.7}, -1, 0.7, 0.7, 3); got != "⠒⠒⠒" {
		t.Errorf("a constant: %q", got)
	}
}

func TestMeter(t *testing.T) {
	if got := chart.Meter(themes.Mono(), chart.Unicode(), themes.Positive, 0.7, 10); got != "━━━━━━━───" {
		t.Errorf("%q", got)
	}
}

// Charts have exactly the requested size, whatever the values.
func TestChartsHaveTheRequestedSize(t *testing.T) {
	value := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, math.NaN(), math.Inf(1), math.Inf(-1), 1e300}))
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOf(value).Draw(t, "values")
		w, h := rapid.IntRange(1, 60).Draw(t, "w"), rapid.IntRange(1, 20).Draw(t, "h")
		keep := make([]bool, len(values))
		theme, glyphs := themes.Default(true), chart.Unicode()
		if rapid.Bool().Draw(t, "ascii") {
			glyphs = chart.ASCII()
		}
		axis := chart.SymmetricAxis(rapid.SampledFrom([]float64{0, 2.5, 1e300}).Draw(t, "limit"))
		lo, hi := chart.Range(values)
		hist := chart.Bin(axis, w, values, nil)
		blocks := map[string][]string{
			"mirror": chart.Mirror(theme, glyphs, hist, hist, "-1 0 1", w, h),
			"plot":   plotOf(values, chart.Axis{Lo: lo, Hi: hi}).Draw(theme, glyphs, w, h),
		}
		if labels := (chart.Axis{Lo: lo, Hi: hi}).RowLabels(h); len(labels) != h {
			t.Fatalf("%d labels, want %d", len(labels), h)
		}
		for name, lines := range blocks {
			if len(lines) != h {
				t.Fatalf("%s has %d lines, want %d", name, len(lines), h)
			}
		}
		blocks["dot plot"] = []string{chart.DotPlot(theme, glyphs, axis, values, values, keep, w)}
		blocks["sparkline"] = []string{chart.Sparkline(theme, glyphs, values, 0, lo, hi, w)}
		spark := chart.Spark{X: chart.Axis{Hi: float64(len(values) - 1)}, Line: plotOf(values, chart.Axis{Lo: lo, Hi: hi}).Lines[0]}
		blocks["spark"] = []string{spark.Draw(theme, glyphs, w)}
		blocks["meter"] = []string{chart.Meter(theme, glyphs, themes.Accent, lo, w)}
		for name, lines := range blocks {
			for _, line := range lines {
				if got := ansi.StringWidth(line); got != w || strings.Contains(line, "\n") {
					t.Fatalf("%s is %d cells wide, want %d: %q", name, got, w, line)
				}
			}
		}
	})
}
