package scalars

import (
	"bufio"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"

	"vantage/loaders/fileio"
	"vantage/model/scalars"
)

// maxEvent is the largest event that is read: pictures and texts may be larger, and are passed over.
const maxEvent = 1 << 20

// readEvents reads a file of TensorBoard: records of a length (64 bits), its checksum, an Event and its checksum, all little-endian
// (tensorflow/core/lib/io/record_writer.h). A record that is still being written ends it. Without the beginning of the file, the first
// record is where the checksum of a length stands behind it.
func readEvents(t *table, from *input) error {
	in := bufio.NewReaderSize(from.text, 1<<16)
	for cut := from.cut; cut; {
		next, err := in.Peek(12)
		if err != nil {
			return fileio.IgnoreEnd(err)
		}
		if cut = maskedCRC(next[:8]) != binary.LittleEndian.Uint32(next[8:]); cut {
			_, _ = in.Discard(1)
		}
	}
	var head [12]byte
	for {
		if _, err := io.ReadFull(in, head[:]); err != nil {
			return fileio.IgnoreEnd(err)
		}
		size := binary.LittleEndian.Uint64(head[:8])
		if maskedCRC(head[:8]) != binary.LittleEndian.Uint32(head[8:]) || size > math.MaxInt64-4 {
			return errDamaged
		}
		if size > maxEvent {
			if _, err := io.CopyN(io.Discard, in, int64(size)+4); err != nil {
				return fileio.IgnoreEnd(err)
			}
			continue
		}
		event := make([]byte, size+4)
		if _, err := io.ReadFull(in, event); err != nil {
			return fileio.IgnoreEnd(err)
		}
		if maskedCRC(event[:size]) != binary.LittleEndian.Uint32(event[size:]) {
			return errDamaged
		}
		addEvent(t.log, event[:size])
	}
}

// maskedCRC is the CRC-32C, rotated and shifted as these files have it.
func maskedCRC(data []byte) uint32 {
	sum := crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))
	return (sum>>15 | sum<<17) + 0xa282ead8
}

// addEvent adds the scalars of a message Event {step 2, summary 5 {value 1 {tag 1, simple_value 2, tensor 8}}}
// (tensorflow/core/util/event.proto, tensorflow/core/framework/summary.proto).
func addEvent(log *scalars.Log, event []byte) {
	step := int64(0)
	var summary []byte
	eachField(event, func(f field) {
		switch f.number {
		case 2:
			step = int64(f.bits)
		case 5:
			summary = f.bytes
		}
	})
	eachField(summary, func(value field) {
		if value.number != 1 {
			return
		}
		tag, x, has := "", 0.0, false
		eachField(value.bytes, func(f field) {
			switch f.number {
			case 1:
				tag = string(f.bytes)
			case 2:
				x, has = f.float(), f.bytes == nil
			case 8:
				x, has = ofTensor(f.bytes)
			}
		})
		if has {
			log.Add(step, tag, x)
		}
	})
}

// ofTensor returns the number of a message TensorProto {dtype 1, tensor_content 4, float_val 5, double_val 6} of one number.
func ofTensor(tensor []byte) (x float64, ok bool) {
	double := false
	take := func(b []byte) {
		switch {
		case double && len(b) == 8:
			x, ok = math.Float64frombits(binary.LittleEndian.Uint64(b)), true
		case !double && len(b) == 4:
			x, ok = float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), true
		}
	}
	eachField(tensor, func(f field) {
		switch {
		case f.number == 1:
			double = f.bits == 2 // DT_DOUBLE; DT_FLOAT is 1
		case f.number == 4, f.number == 5 && f.bytes != nil, f.number == 6 && f.bytes != nil:
			take(f.bytes)
		case f.number == 5:
			x, ok = f.float(), true
		case f.number == 6:
			x, ok = f.double(), true
		}
	})
	return x, ok
}

// field is a field of a protobuf message: https://protobuf.dev/programming-guides/encoding. Of the wire types those are read that the
// messages of TensorBoard and W&B have: varint, 64 bits, bytes and 32 bits.
type field struct {
	number int
	bits   uint64 // a varint, or the bits of a fixed number
	bytes  []byte // of a message, a text or packed numbers
}

func (f field) double() float64 { return math.Float64frombits(f.bits) }
func (f field) float() float64  { return float64(math.Float32frombits(uint32(f.bits))) }

func eachField(message []byte, visit func(field)) {
	for len(message) > 0 {
		key, n := binary.Uvarint(message)
		if n <= 0 || key>>3 == 0 || key>>3 > math.MaxInt32 {
			return
		}
		message = message[n:]
		f := field{number: int(key >> 3)}
		switch key & 7 {
		case 0:
			f.bits, n = binary.Uvarint(message)
		case 1:
			if n = 8; len(message) >= n {
				f.bits = binary.LittleEndian.Uint64(message)
			}
		case 2:
			var size uint64
			if size, n = binary.Uvarint(message); n <= 0 || size > uint64(len(message)-n) {
				return
			}
			f.bytes = message[n : n+int(size)]
			n += int(size)
		case 5:
			if n = 4; len(message) >= n {
				f.bits = uint64(binary.LittleEndian.Uint32(message))
			}
		default:
			return
		}
		if n <= 0 || n > len(message) {
			return
		}
		message = message[n:]
		visit(f)
	}
}
