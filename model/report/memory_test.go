package report_test

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/bits"
	"runtime"
	"testing"

	"vantage/internal/testkit/repotest"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/check"
	"vantage/model/report"
)

// Writing a thousand steps takes no more memory than writing a hundred, which fill what is held for workers side by side.
func TestMemoryDoesNotGrow(t *testing.T) {
	repotest.OneGoroutine(t)
	const slack = 1 << 20 // nine hundred summaries alone are 3.6 MB; how many parts wait for their turn to be written is chance
	long := longRun(1000)
	short := long.Only(long.Steps[:100])
	ctx, set := context.Background(), model.DefaultSettings()
	for name, write := range writers(ctx, set) {
		t.Run(name, func(t *testing.T) {
			shortGauge, longGauge := &gauge{}, &gauge{}
			liveBefore := liveHeap()
			if err := write(shortGauge, short); err != nil {
				t.Fatal(err)
			}
			if err := write(longGauge, long); err != nil {
				t.Fatal(err)
			}
			if longGauge.writes < 8 {
				t.Fatalf("only %d writes: they tell nothing", longGauge.writes)
			}
			if grown := longGauge.maxHeap - max(shortGauge.maxHeap, liveBefore); grown > slack {
				t.Errorf("%d bytes more are held after a thousand steps than after a hundred", grown)
			}
		})
	}
	runtime.KeepAlive(long)
}

// writers returns the reports in all formats, per step and per group, the exports and the
// check.
func writers(ctx context.Context, set model.Settings) map[string]func(io.Writer, model.Snapshot) error {
	all := map[string]func(io.Writer, model.Snapshot) error{
		"export jsonl": func(w io.Writer, snap model.Snapshot) error {
			return report.SampleJSONL(ctx, w, &report.SampleTable{Snap: snap, Settings: set, Columns: report.UsualSampleColumns(snap)})
		},
		"export csv": func(w io.Writer, snap model.Snapshot) error {
			return report.SampleCSV(ctx, w, &report.SampleTable{Snap: snap, Settings: set, Columns: report.SampleColumns(snap)[:12]})
		},
		"check": func(w io.Writer, snap model.Snapshot) error {
			rules, err := check.ParseAll(check.Defaults())
			if err != nil {
				return err
			}
			evaluator := check.NewEvaluator(rules)
			return analysis.Each(ctx, snap, set, func(a *analysis.Analysis) error {
				evaluator.Add(&a.StepFigures)
				_, err := w.Write(nil) // has the gauge measure at each step
				return err
			})
		},
	}
	all["report html"] = func(w io.Writer, snap model.Snapshot) error {
		r, err := report.New(ctx, snap, set)
		if err != nil {
			return err
		}
		_, err = report.HTML(w, r)
		return err
	}
	for name, write := range map[string]func(io.Writer, *report.Report) (*report.Charts, error){
		"text": report.Text, "md": report.Markdown, "csv": report.CSV, "json": report.JSON,
	} {
		for _, per := range []report.Per{report.PerStep, report.PerGroup} {
			all[fmt.Sprint("report ", name, " per ", per)] = func(w io.Writer, snap model.Snapshot) error {
				r, err := report.New(ctx, snap, set)
				if err != nil {
					return err
				}
				r.Per = per
				_, err = write(w, r)
				return err
			}
		}
	}
	return all
}

// gauge discards what is written, and measures the heap when the number of writes doubles.
type gauge struct {
	writes  uint
	maxHeap int
}

func (g *gauge) Write(p []byte) (int, error) {
	if g.writes++; bits.OnesCount(g.writes) == 1 {
		g.maxHeap = max(g.maxHeap, liveHeap())
	}
	return len(p), nil
}

func liveHeap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// longRun returns a run with four groups of four per step.
func longRun(steps int) model.Snapshot {
	store := model.NewStore()
	for step := range steps {
		chunk := &model.Chunk{Format: "synthetic", LengthUnit: model.LengthTokens, HasTruth: true}
		for i := range 16 {
			chunk.Records = append(chunk.Records, model.Record{
				Step: int64(step + 1), Prompt: uint64(i/4 + 1), Preview: "what", Reward: float64((i * (i + step)) % 3), Advantage: math.NaN(), Length: 10,
			})
		}
		store.Append(chunk)
	}
	return store.Snapshot()
}
