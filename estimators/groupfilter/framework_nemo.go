package groupfilter

import (
	"fmt"
	"math"

	"vantage/estimators"
)

// nemoRL drops rows whose baseline group has no standard deviation.
func nemoRL() []*Filter {
	const (
		leaveOut = "grpo.use_leave_one_out_baseline"
		prompts  = "grpo.num_prompts_per_step"
		size     = "grpo.num_generations_per_prompt"
	)
	count := estimators.NumberOrNone(1, math.Inf(1))
	return []*Filter{{
		Entry: estimators.Entry{
			Name: "use_dynamic_sampling", Key: "grpo.use_dynamic_sampling", Value: "true",
			Formula: "rows with s ≠ 0, s = √((E[r²] − E[r]²) · m/(m − 1)) of the group's other rows",
			Source:  "NVIDIA-NeMo/RL@7ea279abfbeb698b092856d0dab61e7cf39bc909 nemo_rl/algorithms/grpo.py:dynamic_sampling",
			Doc: "Per row, float32, NaN counts as 0. With use_leave_one_out_baseline a row's own reward is left out: of one success among " +
				"failures, or one failure among successes, that row alone is dropped and the others stay; groups of two are always " +
				"dropped. A group of one is always dropped. Rewards are those before shaping by length. Equal rewards of 0 or 1 are dropped; " +
				"those of 0.1 or 0.7 can stay by rounding, and a small spread around a large value can vanish. Rows beyond num_prompts_per_step · " +
				"num_generations_per_prompt are cut; with fewer sampling goes on.",
			Options: []estimators.Option{
				{Key: leaveOut, Kind: estimators.Switch(), Default: "true", Meaning: "baseline and standard deviation of a row are those of the others"},
				{Key: prompts, Kind: count, Default: "none", Meaning: "prompts of a step; none: as many as stay"},
				{Key: size, Kind: count, Default: "none", Meaning: "rows per prompt; none: those of the first group"},
			},
		},
		Fate: Refilled, SeesRaw: true,
		decide: func(v *Verdict, b Batch, o estimators.Values) error {
			nemoDynamicSampling(v, b, o.Bool(leaveOut), int(o.NumberOr(prompts, 0)), int(o.NumberOr(size, 0)))
			return nil
		},
	}}
}

func nemoDynamicSampling(v *Verdict, b Batch, leaveOut bool, prompts, size int) {
	rewards, kept := b.raw(), v.rows(b)
	for g := range v.Admitted {
		lo, hi := b.Offsets[g], b.Offsets[g+1]
		v.nemoVaries(kept[lo:hi], rewards[lo:hi], leaveOut)
	}
	v.dropEmpty(b, Reason{"std", 0})
	if prompts == 0 || b.Groups() == 0 {
		return
	}
	if size == 0 {
		size = b.Offsets[1]
	}
	rows := 0
	for _, k := range kept {
		if k {
			rows++
		}
	}
	if v.SamplesOn = rows < prompts*size; v.SamplesOn {
		v.Note = fmt.Sprintf("%d rows are fewer than %d · %d: nothing trains yet, and sampling goes on", rows, prompts, size)
		return
	}
	v.cut(b, prompts*size, because("beyond num_prompts_per_step"))
}

// nemoVaries says of each row of a group whether its standard deviation is not 0: whether the variance that
// stands for it is a number above 0. The sums are float64, then rounded; the framework adds in the order
// of its BLAS, which differs from machine to machine.
func (v *Verdict) nemoVaries(dst []bool, r []float64, leaveOut bool) {
	if len(r) == 1 {
		dst[0] = false
		return
	}
	x := v.float32s(r)
	sum, squares := 0.0, 0.0
	for _, y := range x {
		sum += float64(y)
		squares += float64(y * y)
	}
	m := float32(len(r))
	if !leaveOut {
		fill(dst, nemoVariance(sum, squares, m) > 0)
		return
	}
	for i, y := range x {
		dst[i] = nemoVariance(sum-float64(y), squares-float64(y*y), m-1) > 0
	}
}

// nemoVariance is (E[r²] − E[r]²) · m/(m − 1) of m rewards, in float32.
func nemoVariance(sum, squares float64, m float32) float32 {
	mean, square := float32(sum)/m, float32(squares)/m
	return (square - float32(mean*mean)) * (m / (m - 1))
}

func fill(dst []bool, with bool) {
	for i := range dst {
		dst[i] = with
	}
}
