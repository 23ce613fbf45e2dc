package loaders

// quickNumber reads a number without exponent and of up to 15 digits, and returns how
// many bytes it has. Such a one is an integer below 2^53 over a power of ten, both
// exact, so that one division rounds it as it should be.
func quickNumber(b []byte) (x float64, size int, ok bool) {
	i := 0
	if len(b) > 0 && b[0] == '-' {
		i = 1
	}
	first := i
	mantissa, i := digits(b, i, 0)
	whole, decimals := i-first, 0
	if whole == 0 || whole > 1 && b[first] == '0' {
		return 0, i, false
	}
	if i < len(b) && b[i] == '.' {
		point := i
		mantissa, i = digits(b, i+1, mantissa)
		if decimals = i - point - 1; decimals == 0 {
			return 0, i, false
		}
	}
	if whole+decimals > maxDigits || i < len(b) && (b[i]|0x20 == 'e' || b[i] == '.') {
		return 0, i, false
	}
	x = float64(mantissa)
	if decimals > 0 {
		x /= powersOfTen[decimals]
	}
	if first == 1 {
		x = -x
	}
	return x, i, true
}

// digits reads on in a number of which so much has been read, and returns where its
// digits end.
func digits(b []byte, i int, n int64) (int64, int) {
	for ; i < len(b) && '0' <= b[i] && b[i] <= '9'; i++ {
		n = n*10 + int64(b[i]-'0')
	}
	return n, i
}

const maxDigits = 15

var powersOfTen = [maxDigits + 1]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}
