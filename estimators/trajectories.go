package estimators

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"vantage/estimators/torchsum"
)

// trajectories are the samples of a group as steps of trajectories, in the order in which the trajectories
// first come.
type trajectories struct{ classesOf[float64] }

// of deals samples [lo, hi) of b.
func (t *trajectories) of(b Batch, lo, hi int) {
	runs := b.Column(Run)[lo:hi]
	t.sort(hi-lo, func(i int) (float64, bool) { return runs[i], runs[i] == runs[i] })
}

// appendLast deals samples [lo, hi) of b, and appends the reward of the last one of each trajectory.
func (t *trajectories) appendLast(rewards []float64, b Batch, lo, hi int) []float64 {
	t.of(b, lo, hi)
	for k := range t.count() {
		steps := t.class(k)
		rewards = append(rewards, b.Rewards[lo+int(steps[len(steps)-1])])
	}
	return rewards
}

// stepwise is GRPO over trajectories: the reward of one is that of its last sample in the batch, and all its
// samples get the advantage, divided by their number with perStep. Groups of one trajectory, and those whose
// standard deviation is not above threshold, are left out if there is one.
type stepwise struct {
	grpo      groupwise
	perStep   bool
	threshold *float64
}

func (w stepwise) advantages(dst []float64, b Batch, s Scale) error {
	mustHaveLength(dst, b)
	runs := Batch{Offsets: make([]int, 1, len(b.Offsets))}
	var t trajectories
	for lo, hi := range b.ranges() {
		runs.Rewards = t.appendLast(runs.Rewards, b, lo, hi)
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

func (w stepwise) selects(kept []bool, b Batch) {
	var t trajectories
	var last []float64
	for lo, hi := range b.ranges() {
		last = t.appendLast(last[:0], b, lo, hi)
		leftOut := w.leavesOut(last)
		for i := lo; i < hi; i++ {
			kept[i] = !leftOut
		}
	}
}

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
	for lo, hi := range b.ranges() {
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
	for lo, hi := range b.ranges() {
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

// rolloutsOf calls f with the samples [lo, hi) of each rollout of group g.
func (b Batch) rolloutsOf(g int, f func(lo, hi int)) {
	for lo := b.Offsets[g]; lo < b.Offsets[g+1]; {
		hi := lo + 1
		for hi < b.Offsets[g+1] && b.Rollouts != nil && b.Rollouts[hi] == b.Rollouts[lo] {
			hi++
		}
		f(lo, hi)
		lo = hi
	}
}

// rolloutMeans is f over the mean rewards of the rollouts, float32 from left to right; every sample gets
// what its rollout gets.
func rolloutMeans(f formula) formula {
	return func(dst []float64, b Batch, s Scale) error {
		mustHaveLength(dst, b)
		means := Batch{Offsets: make([]int, 1, len(b.Offsets))}
		for g := range b.Groups() {
			b.rolloutsOf(g, func(lo, hi int) {
				sum := float32(0)
				for _, r := range b.Rewards[lo:hi] {
					sum += float32(r)
				}
				means.Rewards = append(means.Rewards, float64(sum/float32(hi-lo)))
			})
			means.Offsets = append(means.Offsets, len(means.Rewards))
		}
		advantages := make([]float64, len(means.Rewards))
		err := f(advantages, means, s)
		next := 0
		for g := range b.Groups() {
			b.rolloutsOf(g, func(lo, hi int) {
				for i := lo; i < hi; i++ {
					dst[i] = advantages[next]
				}
				next++
			})
		}
		return err
	}
}

// oncePerRollout is GRPO in which a rollout counts once, whatever the number of its samples, which share
// one reward:
//
//	A = (r − μ) / (s + 1e-6) if there are two rollouts or more and s > 0, else r − μ
//
// μ and s, ddof 1, are those of one reward per rollout, float32. Samples of a rollout with different
// rewards, or with NaN, are a ValueError.
func oncePerRollout(dst []float64, b Batch, s Scale) error {
	mustHaveLength(dst, b)
	rewards := make([]float32, largestGroup(b.Offsets))
	var refused error
	for g := range b.Groups() {
		once := rewards[:0]
		b.rolloutsOf(g, func(lo, hi int) {
			once = append(once, float32(b.Rewards[lo]))
			if refused == nil && slices.ContainsFunc(b.Rewards[lo+1:hi], func(r float64) bool { return r != b.Rewards[lo] }) {
				refused = unequalRollout(b, g, lo, hi)
			}
		})
		mean := torchsum.Mean(once)
		divisor := float32(1)
		if std := torchsum.StdWithMean(once, mean); s != ScaleNone && len(once) > 1 && std > 0 {
			divisor = std + 1e-6
		}
		for i := b.Offsets[g]; i < b.Offsets[g+1]; i++ {
			dst[i] = float64((float32(b.Rewards[i]) - mean) / divisor)
		}
	}
	return refused
}

// unequalRollout is the ValueError for samples [lo, hi) of group g, which have different rewards.
func unequalRollout(b Batch, g, lo, hi int) error {
	var rows, rewards []string
	for i := lo; i < hi; i++ {
		rows = append(rows, strconv.Itoa(i))
		rewards = append(rewards, pythonRepr(b.Rewards[i]))
	}
	text := fmt.Sprintf("all samples in rollout %d must share one reward; rows [%s] have rewards [%s]",
		b.Rollouts[lo], strings.Join(rows, ", "), strings.Join(rewards, ", "))
	return &Refusal{Kind: "ValueError", Text: text, Groups: []int{g}}
}

// hierarchical is GRPO for agents that play different roles in one episode, a proposer and its solvers:
//
//	A_i = r_i − mean of its peers
//
// The peers of a sample are those of its group with the same agent, and if episodeAgents lists that agent,
// of the same episode. float64, added from left to right, as centredByPythonSum. A sample without peers gets
// 0, one without an agent NaN.
type hierarchical struct{ episodeAgents []float64 } // numbers of names

func newHierarchical(agents []string) hierarchical {
	var h hierarchical
	for _, name := range agents {
		h.episodeAgents = append(h.episodeAgents, NumberOfName(name))
	}
	return h
}

func (h hierarchical) advantages(dst []float64, b Batch, _ Scale) error {
	mustHaveLength(dst, b)
	agents, episodes := b.Column(Agent), b.Column(Episode)
	var peers classesOf[[2]float64]
	for lo, hi := range b.ranges() {
		peers.sort(hi-lo, func(i int) ([2]float64, bool) {
			agent, episode := agents[lo+i], 0.0
			for _, a := range h.episodeAgents {
				if a == agent {
					episode = episodes[lo+i]
				}
			}
			dst[lo+i] = math.NaN()
			return [2]float64{agent, episode}, agent == agent && episode == episode
		})
		for k := range peers.count() {
			centreByPythonSum(dst[lo:hi], b.Rewards[lo:hi], peers.class(k))
		}
	}
	return nil
}

func centreByPythonSum(dst, r []float64, samples []int32) {
	sum := 0.0
	for _, i := range samples {
		sum += r[i]
	}
	mean := sum / float64(len(samples))
	for _, i := range samples {
		dst[i] = r[i] - mean
	}
}
