package jsonscan

import "golang.org/x/sys/cpu"

var hasAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasBMI2 && cpu.X86.HasPOPCNT

// hasAVX512 is true from Ice Lake and Zen 4 on. Older processors run slower for a while after such
// instructions.
var hasAVX512 = hasAVX2 && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VBMI

// countBlocks counts whole blocks of 64 bytes, up to a quote or a control character. It returns the
// offset at which it stopped, whether the byte there is escaped, and whether it is a quote or a
// control character.
func countBlocks(p []byte, c *Counts) (n int, escaped, stopped bool) {
	if !hasAVX2 || len(p) < 64 {
		return 0, false, false
	}
	var carry int
	if hasAVX512 {
		n, carry = countBlocksAVX512(&p[0], len(p)/64, c)
	} else {
		n, carry = countBlocksAVX2(&p[0], len(p)/64, c)
	}
	return n, carry == 1, carry < 0
}

// countBlocksAVX2 counts up to n blocks into c. It returns the offset at which it stopped and a carry:
// -1 if a quote or a control character stands there; 1 if all blocks are counted and the byte after
// them is escaped; else 0.
//
//go:noescape
func countBlocksAVX2(p *byte, n int, c *Counts) (end, carry int)

// countBlocksAVX512 does the same.
//
//go:noescape
func countBlocksAVX512(p *byte, n int, c *Counts) (end, carry int)
