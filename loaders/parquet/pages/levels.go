package pages

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// run is a run of the RLE/bit-packing hybrid encoding: a value that repeats, or packed values,
// lowest bits first.
type run struct {
	count  int
	value  uint32
	packed []byte // nil for a value that repeats
}

var errTruncated = fmt.Errorf("%w: a page ends early", ErrBroken)

// nextRun splits the first run, cut to n values, off data of that bit width.
func nextRun(data []byte, width, n int) (r run, rest []byte, err error) {
	head, used := binary.Uvarint(data)
	if used <= 0 || head>>1 == 0 {
		return run{}, nil, errTruncated
	}
	data = data[used:]
	size := (width + 7) / 8
	r.count = int(min(head>>1, uint64(n)))
	if head&1 == 1 {
		groups := int(min(head>>1, uint64(n+7)/8))
		r.count, size = min(groups*8, n), groups*width
	}
	if size > len(data) {
		return run{}, nil, errTruncated
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

// decodeHybrid appends n values of the RLE/bit-packing hybrid encoding: definition levels,
// bools, or indexes into a dictionary.
func decodeHybrid(dst []int32, data []byte, width, n int) ([]int32, error) {
	if width == 0 {
		return append(dst, make([]int32, n)...), nil
	}
	if width > maxBitWidth {
		return dst, fmt.Errorf("%w: values of %d bits", ErrBroken, width)
	}
	for n > 0 {
		r, rest, err := nextRun(data, width, n)
		switch {
		case err != nil:
			return dst, err
		case r.packed != nil:
			dst = unpackBits(dst, r.packed, width, r.count)
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

// maxBitWidth bounds the bit width that a page declares.
const maxBitWidth = 32

// unpackBits appends count bit-packed values.
func unpackBits(dst []int32, data []byte, width, count int) []int32 {
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
