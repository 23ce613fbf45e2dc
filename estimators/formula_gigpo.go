package estimators

import (
	"math"
	"slices"

	"vantage/estimators/torchsum"
)

// GiGPO (group-in-group policy optimization) adds two comparisons: of whole trajectories within a prompt, and
// of the steps that started from the same state of the environment, by what they led to,
//
//	A_i = a·episode + w·(R_i of equal states, normalized) ;  R_t = Σ_{k ≥ t} γ^{k−t} step reward_k
//
// Feng et al., "Group-in-Group Policy Optimization for LLM Agent Training", arXiv:2505.10978, 2025. States
// that are equal are compared across prompts too: both frameworks group by the bare hash.

// inSteps sorts the samples of each trajectory by the number of their step.
func (t *trajectories) inSteps(b Batch, lo, hi int) {
	t.of(b, lo, hi)
	step := b.Column(RunStep)[lo:hi]
	for k := range t.count() {
		slices.SortStableFunc(t.class(k), func(i, j int32) int {
			switch x, y := step[i], step[j]; {
			case x < y:
				return -1
			case x > y:
				return 1
			}
			return 0
		})
	}
}

// equalStates deals the samples into states. Samples without a state have none.
func equalStates(b Batch) *classesOf[float64] {
	var states classesOf[float64]
	state := b.Column(State)
	states.sort(len(b.Rewards), func(i int) (float64, bool) { return state[i], state[i] == state[i] })
	return &states
}

// trinityGiGPO is that of Trinity-RFT: trajectories are compared by the sum of their step rewards, each
// once, and
//
//	normalized(x) = (x − mean)/(s + 1e-6), s = 1 under scale "none", ddof 1 else; one value: x/(1 + 1e-6)
//
// A trajectory without step rewards has its reward at the last step. A state that comes once gives 0. Returns
// are Python floats, the comparisons float32.
type trinityGiGPO struct{ omega, gamma float64 }

const gigpoEps = 1e-6

// advantages is a [formula].
func (w trinityGiGPO) advantages(dst []float64, b Batch, s Scale) error {
	mustHaveLength(dst, b)
	returns := make([]float64, len(dst))
	x := make([]float32, 0, len(dst))
	fillNaN(dst)
	stepRewards := b.Column(StepReward)
	if stepRewards == nil {
		stepRewards = slices.Clone(dst)
	}
	var t trajectories
	for g := range b.Groups() {
		lo, hi := b.Offsets[g], b.Offsets[g+1]
		t.inSteps(b, lo, hi)
		x = x[:0]
		for k := range t.count() {
			x = append(x, float32(w.discount(returns[lo:hi], stepRewards[lo:hi], b.Rewards[lo:hi], t.class(k))))
		}
		normalize(x, s)
		for k, a := range x {
			for _, i := range t.class(k) {
				dst[lo+int(i)] = float64(a)
			}
		}
	}
	states := equalStates(b)
	for k := range states.count() {
		samples := states.class(k)
		if len(samples) < 2 {
			continue
		}
		x = pickFloat32(x, returns, samples)
		normalize(x, s)
		for k, i := range samples {
			dst[i] += float64(w.omega * float64(x[k]))
		}
	}
	for i, a := range dst {
		dst[i] = float64(float32(a))
	}
	return nil
}

// discount writes the returns of a trajectory's steps and returns the sum of its rewards.
func (w trinityGiGPO) discount(returns, stepRewards, rewards []float64, steps []int32) (sum float64) {
	hasOwn := slices.ContainsFunc(steps, func(i int32) bool { return stepRewards[i] == stepRewards[i] })
	of := func(k int) float64 {
		switch x := stepRewards[steps[k]]; {
		case x == x:
			return x
		case !hasOwn && k == len(steps)-1:
			return rewards[steps[k]]
		}
		return 0
	}
	running := 0.0
	for k := len(steps) - 1; k >= 0; k-- {
		running = of(k) + float64(w.gamma*running)
		returns[steps[k]] = running
	}
	for k := range steps {
		sum += of(k)
	}
	return sum
}

// normalize is that of [trinityGiGPO].
func normalize(x []float32, s Scale) {
	if len(x) == 1 {
		x[0] /= float32(1) + gigpoEps
		return
	}
	mean, divisor := torchsum.Mean(x), float32(1)
	if s == ScaleGroup {
		divisor = torchsum.Std(x)
	}
	divisor += gigpoEps
	for i := range x {
		x[i] = (x[i] - mean) / divisor
	}
}

// pickFloat32 returns values of some samples, in the memory of dst.
func pickFloat32(dst []float32, values []float64, samples []int32) []float32 {
	dst = dst[:0]
	for _, i := range samples {
		dst = append(dst, float32(values[i]))
	}
	return dst
}

// rollGiGPO is that of ROLL: the episode score, which stands on each step, is compared over the steps, so
// that a longer trajectory counts more often, and both comparisons are agentic_reward_norm,
//
//	normalized(x) = x − mean ;  scale "group": (x − mean)/(s + 1e-6), 0 if s ≤ 1e-6
//
// ddof 1, one value 0. All of it is float32.
type rollGiGPO struct{ episode, step, gamma float32 }

// advantages is a [formula].
func (w rollGiGPO) advantages(dst []float64, b Batch, s Scale) error {
	norm := groupwise{eps: rollEps, zeroIfFlat: true}
	if err := norm.advantages(dst, b, s); err != nil {
		return err
	}
	states, returns := equalStates(b), w.returns(b)
	byState := Batch{Rewards: make([]float64, len(states.members)), Offsets: make([]int, len(states.offsets))}
	for k, i := range states.members {
		byState.Rewards[k] = returns[i]
	}
	for k, at := range states.offsets {
		byState.Offsets[k] = int(at)
	}
	steps := make([]float64, len(byState.Rewards))
	if err := norm.advantages(steps, byState, s); err != nil {
		return err
	}
	for i, k := range states.of {
		if k < 0 {
			dst[i] = math.NaN() // without a state
		}
	}
	for k, i := range states.members {
		dst[i] = float64(float32(w.episode*float32(dst[i])) + float32(w.step*float32(steps[k])))
	}
	return nil
}

// returns are the discounted step rewards from each step on.
func (w rollGiGPO) returns(b Batch) []float64 {
	returns := slices.Clone(b.Column(StepReward))
	var t trajectories
	for g := range b.Groups() {
		lo, hi := b.Offsets[g], b.Offsets[g+1]
		t.inSteps(b, lo, hi)
		for k := range t.count() {
			running := float32(0)
			for _, i := range slices.Backward(t.class(k)) {
				running = float32(returns[lo+int(i)]) + float32(w.gamma*running)
				returns[lo+int(i)] = float64(running)
			}
		}
	}
	return returns
}
