package model

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// partSize is about how many samples of a step are computed together: their columns stay
// at hand, in the caches of a processor, from the filter to the sums. Its value decides
// in which order figures are summed, so that it is the same everywhere.
const partSize = 1 << 13

// part is a run of groups [from, to), whose samples are [lo, hi).
type part struct{ from, to, lo, hi int }

// of is what belongs to group at of a column of the part, nothing if there is none.
func (p part) of(offsets []int, at int, column []float64) []float64 {
	if column == nil {
		return nil
	}
	return column[offsets[at]-p.lo : offsets[at+1]-p.lo]
}

// partsOf cuts a step between groups.
func partsOf(offsets []int) []part {
	var parts []part
	p := part{}
	for g := 1; g < len(offsets); g++ {
		if p.to, p.hi = g, offsets[g]; p.hi-p.lo >= partSize || g == len(offsets)-1 {
			parts = append(parts, p)
			p = part{from: p.to, lo: p.hi}
		}
	}
	return parts
}

// maxProcessors is how many processors a step may take: the node has better to do.
const maxProcessors = 4

// eachPart calls do for every part, several at a time, until ctx ends: what was made of the
// parts is then to be forgotten.
func eachPart(ctx context.Context, parts []part, do func(k int, p part)) {
	shareParts(ctx, parts, func() func(int, part) { return do })
}

// shareParts is eachPart where each processor, which takes one part after the other, has
// a worker of its own.
func shareParts(ctx context.Context, parts []part, worker func() func(k int, p part)) {
	var next atomic.Int64
	work := func() {
		do := worker()
		for k := int(next.Add(1)) - 1; k < len(parts) && ctx.Err() == nil; k = int(next.Add(1)) - 1 {
			do(k, parts[k])
		}
	}
	var wg sync.WaitGroup
	for range min(maxProcessors, runtime.GOMAXPROCS(0), len(parts)) - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
}
