package model

import (
	"slices"
)

// denseIndex numbers keys from 0 in the order in which they come. Those of a step lie
// close together mostly, so that a table will do; else it is a map.
type denseIndex struct {
	min  uint32
	table  []int32 // 1-based
	byKey map[uint32]int32
	next   int32
}

// maxTableFactor is how many times as many keys there may be as rows for a table to pay.
const maxTableFactor = 4

func newDenseIndex(keys []uint32) *denseIndex {
	p := &denseIndex{}
	if len(keys) == 0 {
		return p
	}
	p.min = slices.Min(keys)
	if room := int(slices.Max(keys)-p.min) + 1; room <= maxTableFactor*len(keys) {
		p.table = make([]int32, room)
	} else {
		p.byKey = map[uint32]int32{}
	}
	return p
}

func (p *denseIndex) of(key uint32) int32 {
	if p.table != nil {
		at := &p.table[key-p.min]
		if *at == 0 {
			p.next++
			*at = p.next
		}
		return *at - 1
	}
	at, seen := p.byKey[key]
	if !seen {
		at = p.next
		p.byKey[key] = at
		p.next++
	}
	return at
}
