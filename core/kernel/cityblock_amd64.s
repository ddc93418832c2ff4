#include "textflag.h"

// func distancesTo(dst *float64, n int, x *float64, p int, y *float64, stride int)
//
// Two entries at a time, with the instructions that every amd64 has; four sums, because additions wait for one another.
TEXT ·distancesTo(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ n+8(FP), CX
	MOVQ x+16(FP), SI
	MOVQ p+24(FP), DX
	MOVQ y+32(FP), BX
	MOVQ stride+40(FP), R8
	SHLQ $3, R8
	PCMPEQL X15, X15
	PSRLQ $1, X15            // all bits but that of the sign

row:
	XORPS X0, X0
	XORPS X1, X1
	XORPS X2, X2
	XORPS X3, X3
	MOVQ SI, R9
	MOVQ BX, R10
	MOVQ DX, R11
	SUBQ $8, R11
	JLT  few

eight:
	MOVUPD 0(R9), X4
	MOVUPD 16(R9), X5
	MOVUPD 32(R9), X6
	MOVUPD 48(R9), X7
	MOVUPD 0(R10), X8
	MOVUPD 16(R10), X9
	MOVUPD 32(R10), X10
	MOVUPD 48(R10), X11
	SUBPD X8, X4
	SUBPD X9, X5
	SUBPD X10, X6
	SUBPD X11, X7
	ANDPD X15, X4
	ANDPD X15, X5
	ANDPD X15, X6
	ANDPD X15, X7
	ADDPD X4, X0
	ADDPD X5, X1
	ADDPD X6, X2
	ADDPD X7, X3
	ADDQ $64, R9
	ADDQ $64, R10
	SUBQ $8, R11
	JGE  eight

few:
	ADDQ $8, R11

two:
	CMPQ R11, $2
	JLT  one
	MOVUPD 0(R9), X4
	MOVUPD 0(R10), X8
	SUBPD X8, X4
	ANDPD X15, X4
	ADDPD X4, X0
	ADDQ $16, R9
	ADDQ $16, R10
	SUBQ $2, R11
	JMP  two

one:
	TESTQ R11, R11
	JEQ  sum
	MOVSD 0(R9), X4          // the upper halves are zero
	MOVSD 0(R10), X8
	SUBPD X8, X4
	ANDPD X15, X4
	ADDPD X4, X0

sum:
	ADDPD X1, X0
	ADDPD X3, X2
	ADDPD X2, X0
	MOVAPD X0, X1
	UNPCKHPD X1, X1
	ADDSD X1, X0
	MOVSD X0, 0(DI)
	ADDQ $8, DI
	ADDQ R8, BX
	DECQ CX
	JNE  row
	RET
