package logprobs

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"vantage/estimators/offpolicy"
	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/repotest"
	"vantage/loaders/fileio"
)

// truth is what another program computed of a made log.
type truth struct {
	Known   struct{ Trainer, Version bool }
	Samples []struct {
		Where struct {
			File         string
			Line, Sample *int
		}
		Step      int
		Advantage float64
		Lag, Span *int
		Unscored  *int
		Figures   *struct {
			N        int     `json:"n"`
			Unscored int     `json:"unscored"`
			MeanAbs  float64 `json:"mean_abs"`
			MaxAbs   float64 `json:"max_abs"`
			K1       float64 `json:"k1"`
			K3       float64 `json:"k3"`
			Sum      float64 `json:"log_seq_ratio"`
		}
	}
}

// Rows of made logs in the trainers' shapes have the figures, steps and versions that another program computed.
func TestTruth(t *testing.T) {
	for _, log := range []string{"nemo-rl", "prime-rl", "verifiers-0.4", "slime", "miles", "areal", "tinker-cookbook", "open-instruct"} {
		t.Run(log, func(t *testing.T) {
			dir := repotest.SampleLog(t, "../offpolicy/samples/"+log)
			var want truth
			filetest.JSON(t, filepath.Join(dir, "truth.json"), &want)
			got := map[string]Sample{}
			if err := Read(&fileio.Disk{}, dir, func(s Sample) error {
				got[fmt.Sprint(filepath.ToSlash(s.File), ":", s.Line)] = s
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			for _, w := range want.Samples {
				line := 0
				switch {
				case w.Where.Line != nil:
					line = *w.Where.Line
				case w.Where.Sample != nil:
					line = *w.Where.Sample + 1
				}
				where := fmt.Sprint(w.Where.File, ":", line)
				s, ok := got[where]
				if !ok {
					t.Errorf("%s is missing", where)
					continue
				}
				if own := map[string]string{"nemo-rl": "nemo-rl", "slime": "slime", "miles": "miles", "areal": "areal", "tinker-cookbook": "tinker"}; s.Writer != own[log] &&
					own[log] != "" {
					t.Errorf("%s: written by %q", where, s.Writer)
				}
				if log == "areal" {
					w.Step = s.Step // which is not in the file
				}
				if fmt.Sprint(lag(w.Lag), s.Step) != fmt.Sprint(lag(s.VersionLag), w.Step) {
					t.Errorf("%s: lag %s at step %d, want %s at %d", where, lag(s.VersionLag), s.Step, lag(w.Lag), w.Step)
				}
				if w.Span != nil && lag(w.Span) != lag(s.VersionSpan) {
					t.Errorf("%s: span %s, want %s", where, lag(s.VersionSpan), lag(w.Span))
				}
				f := offpolicy.FiguresOf(s.Row)
				if w.Unscored != nil && f.Unscored < *w.Unscored {
					t.Errorf("%s: %d unscored, want %d", where, f.Unscored, *w.Unscored)
				}
				if w.Figures == nil {
					continue
				}
				if f.Tokens != w.Figures.N || f.Unscored != w.Figures.Unscored || s.Advantage != w.Advantage {
					t.Errorf("%s: %d tokens and %d unscored, A %v, want %d and %d, %v", where, f.Tokens, f.Unscored, s.Advantage, w.Figures.N, w.Figures.Unscored, w.Advantage)
				}
				const exact, decimals = 1e-9, 2e-6 // of float32, and of numbers rounded to 4 decimals, which the other program read as float64
				near := exact
				if log == "verifiers-0.4" {
					near = decimals
				}
				for name, pair := range map[string][2]float64{
					"mean": {f.MeanAbs, w.Figures.MeanAbs}, "max": {f.MaxAbs, w.Figures.MaxAbs}, "k1": {f.K1, w.Figures.K1}, "k3": {f.K3, w.Figures.K3},
					"sum": {f.LogSequenceRatio, w.Figures.Sum},
				} {
					if math.Abs(pair[0]-pair[1]) > near {
						t.Errorf("%s: %s %v, want %v", where, name, pair[0], pair[1])
					}
				}
			}
		})
	}
}

func lag(n *int) string {
	if n == nil {
		return "unknown"
	}
	return fmt.Sprint(*n)
}
