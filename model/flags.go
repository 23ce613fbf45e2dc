package model

import (
	"slices"
	"sync/atomic"
)

// Flags are a yes or no for each sample, in one bit: bit i%64 of word i/64. Every key makes
// them anew, and what takes little room is at hand.
type Flags []uint64

const (
	wordBits  = 64
	wordShift = 6
)

func newFlags(n int) Flags { return make(Flags, (n+wordBits-1)>>wordShift) }

// word returns the flags among which flag i is, in one piece: while a step is computed the
// processor beside may write others of them (see patch).
func (f Flags) word(i int) uint64 { return atomic.LoadUint64(&f[i>>wordShift]) }

// At reports flag i.
func (f Flags) At(i int) bool { return f.word(i)>>(i%wordBits)&1 != 0 }

// Between returns the flags [lo, hi), one by one.
func (f Flags) Between(lo, hi int) []bool { return f.appendTo(make([]bool, 0, hi-lo), lo, hi) }

func (f Flags) appendTo(to []bool, lo, hi int) []bool {
	for i := lo; i < hi; {
		word, end := f.word(i)>>(i%wordBits), min(hi, (i|(wordBits-1))+1)
		for ; i < end; i++ {
			to = append(to, word&1 != 0)
			word >>= 1
		}
	}
	return to
}

// with adds flag n, the next one.
func (f Flags) with(n int, yes bool) Flags {
	if n%wordBits == 0 {
		f = append(f, 0)
	}
	f[n>>wordShift] |= uint64(one(yes)) << (n % wordBits)
	return f
}

// patch is the flags [lo, hi) while one processor decides on them: others decide on those
// beside them, which may lie in the same words.
type patch struct {
	lo, hi int
	words  []uint64
}

// begin sets all.
func (p *patch) begin(lo, hi int) {
	p.lo, p.hi = lo, hi
	n := (hi-1)>>wordShift - lo>>wordShift + 1
	p.words = slices.Grow(p.words[:0], n)[:n]
	for i := range p.words {
		p.words[i] = ^uint64(0)
	}
}

// drop clears the flag of each sample of a group, which begins at start, that a stretch names.
func (p *patch) drop(start int, stretch []uint16) {
	start -= p.lo &^ (wordBits - 1)
	for _, at := range stretch {
		i := start + int(at)
		p.words[i>>wordShift] &^= 1 << (i % wordBits)
	}
}

// write puts them among the others, which were clear.
func (p *patch) write(f Flags) {
	last, first := len(p.words)-1, p.lo>>wordShift
	p.words[0] &= ^uint64(0) << (p.lo % wordBits)
	p.words[last] &= ^uint64(0) >> (wordBits - 1 - (p.hi-1)%wordBits)
	atomic.OrUint64(&f[first], p.words[0])
	if last > 0 {
		copy(f[first+1:first+last], p.words[1:last])
		atomic.OrUint64(&f[first+last], p.words[last])
	}
}

// writeEach writes flags that come one by one, from lo on.
func (p *patch) writeEach(f Flags, lo int, flags []bool) {
	p.begin(lo, lo+len(flags))
	start := lo % wordBits
	for i, yes := range flags {
		p.words[(start+i)>>wordShift] &^= uint64(one(!yes)) << ((start + i) % wordBits)
	}
	p.write(f)
}
