package framing

import (
	"bytes"
	"path"
	"strings"

	"vantage/loaders/jsonscan"
)

// Detect guesses how the bytes of a file are cut into records, from its name and
// its first bytes.
func Detect(name string, first []byte) Framing {
	first = jsonscan.TrimByteOrderMark(first)
	switch Extension(name) {
	case ".csv", ".tsv":
		return Framing{Quoted: true}
	case ".json":
		return Framing{Whole: true}
	}
	for _, begin := range []string{EasyR1Prefix, ARealPrefix} {
		if bytes.HasPrefix(first, []byte(begin)) {
			return Framing{RecordPrefix: begin}
		}
	}
	if Extension(name) == "" { // a stream, mostly
		line, _, _ := bytes.Cut(first, []byte{'\n'})
		return Framing{Whole: continues(line), Quoted: isHeader(line)}
	}
	return Framing{Whole: bytes.HasPrefix(first, []byte{'['})}
}

// continues reports whether a document that begins with the line has more of them: it is a
// list, or an object that nothing ends.
func continues(line []byte) bool {
	line = bytes.TrimSpace(line)
	if bytes.HasPrefix(line, []byte{'{'}) {
		return bytes.IndexByte([]byte("{[,:"), line[len(line)-1]) >= 0
	}
	return bytes.HasPrefix(line, []byte{'['})
}

// isHeader reports whether a line looks like the names of the columns of a table.
func isHeader(line []byte) bool {
	names := SplitCSV(nil, line, CSVSeparator(line))
	for _, name := range names {
		name = bytes.TrimSpace(name)
		if len(name) == 0 || bytes.ContainsAny(name, "{}[]:\"\x00\x1b") {
			return false
		}
	}
	return len(names) > 1
}

// Extension is the extension of a name in small letters, less that of a
// compression.
func Extension(name string) string {
	name = strings.ToLower(name)
	for _, ext := range compressionExtensions() {
		name = strings.TrimSuffix(name, ext)
	}
	return path.Ext(name)
}

// compressionExtensions are the extensions of what is unpacked while it is read.
func compressionExtensions() []string { return []string{".gz", ".zst", ".zstd"} }

// ARealPrefix begins a record of AReaL's old dump.
const ARealPrefix = "idx: "

// EasyR1Prefix begins a record of EasyR1's generations.log.
const EasyR1Prefix = "[prompt] "
