package compare

import (
	"cmp"
	"context"
	"slices"
	"sort"

	"vantage/model"
	"vantage/model/analysis"
)

type side struct {
	run     Run
	shared  []model.Step // complete in both runs
	all     Scope        // of the whole run
	prompts []promptCount

	sums     []float64 // by prompt number less one: of the compared rewards
	compared int       // samples
}

// promptCount is a prompt in the steps of both runs.
type promptCount struct {
	hash    uint64
	number  uint32
	samples int    // with a finite reward
	steps   uint64 // a sum of hashes of the steps in which it was seen: equal sets have equal sums
	last    int    // index of the latest of these steps
}

func newSide(ctx context.Context, run Run, other model.Snapshot) (*side, error) {
	s := &side{run: run, shared: sharedSteps(run.Snap, other)}
	s.all = Scope{Steps: len(run.Snap.Steps), Samples: run.Snap.Rollouts()}
	if n := len(run.Snap.Steps); n > 0 {
		s.all.First, s.all.Last = run.Snap.Steps[0].Number, run.Snap.Steps[n-1].Number
		if run.Snap.Open(n - 1) {
			s.all.OpenSteps = 1
		}
	}
	counts := make([]promptCount, run.Snap.PromptCount())
	isShared := make([]bool, len(run.Snap.Steps))
	for i, step := range run.Snap.Steps {
		_, isShared[i] = slices.BinarySearchFunc(s.shared, step.Number, func(t model.Step, n int64) int { return cmp.Compare(t.Number, n) })
	}
	err := analysis.EachPromptReward(ctx, run.Snap, run.Set, func(p analysis.PromptReward) {
		c := &counts[p.Prompt-1]
		if c.number == 0 {
			*c = promptCount{run.Snap.Prompt(p.Prompt).Hash, p.Prompt, 0, 0, -1}
			s.all.Prompts++
		}
		switch {
		case !isShared[p.Step]:
		case p.Reward-p.Reward != 0:
			s.all.InvalidSamples++
		default:
			c.samples++
			if c.last != p.Step {
				c.last, c.steps = p.Step, c.steps+scramble(uint64(run.Snap.Steps[p.Step].Number))
			}
		}
	})
	s.prompts = slices.DeleteFunc(counts, func(c promptCount) bool { return c.samples == 0 || run.Prompts != nil && !run.Prompts[c.hash] })
	sort.Slice(s.prompts, func(i, j int) bool { return s.prompts[i].hash < s.prompts[j].hash })
	return s, err
}

func sharedSteps(run, other model.Snapshot) []model.Step {
	var shared []model.Step
	for i, step := range run.Steps {
		if j, found := other.Find(step.Number); found && !run.Open(i) && !other.Open(j) {
			shared = append(shared, step)
		}
	}
	return shared
}

// scramble makes a hash of a number (the last step of SplitMix64).
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

type pairing struct {
	hash                uint64
	baseline, candidate promptCount
}

func pairSides(a, b *side) []pairing {
	var pairs []pairing
	for i, j := 0, 0; i < len(a.prompts) && j < len(b.prompts); {
		p, q := a.prompts[i], b.prompts[j]
		switch {
		case p.hash < q.hash:
			i++
		case p.hash > q.hash:
			j++
		default:
			pairs = append(pairs, pairing{p.hash, p, q})
			i++
			j++
		}
	}
	return pairs
}

func (p pairing) samples() int { return min(p.baseline.samples, p.candidate.samples) }

func (p pairing) pair(a, b *side) Pair {
	n := float64(p.samples())
	return Pair{
		Hash: p.hash, Preview: a.run.Snap.Prompt(p.baseline.number).Preview,
		Baseline: a.sums[p.baseline.number-1] / n, Candidate: b.sums[p.candidate.number-1] / n, Samples: p.samples(),
		OfBaseline: p.baseline.samples, OfCandidate: p.candidate.samples, SameSteps: p.baseline.steps == p.candidate.steps,
	}
}

// sum adds the rewards of the compared samples of each pair. own is the side's own half of a pair.
func (s *side) sum(ctx context.Context, pairs []pairing, own func(pairing) promptCount) error {
	s.sums = make([]float64, s.run.Snap.PromptCount())
	type spread struct{ take, of, seen int }
	spreads := make([]spread, len(s.sums))
	for _, p := range pairs {
		half := own(p)
		spreads[half.number-1] = spread{take: p.samples(), of: half.samples}
		s.all.SurplusSamples += half.samples - p.samples()
		s.compared += p.samples()
	}
	return analysis.EachPromptReward(ctx, s.run.Snap.Only(s.shared), s.run.Set, func(r analysis.PromptReward) {
		p := &spreads[r.Prompt-1]
		if p.of == 0 || r.Reward-r.Reward != 0 {
			return
		}
		if (p.seen+1)*p.take/p.of > p.seen*p.take/p.of {
			s.sums[r.Prompt-1] += r.Reward
		}
		p.seen++
	})
}

// scope says how much of the run is compared, of which so many prompts.
func (s *side) scope(prompts int) Scope {
	c := s.all
	c.LeftOutSteps, c.LeftOutPrompts, c.LeftOutSamples = c.Steps-len(s.shared), c.Prompts-prompts, c.Samples-s.compared
	return c
}

// Answer is a sample of a prompt.
type Answer struct {
	Step     int64
	Revision int // of the step
	Place    model.Place
	Reward   float64
	Length   int32 // -1 if unknown
}

// Answers returns the samples of a prompt, given by its hash, in the steps that other has too: the best
// reward first, those without a finite one last, else in the order of the log. It fails as [Runs] does.
func Answers(ctx context.Context, run Run, other model.Snapshot, hash uint64) ([]Answer, error) {
	snap := run.Snap.Only(sharedSteps(run.Snap, other))
	var all []Answer
	err := analysis.EachPromptReward(ctx, snap, run.Set, func(p analysis.PromptReward) {
		if snap.Prompt(p.Prompt).Hash == hash {
			step := snap.Steps[p.Step]
			all = append(all, Answer{step.Number, step.Revision, step.Place(p.Row), p.Reward, step.Lengths[p.Row]})
		}
	})
	sort.SliceStable(all, func(i, j int) bool { return cmp.Less(rank(all[j]), rank(all[i])) })
	return all, err
}

// rank is the reward, and NaN, which is less than all numbers, for one that is not finite.
func rank(a Answer) float64 { return a.Reward + 0*a.Reward }
