package loaders

import (
	"bytes"
	"path"
	"strings"
)

// cutOf guesses how the bytes of a file are cut into records, from its name and
// its first bytes.
func cutOf(name string, first []byte) cut {
	first = withoutMark(first)
	switch kindOfName(name) {
	case ".csv", ".tsv":
		return cut{quoted: true}
	case ".json":
		return cut{whole: true}
	}
	for _, begin := range []string{easyr1Begin, arealBegin} {
		if bytes.HasPrefix(first, []byte(begin)) {
			return cut{begin: begin}
		}
	}
	if kindOfName(name) == "" { // a stream, mostly
		line, _, _ := bytes.Cut(first, []byte{'\n'})
		return cut{whole: goesOn(line), quoted: isHeader(line)}
	}
	return cut{whole: bytes.HasPrefix(first, []byte{'['})}
}

// goesOn reports whether a document that begins with the line has more of them: it is a
// list, or an object that nothing ends.
func goesOn(line []byte) bool {
	line = bytes.TrimSpace(line)
	if bytes.HasPrefix(line, []byte{'{'}) {
		return bytes.IndexByte([]byte("{[,:"), line[len(line)-1]) >= 0
	}
	return bytes.HasPrefix(line, []byte{'['})
}

// isHeader reports whether a line looks like the names of the columns of a table.
func isHeader(line []byte) bool {
	names := splitRow(nil, line, separator(line))
	for _, name := range names {
		name = bytes.TrimSpace(name)
		if len(name) == 0 || bytes.ContainsAny(name, "{}[]:\"\x00\x1b") {
			return false
		}
	}
	return len(names) > 1
}

// byteOrderMark is what programs of Windows begin a file with.
const byteOrderMark = "\xef\xbb\xbf"

// withoutMark is what follows a byte order mark.
func withoutMark(first []byte) []byte { return bytes.TrimPrefix(first, []byte(byteOrderMark)) }

// kindOfName is the extension of a name in small letters, less that of a
// compression.
func kindOfName(name string) string {
	name = strings.ToLower(name)
	for _, ext := range compressions() {
		name = strings.TrimSuffix(name, ext)
	}
	return path.Ext(name)
}

// compressions are the extensions of what is unpacked while it is read.
func compressions() []string { return []string{".gz", ".zst", ".zstd"} }
