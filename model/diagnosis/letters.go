package diagnosis

import (
	"math"
	"unicode"
)

// letters is a model of which character follows which. All is learned before it is asked.
type letters struct {
	ascii [128][128]struct {
		n    int
		bits float64 // 0 until it is asked for
	}
	pairs         map[[2]rune]int // others than those
	firsts, kinds runeCount       // how often a character is followed by one, and by how many different ones
	single        runeCount
	all           int
}

// runeCount counts characters.
type runeCount struct {
	ascii [128]int
	other map[rune]int
}

func (c *runeCount) add(r rune) {
	if r < 128 {
		c.ascii[r]++
		return
	}
	if c.other == nil {
		c.other = map[rune]int{}
	}
	c.other[r]++
}

func (c *runeCount) of(r rune) int {
	if r < 128 {
		return c.ascii[r]
	}
	return c.other[r]
}

func newLetters() *letters { return &letters{pairs: map[[2]rune]int{}} }

func (l *letters) learn(text string) {
	last := ' '
	for _, r := range text {
		if r = unicode.ToLower(r); l.count(last, r) == 1 {
			l.kinds.add(last)
		}
		l.firsts.add(last)
		l.single.add(r)
		l.all++
		last = r
	}
}

// count counts that a character follows another, and returns how often.
func (l *letters) count(last, r rune) int {
	if last < 128 && r < 128 {
		l.ascii[last][r].n++
		return l.ascii[last][r].n
	}
	l.pairs[[2]rune{last, r}]++
	return l.pairs[[2]rune{last, r}]
}

// alphabet is how many characters there may be that were never seen.
const alphabet = 64

// bits is how much it says that a character follows another, which it did n times. A pair that was never seen is as likely as its second
// character is, by the rate at which the first one was followed by new ones (Witten and Bell 1991).
func (l *letters) bits(last, r rune, n int) float64 {
	alone := (float64(l.single.of(r)) + 1.0/alphabet) / float64(l.all+1)
	fresh := float64(l.kinds.of(last)) + 1
	return -math.Log2((float64(n) + fresh*alone) / (float64(l.firsts.of(last)) + fresh))
}

// leastLetters is how long a text is at least for its surprise to say something: a short sentence may be of rare letters.
const leastLetters = 60

// surprise is the mean number of bits per character of a text; NaN of a short one.
func (l *letters) surprise(text string) float64 {
	last, bits, n := ' ', 0.0, 0
	for _, r := range text {
		r = unicode.ToLower(r)
		if last < 128 && r < 128 {
			pair := &l.ascii[last][r]
			if pair.bits == 0 {
				pair.bits = l.bits(last, r, pair.n)
			}
			bits += pair.bits
		} else {
			bits += l.bits(last, r, l.pairs[[2]rune{last, r}])
		}
		last = r
		n++
	}
	if n < leastLetters {
		return math.NaN()
	}
	return bits / float64(n)
}
