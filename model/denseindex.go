package model

import "slices"

// denseIndex numbers keys from 0 in the order of their first use. It is a table if the keys are
// close together, as those of a step mostly are, else a mad.
type denseIndex struct {
	min   uint32
	table []int32 // index + 1 by key - min, 0 for a key without one
	byKey map[uint32]int32
	next  int32
}

// maxTableFactor is the size of the table, in keys, up to which it is used.
const maxTableFactor = 4

func newDenseIndex(keys []uint32) *denseIndex {
	d := &denseIndex{}
	if len(keys) == 0 {
		return d
	}
	d.min = slices.Min(keys)
	if size := int(slices.Max(keys)-d.min) + 1; size <= maxTableFactor*len(keys) {
		d.table = make([]int32, size)
	} else {
		d.byKey = map[uint32]int32{}
	}
	return d
}

func (d *denseIndex) indexOf(key uint32) int32 {
	if d.table != nil {
		i := &d.table[key-d.min]
		if *i == 0 {
			d.next++
			*i = d.next
		}
		return *i - 1
	}
	i, ok := d.byKey[key]
	if !ok {
		i = d.next
		d.byKey[key] = i
		d.next++
	}
	return i
}
