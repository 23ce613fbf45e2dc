package parquet

import (
	"encoding/binary"
	"math/bits"

	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/format"
)

// checkLevelsV2 checks the levels of a V2 page, and returns how many bytes they have.
func checkLevelsV2(h *format.DataPageHeaderV2, data []byte, most maxLevels) (size int, err error) {
	repetition, definition := int(h.RepetitionLevelsByteLength), int(h.DefinitionLevelsByteLength)
	if size = repetition + definition; repetition < 0 || definition < 0 || size > len(data) {
		return 0, errLevels
	}
	definitions := data[repetition:size]
	if !runsFit(data[:repetition], most.repetition, int(h.NumValues)) || !runsFit(definitions, most.definition, int(h.NumValues)) {
		return 0, errCounts
	}
	if most.definition == 0 {
		return size, nil
	}
	levels, err := (&rle.Encoding{BitWidth: bits.Len(uint(most.definition))}).DecodeLevels(nil, definitions)
	if err != nil {
		return 0, err
	}
	valid := 0
	for _, level := range levels[:min(len(levels), int(h.NumValues))] {
		if int(level) == most.definition {
			valid++
		}
	}
	if valid > int(h.NumValues)-int(h.NumNulls) {
		return 0, errCounts
	}
	return size, nil
}

// cutLevels checks the levels of a V1 page, and returns the data after them.
func cutLevels(data []byte, values int, l maxLevels) ([]byte, error) {
	for _, most := range [...]int{l.repetition, l.definition} {
		if most == 0 {
			continue
		}
		if len(data) < 4 {
			return nil, errLevels
		}
		n := uint64(binary.LittleEndian.Uint32(data))
		if data = data[4:]; n > uint64(len(data)) {
			return nil, errLevels
		}
		if !runsFit(data[:n], most, values) {
			return nil, errCounts
		}
		data = data[n:]
	}
	return data, nil
}

// plainDictionary is the older number of a dictionary encoding.
const plainDictionary format.Encoding = 2

// countsFit reports whether the encoded values of a page count no more than its header, and its texts
// no more than maxTexts bytes.
func (p *pageBody) countsFit(maxTexts int64) bool {
	data, e := p.data, p.encoding
	switch {
	case p.page == format.DictionaryPage:
		return p.values <= 8*len(data)
	case len(data) == 0:
		return true
	case e == format.RLEDictionary || e == plainDictionary:
		return data[0] > 32 || runsFit(data[1:], 1<<data[0]-1, p.values)
	case e == format.RLE:
		return len(data) < 4 || runsFit(data[4:], 1, p.values)
	case e == format.DeltaBinaryPacked:
		return skipDelta(data, p.values) != nil
	case e == format.DeltaLengthByteArray || e == format.DeltaByteArray:
		return lengthsFit(data, e == format.DeltaByteArray, p.values, maxTexts)
	}
	return true
}

// lengthsFit reports whether the texts of a page in delta encoding, whose lengths come first, fit
// into it and have at most maxTexts bytes. If each shares a prefix with the one before, the lengths of these are before the others.
func lengthsFit(data []byte, prefixed bool, values int, maxTexts int64) bool {
	var prefixes []int32
	ok := true
	if prefixed {
		prefixes, data, ok = cutLengths(data, values)
	}
	lengths, texts, ok2 := cutLengths(data, values)
	if !ok || !ok2 || prefixed && len(prefixes) != len(lengths) {
		return false
	}
	own, all, previous := int64(0), int64(0), int64(0)
	for i, n := range lengths {
		prefix := int64(0)
		if prefixed {
			prefix = int64(prefixes[i])
		}
		if n < 0 || prefix < 0 || prefix > previous {
			return false
		}
		previous = prefix + int64(n)
		own, all = own+int64(n), all+previous
	}
	return own <= int64(len(texts)) && all <= maxTexts
}

// freeTexts is how many bytes the texts of a page may have in any file, although prefixes that they
// share are stored once.
const freeTexts = 64 << 20

// cutLengths decodes the integers at the start of data, and returns the data after them.
func cutLengths(data []byte, values int) (lengths []int32, rest []byte, ok bool) {
	if rest = skipDelta(data, values); rest == nil {
		return nil, nil, false
	}
	lengths, err := new(delta.BinaryPackedEncoding).DecodeInt32(nil, data[:len(data)-len(rest)])
	return lengths, rest, err == nil
}

// runsFit reports whether the runs of a hybrid encoding of integers up to most hold about n of
// them. Packed runs are padded.
func runsFit(data []byte, most, n int) bool {
	width, total := uint64(bits.Len(uint(most))), uint64(0)
	for len(data) > 0 {
		head, used := binary.Uvarint(data)
		if used <= 0 {
			return true // parquet-go refuses it
		}
		count, size := head>>1, (width+7)/8
		if head&1 == 1 {
			count, size = 8*(head>>1), head>>1*width
		}
		if total += count; head > 1<<40 || total > 2*uint64(n)+1024 {
			return false
		}
		data = data[min(uint64(used)+size, uint64(len(data))):]
	}
	return true
}

// skipDelta returns what follows the integers in delta encoding at the start of data; nil if they
// are more than n, or broken.
func skipDelta(data []byte, n int) []byte {
	var head [4]uint64 // integers in a block, miniblocks in a block, integers, first integer
	for i := range head {
		x, used := binary.Uvarint(data)
		if used <= 0 {
			return nil
		}
		head[i], data = x, data[used:]
	}
	block, miniblocks, total := head[0], head[1], head[2]
	if total > uint64(n) || miniblocks == 0 || miniblocks > block || block > 1<<20 {
		return nil
	}
	size := block / miniblocks
	for left := int64(total) - 1; left > 0; {
		_, used := binary.Uvarint(data) // the least delta
		if used <= 0 || uint64(len(data)-used) < miniblocks {
			return nil
		}
		widths := data[used:][:miniblocks]
		data = data[used+int(miniblocks):]
		for _, width := range widths {
			if left <= 0 {
				break
			}
			if n := size * uint64(width) / 8; n <= uint64(len(data)) {
				data = data[n:]
			} else if left > int64(size) {
				return nil
			} else {
				data = data[len(data):] // the padding of the last one may be missing
			}
			left -= int64(size)
		}
	}
	return data[:len(data):len(data)]
}
