package report

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vantage/model"
	"vantage/model/analysis"
)

// reportOf returns a report of a run; each step has groups with these rewards, scaled.
func reportOf(t *testing.T, steps int, set model.Settings, rewards ...[]float64) *Report {
	t.Helper()
	store := model.NewStore()
	for step := range steps {
		chunk := &model.Chunk{Format: "synthetic", LengthUnit: model.LengthTokens, HasTruth: true}
		for g, group := range rewards {
			for _, r := range group {
				chunk.Records = append(chunk.Records, model.Record{
					Step: int64(step + 1), Prompt: uint64(g + 1), Preview: `<b>"&`, Reward: r * float64(step+1) / float64(steps), Advantage: math.NaN(), Length: 10,
				})
			}
		}
		store.Append(chunk)
	}
	r, err := New(context.Background(), store.Snapshot(), set)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A right and a wrong answer have ±0.7071 on an axis to 0.8: columns 57.4 and 3.5 from the
// left. Only the right one is kept, and recompute does not change it.
func TestDistribution(t *testing.T) {
	set := model.DefaultSettings()
	set.KeepNeg, set.Recompute = 0, true
	charts, err := Text(io.Discard, reportOf(t, 1, set, []float64{1, 0}, []float64{1, 1}))
	if err != nil {
		t.Fatal(err)
	}
	at := func(marks ...int) string {
		line := []rune(strings.Repeat(" ", plotColumns))
		for _, m := range marks {
			line[m] = '█'
		}
		return string(line)
	}
	var want []string
	for range plotRows {
		want = append(want, at(3, 57))
	}
	want = append(want, strings.Repeat("─", 30)+"┼"+strings.Repeat("─", 30))
	for range plotRows {
		want = append(want, at(57))
	}
	want = append(want, "−0.800"+strings.Repeat(" ", 24)+"0"+strings.Repeat(" ", 24)+"+0.800",
		"original   4 samples, 2 of them 0 and not drawn; mean 0.00  std 0.58  largest 0.71",
		"processed  3 samples, 2 of them 0 and not drawn; mean +0.24  std 0.41  largest 0.71")
	if diff := cmp.Diff(want, charts.textDistribution()); diff != "" {
		t.Error(diff)
	}
}

// Rewards grow with the steps, and so does their trend. Half the samples of the first group
// reach the best reward, in the last step only.
func TestTrends(t *testing.T) {
	set := model.DefaultSettings()
	set.SolvedAt = "1" // eight values in 16 samples count as continuous
	charts, err := Text(io.Discard, reportOf(t, 8, set, []float64{1, 0}))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(charts.Text(), "\n")
	for _, want := range []string{
		"over the steps  1 … 8",
		"  reward        ▁▂▃▄▅▆▇█                            0.062    0.500    0.062    0.500",
		"  none          ████████████████████████████████████████ 7/8 (88%)",
		"  up to 50 %    █████▊                                   1/8 (13%)", // 40/7 = 5.71 characters
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// In any order of values none is lost, and each is counted on the side of its sign.
func TestHistogram(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOf(rapid.OneOf(rapid.Float64(), rapid.Float64Range(-3, 3), rapid.SampledFrom([]float64{0, math.NaN(), math.Inf(1), math.MaxFloat64, 1e-300}))).Draw(t, "values")
		h, negative, positive := newHistogram(), 0, 0
		for _, x := range values {
			h.add([]float64{x}, nil)
			switch {
			case x-x != 0:
			case x < 0:
				negative++
			case x > 0:
				positive++
			}
		}
		if h.N != len(values) || h.Zeros+h.NotFinite+negative+positive != h.N {
			t.Fatalf("%d of %d: %d zeros, %d others", h.N, len(values), h.Zeros, h.NotFinite)
		}
		left, right := 0, 0
		for i, n := range h.rebin(max(h.MaxAbs, 1e-300), 2) {
			if i == 0 {
				left = n
			} else {
				right = n
			}
		}
		if left != negative || right != positive {
			t.Fatalf("%d and %d, want %d and %d", left, right, negative, positive)
		}
	})
}

// The axis ends at a round number that no value exceeds.
func TestAxisLimit(t *testing.T) {
	for largest, want := range map[float64]float64{0: 1, 0.7071: 0.8, 1: 1, 1.2: 1.5, 2.47: 2.5, 3.75: 4, 9: 10, 95: 100} {
		c := &Charts{Unfiltered: newHistogram(), Processed: newHistogram()}
		c.Processed.add([]float64{-largest}, nil)
		if got, _, _, _ := c.bins(); math.Abs(got-want) > 1e-12 {
			t.Errorf("%g: %g, want %g", largest, got, want)
		}
	}
}

// The picture is well-formed for a run without finite values, with one step and with many.
func TestSVG(t *testing.T) {
	for name, r := range map[string]*Report{
		"nothing": reportOf(t, 1, model.DefaultSettings(), []float64{math.NaN()}),
		"one":     reportOf(t, 1, model.DefaultSettings(), []float64{1, 0}),
		"many":    reportOf(t, 200, model.DefaultSettings(), []float64{1, 0, math.Inf(1)}, []float64{0.5, 0.25}),
	} {
		charts, err := Markdown(io.Discard, r)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := SVG(&out, charts); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out.String(), "NaN") || strings.Contains(out.String(), "Inf") {
			t.Errorf("%s: a place that is no number", name)
		}
		for parser := xml.NewDecoder(&out); ; {
			if _, err := parser.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}

// Every format has its head and foot, per group and for the run.
func TestRowsPerGroupAndRun(t *testing.T) {
	for _, c := range []struct {
		per  Per
		line string
		rows int
	}{
		{PerGroup, `2,"0000000000000001",alive,2,1,0,1,0,0.5,0.7071067811865476,0,"<b>""&"`, 4},
		{PerRun, "2,8,4,2,8,4,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1,1,0,2,0,", 1},
		{PerStep, "2,false,4,2,1,4,2,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1,0,1,0,", 2},
	} {
		r := reportOf(t, 2, model.DefaultSettings(), []float64{1, 0}, []float64{1, 1})
		r.Per = c.per
		var out bytes.Buffer
		if _, err := CSV(&out, r); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		found := false
		for _, line := range lines {
			found = found || strings.HasPrefix(line, c.line)
		}
		if !found || len(lines) != 1+c.rows {
			t.Errorf("per %s: no %q, or not %d rows below the head\n%s", c.per, c.line, c.rows, out.String())
		}
	}
}

// A run without steps gives pages with 0 rows.
func TestEmptyRun(t *testing.T) {
	r, err := New(context.Background(), model.NewStore().Snapshot(), model.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := JSON(&out, r); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); !json.Valid(out.Bytes()) || !strings.Contains(text, `"steps": []`) {
		t.Error(text)
	}
	if _, err := Text(&out, r); err != nil || !strings.HasSuffix(out.String(), "complete: 0 rows, one per step\n") {
		t.Error(err, out.String())
	}
}

// A report ends soon after its writer fails, without computing all steps.
func TestFailingWriter(t *testing.T) {
	for name, write := range map[string]func(io.Writer, *Report) (*Charts, error){"text": Text, "md": Markdown, "csv": CSV, "json": JSON} {
		r := reportOf(t, 300, model.DefaultSettings(), []float64{1, 0}, []float64{1, 1})
		steps, eachStep := 0, r.eachStep
		r.eachStep = func(visit func(*analysis.StepFigures, *analysis.Analysis) error) error {
			return eachStep(func(s *analysis.StepFigures, a *analysis.Analysis) error {
				steps++
				return visit(s, a)
			})
		}
		if _, err := write(failingWriter{}, r); !errors.Is(err, errWrite) || steps == 300 {
			t.Errorf("%s: %v after %d steps", name, err, steps)
		}
	}
}

var errWrite = fmt.Errorf("broken")

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errWrite }
