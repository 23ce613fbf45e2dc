package jsonscan

import (
	"strconv"
	"unicode/utf8"
)

// MaxQuote is how many bytes of a log a message quotes.
const MaxQuote = 40

// Quote returns text of a log, up to MaxQuote bytes of it, as a Go string literal that is safe to
// show on a terminal.
func Quote(b []byte) string {
	if len(b) <= MaxQuote {
		return strconv.Quote(string(b))
	}
	return strconv.Quote(string(Clip(b, MaxQuote))) + "…"
}

// Clip returns at most n bytes of b, whole characters only.
func Clip(b []byte, n int) []byte {
	if len(b) <= n {
		return b
	}
	for i := n; i > n-utf8.UTFMax && i > 0; i-- {
		if utf8.RuneStart(b[i]) {
			return b[:i]
		}
	}
	return b[:n]
}
