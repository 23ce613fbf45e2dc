package model

import (
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// Flags that several processors write, each a part of its own, are those that were written
// one by one.
func TestFlags(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(rapid.Bool(), 1, 700).Draw(t, "flags")
		flags, grown := newFlags(len(want)), Flags(nil)
		var wg sync.WaitGroup
		for lo := 0; lo < len(want); {
			hi := lo + rapid.IntRange(1, len(want)-lo).Draw(t, "size")
			each := rapid.Bool().Draw(t, "one by one")
			from := lo
			wg.Go(func() {
				var p patch
				if each {
					p.writeEach(flags, from, want[from:hi])
					return
				}
				p.begin(from, hi)
				var dropped []uint16
				for i, yes := range want[from:hi] {
					if !yes {
						dropped = append(dropped, uint16(i))
					}
				}
				p.drop(from, dropped)
				p.write(flags)
			})
			lo = hi
		}
		wg.Wait()
		for i, yes := range want {
			if grown = grown.with(i, yes); flags.At(i) != yes {
				t.Fatalf("flag %d is %v", i, !yes)
			}
		}
		from := rapid.IntRange(0, len(want)-1).Draw(t, "from")
		if !slices.Equal(flags.Between(from, len(want)), want[from:]) || !slices.Equal(grown, flags) {
			t.Fatalf("%v, %v, want %v", flags, grown, want)
		}
	})
}

// A part reads what it wrote while the processor beside it writes in the same word, which only
// the race detector sees.
func TestFlagsAreReadAtOnce(t *testing.T) {
	flags, want := newFlags(200), slices.Repeat([]bool{true, false}, 50)
	var wg sync.WaitGroup
	for _, lo := range []int{0, 100} {
		wg.Go(func() {
			var p patch
			p.writeEach(flags, lo, want)
			if got := flags.Between(lo, lo+100); !slices.Equal(got, want) || !flags.At(lo) {
				t.Errorf("from %d on: %v", lo, got)
			}
		})
	}
	wg.Wait()
}
