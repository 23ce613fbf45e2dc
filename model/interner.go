package model

import (
	"hash/maphash"
)

// interner numbers distinct values from 1; the zero value of K is 0, "none". It is a
// table of hashes with linear probing: a log of millions of rows has a prompt and an
// id for every few of them, and a map takes five times as long.
type interner[K comparable] struct {
	names chunkedList[K] // value k has number index+1; only grows
	slots []internSlot
	hash  func(K) uint64
	prefetched  uint32 // what [interner.internAll] saw, so that it has to look
}

// internSlot is small, so that the table is: where it lies outside the caches, its
// size is what a look costs.
type internSlot struct {
	hash   uint32
	number uint32 // 0: the slot is free
}

func internHashes() interner[uint64] {
	return interner[uint64]{hash: func(k uint64) uint64 { return k }} // is one already
}

func internStrings() interner[string] {
	seed := maphash.MakeSeed()
	return interner[string]{hash: func(k string) uint64 { return maphash.String(seed, k) }}
}

// intern returns the number of a value.
func (in *interner[K]) intern(k K) uint32 {
	return in.number(k, uint32(in.hash(k)))
}

// internAll numbers many values. It looks at the slots of all of them first: one
// lookup after the other would wait for memory each time, and these wait together.
func (in *interner[K]) internAll(keys []K, numbers []uint32) {
	mask := uint32(max(1, len(in.slots)) - 1)
	for i, k := range keys {
		h := uint32(in.hash(k))
		numbers[i] = h
		if mask > 0 {
			in.prefetched |= in.slots[h&mask].number
		}
	}
	for i, k := range keys {
		numbers[i] = in.number(k, numbers[i])
	}
}

func (in *interner[K]) number(k K, h uint32) uint32 {
	var none K
	if k == none {
		return 0
	}
	if 4*(in.names.size+1) > 3*len(in.slots) {
		in.grow()
	}
	at := in.slotOf(h, k)
	if s := &in.slots[at]; s.number > 0 {
		return s.number
	}
	in.names.append(k)
	in.slots[at] = internSlot{h, uint32(in.names.size)}
	return uint32(in.names.size)
}

// slotOf returns the slot that a value has, or the one that it would take.
func (in *interner[K]) slotOf(h uint32, k K) uint32 {
	mask := uint32(len(in.slots) - 1)
	at := h & mask
	for in.slots[at].number > 0 && (in.slots[at].hash != h || in.names.at(int(in.slots[at].number)-1) != k) {
		at = (at + 1) & mask
	}
	return at
}

func (in *interner[K]) grow() {
	old := in.slots
	in.slots = make([]internSlot, max(64, 2*len(old)))
	mask := uint32(len(in.slots) - 1)
	for _, s := range old {
		if s.number > 0 {
			at := s.hash & mask
			for in.slots[at].number > 0 {
				at = (at + 1) & mask
			}
			in.slots[at] = s
		}
	}
}
