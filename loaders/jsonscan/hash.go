package jsonscan

import (
	"encoding/binary"
	"math/bits"
)

// Hash64 hashes a text, the same in every run of the program (hash/maphash is not). It folds a
// 128-bit product for each eight bytes, as wyhash does (Wang Yi, 2019), in its simplest form.
func Hash64(b []byte) uint64 {
	const k0, k1 = 0x9e3779b97f4a7c15, 0xd6e8feb86659fd93
	h := uint64(len(b)) ^ k0
	for len(b) >= 8 {
		h = fold(h^binary.LittleEndian.Uint64(b), k1)
		b = b[8:]
	}
	var last [8]byte
	copy(last[:], b)
	h = fold(h^binary.LittleEndian.Uint64(last[:]), k1)
	return fold(h^k0, k0)
}

// MixHash hashes a sequence of hashes: h is the hash of those before next.
func MixHash(h, next uint64) uint64 {
	return fold(h^0x9e3779b97f4a7c15, next^0xd6e8feb86659fd93) + next
}

func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}
