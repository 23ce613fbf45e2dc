// Package torchsum computes sums, means and standard deviations of float32 values
// in the order in which PyTorch computes them on a CPU, so that the results are
// equal bit for bit.
//
// # Why the order matters
//
// Float32 addition is not associative. The mean of eight rewards of 0.7 is
// 0.6999999 in PyTorch's order and 0.7 in others; divided by a standard
// deviation of nearly zero, that last bit becomes an advantage of +5.96. Over
// rewards on a grid of 0.1, plain left-to-right addition gives PyTorch's mean for
// 45 % of the groups, float64 rounded at the end for 57 %.
//
// # The order
//
// A vector register holds V = 8 values (AVX2; builds without AVX and, by the
// source, PyTorch 2 on AVX-512 use the same V). A row of items, each a value or a
// register added lane by lane, is dealt to four chains in turn; the remainder of a
// division by four goes to the first chain:
//
//	row(x) = ((p0 + p1) + p2) + p3,  p_k = x_k + x_{4+k} + x_{8+k} + …
//
// Fewer than V values are one row. More are a row of registers, whose V lanes
// are added, left to right, to the sum of the values that fill no register. From 16
// terms per chain on (n ≥ 512) the chains are folded into further accumulators, four
// levels in all: the cascade.
//
// # Limits
//
// From 32 768 values on PyTorch divides a sum among its threads; here it remains
// one. Builds for aarch64 may have V = 4. CUDA adds in another order, untested here. Square
// roots are those of IEEE 754; PyTorch's wheels with MKL miss them by one unit in the last place
// for 0.7 % of the values.
//
// # Special cases
//
// The sum of no values is 0, their mean and standard deviation NaN. The standard
// deviation of one value is NaN (0/0). NaN gives NaN; an infinity gives NaN
// standard deviations.
//
// Products that are added are converted explicitly: without the conversion the
// compiler may fuse the two operations on some machines, which rounds once less.
//
// Source: pytorch/pytorch aten/src/ATen/native/cpu/SumKernel.cpp (cascade_sum),
// ReduceOps.cpp (std_var_all_cpu), SharedReduceOps.h (WelfordOps); the same
// algorithm from 1.13 to 2.x.
package torchsum
