// Package framing cuts the bytes of a log into records: lines, CSV records whose cells may hold
// newlines, blocks of several lines, or the whole file.
//
// [Detect] guesses the [Framing] of a file from its name and first bytes. A [Splitter] then takes
// the bytes as they come, in any pieces, and gives out [Record]s; the start of a record that is not
// complete stays in it. Package loaders calls both for every file that is text; decode uses
// [SplitCSV] for the cells of a CSV record.
package framing
