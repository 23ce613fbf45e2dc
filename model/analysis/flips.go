package analysis

import (
	"fmt"
	"strings"

	"vantage/model/units"
)

// FlipKind is a change of sign: from the sign of an original advantage to another sign of the
// processed one.
type FlipKind struct {
	Name     string // in reports and rules: "pos_to_neg"
	Label    string // "+→−"
	from, to int    // signs: -1, 0, 1
}

// flipKinds are in the order of [Flips]: first the changes between + and −, then those from and to 0.
var flipKinds = [...]FlipKind{
	{"pos_to_neg", "+→−", 1, -1},
	{"neg_to_pos", "−→+", -1, 1},
	{"zero_to_pos", "0→+", 0, 1},
	{"zero_to_neg", "0→−", 0, -1},
	{"pos_to_zero", "+→0", 1, 0},
	{"neg_to_zero", "−→0", -1, 0},
}

// FlipKinds returns all kinds, in the order of [Flips].
func FlipKinds() []FlipKind { return flipKinds[:] }

// Flips counts the kept samples whose advantage has another sign after the filter than before it, by
// kind. The signs are +, − and 0. A sample that the filter drops has the advantage 0 afterwards, but
// counts as dropped, not as flipped. NaN has no sign.
type Flips [len(flipKinds)]int32

// Total returns the number of flips of all kinds.
func (f *Flips) Total() int {
	n := 0
	for _, of := range f {
		n += int(of)
	}
	return n
}

// Add adds the counts of more.
func (f *Flips) Add(more *Flips) {
	for k, n := range more {
		f[k] += n
	}
}

// String names the kinds that occur: "198 +→−, 100 0→−, 314 +→0"; "" if there are none.
func (f Flips) String() string {
	var parts []string
	for k, n := range f {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", units.Count(int(n)), flipKinds[k].Label))
		}
	}
	return strings.Join(parts, ", ")
}

// meaning says what the worst kind that occurs does to the training.
func (f *Flips) meaning() string {
	switch {
	case f[0]+f[1] > 0:
		return "good answers are pushed down, or bad ones up"
	case f[2]+f[3] > 0:
		return "answers with A = 0, at the mean of their group, now get an advantage"
	}
	return "answers with an advantage now get 0 and no longer train"
}

// FlipOf returns the label of the change from an original to a processed advantage, "" if they have one
// sign, or if either is NaN.
func FlipOf(original, processed float64) string {
	if original != original || processed != processed {
		return ""
	}
	for _, k := range flipKinds {
		if k.from == signOf(original) && k.to == signOf(processed) {
			return k.Label
		}
	}
	return ""
}

// IsFlip reports whether a kept sample's advantages differ in sign.
func IsFlip(original, processed float64) bool {
	return signOf(original) != signOf(processed) && original == original && processed == processed
}

// signOf returns 1, 0 or -1; 0 for NaN.
func signOf(x float64) int { return count01(x > 0) - count01(x < 0) }

// countFlips counts those of some samples.
func countFlips(original, processed []float64, keep []bool) (f Flips) {
	for i, x := range original { // without branches, which would be unpredictable
		y, k := processed[i], count01(keep[i])
		pos, neg, zero := k&count01(x > 0), k&count01(x < 0), k&count01(x == 0)
		posAfter, negAfter, zeroAfter := count01(y > 0), count01(y < 0), count01(y == 0)
		f[0] += int32(pos & negAfter)
		f[1] += int32(neg & posAfter)
		f[2] += int32(zero & posAfter)
		f[3] += int32(zero & negAfter)
		f[4] += int32(pos & zeroAfter)
		f[5] += int32(neg & zeroAfter)
	}
	return f
}
