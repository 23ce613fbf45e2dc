package jsonscan

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// Expected texts are those of Python's json.dumps with ensure_ascii=False, but for bytes that are no UTF-8, which are kept.
func TestAppendText(t *testing.T) {
	for in, want := range map[string]string{
		"":                      `""`,
		"plain":                 `"plain"`,
		"a\"b\\c":               `"a\"b\\c"`,
		"\nline\n\n":            `"\nline\n\n"`,
		"\x00\x1f tab\tend\x7f": "\"\\u0000\\u001f tab\\u0009end\x7f\"",
		"数学 π≤3":                `"数学 π≤3"`,
		"\xff\xfe":              "\"\xff\xfe\"",
	} {
		if got := string(AppendText([]byte("x:"), in)); got != "x:"+want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
		if got := string(AppendText(nil, []byte(in))); got != want {
			t.Errorf("bytes %q: %s, want %s", in, got, want)
		}
	}
}

func TestAppendNumber(t *testing.T) {
	for want, x := range map[string]float64{
		"0.1": 0.1, "-2": -2, "1e+300": 1e300, "NaN": math.NaN(), "Infinity": math.Inf(1), "-Infinity": math.Inf(-1),
	} {
		if got := string(AppendNumber(nil, x)); got != want {
			t.Errorf("%v: %s, want %s", x, got, want)
		}
	}
}

// A string has as many characters as its decoded text.
func TestCountRunes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{`\n`, `\\`, `\"`, `\u00e9`, `\ud83d\ude42`, `\ud83d`, "é", "🙂", "中", "a", "plain text ", `\x`, `\`}), 0, 40).Draw(t, "parts")
		raw := strings.Join(parts, "")
		if got, want := CountRunes([]byte(raw)), utf8.RuneCount(AppendUnescaped(nil, []byte(raw))); got != want {
			t.Fatalf("%q: %d characters, want %d", raw, got, want)
		}
	})
}
