// Package strspan finds the end of a JSON string and counts its characters without decoding it.
// Most of a log is model text, so this is where reading spends its time: with AVX2 or AVX-512 it
// takes 64 bytes at once, elsewhere 8.
//
// In: the bytes after an opening quote. Out: [Counts]. Packages jsonscan and decode/fast call it.
package strspan
