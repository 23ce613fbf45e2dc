// Package units formats numbers, counts, shares and sizes for people, alike on the screen
// and in reports, which call it.
package units

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Missing stands for a missing number.
const Missing = "—"

// IsFinite reports whether a number is neither NaN nor infinite.
func IsFinite[T float32 | float64](x T) bool { return x-x == 0 }

// Signed writes an advantage with sign and two decimals: "+1.26". What rounds to zero has a
// space in place of the sign.
func Signed(x float64) string {
	if mark := nonFinite(x); mark != "" {
		return mark
	}
	text := fmt.Sprintf("%+.2f", x)
	if text == "-0.00" || text == "+0.00" {
		return " 0.00"
	}
	return text
}

// SignedOrMissing is [Signed] for a table: [Missing] of what is not finite, and without the space before what rounds to 0, since sums that
// cancel leave the last bits of either sign.
func SignedOrMissing(x float64) string {
	if !IsFinite(x) {
		return Missing
	}
	return strings.TrimSpace(Signed(x))
}

// Fixed writes a number with the given decimals, never "-0.00".
func Fixed(x float64, decimals int) string {
	if mark := nonFinite(x); mark != "" {
		return mark
	}
	text := strconv.FormatFloat(x, 'f', decimals, 64)
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return text
}

// NearlyEqual reports whether values from lo to hi differ by rounding only: a chart scaled
// to them would show the order of summation.
func NearlyEqual(lo, hi float64) bool {
	const rounding = 1e-9
	return hi/2-lo/2 <= rounding/2*max(math.Abs(lo), math.Abs(hi))
}

// Short writes any number with about three significant digits in at most seven columns or
// so: 0.612, 12.3, 1.23M, 4.5e-08.
func Short(x float64) string {
	abs := math.Abs(x)
	switch {
	case nonFinite(x) != "":
		return nonFinite(x)
	case x == 0: // also -0
		return "0"
	case x == math.Trunc(x) && abs < 100_000:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case abs >= 999.5e9:
		return strconv.FormatFloat(x, 'e', 1, 64)
	case abs >= 99_950:
		return Count(int(math.Round(x)))
	case abs >= 0.9995:
		return threeDigits(x)
	case abs >= 0.0005:
		return Fixed(x, 3)
	}
	return strconv.FormatFloat(x, 'e', 1, 64)
}

// RoundUp returns a number not below x that is easy to read at the end of an axis, 1 for 0.
func RoundUp(x float64) float64 {
	if x <= 0 {
		return 1
	}
	unit := math.Pow(10, math.Floor(math.Log10(x)))
	for _, step := range []float64{1, 1.5, 2, 2.5, 3, 4, 5, 6, 8} {
		if x <= step*unit*(1+1e-9) {
			return step * unit
		}
	}
	return 10 * unit
}

// Brief writes any number in about four columns: as Short below a hundred, then 180, 5.4k,
// 54k, 1.2M, 3e+38.
func Brief(x float64) string {
	abs := math.Abs(x)
	switch {
	case nonFinite(x) != "", abs < 99.5:
		return Short(x)
	case abs >= 999.5e9:
		return strconv.FormatFloat(x, 'e', 0, 64)
	}
	for _, scale := range []struct {
		by   float64
		name string
	}{{1, ""}, {1e3, "k"}, {1e6, "M"}, {1e9, "G"}} {
		switch y := x / scale.by; {
		case math.Abs(y) >= 999.5:
		case math.Abs(y) < 9.95:
			return Fixed(y, 1) + scale.name
		default:
			return Fixed(y, 0) + scale.name
		}
	}
	return Short(x)
}

// Count writes a count: in full below 100 000, then 438k and 1.23M.
func Count(n int) string {
	switch {
	case n < 0:
		return "-" + Count(max(n, -math.MaxInt)*-1)
	case n < 100_000:
		return strconv.Itoa(n)
	case n < 999_500:
		return strconv.Itoa((n+500)/1000) + "k"
	case n < 999_500_000:
		return threeDigits(float64(n)/1e6) + "M"
	}
	return threeDigits(float64(n)/1e9) + "G"
}

// threeDigits writes a number that is not within 1 of 0.
func threeDigits(x float64) string {
	switch abs := math.Abs(x); {
	case abs < 9.995:
		return Fixed(x, 2)
	case abs < 99.95:
		return Fixed(x, 1)
	}
	return Fixed(x, 0)
}

// Fraction writes a share with numerator and denominator: 5/32 (16%).
func Fraction(n, of int) string {
	return fmt.Sprintf("%s/%s (%s)", Count(n), Count(of), Percent(n, of))
}

// Percent writes a share in whole percent; 0% and 100% only if exact.
func Percent(n, of int) string {
	if of == 0 {
		return Missing
	}
	p := math.Round(100 * float64(n) / float64(of))
	if n > 0 {
		p = max(p, 1)
	}
	if n < of {
		p = min(p, 99)
	}
	return strconv.Itoa(int(p)) + "%"
}

// Share writes a share in whole percent, rounded: 62%.
func Share(x float64) string { return Fixed(100*x, 0) + "%" }

// Shares writes two shares beside each other: 40% and 62%, with as many decimals as show that they differ: 0.6% and 1.4%.
func Shares(x, y float64) (string, string) {
	for digits := range 3 {
		if a, b := Fixed(100*x, digits)+"%", Fixed(100*y, digits)+"%"; a != b {
			return a, b
		}
	}
	return Share(x), Share(y)
}

// Times writes a factor: 0.94×; a dash for NaN.
func Times(x float64) string {
	if math.IsNaN(x) {
		return Missing
	}
	return Fixed(x, 2) + "×"
}

// Bytes writes a size: 512 B, 1.2 MB, 3.5 GB.
func Bytes(n int64) string {
	x, unit := float64(n), "B"
	for _, next := range []string{"kB", "MB", "GB", "TB"} {
		if x < 999.5 {
			break
		}
		x, unit = x/1000, next
	}
	if unit == "B" || x >= 9.95 {
		return Fixed(x, 0) + " " + unit
	}
	return Fixed(x, 1) + " " + unit
}

// BytesOf writes a part of a size: 1.2/3.5 GB, 800 kB/3.5 GB.
func BytesOf(n, of int64) string {
	part, whole := Bytes(n), Bytes(of)
	if number, unit, _ := strings.Cut(part, " "); strings.HasSuffix(whole, " "+unit) {
		part = number
	}
	return part + "/" + whole
}

// ApproxDuration writes a duration in one unit: 41 s, 3 min, 2 h.
func ApproxDuration(d time.Duration) string {
	switch {
	case d < 99*time.Second:
		return strconv.Itoa(int(math.Ceil(d.Seconds()))) + " s"
	case d < 99*time.Minute:
		return strconv.Itoa(int(math.Round(d.Minutes()))) + " min"
	}
	return strconv.Itoa(int(math.Round(d.Hours()))) + " h"
}

// ShortDuration writes a duration in one unit from milliseconds on: < 1 ms, 12 ms, 1.3 s, 41 s, 3 min.
func ShortDuration(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return "< 1 ms"
	case d < time.Second:
		return strconv.FormatInt(d.Round(time.Millisecond).Milliseconds(), 10) + " ms"
	case d%time.Second != 0 && d < 10*time.Second:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	}
	return ApproxDuration(d)
}

// Steps names the steps from one to another: "step 3", "steps 3 to 5".
func Steps(first, last int64) string {
	if first == last {
		return fmt.Sprintf("step %d", first)
	}
	return fmt.Sprintf("steps %d to %d", first, last)
}

// Plural writes a count with its noun: 1 group, 9 groups.
func Plural(n int, noun string) string {
	if n == 1 {
		noun = strings.TrimSuffix(noun, "s")
	}
	return Count(n) + " " + noun
}

// nonFinite returns "nan", "inf" or "-inf", "" for a finite value.
func nonFinite(x float64) string {
	switch {
	case math.IsNaN(x):
		return "nan"
	case math.IsInf(x, 1):
		return "inf"
	case math.IsInf(x, -1):
		return "-inf"
	}
	return ""
}

// OnOff writes a switch.
func OnOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// Wrap breaks text between words into lines of at most w characters, where no word is longer. All but the first begin with
// some blanks more.
func Wrap(text string, w, blanks int) string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > w {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return strings.Join(append(lines, line), "\n"+strings.Repeat(" ", blanks))
}
