package strspan

import "golang.org/x/sys/cpu"

var wide = cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasBMI2 && cpu.X86.HasPOPCNT

// blocks counts in whole blocks of 64 bytes, up to a quote or a control character. It
// returns where it stopped, whether the byte there is escaped, and whether it is done.
func blocks(p []byte, c *Count) (n int, escaped, done bool) {
	if !wide || len(p) < 64 {
		return 0, false, false
	}
	n, carry := blocksAVX2(&p[0], len(p)/64, c)
	return n, carry == 1, carry < 0
}

// blocksAVX2 looks at up to n blocks and adds to c what it finds. It returns at which
// byte it stopped and a carry: -1 if a quote or a control character stands there; 1 if
// the blocks are at an end and what follows is escaped; else 0.
//
//go:noescape
func blocksAVX2(p *byte, n int, c *Count) (at, carry int)
