package fast

// readNumber reads the number that stands at at and what is expected after it, and returns
// where that ends; 0 if it does not stand there, or if the number has an exponent or more
// than 15 digits. One that has not is an integer below 2^53 over a power of ten, both
// exact, so that one division rounds it as it should be.
func (v *span) readNumber(b []byte, at int, after *literal) (end int) {
	v.from = at
	minus := byteAt(b, at) == '-'
	if minus {
		at++
	}
	n, end := digits(b, at, 0)
	whole, decimals := end-at, 0
	if whole == 0 || whole > 1 && b[at] == '0' {
		return 0
	}
	if byteAt(b, end) == '.' {
		point := end
		n, end = digits(b, end+1, n)
		if decimals = end - point - 1; decimals == 0 {
			return 0
		}
	}
	if whole+decimals > maxDigits {
		return 0
	}
	v.x, v.to = float64(n), end
	if decimals > 0 {
		v.x /= powersOfTen[decimals]
	}
	if minus {
		v.x = -v.x
	}
	return after.match(b, end)
}

// digits reads on in a number of which so much has been read, and returns where its
// digits end. It goes from one to the next: where they end is foretold well enough, and
// to count them first, eight together, makes all that follows wait.
func digits(b []byte, i int, n int64) (int64, int) {
	for ; uint(i) < uint(len(b)); i++ { // one comparison for both bounds
		d := b[i] - '0'
		if d > 9 {
			break
		}
		n = n*10 + int64(d)
	}
	return n, i
}

// byteAt is a byte, 0 where there is none.
func byteAt(b []byte, i int) byte {
	if uint(i) < uint(len(b)) {
		return b[i]
	}
	return 0
}

const maxDigits = 15

var powersOfTen = [maxDigits + 1]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}
