package loaders

import (
	"bytes"
	"fmt"
)

// knownBinaries are known files that are not read, by their first bytes.
var knownBinaries = [...]struct{ start, what, do string }{
	{"\xff\xfe", "is text in UTF-16", "turn it into UTF-8: iconv -f UTF-16 -t UTF-8"},
	{"\xfe\xff", "is text in UTF-16", "turn it into UTF-8: iconv -f UTF-16 -t UTF-8"},
	{"SQLite format 3\x00", "is a SQLite database", "trackio's is read from a file of this machine: copy it here, with the file -wal beside it, and give its path"},
}

// whyUnreadable says what a file with these first bytes is and what to do. It returns "" if the file may be text.
func whyUnreadable(b []byte) (what, do string) {
	for _, m := range knownBinaries {
		if bytes.HasPrefix(b, []byte(m.start)) {
			return m.what, m.do
		}
	}
	written := bytes.TrimRight(b, "\x00") // NFS may show zeros where data has yet to arrive
	control := bytes.Count(written, []byte{0}) * len(written)
	for _, c := range written {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' {
			control++
		}
	}
	// Text of a model has few control bytes, machine code has many.
	if control*10 > len(written) || len(b) > 0 && len(written) == 0 {
		return fmt.Sprintf("is not text: its first bytes are % x", b[:min(8, len(b))]), "give a log: `vantage formats` lists what is read"
	}
	return "", ""
}

// allZero reports whether b has only zeros, which NFS may show first.
func allZero(b []byte) bool { return len(bytes.Trim(b, "\x00")) == 0 }
