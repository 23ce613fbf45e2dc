package estimators

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

// OneGroup returns samples [lo, hi) as a batch of one group. It shares the memory of b.
func (b Batch) OneGroup(lo, hi int) Batch { return b.sampleRange(lo, hi, []int{0, hi - lo}) }

// GroupRange returns groups [from, to) as a batch. It shares the memory of b.
func (b Batch) GroupRange(from, to int) Batch {
	lo := b.Offsets[from]
	offsets := make([]int, to-from+1)
	for i := range offsets {
		offsets[i] = b.Offsets[from+i] - lo
	}
	return b.sampleRange(lo, b.Offsets[to], offsets)
}

func (b Batch) sampleRange(lo, hi int, offsets []int) Batch {
	part := Batch{Rewards: b.Rewards[lo:hi:hi], Offsets: offsets, Weights: b.Weights}
	if b.Lengths != nil {
		part.Lengths = b.Lengths[lo:hi:hi]
	}
	if b.Baselines != nil {
		part.Baselines = b.Baselines[lo:hi:hi]
	}
	if b.Rollouts != nil {
		part.Rollouts = b.Rollouts[lo:hi:hi]
	}
	for _, c := range b.Components {
		part.Components = append(part.Components, c[lo:hi:hi])
	}
	part.Columns = b.eachColumn(func(values []float64) []float64 { return values[lo:hi:hi] })
	return part
}

// Kept returns the batch of the kept samples, of whole groups or parts of them, in memory of its own.
// Groups without one are left out. len(kept) == N.
func (b Batch) Kept(kept []bool) Batch {
	k := Batch{Rewards: keptOf(b.Rewards, kept), Offsets: []int{0}, Weights: b.Weights, Lengths: keptOf(b.Lengths, kept), Baselines: keptOf(b.Baselines, kept)}
	for _, c := range b.Components {
		k.Components = append(k.Components, keptOf(c, kept))
	}
	k.Columns = b.eachColumn(func(values []float64) []float64 { return keptOf(values, kept) })
	n := 0
	for g := range b.Groups() {
		for i := b.Offsets[g]; i < b.Offsets[g+1]; i++ {
			n += toInt(kept[i])
		}
		if n > k.Offsets[len(k.Offsets)-1] {
			k.Offsets = append(k.Offsets, n)
		}
	}
	return k
}

// Column returns the values of a column, nil if the batch has none.
func (b Batch) Column(c Column) []float64 {
	if int(c) >= len(b.Columns) {
		return nil
	}
	return b.Columns[c]
}

// eachColumn returns the columns after f; nil if there are none.
func (b Batch) eachColumn(f func(values []float64) []float64) [][]float64 {
	if b.Columns == nil {
		return nil
	}
	columns := make([][]float64, len(b.Columns))
	for c, values := range b.Columns {
		if values != nil {
			columns[c] = f(values)
		}
	}
	return columns
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

// largestGroup returns the size of the largest group.
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

// groupsWithMissing lists the groups that have a missing reward.
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
