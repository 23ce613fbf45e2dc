package sanitize_test

import (
	"io"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"vantage/model/sanitize"
)

func TestLine(t *testing.T) {
	tests := map[string]struct{ in, want string }{
		"ascii stays":           {"Compute 12 * 13", "Compute 12 * 13"},
		"cjk and emoji stay":    {"计算 ✅🙂", "计算 ✅🙂"},
		"escape is shown":       {"\x1b[31mred\x1b[0m", "␛[31mred␛[0m"},
		"osc 52 is shown":       {"\x1b]52;c;ZXZpbA==\a", "␛]52;c;ZXZpbA==␇"},
		"c1 csi is not sent":    {"\u009b31m", "�31m"},
		"raw byte 9b":           {"\x9b31m", "�31m"},
		"line breaks are space": {"a\r\nb\u2028c\td", "a  b c d"},
		"bidi override":         {"a\u202eb", "a�b"},
		"zero width space":      {"a\u200bb", "a�b"},
		"joiner and selector":   {"❤\ufe0f\u200d🔥", "❤🔥"},
		"nul and del":           {"\x00\x7f", "␀␡"},
		"three marks at most":   {"e" + strings.Repeat("\u0301", 9), "e\u0301\u0301\u0301"},
		"no base for a mark":    {"\u0301a", "a"},
		"spacing mark alone":    {"\u0903", ""},
		"skin tone":             {"👍🏽", "👍"},
		"korean in parts":       {"\u1112\u1161\u11ab\u1100\u116e\u11a8", "\u1112\u1161\u11ab\u1100\u116e\u11a8"},
		"korean":                {"한국어", "한국어"},
		"initials in a row":     {"\u1100\u1100\u1100", "\u1100��"},
		"vowels in a row":       {"\u1161\u1161", "\u1161�"},
		"finals in a row":       {"가\u11a8\u11a8", "가\u11a8�"},
		"its own non-joiner":    {"a\u200cb", "a�b"},
		"hindi":                 {"हिन्दी राष्ट्र", "हिन्\u200cदी राष्\u200cट्\u200cर"},
		"consonants in a row":   {"क्क्क", "क्\u200cक्\u200cक"},
		"letters before others": {"\u0d4e\u0d4eക", "\u0d4e�ക"},
		"odd spaces":            {"a\u00a0b\u3000c", "a b c"},
	}
	for name, test := range tests {
		if got := sanitize.Line(test.in); got != test.want {
			t.Errorf("%s: Line(%q) = %q, want %q", name, test.in, got, test.want)
		}
	}
}

// maxJoined is the longest cluster: a prepended letter, the one it joins, its marks, and
// the non-joiner after it.
const maxJoined = 6

func FuzzLine(f *testing.F) {
	for _, s := range []string{"\u1100", "\u1161", "\u11a8", "가\u1161", "क्", "\u0d4e", "🇩", "👩\u200d", "\u0600", "ක්", "\u1b44ᬓ"} {
		f.Add(strings.Repeat(s, 50))
	}
	f.Add("\x1b]8;;http://x\a\u202e\ufeff")
	f.Fuzz(func(t *testing.T, s string) {
		got := sanitize.Line(s)
		if !utf8.ValidString(got) {
			t.Fatalf("Line(%q) is not UTF-8", s)
		}
		for _, r := range got {
			if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != '\u200c' {
				t.Fatalf("Line(%q) holds %U", s, r)
			}
		}
		for rest := got; rest != ""; {
			first, _ := ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
			if utf8.RuneCountInString(first) > maxJoined {
				t.Fatalf("Line(%q) joins %q", s, first)
			}
			rest = rest[len(first):]
		}
	})
}

// JSON loses none of its text, and none that a terminal obeys is left, however it is cut into writes.
func TestJSONIsEscaped(t *testing.T) {
	t.Parallel()
	const text = "{\"a\u009b\u202e\u00e9\x7f\": \"日本\u2028\"}\xff"
	const want = `{"a\u009b\u202eé\u007f": "日本\u2028"}` + "\xff"
	for size := 1; size <= len(text); size++ {
		var b strings.Builder
		w := sanitize.JSON(&b)
		for from := 0; from < len(text); from += size {
			if _, err := io.WriteString(w, text[from:min(from+size, len(text))]); err != nil {
				t.Fatal(err)
			}
		}
		if b.String() != want {
			t.Errorf("in pieces of %d bytes: %q", size, b.String())
		}
	}
}
