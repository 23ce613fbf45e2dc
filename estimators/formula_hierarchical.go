package estimators

import "math"

// hierarchical is GRPO for agents that play different roles in one episode, a proposer and its solvers:
//
//	A_i = r_i − mean of its peers
//
// The peers of a sample are those of its group with the same agent, and if episodeAgents lists that agent,
// of the same episode. float64, added from left to right, as centredByPythonSum. A sample without peers gets
// 0, one without an agent NaN.
type hierarchical struct{ episodeAgents []float64 } // numbers of names

// newHierarchical takes the names of the agents.
func newHierarchical(agents []string) hierarchical {
	var h hierarchical
	for _, name := range agents {
		h.episodeAgents = append(h.episodeAgents, NumberOfName(name))
	}
	return h
}

// advantages is a [formula].
func (h hierarchical) advantages(dst []float64, b Batch, _ Scale) error {
	mustHaveLength(dst, b)
	agents, episodes := b.Column(Agent), b.Column(Episode)
	var peers classesOf[[2]float64]
	for g := range b.Groups() {
		lo, hi := b.Offsets[g], b.Offsets[g+1]
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

// centreByPythonSum writes the centred rewards of some samples.
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
