package fast

// readDecimal reads the decimal at b[at:] and returns where it ends, 0 if there is none or it has more
// than 15 digits. Any other is an integer below 2^53 over a power of ten, both exact, so one division
// rounds it correctly. It reads no exponent.
func (v *span) readDecimal(b []byte, at int) (end int) {
	v.from = at
	isNegative := byteAt(b, at) == '-'
	if isNegative {
		at++
	}
	n, end := readDigits(b, at, 0)
	whole, decimals := end-at, 0
	if whole == 0 || whole > 1 && b[at] == '0' {
		return 0
	}
	if byteAt(b, end) == '.' {
		point := end
		n, end = readDigits(b, end+1, n)
		if decimals = end - point - 1; decimals == 0 {
			return 0
		}
	}
	if whole+decimals > maxDigits {
		return 0
	}
	v.number, v.to = float64(n), end
	if decimals > 0 {
		v.number /= powersOfTen[decimals]
	}
	if isNegative {
		v.number = -v.number
	}
	return end
}

// readDigits appends the digits at b[i:] to the number n, and returns where they end. It takes one
// after the other: the branch at their end is predicted well, and counting eight at once first makes
// everything after it wait.
func readDigits(b []byte, i int, n int64) (int64, int) {
	for ; uint(i) < uint(len(b)); i++ { // one comparison for both bounds
		d := b[i] - '0'
		if d > 9 {
			break
		}
		n = n*10 + int64(d)
	}
	return n, i
}

// byteAt returns b[i], 0 if there is none.
func byteAt(b []byte, i int) byte {
	if uint(i) < uint(len(b)) {
		return b[i]
	}
	return 0
}

const maxDigits = 15

var powersOfTen = [maxDigits + 1]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}
