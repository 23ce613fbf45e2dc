package jsonscan

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

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
