package chart

import (
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync"

	"vantage/themes"
)

// Histogram counts values in equal bins along an axis. Exact zeros are counted
// apart: groups without signal put so many of them into one bin that nothing
// else would be seen.
type Histogram struct {
	Axis      Axis
	Counts    []int
	Zeros     int
	NonFinite int // values that are not finite

	n            int     // finite values
	sum, squares float64 // of them, around the middle of the axis
}

// Moments returns how many values are finite, their mean, and their standard deviation
// with n-1; NaN where there are too few.
func (h Histogram) Moments() (n int, mean, std float64) {
	count := float64(h.n)
	mean = h.sum / count
	return h.n, h.middle() + mean, math.Sqrt(max(0, h.squares-h.sum*mean) / (count - 1))
}

func (h Histogram) middle() float64 { return h.Axis.Lo/2 + h.Axis.Hi/2 }

// together is how many values are binned by one processor.
const together = 1 << 16

// Bin counts the values for which use is true (nil: all) in w bins.
func Bin(axis Axis, w int, values []float64, use []bool) Histogram {
	return inParts(axis, w, len(values), func(c *counter, lo, hi int) {
		if use == nil {
			c.count(values[lo:hi])
			return
		}
		c.countUsed(values[lo:hi], use[lo:hi])
	})
}

// Values are numbers that can be read part by part; room is for those that have to be made.
type Values interface {
	Len() int
	Between(lo, hi int, room []float64) []float64
}

// BinValues counts all values in w bins.
func BinValues(axis Axis, w int, values Values) Histogram {
	return inParts(axis, w, values.Len(), func(c *counter, lo, hi int) {
		var some [gathered]float64
		for ; lo < hi; lo += gathered {
			c.count(values.Between(lo, min(hi, lo+gathered), some[:0]))
		}
	})
}

// Masked returns the histogram of the values that are used, where h is that of all of them. It
// looks at the fewer: those, or the others. Value i is used if bit i%64 of use[i/64] is 1; n are.
func (h Histogram) Masked(values []float64, use []uint64, n int) Histogram {
	if 2*n < len(values) {
		return inParts(h.Axis, len(h.Counts), len(values), func(c *counter, lo, hi int) { c.countFlagged(values, use, 0, lo, hi) })
	}
	rest := inParts(h.Axis, len(h.Counts), len(values), func(c *counter, lo, hi int) { c.countFlagged(values, use, ^uint64(0), lo, hi) })
	h.Counts = slices.Clone(h.Counts)
	for i, n := range rest.Counts {
		h.Counts[i] -= n
	}
	h.Zeros, h.NonFinite, h.n = h.Zeros-rest.Zeros, h.NonFinite-rest.NonFinite, h.n-rest.n
	h.sum, h.squares = h.sum-rest.sum, h.squares-rest.squares
	return h
}

// SubtractZeros returns the histogram without so many of its zeros.
func (h Histogram) SubtractZeros(n int) Histogram {
	d := -h.middle()
	h.Zeros, h.n = h.Zeros-n, h.n-n
	h.sum, h.squares = h.sum-float64(n)*d, h.squares-float64(n)*d*d
	return h
}

// inParts counts n values part by part. A step may have millions of them: several processors
// count, and the parts are added in one order.
func inParts(axis Axis, w, n int, count func(c *counter, lo, hi int)) Histogram {
	parts := make([]counter, max(1, (n+together-1)/together))
	var wg sync.WaitGroup
	for k := range parts {
		lo, hi := k*together, min(n, (k+1)*together)
		bin := func() {
			c := counter{h: Histogram{Axis: axis, Counts: make([]int, max(1, w))}, second: make([]int, max(1, w))}
			count(&c, lo, hi)
			parts[k] = c
		}
		if len(parts) == 1 {
			bin()
			continue
		}
		wg.Go(bin)
	}
	wg.Wait()
	h := parts[0].histogram()
	for _, p := range parts[1:] {
		h.add(p.histogram())
	}
	return h
}

func (h *Histogram) add(o Histogram) {
	for i, n := range o.Counts {
		h.Counts[i] += n
	}
	h.Zeros, h.NonFinite, h.n = h.Zeros+o.Zeros, h.NonFinite+o.NonFinite, h.n+o.n
	h.sum, h.squares = h.sum+o.sum, h.squares+o.squares
}

// counter is a histogram in the making. It has second counters, to be added: values that lie
// side by side are often equal, and a counter that was just written is slow to read.
type counter struct {
	h      Histogram
	second []int
}

func (c *counter) histogram() Histogram {
	for i, n := range c.second {
		c.h.Counts[i] += n
	}
	return c.h
}

// gathered is how many values are put together before they are counted.
const gathered = 512

// countUsed counts values of which some are used. Which is hard to guess: those that are
// come together first, without a branch.
func (c *counter) countUsed(values []float64, use []bool) {
	var some [gathered]float64
	for len(values) > 0 {
		n, most := 0, min(len(values), gathered)
		for i, v := range values[:most] {
			some[n%gathered] = v // overwritten by the next if it is not used
			n += one(use[i])
		}
		c.count(some[:n])
		values, use = values[most:], use[most:]
	}
}

// wordBits is how many values a word of used ones speaks of.
const wordBits = 64

// countFlagged counts those of the values [lo, hi) whose flag differs from that in turned;
// lo begins a word.
func (c *counter) countFlagged(values []float64, flags []uint64, turned uint64, lo, hi int) {
	var some [gathered]float64
	n := 0
	for from := lo; from < hi; from += wordBits {
		for rest := flags[from/wordBits] ^ turned; rest != 0; rest &= rest - 1 {
			if i := from + bits.TrailingZeros64(rest); i < hi {
				some[n] = values[i]
				n++
			}
		}
		if n > gathered-wordBits {
			c.count(some[:n])
			n = 0
		}
	}
	c.count(some[:n])
}

// count takes values in, two at a time and each with counters and sums of its own.
func (c *counter) count(values []float64) {
	h, second := &c.h, c.second
	columns, middle := h.Axis.columns(len(h.Counts)), h.middle()
	var n int
	var sum, sum2, squares, squares2 float64
	for ; len(values) > 1; values = values[2:] {
		v, v2 := values[0], values[1]
		if v == 0 || v2 == 0 || v-v2-(v-v2) != 0 {
			h.single(v)
			h.single(v2)
			continue
		}
		h.Counts[columns.of(v)]++
		second[columns.of(v2)]++
		d, d2 := v-middle, v2-middle
		sum, sum2 = sum+d, sum2+d2
		squares, squares2 = squares+d*d, squares2+d2*d2
		n += 2
	}
	if len(values) > 0 {
		h.single(values[0])
	}
	h.n, h.sum, h.squares = h.n+n, h.sum+(sum+sum2), h.squares+(squares+squares2)
}

// single takes in a value, which may be 0 or none.
func (h *Histogram) single(v float64) {
	switch {
	case v == 0:
		h.Zeros++
	case v-v != 0:
		h.NonFinite++
		return
	default:
		h.Counts[h.Axis.Column(v, len(h.Counts))]++
	}
	d := v - h.middle()
	h.n, h.sum, h.squares = h.n+1, h.sum+d, h.squares+d*d
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// BinWithZeros is Bin where a zero is a value like others.
func BinWithZeros(axis Axis, w int, values []float64, use []bool) Histogram {
	h := Bin(axis, w, values, use)
	if h.Zeros > 0 && axis.Lo <= 0 && axis.Hi >= 0 {
		h.Counts[axis.Column(0, len(h.Counts))] += h.Zeros
	}
	return h
}

// Logarithmic draws a count of n as high as log2(1+n): a bin with one sample is seen
// beside one with thousands.
func (h Histogram) Logarithmic() Histogram {
	counts := make([]int, len(h.Counts))
	for i, n := range h.Counts {
		counts[i] = int(math.Round(1000 * math.Log2(1+float64(n))))
	}
	h.Counts = counts
	return h
}

// MaxCount returns the greatest count.
func (h Histogram) MaxCount() int {
	tallest := 0
	for _, n := range h.Counts {
		tallest = max(tallest, n)
	}
	return tallest
}

// Mirror draws two histograms over one axis, the first upwards and the second
// downwards, with equal scales, in w columns and h rows: the axis takes the
// middle one. Bins left of zero have the look of negative values.
func Mirror(t *themes.Theme, g Glyphs, up, down Histogram, w, h int) []string {
	if w < 1 || h < 1 {
		return nil
	}
	above := (h - 1) / 2
	below := h - 1 - above
	scale := float64(max(1, up.MaxCount(), down.MaxCount()))
	lines := make([]string, 0, h)
	for row := range above {
		lines = append(lines, bars(t, up, w, func(share float64) string {
			return level(g.BarsUp, share*float64(above)-float64(above-1-row))
		}, scale))
	}
	lines = append(lines, rule(t, g, w))
	for row := range below {
		lines = append(lines, bars(t, down, w, func(share float64) string {
			return level(g.BarsDown, share*float64(below)-float64(row))
		}, scale))
	}
	return lines
}

// level picks the glyph for how full a cell is: nothing at or below 0, the full
// one at 1. A cell with anything in it shows the smallest glyph.
func level(glyphs []string, full float64) string {
	if full <= 0 {
		return " "
	}
	at := int(math.Round(full * float64(len(glyphs))))
	return glyphs[min(len(glyphs), max(1, at))-1]
}

// bars draws one row of a histogram; runs of one sign are painted together.
func bars(t *themes.Theme, h Histogram, w int, cell func(share float64) string, scale float64) string {
	var negative, positive strings.Builder
	for x := range w {
		glyph := " "
		if x < len(h.Counts) {
			glyph = cell(float64(h.Counts[x]) / scale)
		}
		if h.Axis.Middle(x, w) < 0 {
			negative.WriteString(glyph)
		} else {
			positive.WriteString(glyph)
		}
	}
	return t.Paint(themes.Negative, negative.String()) + t.Paint(themes.Positive, positive.String())
}

// rule draws the axis with its zero.
func rule(t *themes.Theme, g Glyphs, w int) string {
	half := w / 2
	return t.Paint(themes.Track, strings.Repeat(g.Horizontal, half)+g.Cross+strings.Repeat(g.Horizontal, max(0, w-half-1)))
}
