package pages

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

var errDelta = fmt.Errorf("%w: a page of differences is not as it says", ErrBroken)

// A block of differences has few values in all writers, and a byte of a page stands for a few more: 128 values that are
// alike take at least two.
const (
	maxDeltaBlock = 1 << 16
	valuesPerByte = 64
)

// deltaHead begins a page of differences.
type deltaHead struct {
	block, parts int // integers in a block, and parts of a block
	total        uint64
	first        int64
}

// readDeltaHead returns the head of data, and the data after it.
func readDeltaHead(data []byte) (h deltaHead, rest []byte, err error) {
	var counts [3]uint64
	for i := range counts {
		x, used := binary.Uvarint(data)
		if used <= 0 {
			return h, nil, errTruncated
		}
		counts[i], data = x, data[used:]
	}
	first, used := binary.Varint(data)
	block, parts := counts[0], counts[1]
	if used <= 0 || block > maxDeltaBlock || parts == 0 || block%(8*parts) != 0 {
		return h, nil, errDelta
	}
	return deltaHead{int(block), int(parts), counts[2], first}, data[used:], nil
}

// decodeDelta appends n integers that are stored as differences, and returns the data after them. The differences of a block
// are packed without their least, those of each part of it in as many bits as the largest of these takes.
func decodeDelta(dst []int64, data []byte, n int) (_ []int64, rest []byte, err error) {
	h, data, err := readDeltaHead(data)
	switch {
	case err != nil:
		return dst, nil, err
	case h.total != uint64(n) || n > max(freeDeltas, valuesPerByte*len(data)):
		return dst, nil, errDelta
	case n == 0:
		return dst, data, nil
	}
	dst = append(slices.Grow(dst, n), h.first)
	for end := len(dst) + n - 1; len(dst) < end; {
		least, used := binary.Varint(data)
		if used <= 0 || len(data)-used < h.parts {
			return dst, nil, errTruncated
		}
		widths := data[used:][:h.parts]
		data = data[used+h.parts:]
		for _, width := range widths {
			count := min(h.block/h.parts, end-len(dst))
			if width > 64 || (count*int(width)+7)/8 > len(data) {
				return dst, nil, errTruncated
			}
			dst = addDeltas(dst, data, int(width), count, least)
			if count > 0 { // the last part is padded, perhaps
				data = data[min(h.block/h.parts*int(width)/8, len(data)):]
			}
		}
	}
	return dst, data, nil
}

// freeDeltas is how many values any page may have.
const freeDeltas = 1 << 16

// addDeltas appends count integers, each the one before plus least and a packed difference.
func addDeltas(dst []int64, packed []byte, width, count int, least int64) []int64 {
	last := dst[len(dst)-1]
	for i := range count {
		last += least + int64(bitsAt(packed, i*width, width))
		dst = append(dst, last)
	}
	return dst
}

// bitsAt returns width bits from a bit on, lowest bits first.
func bitsAt(packed []byte, bit, width int) (x uint64) {
	for have := 0; have < width; {
		b := uint64(packed[bit/8]) >> (bit % 8)
		n := min(8-bit%8, width-have)
		x |= (b & (1<<n - 1)) << have
		have, bit = have+n, bit+n
	}
	return x
}

// deltaSpans appends the spans of n texts whose lengths come first, as differences, and returns the texts.
func deltaSpans(dst []span, data []byte, n int) (_ []span, texts []byte, err error) {
	lengths, texts, err := decodeDelta(nil, data, n)
	if err != nil {
		return dst, nil, err
	}
	at := int64(0)
	for _, size := range lengths {
		if size < 0 || size > int64(len(texts))-at {
			return dst, nil, errTooFewValues
		}
		dst = append(dst, span{int32(at), int32(size)})
		at += size
	}
	return dst, texts, nil
}

// deltaTexts decodes n texts of which each shares a prefix with the one before: the lengths of the prefixes, as differences, come
// before the rest of each. It appends their spans in texts, of which there are at most maxTexts bytes.
func deltaTexts(dst []span, data []byte, n int, maxTexts int64) (texts []byte, _ []span, err error) {
	prefixes, data, err := decodeDelta(nil, data, n)
	if err != nil {
		return nil, dst, err
	}
	from := len(dst)
	dst, data, err = deltaSpans(dst, data, n)
	if err != nil {
		return nil, dst, err
	}
	all, last := int64(0), int64(0)
	for i, prefix := range prefixes {
		if prefix < 0 || prefix > last {
			return nil, dst, errTooFewValues
		}
		last = prefix + int64(dst[from+i].size)
		all += last
	}
	if all > maxTexts {
		return nil, dst, errDelta
	}
	texts = make([]byte, 0, all)
	before := 0
	for i, prefix := range prefixes {
		s, start := &dst[from+i], len(texts)
		texts = append(append(texts, texts[before:before+int(prefix)]...), data[s.offset:s.offset+s.size]...)
		before, *s = start, span{int32(start), int32(len(texts) - start)}
	}
	return texts, dst, nil
}

// maxTexts is how many bytes the texts of a page may have, although prefixes that they share are stored once.
func (f *File) maxTexts() int64 { return min(max(64<<20, 64*f.size), math.MaxInt32) }
