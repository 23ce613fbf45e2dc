package model

import "hash/maphash"

// interner numbers distinct values from 1; the zero value of K has number 0, "none". It is a hash
// table with linear probing: a log of millions of rows has a prompt and an id for every few of them,
// and a map takes five times as long.
type interner[K comparable] struct {
	values     chunkedList[K] // value with number k at k-1
	slots      []internSlot
	hash       func(K) uint64
	prefetched uint32 // keeps the compiler from dropping the loads of internAll
}

// internSlot is small, since the size of a table beyond the caches decides what a lookup costs.
type internSlot struct {
	hash   uint32
	number uint32 // 0 if the slot is free
}

func internHashes() interner[uint64] {
	return interner[uint64]{hash: func(k uint64) uint64 { return k }} // prompts are hashes already
}

func internStrings() interner[string] {
	seed := maphash.MakeSeed()
	return interner[string]{hash: func(k string) uint64 { return maphash.String(seed, k) }}
}

// intern returns the number of a value.
func (t *interner[K]) intern(k K) uint32 {
	return t.number(k, uint32(t.hash(k)))
}

// internAll numbers many values. It loads the slots of all of them first, so that the processor waits
// for many cache misses at once and not for one after the other.
func (t *interner[K]) internAll(keys []K, numbers []uint32) {
	mask := uint32(max(1, len(t.slots)) - 1)
	for i, k := range keys {
		h := uint32(t.hash(k))
		numbers[i] = h
		if mask > 0 {
			t.prefetched |= t.slots[h&mask].number
		}
	}
	for i, k := range keys {
		numbers[i] = t.number(k, numbers[i])
	}
}

// number returns the number of a value with a hash, a new one if the value is new.
func (t *interner[K]) number(k K, h uint32) uint32 {
	var none K
	if k == none {
		return 0
	}
	if 4*(t.values.size+1) > 3*len(t.slots) {
		t.growTable()
	}
	slot := t.slotOf(h, k)
	if n := t.slots[slot].number; n > 0 {
		return n
	}
	t.values.append(k)
	t.slots[slot] = internSlot{h, uint32(t.values.size)}
	return uint32(t.values.size)
}

// slotOf returns the slot of a value, or the free one where it belongs.
func (t *interner[K]) slotOf(h uint32, k K) uint32 {
	mask := uint32(len(t.slots) - 1)
	i := h & mask
	for t.slots[i].number > 0 && (t.slots[i].hash != h || t.values.at(int(t.slots[i].number)-1) != k) {
		i = (i + 1) & mask
	}
	return i
}

func (t *interner[K]) growTable() {
	old := t.slots
	t.slots = make([]internSlot, max(64, 2*len(old)))
	mask := uint32(len(t.slots) - 1)
	for _, s := range old {
		if s.number > 0 {
			i := s.hash & mask
			for t.slots[i].number > 0 {
				i = (i + 1) & mask
			}
			t.slots[i] = s
		}
	}
}
