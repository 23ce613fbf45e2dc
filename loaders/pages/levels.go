package pages

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// run is a piece of a row of small numbers: one that comes so many times, or some that stand
// bit by bit one after the other, the lowest first.
type run struct {
	count  int
	value  uint32
	packed []byte // nil for one number
}

var errEarly = fmt.Errorf("%w: a page ends early", ErrBroken)

// nextRun takes a run off the data of numbers of so many bits, of which no more than n are
// wanted.
func nextRun(data []byte, width, n int) (r run, rest []byte, err error) {
	head, used := binary.Uvarint(data)
	if used <= 0 || head>>1 == 0 {
		return run{}, nil, errEarly
	}
	data = data[used:]
	size := (width + 7) / 8
	r.count = int(min(head>>1, uint64(n)))
	if head&1 == 1 {
		groups := int(min(head>>1, uint64(n+7)/8))
		r.count, size = min(groups*8, n), groups*width
	}
	if size > len(data) {
		return run{}, nil, errEarly
	}
	if head&1 == 1 {
		r.packed = data[:size]
		return r, data[size:], nil
	}
	var x uint64
	for i, b := range data[:size] {
		x |= uint64(b) << (8 * i)
	}
	r.value = uint32(x & (1<<width - 1))
	return r, data[size:], nil
}

// hybrid decodes n small numbers of so many bits, in runs of equal ones and runs of
// packed ones: the indexes into a dictionary, and whether a value is there. It
// appends to dst.
func hybrid(dst []int32, data []byte, width, n int) ([]int32, error) {
	if width == 0 {
		return append(dst, make([]int32, n)...), nil
	}
	if width > maxWidth {
		return dst, fmt.Errorf("%w: an index of %d bits", ErrBroken, width)
	}
	for n > 0 {
		r, rest, err := nextRun(data, width, n)
		switch {
		case err != nil:
			return dst, err
		case r.packed != nil:
			dst = unpack(dst, r.packed, width, r.count)
		default:
			dst = slices.Grow(dst, r.count)
			for range r.count {
				dst = append(dst, int32(r.value))
			}
		}
		data, n = rest, n-r.count
	}
	return dst, nil
}

// maxWidth is how many bits a small number has at most.
const maxWidth = 32

// unpack appends numbers that stand bit by bit one after the other, the lowest first.
func unpack(dst []int32, data []byte, width, count int) []int32 {
	mask := uint64(1)<<width - 1
	var bits uint64
	have := 0
	for range count {
		for have < width {
			bits |= uint64(data[0]) << have
			data, have = data[1:], have+8
		}
		dst = append(dst, int32(bits&mask))
		bits, have = bits>>width, have-width
	}
	return dst
}
