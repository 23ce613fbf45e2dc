// Package half reads the 16-bit numbers of tables: binary16 of IEEE 754.
package half

import "math"

// Float64 returns the number whose bits are given. Each of them is exact, subnormal ones too; NaNs lose their sign and payload.
func Float64(bits uint16) float64 {
	fraction, exponent := float64(bits&0x3ff), int(bits>>10&0x1f)
	var x float64
	switch {
	case exponent == 0x1f && fraction != 0:
		return math.NaN()
	case exponent == 0x1f:
		x = math.Inf(1)
	case exponent == 0:
		x = math.Ldexp(fraction, -24)
	default:
		x = math.Ldexp(1024+fraction, exponent-25)
	}
	if bits>>15 != 0 {
		x = -x
	}
	return x
}
