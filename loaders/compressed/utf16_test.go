package compressed

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// A file in UTF-16 reads as UTF-8, in whatever pieces it comes; half a character is no end, and what is no character becomes U+FFFD.
func TestUTF16(t *testing.T) {
	for file, want := range map[string]string{
		"\xff\xfea\x00\xe9\x00":                               "a\u00e9",
		"\xfe\xff\x00a\x00\xe9":                               "a\u00e9",
		"\xff\xfe\x3d\xd8\x42\xde":                            "\U0001f642",
		"\xff\xfe\x3d\xd8b\x00":                               "\ufffdb",
		"\xff\xfe\x42\xdeb\x00\x3d\xd8":                       "\ufffdb\ufffd",
		"\xff\xfe":                                            "",
		"\xff\xfe" + strings.Repeat("\x3d\xd8\x42\xde", 9000): strings.Repeat("\U0001f642", 9000),
	} {
		if p := Sniff([]byte(file)); p != UTF16 {
			t.Errorf("%q is %s", file, p)
		}
		got, err := io.ReadAll(iotest.OneByteReader(newUTF16Reader(strings.NewReader(file))))
		if string(got) != want || err != nil {
			t.Errorf("%.20q: %.20q %v, want %.20q", file, got, err, want)
		}
	}
	got, err := io.ReadAll(newUTF16Reader(strings.NewReader("\xff\xfea\x00b")))
	if string(got) != "a" || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%q %v", got, err)
	}
	if p := Sniff([]byte("\xff\xfe\x00\x00a")); p != None {
		t.Errorf("UTF-32 is %s", p)
	}
}
