package jsonscan

import (
	"math/rand/v2"
	"testing"
)

// Both loops count the same, whichever of them this processor takes.
func TestAVX512CountsAsAVX2(t *testing.T) {
	if !hasAVX512 {
		t.Skip("this processor has no AVX-512")
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		var text []byte
		for range random.IntN(60) {
			text = append(text, pieces[random.IntN(len(pieces))]...)
		}
		if len(text) < 64 {
			continue
		}
		var got, want Counts
		end, carry := countBlocksAVX512(&text[0], len(text)/64, &got)
		wantEnd, wantCarry := countBlocksAVX2(&text[0], len(text)/64, &want)
		if got != want || end != wantEnd || carry != wantCarry {
			t.Fatalf("%q: %+v to %d, carry %d; with AVX2 %+v to %d, carry %d", text, got, end, carry, want, wantEnd, wantCarry)
		}
	}
}
