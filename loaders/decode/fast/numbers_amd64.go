package fast

import "golang.org/x/sys/cpu"

var canReadNumbers = cpu.X86.HasAVX && cpu.X86.HasBMI1

// digitShuffles tell VPSHUFB how to move the digits of a number, without its point, to the end of
// sixteen bytes after zeros: by 16 times the digits before the point plus the size of the number.
var digitShuffles = func() (shuffles [twoWords * twoWords][twoWords]byte) { //nolint:unused // readNumberRows uses it
	const zero = 0x80
	for i := range shuffles {
		point, to := i/twoWords, twoWords-1
		for from := i%twoWords - 1; from >= 0; from-- {
			if from != point {
				shuffles[i][to] = byte(from)
				to--
			}
		}
		for ; to >= 0; to-- {
			shuffles[i][to] = zero
		}
	}
	return shuffles
}()

// readNumberRows reads rows from p[at] on that begin with the prefix, which has at least 16 bytes, and
// go on with a number for each column and its literal. It stops at a row that begins at limit or later,
// after as many rows as there are offsets, or at a row of other bytes, in which a number is one that
// readDecimal does not read or that has 16 bytes or more. It returns how many rows were read, and where
// the next one begins. Up to the limit p must have room for a row and 16 bytes more.
//
//go:noescape
func readNumberRows(p []byte, at, limit int, prefix []byte, columns []numberColumn, offsets []int64, offset int64) (n, end int)
