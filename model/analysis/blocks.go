package analysis

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// blockSize is the least number of samples in a block. Statistics are summed block by block, so it
// must not depend on the machine.
const blockSize = 1 << 13

// block is a run of whole groups [from, to) of a step; its samples are [lo, hi).
type block struct{ from, to, lo, hi int }

// blocksOf divides the groups of a step into blocks.
func blocksOf(offsets []int) []block {
	var blocks []block
	b := block{}
	for g := 1; g < len(offsets); g++ {
		if b.to, b.hi = g, offsets[g]; b.hi-b.lo >= blockSize || g == len(offsets)-1 {
			blocks = append(blocks, b)
			b = block{from: b.to, lo: b.hi}
		}
	}
	return blocks
}

// maxWorkers is the number of processors that one step may use: training needs the others.
const maxWorkers = 4

// eachBlock calls do with the index and the value of each block, in several goroutines, until ctx ends.
func eachBlock(ctx context.Context, blocks []block, do func(k int, b block)) {
	var next atomic.Int64
	work := func() {
		for k := int(next.Add(1)) - 1; k < len(blocks) && ctx.Err() == nil; k = int(next.Add(1)) - 1 {
			do(k, blocks[k])
		}
	}
	var wg sync.WaitGroup
	for range min(maxWorkers, runtime.GOMAXPROCS(0), len(blocks)) - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
}
