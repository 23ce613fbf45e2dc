// Package framing cuts the bytes of a log into records: lines, CSV records whose cells may hold
// newlines, blocks of several lines, or the whole file.
//
// In: the bytes of a file, in any pieces. Out: [Record]s. [Detect] guesses the [Framing] of a file from
// its name and first bytes; then a [Splitter] cuts, and keeps the start of a record that is not complete.
// Package formats calls Detect, package loaders a Splitter for every file that is text, and decode
// [SplitCSV] for the cells of a CSV record.
package framing

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"vantage/loaders/jsonscan"
)

// Framing says what ends a record. The zero Framing cuts lines, at \n alone: model text holds \r,
// U+2028 and the rest.
type Framing struct {
	Whole        bool   // the file is one record
	Quoted       bool   // a newline between double quotes ends nothing, as in CSV
	Table        bool   // the rows of a Parquet file: its bytes are not cut
	RecordPrefix string // a record is the lines up to the next that begins like this
}

// MaxLine is the size of the longest record that is read, in bytes. Whole steps in one line take some
// megabytes; what is longer is no log of samples.
const MaxLine = 64 << 20

// Record is what a file is cut into: mostly a line, without its newline.
type Record struct {
	Text   []byte
	Number int64  // of its first line, from 1
	Offset int64  // of its first byte
	Reason string // why the record must not be read, "" if it may be; Text is then empty
}

// NULError returns the error of a record with a NUL at offset at.
func NULError(at int) error {
	return fmt.Errorf("column %d: a NUL byte: the file was damaged, or not yet written there", at+1)
}

// Detect guesses the framing of a file from its name and its first bytes: those of the first line if
// the name has no extension, else a few. A file that begins with one of prefixes has records of
// several lines that begin so.
func Detect(name string, first []byte, prefixes ...string) Framing {
	first = jsonscan.TrimByteOrderMark(first)
	switch Extension(name) {
	case ".csv", ".tsv":
		return Framing{Quoted: true}
	case ".json":
		return Framing{Whole: true}
	}
	if i := slices.IndexFunc(prefixes, func(prefix string) bool { return bytes.HasPrefix(first, []byte(prefix)) }); i >= 0 {
		return Framing{RecordPrefix: prefixes[i]}
	}
	if Extension(name) == "" { // mostly a stream
		line, _, _ := bytes.Cut(first, []byte{'\n'})
		return Framing{Whole: beginsDocument(line), Quoted: isCSVHeader(line)}
	}
	return Framing{Whole: bytes.HasPrefix(first, []byte{'['})}
}

// beginsDocument reports whether a JSON document has more lines than its first: it is a list, or an
// object that the line does not end.
func beginsDocument(line []byte) bool {
	line = bytes.TrimSpace(line)
	if bytes.HasPrefix(line, []byte{'{'}) {
		return strings.IndexByte("{[,:", line[len(line)-1]) >= 0
	}
	return bytes.HasPrefix(line, []byte{'['})
}

// isCSVHeader reports whether a line looks like the names of columns.
func isCSVHeader(line []byte) bool {
	names := SplitCSV(nil, line, CSVSeparator(line))
	for _, name := range names {
		name = bytes.TrimSpace(name)
		if len(name) == 0 || bytes.ContainsAny(name, "{}[]:\"\x00\x1b") {
			return false
		}
	}
	return len(names) > 1
}

// Extension returns the extension of a file name in lower case, without that of a compression.
func Extension(name string) string {
	name = strings.ToLower(name)
	for _, ext := range []string{".gz", ".zst", ".zstd"} {
		name = strings.TrimSuffix(name, ext)
	}
	return path.Ext(name)
}
