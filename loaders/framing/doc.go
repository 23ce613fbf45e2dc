// Package framing cuts the bytes of a log into records: lines, CSV records whose cells may hold
// newlines, blocks of several lines, or the whole file.
//
// In: the bytes of a file, in any pieces. Out: [Record]s. [Detect] guesses the [Framing] of a file from
// its name and first bytes; then a [Splitter] cuts, and keeps the start of a record that is not complete.
// Package formats calls Detect, package loaders a Splitter for every file that is text, and decode
// [SplitCSV] for the cells of a CSV record.
package framing
