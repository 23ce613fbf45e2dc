package model

import (
	"runtime"
	"sync"
)

// partSize is about how many samples of a step are computed together. Its value
// decides in which order figures are summed, so that it is the same everywhere.
const partSize = 1 << 16

// part is a run of groups [from, to), whose samples are [lo, hi).
type part struct{ from, to, lo, hi int }

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

// eachPart calls do for every part, several at a time.
func eachPart(parts []part, do func(k int, p part)) {
	workers := min(maxProcessors, runtime.GOMAXPROCS(0), len(parts))
	if workers < 2 {
		for k, p := range parts {
			do(k, p)
		}
		return
	}
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for k := w; k < len(parts); k += workers {
				do(k, parts[k])
			}
		})
	}
	wg.Wait()
}
