package match

import "fmt"

// order counts pairs of samples of one group whose rewards differ, and advantages too: every estimator that
// reads one reward gives more to the better one.
type order struct {
	pairs, rising int // neighbours in input order; of these, with more for the better one
}

func (o *order) add(advantages, rewards []float64) {
	for i := 1; i < len(rewards); i++ {
		reward, advantage := rewards[i]-rewards[i-1], advantages[i]-advantages[i-1]
		if reward == 0 || advantage == 0 || !areFinite(reward, advantage) {
			continue
		}
		o.pairs++
		if reward > 0 == (advantage > 0) {
			o.rising++
		}
	}
}

// sentence says how far the advantages follow the reward, "" if they always do, or if few pairs tell.
func (o *order) sentence() string {
	const minPairs, chance = 20, 0.6
	share := float64(o.rising) / float64(max(1, o.pairs))
	switch {
	case o.pairs < minPairs || o.rising == o.pairs:
		return ""
	case share < chance && share > 1-chance:
		return fmt.Sprintf("the logged advantages do not follow this reward: of two samples of a group the better one has the higher advantage in %.0f%% of %d pairs, as by chance", 100*share, o.pairs)
	}
	return fmt.Sprintf("of two samples of a group the one with the higher reward has the higher advantage in %.0f%% of %d pairs", 100*share, o.pairs)
}
