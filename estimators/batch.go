package estimators

import (
	"hash/fnv"
	"iter"
)

// Batch is one training step as an estimator sees it. The fields after Offsets are
// optional: [Needs] says which estimators read them.
type Batch struct {
	Rewards []float64 // length N, groups contiguous, batch order within a group
	Offsets []int     // length G+1, ascending from 0 to N; group g is Rewards[Offsets[g]:Offsets[g+1]]

	Lengths    []int32     // length N: response tokens in the loss
	Components [][]float64 // K slices of length N: the scores of each reward function, NaN where it gave none
	Weights    []float64   // length K: the factors of the components; nil means 1 each
	Baselines  []float64   // length N: reward of the greedy response to the same prompt

	// Rollouts, of length N, tells for an estimator of [ByRollout] which samples are outputs of one
	// rollout: those of one number, which are adjacent within their group. Nil: each sample is a rollout.
	Rollouts []int32

	Columns [][]float64 // by [Column], each nil or of length N
}

// Groups returns G, the number of groups.
func (b Batch) Groups() int { return max(0, len(b.Offsets)-1) }

// Group returns the rewards of group g, in batch order.
func (b Batch) Group(g int) []float64 { return b.Rewards[b.Offsets[g]:b.Offsets[g+1]] }

func (b Batch) ranges() iter.Seq2[int, int] {
	return func(yield func(lo, hi int) bool) {
		for g := 1; g < len(b.Offsets); g++ {
			if !yield(b.Offsets[g-1], b.Offsets[g]) {
				return
			}
		}
	}
}

// OneGroup returns samples [lo, hi) as a batch of one group. It shares the memory of b.
func (b Batch) OneGroup(lo, hi int) Batch { return b.sampleRange(lo, hi, []int{0, hi - lo}) }

// GroupRange returns groups [from, to) as a batch. It shares the memory of b.
func (b Batch) GroupRange(from, to int) Batch {
	if from == 0 && to == len(b.Offsets)-1 && b.Offsets[0] == 0 && b.Offsets[to] == len(b.Rewards) {
		return b
	}
	lo := b.Offsets[from]
	offsets := make([]int, to-from+1)
	for i := range offsets {
		offsets[i] = b.Offsets[from+i] - lo
	}
	return b.sampleRange(lo, b.Offsets[to], offsets)
}

func (b Batch) sampleRange(lo, hi int, offsets []int) Batch {
	part := b.mapped(func(x []float64) []float64 { return cut(x, lo, hi) }, func(x []int32) []int32 { return cut(x, lo, hi) })
	part.Offsets = offsets
	return part
}

// cut returns samples [lo, hi) of what may be nil.
func cut[T any](x []T, lo, hi int) []T {
	if x == nil {
		return nil
	}
	return x[lo:hi:hi]
}

// mapped returns what is of length N after functions that give nil for nil, and the weights.
func (b Batch) mapped(floats func([]float64) []float64, ints func([]int32) []int32) Batch {
	m := Batch{
		Rewards: floats(b.Rewards), Weights: b.Weights, Lengths: ints(b.Lengths), Baselines: floats(b.Baselines),
		Rollouts: ints(b.Rollouts),
	}
	for _, c := range b.Components {
		m.Components = append(m.Components, floats(c))
	}
	for _, c := range b.Columns {
		m.Columns = append(m.Columns, floats(c))
	}
	return m
}

// Kept returns the batch of the kept samples, of whole groups or parts of them, in memory of its own.
// Groups without one are left out. len(kept) == N.
func (b Batch) Kept(kept []bool) Batch {
	b.Rollouts = nil
	k := b.keptSamples(kept)
	k.Offsets = []int{0}
	n := 0
	for lo, hi := range b.ranges() {
		for _, is := range kept[lo:hi] {
			n += toInt(is)
		}
		if n > k.Offsets[len(k.Offsets)-1] {
			k.Offsets = append(k.Offsets, n)
		}
	}
	return k
}

func (b Batch) keptSamples(kept []bool) Batch {
	return b.mapped(func(x []float64) []float64 { return keptOf(x, kept) }, func(x []int32) []int32 { return keptOf(x, kept) })
}

// Column returns the values of a column, nil if the batch has none.
func (b Batch) Column(c Column) []float64 {
	if int(c) >= len(b.Columns) {
		return nil
	}
	return b.Columns[c]
}

// EqualGroups returns the offsets of n samples in consecutive groups of size
// samples, as the frameworks count that know a group by its position.
// len(offsets) == n/size + 1.
//
// If size is not positive or does not divide n, the error is twinkle's, a [Refusal]
// "ValueError: Invalid". Zero samples are zero groups, of any positive size.
//
// Source: modelscope/twinkle@1a1d8845dc6d src/twinkle/advantage/grpo.py:45-46.
func EqualGroups(n, size int) (offsets []int, err error) {
	if size <= 0 || n%size != 0 {
		return nil, &Refusal{Kind: "ValueError", Text: "Invalid"}
	}
	offsets = make([]int, n/size+1)
	for g := range offsets {
		offsets[g] = g * size
	}
	return offsets, nil
}

func largestGroup(offsets []int) int {
	n := 0
	for g := 1; g < len(offsets); g++ {
		n = max(n, offsets[g]-offsets[g-1])
	}
	return n
}

// commonSize returns the most common size of a group, the larger one of a tie.
func commonSize(offsets []int) int {
	count := make([]int, largestGroup(offsets)+1)
	common := 0
	for g := 1; g < len(offsets); g++ {
		count[offsets[g]-offsets[g-1]]++
	}
	for n, c := range count {
		if c >= count[common] {
			common = n
		}
	}
	return common
}

// raggedGroups lists the groups that have fewer than least samples or are not of
// [commonSize].
func raggedGroups(offsets []int, least int) []int {
	common := commonSize(offsets)
	var groups []int
	for g := 1; g < len(offsets); g++ {
		if n := offsets[g] - offsets[g-1]; n != common || n < least {
			groups = append(groups, g-1)
		}
	}
	return groups
}

func groupsWithMissing(b Batch) []int {
	var groups []int
	g := 0
	for i, r := range b.Rewards {
		if !IsMissing(r) {
			continue
		}
		for b.Offsets[g+1] <= i {
			g++
		}
		if len(groups) == 0 || groups[len(groups)-1] != g {
			groups = append(groups, g)
		}
	}
	return groups
}

// Column is a value of a sample, beside reward and length, that few estimators read.
type Column int

// The columns.
const (
	InputTokens Column = iota // tokens that the model did not write: prompts, answers of tools
	TotalTokens               // those and the response tokens: input tokens by another count
	Turns                     // of the conversation
	Agent                     // name of the agent that wrote the response
	Episode                   // id of the episode: what several agents did together
	Run                       // id of the trajectory of which the sample is one step
	RunStep                   // number of the step in its trajectory
	State                     // hash of the environment's state before the step; NaN if it has none
	StepReward                // what the environment gave for the step; NaN if nothing

	columnCount
)

// ColumnSet is a set of columns.
type ColumnSet uint16

// Columns returns the set of these columns.
func Columns(columns ...Column) ColumnSet {
	var set ColumnSet
	for _, c := range columns {
		set |= 1 << c
	}
	return set
}

// List returns the columns of the set.
func (s ColumnSet) List() []Column {
	var list []Column
	for c := range columnCount {
		if s&(1<<c) != 0 {
			list = append(list, c)
		}
	}
	return list
}

// String says what the column holds: "input tokens".
func (c Column) String() string {
	return [...]string{
		"input tokens", "total tokens", "numbers of turns", "agent names", "episode ids",
		"trajectory ids", "numbers of the step in a trajectory", "state hashes", "step rewards",
	}[c]
}

// Names are the names under which trainers log the column, the preferred one first.
func (c Column) Names() []string {
	return [...][]string{
		{"num_input_tokens", "input_tokens"},
		{"num_total_tokens", "total_tokens"},
		{"num_turns", "metrics/num_turns"},
		{"agent", "agent_name", "agent.name"},
		{"episode", "episode_id"},
		{"traj_id", "trajectory", "run", "run_id"},
		{"env_step", "traj_step", "turn"},
		{"state_hash", "env_state_hash"},
		{"step_score", "step_scores", "step_reward"},
	}[c]
}

// ColumnNamed returns the column that is logged under a name; ok is false if none is. Readers ask for each
// field of a row, hence no search in the lists of names.
func ColumnNamed(name string) (c Column, ok bool) {
	switch name {
	case "num_input_tokens", "input_tokens":
		return InputTokens, true
	case "num_total_tokens", "total_tokens":
		return TotalTokens, true
	case "num_turns", "metrics/num_turns":
		return Turns, true
	case "agent", "agent_name", "agent.name":
		return Agent, true
	case "episode", "episode_id":
		return Episode, true
	case "traj_id", "trajectory", "run", "run_id":
		return Run, true
	case "env_step", "traj_step", "turn":
		return RunStep, true
	case "state_hash", "env_state_hash":
		return State, true
	case "step_score", "step_scores", "step_reward":
		return StepReward, true
	}
	return 0, false
}

// HoldsNames reports whether the values are names, of which only the equality counts. They are numbers
// here all the same: see [NumberOfName].
func (c Column) HoldsNames() bool {
	return c == Agent || c == Episode || c == Run || c == State
}

// NumberOfName returns the number that stands for a name in a [Column]: a hash of 53 bits, which float64
// holds exactly. Among a million names the odds that two are taken for one are 1 in 18,000.
func NumberOfName(name string) float64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return float64(h.Sum64() >> 11)
}

// classesOf are samples with equal keys, in the order in which the keys first come.
type classesOf[K comparable] struct {
	of      []int32 // of each sample, -1 if it has none
	offsets []int32 // class k is members[offsets[k]:offsets[k+1]]
	members []int32 // samples, in batch order within a class

	seen map[K]int32
}

// sort deals n samples into classes; key returns the key of a sample, ok is false if it has none.
func (c *classesOf[K]) sort(n int, key func(i int) (k K, ok bool)) {
	if c.seen == nil {
		c.seen = map[K]int32{}
	}
	clear(c.seen)
	c.of, c.members = resize(c.of, n), resize(c.members, n)
	c.offsets = append(c.offsets[:0], 0)
	for i := range n {
		c.of[i] = -1
		if x, ok := key(i); ok {
			k, known := c.seen[x]
			if !known {
				k = int32(len(c.seen))
				c.seen[x] = k
				c.offsets = append(c.offsets, 0)
			}
			c.of[i] = k
			c.offsets[k+1]++
		}
	}
	c.deal()
}

// deal fills in the members; offsets[k+1] is the size of class k.
func (c *classesOf[K]) deal() {
	for k := 1; k < len(c.offsets); k++ {
		c.offsets[k] += c.offsets[k-1]
	}
	last := len(c.offsets) - 1
	n := c.offsets[last]
	for i := len(c.of) - 1; i >= 0; i-- { // from behind: offsets[k+1] is the end of class k and becomes its start
		if k := c.of[i]; k >= 0 {
			c.offsets[k+1]--
			c.members[c.offsets[k+1]] = int32(i)
		}
	}
	copy(c.offsets, c.offsets[1:])
	c.offsets[last], c.members = n, c.members[:n]
}

func (c *classesOf[K]) count() int { return len(c.offsets) - 1 }

func (c *classesOf[K]) class(k int) []int32 { return c.members[c.offsets[k]:c.offsets[k+1]] }
