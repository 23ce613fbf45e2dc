package model

import (
	"slices"
)

// places numbers keys from 0 in the order in which they come. Those of a step lie
// close together mostly, so that a table will do; else it is a map.
type places struct {
	least  uint32
	table  []int32 // 1-based
	spread map[uint32]int32
	next   int32
}

// sparse is how many times as many keys there may be as rows for a table to pay.
const sparse = 4

func newPlaces(keys []uint32) *places {
	p := &places{}
	if len(keys) == 0 {
		return p
	}
	p.least = slices.Min(keys)
	if room := int(slices.Max(keys)-p.least) + 1; room <= sparse*len(keys) {
		p.table = make([]int32, room)
	} else {
		p.spread = map[uint32]int32{}
	}
	return p
}

func (p *places) of(key uint32) int32 {
	if p.table != nil {
		at := &p.table[key-p.least]
		if *at == 0 {
			p.next++
			*at = p.next
		}
		return *at - 1
	}
	at, seen := p.spread[key]
	if !seen {
		at = p.next
		p.spread[key] = at
		p.next++
	}
	return at
}
