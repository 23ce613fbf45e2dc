// Package loaders turns the logs of RL trainers into chunks of records, and is
// the only package that opens files.
//
// Bytes go one way:
//
//	paths    → discover  which files there are (again and again when following)
//	kernel   → ear       which of them to look at soon, and how long rows are gathered
//	file     → follow    what is new in them since the last look
//	bytes    → lines     complete lines; a torn last line waits for its rest
//	line     → Format    the file's format, found by its first rows
//	line     → Decoder   records, or an error that becomes a model.Problem
//	records  → Source    chunks bounded in count and time
//
// What a directory holds besides is said and left out: tables of the same samples
// (beside.go), rows that were logged twice (relog.go); and two runs in it are kept
// apart (apart.go).
//
// A format is a value in the list of formats.go. A bad line is counted and
// skipped. Files are opened for reading, looked at, and closed again: no handle
// is held between two looks, nothing is locked, nothing is written.
package loaders
