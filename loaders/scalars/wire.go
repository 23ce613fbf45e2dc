package scalars

import (
	"encoding/binary"
	"math"
)

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
