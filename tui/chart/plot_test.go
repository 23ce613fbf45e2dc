package chart_test

import (
	"math"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"vantage/themes"
	"vantage/tui/chart"
)

// plotOf is a plot of values at 0, 1, 2 and so on.
func plotOf(values []float64, axis chart.Axis) chart.Plot {
	x := make([]float64, len(values))
	for i := range x {
		x[i] = float64(i)
	}
	return chart.Plot{X: chart.Axis{Hi: float64(max(0, len(values)-1))}, Lines: []chart.Line{{X: x, Y: values, Axis: axis}}}
}

func wantLines(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: %s", what, diff)
	}
}

// Values 0, 1 and 3 on an axis from 0 to 3 are 15, 10 and 0 dots below the top of four rows of four; x is 0, 6 and 19
// dots from the left of ten columns of two. Between 0 and 1 the line is at a third (13.3 dots) and two thirds (11.7).
func TestPlotInASCII(t *testing.T) {
	p := plotOf([]float64{0, 1, math.NaN(), 3}, chart.Axis{Lo: 0, Hi: 3})
	wantLines(t, "NaN breaks the line", p.Draw(themes.Mono(), chart.ASCII(), 10, 4),
		"         *",
		"          ",
		"   *      ",
		"***       ",
	)
}

// A line from one corner of two cells to the other is four dots, one in each column.
func TestPlotInBraille(t *testing.T) {
	p := plotOf([]float64{0, 1}, chart.Axis{Lo: 0, Hi: 1})
	// dots (0,3) (1,2) (2,1) (3,0): bits 64+32 and 2+8
	wantLines(t, "a rise", p.Draw(themes.Mono(), chart.Unicode(), 2, 1), string([]rune{0x2800 + 64 + 32, 0x2800 + 2 + 8}))
}

// A point without neighbours is four dots, in a single row two: one would be overlooked.
func TestPlotOfPointsAlone(t *testing.T) {
	axis := chart.Axis{Lo: 0, Hi: 1}
	one := plotOf([]float64{1}, axis)
	wantLines(t, "one step", one.Draw(themes.Mono(), chart.Unicode(), 3, 2), "⠛  ", "   ")
	wantLines(t, "one step in ASCII", one.Draw(themes.Mono(), chart.ASCII(), 3, 2), "*  ", "   ")
	gaps := plotOf([]float64{1, math.NaN(), 0, math.NaN(), math.Inf(1)}, axis)
	// 0 is at half of six columns of dots: 2.5, which is 3; the lowest of four rows of dots is 3
	wantLines(t, "points between gaps", gaps.Draw(themes.Mono(), chart.Unicode(), 3, 1), "⠉⣀ ")
	none := plotOf([]float64{math.NaN(), math.NaN()}, axis)
	wantLines(t, "no value", none.Draw(themes.Mono(), chart.Unicode(), 3, 1), "   ")
	wantLines(t, "no step", plotOf(nil, axis).Draw(themes.Mono(), chart.Unicode(), 3, 1), "   ")
}

// Points lie at their x, not one after the other: of steps 0, 10 and 100 the second is a tenth from the left.
func TestPlotOfMissingSteps(t *testing.T) {
	axis := chart.Axis{Lo: 0, Hi: 1}
	p := chart.Plot{X: chart.Axis{Lo: 0, Hi: 100}, Lines: []chart.Line{{X: []float64{0, 10, 100}, Y: []float64{0, 1, 1}, Axis: axis}}}
	wantLines(t, "three steps", p.Draw(themes.Mono(), chart.ASCII(), 11, 2), " **********", "*          ")
	p.X = chart.Axis{Lo: 5, Hi: 100} // without the first
	wantLines(t, "a part", p.Draw(themes.Mono(), chart.ASCII(), 11, 2), "***********", "           ")
}

// A second line is behind the first, on its own axis, and dashed: four of six dots in a row.
func TestPlotOfTwoLines(t *testing.T) {
	x := []float64{0, 1}
	p := chart.Plot{X: chart.Axis{Lo: 0, Hi: 1}, Lines: []chart.Line{
		{X: x, Y: []float64{1, 1}, Axis: chart.Axis{Lo: 0, Hi: 1}},
		{X: x, Y: []float64{50, 50}, Axis: chart.Axis{Lo: 50, Hi: 90}, Stroke: chart.Dashed},
	}}
	wantLines(t, "braille", p.Draw(themes.Mono(), chart.Unicode(), 6, 2), "⠉⠉⠉⠉⠉⠉", "⣀⣀ ⣀⣀ ")
	wantLines(t, "ASCII", p.Draw(themes.Mono(), chart.ASCII(), 6, 2), "******", "oooooo")
	p.Lines[1].Axis.Lo = 0 // 50 of 90 is (1−5/9)·7 = 3.1 dots below the top: below it in the cells of the first row
	wantLines(t, "behind", p.Draw(themes.Mono(), chart.Unicode(), 6, 2), "⠉⠉⠉⠉⠉⠉", "      ")
}

// A line of 10,000 values connects their means: values that alternate between 0 and 1 give a line at one half.
func TestPlotOfManyValuesConnectsMeans(t *testing.T) {
	values := make([]float64, 10_000)
	for i := range values {
		values[i] = float64(i % 2)
	}
	if n := chart.PointsPerDot(len(values), 10); n != 500 {
		t.Errorf("%d values per dot, want 500", n)
	}
	for y, line := range plotOf(values, chart.Axis{Lo: 0, Hi: 1}).Draw(themes.Mono(), chart.Unicode(), 10, 5) {
		if drawn := strings.TrimSpace(ansi.Strip(line)) != ""; drawn != (y == 2) {
			t.Errorf("row %d is %q", y, line)
		}
	}
	if n := chart.PointsPerDot(40, 10); n != 1 {
		t.Errorf("40 values in 20 columns of dots: %d per dot, want 1", n)
	}
}

// A row shows shares as a line, values over their own range as bars, and a constant as a thin line in the middle.
func TestSpark(t *testing.T) {
	spark := func(values []float64, axis chart.Axis, bars bool, g chart.Glyphs) string {
		p := plotOf(values, axis)
		return chart.Spark{X: p.X, Line: p.Lines[0], Bars: bars, Current: -1}.Draw(themes.Mono(), g, 4)
	}
	share := chart.Axis{Lo: 0, Hi: 1}
	for _, c := range []struct {
		name   string
		values []float64
		axis   chart.Axis
		bars   bool
		want   string
		ascii  string
	}{
		{"all kept", []float64{1, 1, 1, 1}, share, false, "⠉⠉⠉⠉", "''''"},
		{"none kept", []float64{0, 0, 0, 0}, share, false, "⣀⣀⣀⣀", "____"},
		{"two of three", []float64{0.67, 0.67, 0.67, 0.67}, share, false, "⠒⠒⠒⠒", "----"},
		{"bars", []float64{2, 4, 6, 9}, chart.Axis{Lo: 2, Hi: 9}, true, "▁▃▅█", "_.:#"},
		{"constant", []float64{3, 3, 3, 3}, chart.Axis{Lo: 3, Hi: 3}, true, "⠤⠤⠤⠤", "----"},
		{"every third step", []float64{0, math.NaN(), math.NaN(), 1}, share, true, "▁  █", "_  #"},
	} {
		if got := spark(c.values, c.axis, c.bars, chart.Unicode()); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if got := spark(c.values, c.axis, c.bars, chart.ASCII()); got != c.ascii {
			t.Errorf("%s in ASCII: %q, want %q", c.name, got, c.ascii)
		}
	}
	// steps 0 and 3 of 0 and 3: a third and two thirds lie between, the bars 2 and 5 of 0 to 7
	between := chart.Spark{X: chart.Axis{Hi: 3}, Line: chart.Line{X: []float64{0, 3}, Y: []float64{0, 1}, Axis: share}, Bars: true, Current: -1}
	if got := between.Draw(themes.Mono(), chart.Unicode(), 4); got != "▁▃▆█" {
		t.Errorf("two steps: %q", got)
	}
}

// Steps that are missing are a gap, those that a run logs every tenth of are none, nor is where it begins to log each.
func TestGaps(t *testing.T) {
	numbers := func(from, to, each float64) (all []float64) {
		for x := from; x <= to; x += each {
			all = append(all, x)
		}
		return all
	}
	for _, c := range []struct {
		name string
		x    []float64
		want []float64 // the values before gaps
	}{
		{"none", nil, nil},
		{"one", []float64{7}, nil},
		{"each", numbers(0, 50, 1), nil},
		{"every tenth", numbers(0, 500, 10), nil},
		{"every tenth, the first beside", append([]float64{1}, numbers(10, 200, 10)...), nil},
		{"unevenly", []float64{3, 7, 12, 14, 19, 22, 27}, nil},
		{"11 to 43", append(numbers(1, 10, 1), numbers(44, 60, 1)...), []float64{10}},
		{"one step", append(numbers(1, 10, 1), numbers(12, 20, 1)...), []float64{10}},
		{"the newest after a gap", append(numbers(1, 10, 1), 44), []float64{10}},
		{"the first before a gap", append([]float64{1}, numbers(40, 50, 1)...), []float64{1}},
		{"two of every tenth", append(numbers(0, 100, 10), numbers(130, 200, 10)...), []float64{100}},
		{"two gaps with a step between", append(append(numbers(1, 9, 1), 20), numbers(40, 50, 1)...), []float64{9, 20}},
		{"each, then every tenth", append(numbers(1, 30, 1), numbers(40, 200, 10)...), nil},
		{"every tenth, then each", append(numbers(10, 100, 10), numbers(101, 130, 1)...), nil},
		{"four steps", []float64{1, 2, 44, 45}, []float64{2}},
		{"three steps", []float64{0, 10, 100}, nil},
	} {
		var got []float64
		for i, gap := range chart.Gaps(c.x) {
			if gap {
				got = append(got, c.x[i])
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// Of steps 0 to 3 and 16 to 19 in twenty columns those between are blank: in a plot, in a row of bars, in one of a line,
// in ASCII, and if only a part is shown, also one that begins or ends among those that are missing.
func TestPlotsOfGaps(t *testing.T) {
	line := chart.Line{X: []float64{0, 1, 2, 3, 16, 17, 18, 19}, Y: []float64{1, 1, 1, 1, 1, 1, 1, 1}, Axis: chart.Axis{Lo: 0, Hi: 1}}
	draw := func(x chart.Axis, w int, g chart.Glyphs) []string {
		return []string{
			chart.Plot{X: x, Lines: []chart.Line{line}}.Draw(themes.Mono(), g, w, 1)[0],
			chart.Spark{X: x, Line: line, Bars: true, Current: -1}.Draw(themes.Mono(), g, w),
			chart.Spark{X: x, Line: line, Current: -1}.Draw(themes.Mono(), g, w),
		}
	}
	all := chart.Axis{Lo: 0, Hi: 19}
	wantLines(t, "all", draw(all, 20, chart.Unicode()), "⠉⠉⠉⠁            ⠈⠉⠉⠉", "████            ████", "⠉⠉⠉⠁            ⠈⠉⠉⠉")
	wantLines(t, "ASCII", draw(all, 20, chart.ASCII()), "****            ****", "####            ####", "''''            ''''")
	wantLines(t, "a part", draw(chart.Axis{Lo: 2, Hi: 11}, 10, chart.ASCII()), "**        ", "##        ", "''        ")
	wantLines(t, "from the gap on", draw(chart.Axis{Lo: 10, Hi: 19}, 10, chart.ASCII()), "      ****", "      ####", "      ''''")
	wantLines(t, "its two ends", draw(chart.Axis{Lo: 3, Hi: 16}, 14, chart.ASCII()), "##          ##", "##          ##", "##          ##")
	for _, c := range []struct {
		x    chart.Axis
		w    int
		want string
	}{{all, 20, "....############...."}, {chart.Axis{Lo: 2, Hi: 11}, 10, "..########"}, {chart.Axis{Lo: 10, Hi: 19}, 10, "######...."}, {chart.Axis{Lo: 5, Hi: 9}, 5, "#####"}} {
		got := ""
		for _, missing := range c.x.MissingColumns(line.X, c.w) {
			got += map[bool]string{true: "#", false: "."}[missing]
		}
		if got != c.want {
			t.Errorf("columns of %v: %q, want %q", c.x, got, c.want)
		}
	}
	if missing := all.MissingColumns([]float64{0, 10, 20, 30, 40}, 20); missing != nil {
		t.Errorf("%v of steps without gaps", missing)
	}
}

// A line of more values than dots is averaged on each side of a gap, not over it: of 16 dots the last before it is at
// 4,687 of 20,000, the mean of 625 values, which is dot 3.5.
func TestMeansEndAtGaps(t *testing.T) {
	var line chart.Line
	for x := range 20_000 {
		if x < 5000 || x >= 15_000 {
			line.X, line.Y = append(line.X, float64(x)), append(line.Y, float64(x/10_000))
		}
	}
	line.Axis = chart.Axis{Lo: 0, Hi: 1}
	p := chart.Plot{X: chart.Axis{Lo: 0, Hi: 19_999}, Lines: []chart.Line{line}}
	wantLines(t, "two halves", p.Draw(themes.Mono(), chart.Unicode(), 8, 2), "     ⠈⠉⠉", "⣀⣀⡀     ")
}

// With weight 0.6 the values 1, 2 and 4 give 0.4/0.4 = 1, (0.24 + 0.8)/0.64 = 1.625 and (0.624 + 1.6)/0.784 = 2.83673….
func TestSmoothed(t *testing.T) {
	got := chart.Smoothed([]float64{1, math.NaN(), 2, 4}, 0.6)
	want := []float64{1, math.NaN(), 1.625, 2.224 / 0.784}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-12 || math.IsNaN(got[i]) != math.IsNaN(want[i]) {
			t.Errorf("value %d is %v, want %v", i, got[i], want[i])
		}
	}
	for i, v := range chart.Smoothed([]float64{7, 7, 7, 7}, 0.9) {
		if math.Abs(v-7) > 1e-12 {
			t.Errorf("a constant of 7 is %v at %d", v, i)
		}
	}
}

// Of more points than dots a line with a range is the mean of ten around each: 60 values that alternate between 0 and 1 are a line in
// the middle, within a shade from 0 to 1 if the theme has one. Behind a value that is not finite nothing is mended.
func TestPlotOfMeansWithinTheirRange(t *testing.T) {
	values := make([]float64, 60)
	for i := range values {
		values[i] = float64(i % 2)
	}
	p := plotOf(values, chart.Axis{Lo: 0, Hi: 1})
	p.Lines[0].Spread = true
	blank := strings.Repeat(" ", 20)
	wantLines(t, "ASCII", p.Draw(themes.Mono(), chart.ASCII(), 20, 5), blank, blank, strings.Repeat("*", 20), blank, blank)
	shaded := 0
	for _, line := range p.Draw(themes.Default(true), chart.Unicode(), 20, 5) {
		if strings.Contains(line, themes.Default(true).Underlay(themes.OnShade, blank)) {
			shaded++
		}
	}
	if shaded != 4 {
		t.Errorf("%d of 4 rows above and below the line are shaded", shaded)
	}
	if n := chart.Averaged(41, 20); n != 10 {
		t.Errorf("41 points in 20 columns: means of %d", n)
	}
	if n := chart.Averaged(40, 20); n != 1 {
		t.Errorf("40 points in 20 columns: means of %d", n)
	}
}
