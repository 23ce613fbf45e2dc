package pages

import (
	"encoding/binary"
	"fmt"
)

// hybrid decodes n small numbers of so many bits, in runs of equal ones and runs of
// packed ones: the indexes into a dictionary, and whether a value is there. It
// appends to dst.
func hybrid(dst []int32, data []byte, width, n int) ([]int32, error) {
	if width == 0 {
		return append(dst, make([]int32, n)...), nil
	}
	if width > 32 {
		return dst, fmt.Errorf("%w: an index of %d bits", ErrBroken, width)
	}
	for n > 0 {
		head, used := binary.Uvarint(data)
		if used <= 0 {
			return dst, fmt.Errorf("%w: a page ends early", ErrBroken)
		}
		data = data[used:]
		count, size := int(min(head>>1, uint64(n))), (width+7)/8
		if head&1 == 1 {
			groups := min(head>>1, uint64(n+7)/8)
			count, size = min(int(groups)*8, n), int(groups)*width
		}
		if head>>1 == 0 || size > len(data) {
			return dst, fmt.Errorf("%w: a page ends early", ErrBroken)
		}
		if head&1 == 1 {
			dst = unpack(dst, data[:size], width, count)
		} else {
			dst = repeat(dst, data[:size], width, count)
		}
		data, n = data[size:], n-count
	}
	return dst, nil
}

// repeat appends a number so many times.
func repeat(dst []int32, data []byte, width, count int) []int32 {
	var x uint64
	for i, b := range data {
		x |= uint64(b) << (8 * i)
	}
	x &= 1<<width - 1
	for range count {
		dst = append(dst, int32(x))
	}
	return dst
}

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
