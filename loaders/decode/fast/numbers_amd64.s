#include "textflag.h"

// Sixteen bytes each: what is subtracted from digits, the greatest of them, and the weights that make
// numbers of two, four and eight digits of pairs of one, two and four.
DATA zeros<>+0(SB)/8, $0x3030303030303030
DATA zeros<>+8(SB)/8, $0x3030303030303030
GLOBL zeros<>(SB), RODATA|NOPTR, $16
DATA nines<>+0(SB)/8, $0x0909090909090909
DATA nines<>+8(SB)/8, $0x0909090909090909
GLOBL nines<>(SB), RODATA|NOPTR, $16
DATA twos<>+0(SB)/8, $0x010a010a010a010a
DATA twos<>+8(SB)/8, $0x010a010a010a010a
GLOBL twos<>(SB), RODATA|NOPTR, $16
DATA fours<>+0(SB)/8, $0x0001006400010064
DATA fours<>+8(SB)/8, $0x0001006400010064
GLOBL fours<>(SB), RODATA|NOPTR, $16
DATA eights<>+0(SB)/8, $0x0001271000012710
DATA eights<>+8(SB)/8, $0x0001271000012710
GLOBL eights<>(SB), RODATA|NOPTR, $16

// Where a numberColumn has its fields, and its size.
#define COLUMN_TEXT 0
#define COLUMN_SIZE 8
#define COLUMN_LAST 24
#define COLUMN_MASK 40
#define COLUMN_FLOATS 56
#define COLUMN_COUNTS 64
#define COLUMN_NEXT 72

// func readNumberRows(p []byte, at, limit int, prefix []byte, columns []numberColumn, offsets []int64, offset int64) (n, end int)
//
// CX is n, DI where the row at hand begins, and R8 the limit. R9 added to a pointer into p gives its offset in
// the file. R10 is the prefix, and R11 where its last 16 bytes begin. R12 and R13 are the columns and their
// end, BX is the one at hand, and SI where its value stands.
TEXT ·readNumberRows(SB), NOSPLIT, $0-136
	MOVQ       p_base+0(FP), AX
	MOVQ       at+24(FP), DI
	ADDQ       AX, DI
	MOVQ       limit+32(FP), R8
	ADDQ       AX, R8
	MOVQ       prefix_base+40(FP), R10
	MOVQ       prefix_len+48(FP), R11
	SUBQ       $16, R11
	MOVQ       columns_base+64(FP), R12
	MOVQ       columns_len+72(FP), R13
	IMULQ      $COLUMN_NEXT, R13
	ADDQ       R12, R13
	MOVQ       offset+112(FP), R9
	SUBQ       AX, R9
	XORL       CX, CX
	VMOVDQU    zeros<>(SB), X8
	VMOVDQU    nines<>(SB), X9
	VMOVDQU    twos<>(SB), X10
	VMOVDQU    fours<>(SB), X11
	VMOVDQU    eights<>(SB), X12

row:
	CMPQ       DI, R8
	JAE        done
	CMPQ       CX, offsets_len+96(FP)
	JGE        done
	VMOVDQU    (DI)(R11*1), X0
	VPXOR      (R10)(R11*1), X0, X0
	XORL       AX, AX
	JMP        prefix

chunk:
	VMOVDQU    (DI)(AX*1), X1
	VPXOR      (R10)(AX*1), X1, X1
	VPOR       X1, X0, X0
	ADDQ       $16, AX

prefix:
	CMPQ       AX, R11
	JLT        chunk
	VPTEST     X0, X0
	JNZ        done
	LEAQ       16(DI)(R11*1), SI
	MOVQ       R12, BX

field:
	XORL       R15, R15
	CMPB       (SI), $'-'
	JEQ        negative

number:
	// AX has a bit for each byte that is no digit. Then AX is the size of the number, DX that of the part
	// before the point, and R14 the difference; R15 is the sign.
	VMOVDQU    (SI), X0
	VPSUBB     X8, X0, X0
	VPMINUB    X9, X0, X1
	VPCMPEQB   X0, X1, X1
	VPMOVMSKB  X1, AX
	XORL       $0xffff, AX
	JZ         done
	TZCNTL     AX, DX
	TESTL      DX, DX
	JZ         done
	CMPB       (SI)(DX*1), $'.'
	JNE        integer
	BLSRL      AX, AX
	JZ         done
	TZCNTL     AX, AX
	MOVL       AX, R14
	SUBL       DX, R14
	CMPL       R14, $1
	JEQ        done

shape:
	CMPB       (SI), $'0'
	JEQ        zero

digits:
	// SI goes to what follows, X0 to two numbers of eight digits, and AX to the number that they make.
	ADDQ       AX, SI
	SHLL       $4, DX
	ADDL       AX, DX
	SHLL       $4, DX
	LEAQ       ·digitShuffles(SB), AX
	VPSHUFB    (AX)(DX*1), X0, X0
	VPMADDUBSW X10, X0, X0
	VPMADDWD   X11, X0, X0
	VPACKUSDW  X0, X0, X0
	VPMADDWD   X12, X0, X0
	VMOVQ      X0, AX
	MOVL       AX, DX
	IMULQ      $100000000, DX
	SHRQ       $32, AX
	ADDQ       DX, AX
	MOVQ       COLUMN_FLOATS(BX), DX
	TESTQ      DX, DX
	JZ         count
	VXORPD     X1, X1, X1
	VCVTSI2SDQ AX, X1, X1
	TESTL      R14, R14
	JZ         sign
	LEAQ       ·powersOfTen(SB), AX
	VDIVSD     -8(AX)(R14*8), X1, X1

sign:
	VMOVQ      R15, X2
	VXORPD     X2, X1, X1
	VMOVSD     X1, (DX)(CX*8)
	JMP        literal

count:
	MOVQ       COLUMN_COUNTS(BX), DX
	TESTQ      DX, DX
	JZ         literal
	ORQ        R14, R15
	JNZ        done
	MOVL       AX, (DX)(CX*4)
	DECQ       AX
	CMPQ       AX, $0x7ffffffe
	JHI        done

literal:
	MOVQ       COLUMN_SIZE(BX), AX
	ADDQ       AX, SI
	VMOVDQU    -16(SI), X0
	VPXOR      COLUMN_LAST(BX), X0, X0
	VPTEST     COLUMN_MASK(BX), X0
	JNZ        done
	CMPQ       AX, $16
	JLE        next
	NEGQ       AX
	VMOVDQU    (SI)(AX*1), X0
	MOVQ       COLUMN_TEXT(BX), AX
	VPXOR      (AX), X0, X0
	VPTEST     X0, X0
	JNZ        done

next:
	ADDQ       $COLUMN_NEXT, BX
	CMPQ       BX, R13
	JB         field
	ADDQ       R9, DI
	MOVQ       offsets_base+88(FP), AX
	MOVQ       DI, (AX)(CX*8)
	INCQ       CX
	MOVQ       SI, DI
	JMP        row

negative:
	INCQ       SI
	MOVQ       $1<<63, R15
	JMP        number

integer:
	MOVL       DX, AX
	XORL       R14, R14
	JMP        shape

zero:
	CMPL       DX, $1
	JEQ        digits

done:
	MOVQ       CX, n+120(FP)
	SUBQ       p_base+0(FP), DI
	MOVQ       DI, end+128(FP)
	RET
