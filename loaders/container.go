package loaders

import (
	"bytes"
	"path"
	"strings"
)

// cutOf guesses how the bytes of a file are cut into records, from its name and
// its first bytes.
func cutOf(name string, first []byte) cut {
	first = bytes.TrimPrefix(first, []byte("\xef\xbb\xbf"))
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
	trimmed := bytes.TrimLeft(first, " \t\r\n")
	if bytes.HasPrefix(trimmed, []byte{'['}) {
		return cut{whole: true}
	}
	if rest, ok := bytes.CutPrefix(trimmed, []byte{'{'}); ok {
		// a newline right after the brace is a document spread over lines
		if rest = bytes.TrimLeft(rest, " \t\r"); len(rest) > 0 && rest[0] == '\n' {
			return cut{whole: true}
		}
	}
	return cut{}
}

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
