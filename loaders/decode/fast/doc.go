// Package fast reads the rows of a large log of JSON lines or CSV into columns, without looking up names.
//
// Nearly all rows of a log have the same keys in the same order. A [Reader] learns that order from a
// row that decode.RowDecoder has read: a template of constant bytes with fields between them. It then
// compares the bytes and reads the fields in place. A row that differs in anything, in a key, the
// kind of a value or the way a number is written, is left to the RowDecoder: a Reader reads a row as
// that does, or not at all. A [CSVReader] does the same with the cells of a table.
//
// In: the bytes of many lines. Out: a [model.Block]. The workers of package loaders call it, for formats
// without a Layout. Reading spends its time here and in jsonscan/strspan.
package fast
