package offpolicy

import (
	"math"
	"math/rand/v2"
	"testing"

	"vantage/internal/testkit/repotest"
)

// uses are all rules at their defaults, and with the bounds of their sweeps.
func uses(t *testing.T) (all []Use) {
	t.Helper()
	for _, r := range All() {
		given, off := r.AtDefault()
		if off {
			continue
		}
		options := []Point{{Options: given}}
		for _, point := range append(options, r.Sweep()...) {
			v, err := r.Values(point.Options)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, Use{r, v})
		}
	}
	return all
}

// Each rule keeps as many tokens of a merged row as of the row, whatever the mismatch, the gaps in its mask and what is not a number.
func TestMergedRowsAreTreatedAlike(t *testing.T) {
	repotest.OneGoroutine(t)
	all := uses(t)
	merger := NewMerger(all)
	for seed, scale := range []float64{0.001, 0.02, 0.1, 0.5, 2} {
		random := rand.New(rand.NewPCG(uint64(seed), 53))
		var rows, merged []Row
		places, tokens := 0, 0
		for i := range 40 {
			row := Row{Advantage: float64(i%3 - 1), Versions: &Versions{First: i % 12, Last: i % 12}}
			for token := range 300 + 20*i {
				r := -0.4 * random.ExpFloat64()
				row.Sampler = append(row.Sampler, float32(r))
				row.Trainer = append(row.Trainer, float32(min(0, r+scale*random.NormFloat64())))
				row.Mask = append(row.Mask, i%4 > 0 || token%200 > 20)
			}
			if i == 7 {
				row.Trainer[9], row.Sampler[11] = float32(math.NaN()), float32(math.Inf(-1))
			}
			short, _ := merger.Merge(row)
			if i != 7 && FiguresOf(row).Tokens != timesOf(short) {
				t.Fatalf("a row of %d tokens has %d when merged", FiguresOf(row).Tokens, timesOf(short))
			}
			rows, merged = append(rows, row), append(merged, short)
			places, tokens = places+len(short.Sampler), tokens+len(row.Sampler)
		}
		if places > tokens/2 && scale < 0.2 {
			t.Errorf("scale %v: %d tokens have %d places", scale, tokens, places)
		}
		for _, use := range all {
			want, err := use.Rule.Apply(Batch{Rows: rows, Step: 12}, use.Values)
			got, failed := use.Rule.Apply(Batch{Rows: merged, Step: 12}, use.Values)
			if (err == nil) != (failed == nil) {
				t.Fatalf("%s/%s: %v and %v", use.Rule.Framework, use.Rule.Name, err, failed)
			}
			for i := range want.Rows {
				w, g := want.Rows[i], got.Rows[i]
				if w.Tokens != g.Tokens || w.Left != g.Left || w.Clipped != g.Clipped {
					t.Errorf("%s/%s, scale %v, row %d: %d tokens, %d left, %d clipped; merged %d, %d, %d",
						use.Rule.Framework, use.Rule.Name, scale, i, w.Tokens, w.Left, w.Clipped, g.Tokens, g.Left, g.Clipped)
				}
			}
		}
	}
}

func timesOf(r Row) (n int) {
	for i := range r.Sampler {
		if r.Mask == nil || r.Mask[i] {
			n += r.times(i)
		}
	}
	return n
}

// A token on a bound is judged by itself: e^0.6931472 is 2 in float32, which a bound of 2 keeps.
func TestMergerLeavesBoundsAlone(t *testing.T) {
	row := Row{Advantage: 1}
	for range 64 {
		row.Sampler, row.Trainer = append(row.Sampler, -1), append(row.Trainer, float32(-1+math.Ln2))
	}
	merger := NewMerger(uses(t))
	if short, _ := merger.Merge(row); len(short.Sampler) != 64 {
		t.Errorf("64 tokens at the bound 2 became %d places", len(short.Sampler))
	}
}

func BenchmarkMerge(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 53))
	row := Row{}
	for range 1000 {
		r := -0.4 * random.ExpFloat64()
		row.Sampler = append(row.Sampler, float32(r))
		row.Trainer = append(row.Trainer, float32(min(0, r+0.02*random.NormFloat64())))
	}
	var all []Use
	for _, r := range All() {
		v, _ := r.Values("")
		all = append(all, Use{r, v})
	}
	merger, places := NewMerger(all), 0
	for b.Loop() {
		short, _ := merger.Merge(row)
		places = len(short.Sampler)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/token")
	b.ReportMetric(float64(places), "places")
}
