package loaders

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"vantage/loaders/pages"
)

// lane is a column of figures, as far as it has been read and not handed over.
type lane struct {
	column int
	texts  bool // the figures are how many characters texts have
	reader *pages.Reader
	values []float64
	there  []bool // beside values: it is no null; nil as long as none is
	summed bool   // the texts are wanted as a sum too
	sum    uint64
}

// take appends what has been read of a page.
func (l *lane) take(w *pageWork) {
	l.sum = MixHash(l.sum, w.sum)
	if l.there == nil && w.there != nil {
		l.there = trues(len(l.values))
	}
	if w.there == nil && l.there != nil {
		w.there = trues(len(w.values))
	}
	if len(l.values) == 0 {
		l.values, l.there = w.values, w.there
		return
	}
	l.values, l.there = append(l.values, w.values...), append(l.there, w.there...)
}

func trues(n int) []bool { return slices.Repeat([]bool{true}, n) }

// drop forgets the first n figures.
func (l *lane) drop(n int) {
	l.values = l.values[n:]
	if l.there != nil {
		l.there = l.there[n:]
	}
}

// at returns a figure; a null is none.
func (l *lane) at(i int) (x float64, ok bool) {
	return l.values[i], l.there == nil || l.there[i]
}

// first returns the first of n figures that is none, n if all are nulls.
func (l *lane) first(n int) int {
	i := 0
	for l.there != nil && i < n && !l.there[i] {
		i++
	}
	return i
}

// read reads the page into memory of its own. It may run beside others.
func (w *pageWork) read(b *pages.Buffer) {
	defer func() {
		if r := recover(); r != nil {
			w.err = fmt.Errorf("a page is broken: %v", r)
		}
	}()
	if w.lane.texts {
		w.measure(b)
		return
	}
	var there []int32
	if w.values, there, w.err = w.page.Numbers(nil, b); there != nil {
		w.there = make([]bool, len(there))
		for i, level := range there {
			w.there[i] = level != 0
		}
	}
}

// measure counts the characters of the page's texts.
func (w *pageWork) measure(b *pages.Buffer) {
	texts, err := w.page.Texts(b)
	if err != nil {
		w.err = err
		return
	}
	w.values = make([]float64, texts.Len())
	for i := range w.values {
		text, ok := texts.At(i)
		if !ok && w.there == nil {
			w.there = trues(len(w.values))
		}
		if !ok {
			w.there[i] = false
			continue
		}
		w.values[i] = float64(length(text))
		if w.lane.summed {
			w.sum = MixHash(w.sum, Hash64(text))
		}
	}
}

// Words of eight equal bytes.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// length is how many characters a text has; one that is a conversation, those of its
// messages.
func length(b []byte) int {
	if len(b) > 1 && b[0] == '[' && b[1] == '{' {
		return CountCharacters(TextValue(b))
	}
	n := len(b)
	for ; len(b) >= 32; b = b[32:] {
		w0, w1 := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
		w2, w3 := binary.LittleEndian.Uint64(b[16:]), binary.LittleEndian.Uint64(b[24:])
		if (w0|w1|w2|w3)&highs != 0 {
			n -= continuing(w0) + continuing(w1) + continuing(w2) + continuing(w3)
		}
	}
	for _, c := range b {
		if c&0xc0 == 0x80 {
			n--
		}
	}
	return n
}

// continuing counts the bytes of a word that go on with a character.
func continuing(w uint64) int { return bits.OnesCount64((w >> 7) & ^(w >> 6) & ones) }

// whole reports whether a figure is an integer that a float64 holds exactly.
func whole(x float64) bool { return x == math.Trunc(x) && math.Abs(x) <= 1<<53 }
