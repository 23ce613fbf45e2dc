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
	pretty := bytes.HasPrefix(first, []byte("{\n")) && kindOfName(name) == ""
	return cut{whole: pretty || bytes.HasPrefix(first, []byte{'['})}
}

// withoutMark is what follows the byte order mark that programs of Windows begin a file with.
func withoutMark(first []byte) []byte { return bytes.TrimPrefix(first, []byte("\xef\xbb\xbf")) }

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
