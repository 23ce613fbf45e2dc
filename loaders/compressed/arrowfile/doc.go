// Package arrowfile reads tables of Apache Arrow as JSON lines: those that save_to_disk of Hugging Face's datasets writes, which are
// streams, and files of the IPC format.
//
// In: the bytes. Out: a line of JSON for each row, with its columns in their order. Package compressed calls [NewReader].
//
// A message after the other is read, each with a batch of rows; the footer of a file is not needed. Texts, numbers, bools, lists,
// structs, maps and dictionaries are read; bytes, decimals and intervals become null. What is compressed, unions, views and runs are refused. What a
// file claims of sizes and counts is not believed.
//
// Source: https://arrow.apache.org/docs/format/Columnar.html, version 1.5, and its format/Message.fbs and format/Schema.fbs.
package arrowfile
