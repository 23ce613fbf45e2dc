package framing

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"vantage/loaders/jsonscan"
)

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
