package estimators

import "vantage/estimators/torchsum"

// trajectories are the samples of a group as steps of trajectories, in the order in which the trajectories
// first come.
type trajectories struct{ classesOf[float64] }

// of deals samples [lo, hi) of b.
func (t *trajectories) of(b Batch, lo, hi int) {
	runs := b.Column(Run)[lo:hi]
	t.sort(hi-lo, func(i int) (float64, bool) { return runs[i], runs[i] == runs[i] })
}

// stepwise is GRPO over trajectories: the reward of one is that of its last sample in the batch, and all its
// samples get the advantage, divided by their number with perStep. Groups of one trajectory, and those whose
// standard deviation is not above threshold, are left out if there is one.
type stepwise struct {
	grpo      groupwise
	perStep   bool
	threshold *float64
}

// advantages is a [formula].
func (w stepwise) advantages(dst []float64, b Batch, s Scale) error {
	mustHaveLength(dst, b)
	runs := Batch{Offsets: make([]int, 1, len(b.Offsets))}
	var t trajectories
	for g := range b.Groups() {
		t.of(b, b.Offsets[g], b.Offsets[g+1])
		for k := range t.count() {
			steps := t.class(k)
			runs.Rewards = append(runs.Rewards, b.Rewards[b.Offsets[g]+int(steps[len(steps)-1])])
		}
		runs.Offsets = append(runs.Offsets, len(runs.Rewards))
	}
	scores := make([]float64, len(runs.Rewards))
	err := w.grpo.advantages(scores, runs, s)
	for g := range b.Groups() {
		lo, hi := b.Offsets[g], b.Offsets[g+1]
		t.of(b, lo, hi)
		w.toSteps(dst[lo:hi], scores[runs.Offsets[g]:runs.Offsets[g+1]], &t, w.leavesOut(runs.Group(g)))
	}
	return err
}

// toSteps writes the advantages of the samples of a group from those of its trajectories.
func (w stepwise) toSteps(dst, scores []float64, t *trajectories, leftOut bool) {
	fillNaN(dst) // samples without a trajectory
	for k, score := range scores {
		steps := t.class(k)
		switch {
		case leftOut:
			score = 0
		case w.perStep:
			score = float64(float32(score) / float32(len(steps)))
		}
		for _, i := range steps {
			dst[i] = score
		}
	}
}

// leavesOut reports whether the group with these rewards of trajectories is left out.
func (w stepwise) leavesOut(rewards []float64) bool {
	if w.threshold == nil {
		return false
	}
	r := make([]float32, len(rewards))
	toFloat32(r, rewards)
	return len(r) == 1 || torchsum.Std(r) <= float32(*w.threshold)
}

// selects is a [selection].
func (w stepwise) selects(kept []bool, b Batch) {
	var t trajectories
	var last []float64
	for g := range b.Groups() {
		lo, hi := b.Offsets[g], b.Offsets[g+1]
		t.of(b, lo, hi)
		last = last[:0]
		for k := range t.count() {
			steps := t.class(k)
			last = append(last, b.Rewards[lo+int(steps[len(steps)-1])])
		}
		leftOut := w.leavesOut(last)
		for i := lo; i < hi; i++ {
			kept[i] = !leftOut
		}
	}
}
