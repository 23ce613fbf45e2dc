package chart

import (
	"math/bits"
	"sync"
)

const (
	perTask   = 1 << 16 // values that one goroutine bins
	batchSize = 512     // values that are gathered before they are binned
	wordBits  = 64      // values per word of a mask
)

// binParallel bins n values, a step may have millions of them, in goroutines of perTask
// values. The partial histograms are added in order, so that sums do not depend on timing.
func binParallel(axis Axis, w, n int, bin func(c *counter, lo, hi int)) Histogram {
	partial := make([]counter, max(1, (n+perTask-1)/perTask))
	var wg sync.WaitGroup
	for k := range partial {
		lo, hi := k*perTask, min(n, (k+1)*perTask)
		task := func() {
			c := counter{h: Histogram{Axis: axis, Counts: make([]int, max(1, w))}, counts2: make([]int, max(1, w))}
			bin(&c, lo, hi)
			partial[k] = c
		}
		if len(partial) == 1 {
			task()
			continue
		}
		wg.Go(task)
	}
	wg.Wait()
	h := partial[0].histogram()
	for _, c := range partial[1:] {
		h.add(c.histogram())
	}
	return h
}

func (h *Histogram) add(o Histogram) {
	for i, n := range o.Counts {
		h.Counts[i] += n
	}
	h.Zeros, h.NonFinite, h.finite = h.Zeros+o.Zeros, h.NonFinite+o.NonFinite, h.finite+o.finite
	h.sum, h.sumSquares = h.sum+o.sum, h.sumSquares+o.sumSquares
}

// counter fills a histogram. It counts alternately in h.Counts and counts2: neighbouring
// values are often equal, and incrementing a count that was just written stalls.
type counter struct {
	h       Histogram
	counts2 []int
}

func (c *counter) histogram() Histogram {
	for i, n := range c.counts2 {
		c.h.Counts[i] += n
	}
	return c.h
}

// add bins values in pairs, each value of a pair with its own counts and sums.
func (c *counter) add(values []float64) {
	h, counts2 := &c.h, c.counts2
	columns, middle := h.Axis.columns(len(h.Counts)), h.middle()
	var n int
	var sum, sum2, squares, squares2 float64
	for ; len(values) > 1; values = values[2:] {
		v, v2 := values[0], values[1]
		if v == 0 || v2 == 0 || !isFinite(v-v2) {
			h.addOne(v)
			h.addOne(v2)
			continue
		}
		h.Counts[columns.of(v)]++
		counts2[columns.of(v2)]++
		d, d2 := v-middle, v2-middle
		sum, sum2 = sum+d, sum2+d2
		squares, squares2 = squares+d*d, squares2+d2*d2
		n += 2
	}
	if len(values) > 0 {
		h.addOne(values[0])
	}
	h.finite, h.sum, h.sumSquares = h.finite+n, h.sum+(sum+sum2), h.sumSquares+(squares+squares2)
}

// addOne bins any value.
func (h *Histogram) addOne(v float64) {
	switch {
	case v == 0:
		h.Zeros++
	case !isFinite(v):
		h.NonFinite++
		return
	default:
		h.Counts[h.Axis.Column(v, len(h.Counts))]++
	}
	d := v - h.middle()
	h.finite, h.sum, h.sumSquares = h.finite+1, h.sum+d, h.sumSquares+d*d
}

// addUsed bins the values whose element of use is true. They are unpredictable, so they are
// gathered without a branch first.
func (c *counter) addUsed(values []float64, use []bool) {
	var batch [batchSize]float64
	for len(values) > 0 {
		n, size := 0, min(len(values), batchSize)
		for i, v := range values[:size] {
			batch[n%batchSize] = v // overwritten by the next value unless it is used
			n += toInt(use[i])
		}
		c.add(batch[:n])
		values, use = values[size:], use[size:]
	}
}

// addMasked bins the values in [lo, hi) whose bit in mask XOR invert is 1; lo is a multiple
// of wordBits.
func (c *counter) addMasked(values []float64, mask []uint64, invert uint64, lo, hi int) {
	var batch [batchSize]float64
	n := 0
	for start := lo; start < hi; start += wordBits {
		for word := mask[start/wordBits] ^ invert; word != 0; word &= word - 1 {
			if i := start + bits.TrailingZeros64(word); i < hi {
				batch[n] = values[i]
				n++
			}
		}
		if n > batchSize-wordBits {
			c.add(batch[:n])
			n = 0
		}
	}
	c.add(batch[:n])
}

func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
