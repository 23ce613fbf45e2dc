#include "textflag.h"

// The bytes to find, and the bounds of those to count.
DATA bytes<>+0(SB)/1, $0x22 // "
DATA bytes<>+1(SB)/1, $0x5c // \
DATA bytes<>+2(SB)/1, $0x0f // four bits
DATA bytes<>+3(SB)/1, $0x1f // the last control character
DATA bytes<>+4(SB)/1, $0xc0 // as a signed number, above all bytes that continue a character
GLOBL bytes<>(SB), RODATA|NOPTR, $5

// The letters of short escapes by their lower and upper four bits: a byte is one if its entries in
// both tables have a bit in common. 1: " and /, 2: \, 4: b f n, 8: r t.
DATA lower<>+0(SB)/8, $0x00040008000d0000
DATA lower<>+8(SB)/8, $0x0104000200000000
GLOBL lower<>(SB), RODATA|NOPTR, $16
DATA upper<>+0(SB)/8, $0x0804020000010000
DATA upper<>+8(SB)/8, $0x0000000000000000
GLOBL upper<>(SB), RODATA|NOPTR, $16

// MASK64 sets a bit of to for each byte of Y0 and Y1 that op finds. It clobbers Y2, Y3 and R15.
#define MASK64(op, with, to) \
	op        with, Y0, Y2 \
	op        with, Y1, Y3 \
	VPMOVMSKB Y2, to       \
	VPMOVMSKB Y3, R15      \
	SHLQ      $32, R15     \
	ORQ       R15, to

// LETTERS finds the bytes of from that are no letter of a short escape. It clobbers Y4.
#define LETTERS(from, to) \
	VPAND    Y10, from, to \
	VPSRLW   $4, from, Y4  \
	VPAND    Y10, Y4, Y4   \
	VPSHUFB  to, Y13, to   \
	VPSHUFB  Y4, Y14, Y4   \
	VPAND    Y4, to, to    \
	VPCMPEQB Y15, to, to

// Both loops below have in R8 the carry, in R9 to R11 the bytes that continue a character, escapes and
// long escapes so far.

// ESCAPED_BYTES turns AX, the backslashes of a block, into the bytes that they escape. R14 is the odd
// bits. It clobbers BX (the backslashes, and the byte that the block before escapes), DX (backslashes
// that may begin an escape) and R12 (those that do, and the bytes they escape). In a run of backslashes
// that begins unescaped every second byte is escaped, and so is the byte after a run of odd length. A
// subtraction carries along the runs, and the odd bits give their parity (Langdale and Lemire, Parsing
// Gigabytes of JSON per Second, 2019, section 3.1.1).
#define ESCAPED_BYTES \
	MOVQ  R8, BX          \
	ORQ   AX, BX          \
	ANDNQ AX, R8, DX      \
	LEAQ  (DX)(DX*1), R12 \
	ORQ   R14, R12        \
	SUBQ  DX, R12         \
	XORQ  R14, R12        \
	MOVQ  R12, R8         \
	ANDQ  AX, R8          \
	SHRQ  $63, R8         \
	MOVQ  R12, AX         \
	XORQ  BX, AX

// ADD_COUNTS counts the bits of AX (escaped), DX (continues a character) and R12 (long escape).
#define ADD_COUNTS \
	POPCNTQ AX, AX   \
	POPCNTQ DX, DX   \
	POPCNTQ R12, R12 \
	ADDQ    AX, R10  \
	ADDQ    DX, R9   \
	ADDQ    R12, R11

// KEEP_BEFORE_END makes BX the number of its first bit, and drops the bits from there on.
#define KEEP_BEFORE_END \
	TZCNTQ BX, BX     \
	BZHIQ  BX, AX, AX \
	BZHIQ  BX, DX, DX \
	BZHIQ  BX, R12, R12

// STORE_COUNTS sets the results.
#define STORE_COUNTS \
	VZEROUPPER            \
	MOVQ c+16(FP), AX     \
	ADDQ R9, 8(AX)        \
	ADDQ R10, 16(AX)      \
	ADDQ R11, 24(AX)      \
	SUBQ DI, SI           \
	MOVQ SI, end+24(FP)   \
	MOVQ R8, carry+32(FP)

// func countBlocksAVX2(p *byte, n int, c *Counts) (end, carry int)
TEXT ·countBlocksAVX2(SB), NOSPLIT, $0-40
	MOVQ p+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ SI, DI
	XORL R8, R8
	XORL R9, R9
	XORL R10, R10
	XORL R11, R11
	MOVQ $0xaaaaaaaaaaaaaaaa, R14
	VPBROADCASTB bytes<>+0(SB), Y8
	VPBROADCASTB bytes<>+1(SB), Y9
	VPBROADCASTB bytes<>+2(SB), Y10
	VPBROADCASTB bytes<>+3(SB), Y11
	VPBROADCASTB bytes<>+4(SB), Y12
	VBROADCASTI128 lower<>(SB), Y13
	VBROADCASTI128 upper<>(SB), Y14
	VPXOR Y15, Y15, Y15

block:
	VMOVDQU (SI), Y0
	VMOVDQU 32(SI), Y1

	// escaped bytes to AX, the next carry to R8
	MASK64(VPCMPEQB, Y9, AX)
	ESCAPED_BYTES

	// where the string ends, to BX: a quote that is not escaped, a control character
	MASK64(VPCMPEQB, Y8, BX)
	ANDNQ BX, AX, BX
	VPMINUB   Y11, Y0, Y2
	VPMINUB   Y11, Y1, Y3
	VPCMPEQB  Y2, Y0, Y2
	VPCMPEQB  Y3, Y1, Y3
	VPMOVMSKB Y2, R12
	VPMOVMSKB Y3, R15
	SHLQ      $32, R15
	ORQ       R12, BX
	ORQ       R15, BX

	// bytes that continue a character to DX, long escapes to R12
	VPCMPGTB  Y0, Y12, Y2
	VPCMPGTB  Y1, Y12, Y3
	VPMOVMSKB Y2, DX
	VPMOVMSKB Y3, R15
	SHLQ      $32, R15
	ORQ       R15, DX
	LETTERS(Y0, Y2)
	LETTERS(Y1, Y3)
	VPMOVMSKB Y2, R12
	VPMOVMSKB Y3, R15
	SHLQ      $32, R15
	ORQ       R15, R12
	ANDQ      AX, R12

	TESTQ BX, BX
	JNZ   last
	ADD_COUNTS
	ADDQ $64, SI
	DECQ CX
	JNZ  block
	JMP  done

last:
	KEEP_BEFORE_END
	ADD_COUNTS
	ADDQ BX, SI
	MOVQ $-1, R8

done:
	STORE_COUNTS
	RET

// The bytes of ASCII that are no letter of a short escape have their highest bit set.
DATA letters<>+0(SB)/8, $0x8080808080808080
DATA letters<>+8(SB)/8, $0x8080808080808080
DATA letters<>+16(SB)/8, $0x8080808080808080
DATA letters<>+24(SB)/8, $0x8080808080808080
DATA letters<>+32(SB)/8, $0x8080808080008080
DATA letters<>+40(SB)/8, $0x0080808080808080
DATA letters<>+48(SB)/8, $0x8080808080808080
DATA letters<>+56(SB)/8, $0x8080808080808080
DATA letters<>+64(SB)/8, $0x8080808080808080
DATA letters<>+72(SB)/8, $0x8080808080808080
DATA letters<>+80(SB)/8, $0x8080808080808080
DATA letters<>+88(SB)/8, $0x8080800080808080
DATA letters<>+96(SB)/8, $0x8000808080008080
DATA letters<>+104(SB)/8, $0x8000808080808080
DATA letters<>+112(SB)/8, $0x8080800080008080
DATA letters<>+120(SB)/8, $0x8080808080808080
GLOBL letters<>(SB), RODATA|NOPTR, $128

// func countBlocksAVX512(p *byte, n int, c *Counts) (end, carry int)
TEXT ·countBlocksAVX512(SB), NOSPLIT, $0-40
	MOVQ p+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ SI, DI
	XORL R8, R8
	XORL R9, R9
	XORL R10, R10
	XORL R11, R11
	MOVQ $0xaaaaaaaaaaaaaaaa, R14
	VPBROADCASTB bytes<>+0(SB), Z8
	VPBROADCASTB bytes<>+1(SB), Z9
	VPBROADCASTB bytes<>+3(SB), Z11
	VPBROADCASTB bytes<>+4(SB), Z12
	VMOVDQU64 letters<>+0(SB), Z13
	VMOVDQU64 letters<>+64(SB), Z14

block:
	VMOVDQU64 (SI), Z0
	VPCMPEQB  Z9, Z0, K1      // backslashes
	VPCMPEQB  Z8, Z0, K2      // quotes
	VPCMPUB   $2, Z11, Z0, K3 // control characters, which are no greater than the last of them
	VPCMPGTB  Z0, Z12, K4     // bytes that continue a character
	VMOVDQA64 Z0, Z1
	VPERMI2B  Z14, Z13, Z1
	VPORQ     Z0, Z1, Z1
	VPMOVB2M  Z1, K5          // no letters of short escapes
	KMOVQ     K1, AX
	ESCAPED_BYTES
	KMOVQ     K2, BX
	KMOVQ     K3, R15
	KMOVQ     K4, DX
	KMOVQ     K5, R12
	ANDNQ     BX, AX, BX
	ORQ       R15, BX
	ANDQ      AX, R12
	TESTQ     BX, BX
	JNZ       last
	ADD_COUNTS
	ADDQ $64, SI
	DECQ CX
	JNZ  block
	JMP  done

last:
	KEEP_BEFORE_END
	ADD_COUNTS
	ADDQ BX, SI
	MOVQ $-1, R8

done:
	STORE_COUNTS
	RET
