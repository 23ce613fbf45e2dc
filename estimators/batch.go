package estimators

// EqualGroups returns the offsets of consecutive groups of size samples over n
// samples: the interface of the frameworks that know a group by its position.
// len(offsets) == n/size + 1.
//
// The error is twinkle's, a [Refusal] "ValueError: Invalid", if size is not
// positive or does not divide n. No samples are no groups, of any positive size.
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
