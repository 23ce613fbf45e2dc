// Package fast reads the rows of a large log of JSON lines into columns, without looking up names.
//
// Nearly all rows of a log have the same keys in the same order. A [Reader] learns that order from a
// row that decode.RowDecoder has read: a template of constant bytes, with a field between each two. It
// then compares the bytes and reads the fields in place. A row that differs in anything, in a key, the
// kind of a value or the way a number is written, is left to the RowDecoder: a Reader reads a row as
// that does, or not at all.
//
// In go the bytes of many lines, out comes a [model.Block]. The workers of package loaders call it,
// for formats without a Layout. It is where reading spends its time, besides jsonscan/strspan.
package fast
