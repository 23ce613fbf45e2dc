#include "textflag.h"

// In all of these a register Y has eight float32, one of each group, or four float64, of half the
// groups. No multiplication is fused with an addition: that would round once less than PyTorch does.

// STARTS makes R8 to R15 the addresses of the groups that begin at the indices *BX, of elements of
// 1<<shift bytes, from base on.
#define STARTS(base, shift) \
	MOVQ 0(BX), R8   \
	MOVQ 8(BX), R9   \
	MOVQ 16(BX), R10 \
	MOVQ 24(BX), R11 \
	MOVQ 32(BX), R12 \
	MOVQ 40(BX), R13 \
	MOVQ 48(BX), R14 \
	MOVQ 56(BX), R15 \
	LEAQ (base)(R8*shift), R8   \
	LEAQ (base)(R9*shift), R9   \
	LEAQ (base)(R10*shift), R10 \
	LEAQ (base)(R11*shift), R11 \
	LEAQ (base)(R12*shift), R12 \
	LEAQ (base)(R13*shift), R13 \
	LEAQ (base)(R14*shift), R14 \
	LEAQ (base)(R15*shift), R15

// TURN turns Y0 to Y3, four rows of four values in each half, to the columns Y0 to Y3, and back.
#define TURN \
	VUNPCKLPS Y1, Y0, Y4 \
	VUNPCKHPS Y1, Y0, Y5 \
	VUNPCKLPS Y3, Y2, Y6 \
	VUNPCKHPS Y3, Y2, Y7 \
	VUNPCKLPD Y6, Y4, Y0 \
	VUNPCKHPD Y6, Y4, Y1 \
	VUNPCKLPD Y7, Y5, Y2 \
	VUNPCKHPD Y7, Y5, Y3

// ROUND rounds four values of a group to float32 and notes in Y15 if they change. It fetches those at
// DX bytes, ahead.
#define ROUND(group, to, wide) \
	PREFETCHT0 (group)(DX*1)     \
	VMOVUPD    (group)(AX*8), Y8 \
	VCVTPD2PSY Y8, to            \
	VCVTPS2PD  to, wide          \
	VCMPPD     $4, Y8, wide, Y8  \
	VORPD      Y8, Y15, Y15

// func load(t *Vector, x *float64, starts *Starts, blocks int) (rounded int)
//
// Four values of each group are eight rows, of groups 0 to 3 in the lower halves of Y0 to Y3 and of
// groups 4 to 7 in the upper ones; turned, they are four vectors. Eight streams that end soon are
// not foreseen by the processor, so the same values of the next eight groups are fetched, which
// follow if all are neighbours.
TEXT ·load(SB), NOSPLIT, $0-40
	MOVQ t+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ starts+16(FP), BX
	MOVQ blocks+24(FP), CX
	STARTS(SI, 8)
	XORL AX, AX
	MOVQ CX, DX
	SHLQ $8, DX             // bytes of eight groups, without their rest
	VXORPD Y15, Y15, Y15

load:
	ROUND(R8, X0, Y9)
	ROUND(R9, X1, Y9)
	ROUND(R10, X2, Y9)
	ROUND(R11, X3, Y9)
	ROUND(R12, X4, Y9)
	ROUND(R13, X5, Y9)
	ROUND(R14, X6, Y9)
	ROUND(R15, X7, Y9)
	VINSERTF128 $1, X4, Y0, Y0
	VINSERTF128 $1, X5, Y1, Y1
	VINSERTF128 $1, X6, Y2, Y2
	VINSERTF128 $1, X7, Y3, Y3
	TURN
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	VMOVUPS Y2, 64(DI)
	VMOVUPS Y3, 96(DI)
	ADDQ $128, DI
	ADDQ $4, AX
	ADDQ $32, DX
	DECQ CX
	JNZ  load

	VMOVMSKPD Y15, AX
	VZEROUPPER
	MOVQ AX, rounded+32(FP)
	RET

// WIDEN stores the halves of a turned register to two groups, as float64.
#define WIDEN(half, from, lower, upper) \
	VCVTPS2PD    half, Y8            \
	VEXTRACTF128 $1, from, X9        \
	VCVTPS2PD    X9, Y9              \
	VMOVUPD      Y8, (lower)(AX*8)   \
	VMOVUPD      Y9, (upper)(AX*8)

// func store(dst *float64, starts *Starts, t *Vector, blocks int)
//
// The way back of load.
TEXT ·store(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ starts+8(FP), BX
	MOVQ t+16(FP), SI
	MOVQ blocks+24(FP), CX
	STARTS(DI, 8)
	XORL AX, AX

store:
	VMOVUPS (SI), Y0
	VMOVUPS 32(SI), Y1
	VMOVUPS 64(SI), Y2
	VMOVUPS 96(SI), Y3
	TURN
	WIDEN(X0, Y0, R8, R12)
	WIDEN(X1, Y1, R9, R13)
	WIDEN(X2, Y2, R10, R14)
	WIDEN(X3, Y3, R11, R15)
	ADDQ $128, SI
	ADDQ $4, AX
	DECQ CX
	JNZ  store

	VZEROUPPER
	RET

// The order of four vectors of bytes after two packings, to the order of groups.
DATA turned<>+0(SB)/8, $0x0d0905010c080400
DATA turned<>+8(SB)/8, $0x0f0b07030e0a0602
GLOBL turned<>(SB), RODATA|NOPTR, $16

// func storeMarks(kept *bool, starts *Starts, marks *Mark, blocks int)
//
// Four vectors of marks are packed to bytes; then each group has four of them, which are one word.
TEXT ·storeMarks(SB), NOSPLIT, $0-32
	MOVQ kept+0(FP), DI
	MOVQ starts+8(FP), BX
	MOVQ marks+16(FP), SI
	MOVQ blocks+24(FP), CX
	STARTS(DI, 1)
	XORL AX, AX
	VBROADCASTI128 turned<>(SB), Y15

marks:
	VMOVDQU   (SI), Y0
	VMOVDQU   64(SI), Y1
	VPACKSSDW 32(SI), Y0, Y0
	VPACKSSDW 96(SI), Y1, Y1
	VPACKSSWB Y1, Y0, Y0
	VPSHUFB   Y15, Y0, Y0
	VPABSB    Y0, Y0       // −1 is true, which is 1
	VEXTRACTI128 $1, Y0, X1
	VMOVD   X0, (R8)(AX*1)
	VPEXTRD $1, X0, (R9)(AX*1)
	VPEXTRD $2, X0, (R10)(AX*1)
	VPEXTRD $3, X0, (R11)(AX*1)
	VMOVD   X1, (R12)(AX*1)
	VPEXTRD $1, X1, (R13)(AX*1)
	VPEXTRD $2, X1, (R14)(AX*1)
	VPEXTRD $3, X1, (R15)(AX*1)
	ADDQ $128, SI
	ADDQ $4, AX
	DECQ CX
	JNZ  marks

	VZEROUPPER
	RET

// func normalize(t *Vector, n int, mean, divisor *Vector)
TEXT ·normalize(SB), NOSPLIT, $0-32
	MOVQ t+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ mean+16(FP), AX
	MOVQ divisor+24(FP), BX
	VMOVUPS (AX), Y1
	VMOVUPS (BX), Y2

normalize:
	VMOVUPS (SI), Y0
	VSUBPS  Y1, Y0, Y0
	VDIVPS  Y2, Y0, Y0
	VMOVUPS Y0, (SI)
	ADDQ $32, SI
	DECQ CX
	JNZ  normalize

	VZEROUPPER
	RET

// func sum(s, t *Vector, width, registers, rest int)
//
// Y0 is the sum: first of the rest, then of each lane, whose registers are dealt to the chains Y1 to
// Y4, and those beyond a multiple of four to Y1. All begin with 0, so that −0 gives 0.
TEXT ·sum(SB), NOSPLIT, $0-40
	MOVQ s+0(FP), DI
	MOVQ t+8(FP), SI
	MOVQ width+16(FP), DX
	MOVQ registers+24(FP), BX
	MOVQ rest+32(FP), CX
	MOVQ DX, R8
	SHLQ $5, R8             // bytes from a register to the next
	LEAQ (R8)(R8*2), R9
	VXORPS Y0, Y0, Y0

	MOVQ  BX, R10
	IMULQ R8, R10
	ADDQ  SI, R10
	TESTQ CX, CX
	JZ    lane

rest:
	VADDPS (R10), Y0, Y0
	ADDQ $32, R10
	DECQ CX
	JNZ  rest

lane:
	MOVQ SI, R10
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	MOVQ BX, CX
	SHRQ $2, CX
	JZ   single

four:
	VADDPS (R10), Y1, Y1
	VADDPS (R10)(R8*1), Y2, Y2
	VADDPS (R10)(R8*2), Y3, Y3
	VADDPS (R10)(R9*1), Y4, Y4
	LEAQ (R10)(R8*4), R10
	DECQ CX
	JNZ  four

single:
	MOVQ BX, CX
	ANDQ $3, CX
	JZ   fold

one:
	VADDPS (R10), Y1, Y1
	ADDQ R8, R10
	DECQ CX
	JNZ  one

fold:
	VADDPS Y2, Y1, Y1
	VADDPS Y3, Y1, Y1
	VADDPS Y4, Y1, Y1
	VADDPS Y1, Y0, Y0
	ADDQ $32, SI
	DECQ DX
	JNZ  lane

	VMOVUPS Y0, (DI)
	VZEROUPPER
	RET

// func square(dst, t *Vector, n int, mean *Vector)
TEXT ·square(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ t+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ mean+24(FP), AX
	VMOVUPS (AX), Y1

square:
	VMOVUPS (SI), Y0
	VSUBPS  Y1, Y0, Y0
	VMULPS  Y0, Y0, Y0
	VMOVUPS Y0, (DI)
	ADDQ $32, SI
	ADDQ $32, DI
	DECQ CX
	JNZ  square

	VZEROUPPER
	RET

// ROOT stores √(Y2/divisor), √(Y3/divisor) to *DI as float32.
#define ROOT(divisor) \
	VBROADCASTSD divisor, Y4   \
	VDIVPD       Y4, Y2, Y2    \
	VDIVPD       Y4, Y3, Y3    \
	VSQRTPD      Y2, Y2        \
	VSQRTPD      Y3, Y3        \
	VCVTPD2PSY   Y2, X2        \
	VCVTPD2PSY   Y3, X3        \
	VMOVUPS      X2, (DI)      \
	VMOVUPS      X3, 16(DI)    \
	VZEROUPPER

// func std(s, t *Vector, n int, mean *Vector, divisor float64)
//
// Y0 and Y1 are the means, Y2 and Y3 the squares.
TEXT ·std(SB), NOSPLIT, $0-40
	MOVQ s+0(FP), DI
	MOVQ t+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ mean+24(FP), AX
	VCVTPS2PD (AX), Y0
	VCVTPS2PD 16(AX), Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3

std:
	VCVTPS2PD (SI), Y4
	VCVTPS2PD 16(SI), Y5
	VSUBPD Y0, Y4, Y4
	VSUBPD Y1, Y5, Y5
	VMULPD Y4, Y4, Y4
	VMULPD Y5, Y5, Y5
	VADDPD Y4, Y2, Y2
	VADDPD Y5, Y3, Y3
	ADDQ $32, SI
	DECQ CX
	JNZ  std

	ROOT(divisor+32(FP))
	RET

DATA ones<>+0(SB)/8, $1.0
GLOBL ones<>(SB), RODATA|NOPTR, $8

// func welford(s, t *Vector, n int, divisor float64)
//
// Y0 and Y1 are the means, Y2 and Y3 the squares, Y15 is the count.
TEXT ·welford(SB), NOSPLIT, $0-32
	MOVQ s+0(FP), DI
	MOVQ t+8(FP), SI
	MOVQ n+16(FP), CX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y15, Y15, Y15
	VBROADCASTSD ones<>(SB), Y14

welford:
	VADDPD Y14, Y15, Y15
	VCVTPS2PD (SI), Y4
	VCVTPS2PD 16(SI), Y5
	VSUBPD Y0, Y4, Y6      // δ
	VSUBPD Y1, Y5, Y7
	VDIVPD Y15, Y6, Y8
	VDIVPD Y15, Y7, Y9
	VADDPD Y8, Y0, Y0
	VADDPD Y9, Y1, Y1
	VSUBPD Y0, Y4, Y4      // the difference to the new mean
	VSUBPD Y1, Y5, Y5
	VMULPD Y4, Y6, Y6
	VMULPD Y5, Y7, Y7
	VADDPD Y6, Y2, Y2
	VADDPD Y7, Y3, Y3
	ADDQ $32, SI
	DECQ CX
	JNZ  welford

	ROOT(divisor+24(FP))
	RET

// func sort(t *Vector, n int)
//
// The loops in the comment of Tile.Sort: n, p, k and i are CX, R8, R9 and R10, all in bytes.
TEXT ·sort(SB), NOSPLIT, $0-16
	MOVQ t+0(FP), SI
	MOVQ n+8(FP), CX
	SHLQ $5, CX
	MOVQ $32, R8
	CMPQ R8, CX
	JGE  sorted

merge:
	LEAQ -1(R8)(R8*1), R13 // the bits that are 0 in a multiple of 2p
	MOVQ R8, R9
	XORL R10, R10

run:
	LEAQ (R10)(R9*1), R11  // i + k
	CMPQ R11, CX
	JGE  distance
	LEAQ (R11)(R9*1), R12  // i + 2k, the end of the run and the next one's i
	TESTQ R13, R11
	JZ   skip
	MOVQ R12, BX
	CMPQ BX, CX
	CMOVQGT CX, BX

exchange:
	VMOVUPS (SI)(R10*1), Y0
	VMOVUPS (SI)(R11*1), Y1
	VMINPS  Y1, Y0, Y2
	VMAXPS  Y1, Y0, Y3
	VMOVUPS Y2, (SI)(R10*1)
	VMOVUPS Y3, (SI)(R11*1)
	ADDQ $32, R10
	ADDQ $32, R11
	CMPQ R11, BX
	JLT  exchange

skip:
	MOVQ R12, R10
	JMP  run

distance:
	SHRQ $1, R9
	MOVQ R9, R10           // below p, the first i is k
	CMPQ R9, $32
	JGE  run
	SHLQ $1, R8
	CMPQ R8, CX
	JLT  merge

sorted:
	VZEROUPPER
	RET

// func signs(positive, negative *Counts, t *Vector, n int)
//
// A comparison that holds is −1.
TEXT ·signs(SB), NOSPLIT, $0-32
	MOVQ positive+0(FP), DI
	MOVQ negative+8(FP), BX
	MOVQ t+16(FP), SI
	MOVQ n+24(FP), CX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2

signs:
	VCMPPS $1, (SI), Y0, Y3    // 0 < x
	VMOVUPS (SI), Y4
	VCMPPS $1, Y0, Y4, Y4      // x < 0
	VPSUBD Y3, Y1, Y1
	VPSUBD Y4, Y2, Y2
	ADDQ $32, SI
	DECQ CX
	JNZ  signs

	VMOVDQU Y1, (DI)
	VMOVDQU Y2, (BX)
	VZEROUPPER
	RET

// func choose(marks *Mark, t *Vector, n int, largest, smallest *Best)
//
// Y0 and Y1 are the bounds, Y2 and Y3 how many are still to be kept at them: the first loop subtracts
// those beyond the bounds, the second those at them.
TEXT ·choose(SB), NOSPLIT, $0-40
	MOVQ marks+0(FP), DI
	MOVQ t+8(FP), SI
	MOVQ n+16(FP), DX
	MOVQ largest+24(FP), AX
	MOVQ smallest+32(FP), BX
	VMOVUPS (AX), Y0
	VMOVUPS (BX), Y1
	VMOVDQU 32(AX), Y2
	VMOVDQU 32(BX), Y3
	VXORPS Y15, Y15, Y15
	MOVQ SI, R8
	MOVQ DX, CX

beyond:
	VMOVUPS (R8), Y4
	VCMPPS $1, Y4, Y0, Y5      // largest < x
	VCMPPS $1, Y1, Y4, Y6      // x < smallest
	VPADDD Y5, Y2, Y2
	VPADDD Y6, Y3, Y3
	ADDQ $32, R8
	DECQ CX
	JNZ  beyond

mark:
	VMOVUPS (SI), Y4
	VCMPPS $1, Y4, Y0, Y5
	VCMPPS $1, Y1, Y4, Y6
	VCMPPS $0, Y15, Y4, Y7     // x = 0
	VCMPPS $0, Y0, Y4, Y8
	VCMPPS $0, Y1, Y4, Y9
	VPCMPGTD Y15, Y2, Y10
	VPCMPGTD Y15, Y3, Y11
	VPADDD Y8, Y2, Y2
	VPADDD Y9, Y3, Y3
	VPAND  Y10, Y8, Y8
	VPAND  Y11, Y9, Y9
	VPOR   Y6, Y5, Y5
	VPOR   Y8, Y7, Y7
	VPOR   Y9, Y5, Y5
	VPOR   Y7, Y5, Y5
	VMOVDQU Y5, (DI)
	VPAND  Y5, Y4, Y4
	VMOVDQU Y4, (SI)
	ADDQ $32, SI
	ADDQ $32, DI
	DECQ DX
	JNZ  mark

	VZEROUPPER
	RET
