package jsonscan

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestMeasureString(t *testing.T) {
	long := strings.Repeat("text of more than a block, ", 5)
	for text, want := range map[string]struct {
		bytes, characters int
		longEscapes       bool
	}{
		`"`:                            {0, 0, false},
		`abc" "`:                       {3, 3, false},
		`a\"b"`:                        {4, 3, false},
		`\\" "`:                        {2, 1, false},
		`\\\"" `:                       {4, 2, false},
		`naïve 中文" `:                   {13, 8, false},
		`\u00e9"`:                      {6, 0, true},
		`\\underline"`:                 {11, 10, false},
		`\x"`:                          {2, 0, true},
		`\é"`:                          {3, 0, true},
		`\"\\\/\b\f\n\r\t"`:            {16, 8, false},
		long + `"`:                     {135, 135, false},
		long + `\\\\\"` + long + `\n"`: {278, 274, false},
		strings.Repeat(`\\`, 99) + `"`: {198, 99, false},
		strings.Repeat(`😀`, 40) + `"`:  {160, 40, false},
	} {
		c, ok := MeasureString([]byte(text))
		n, sure := c.Characters()
		if !ok || c.Bytes != want.bytes || sure == want.longEscapes || sure && n != want.characters {
			t.Errorf("%s: %+v, %v, want %+v", text, c, ok, want)
		}
	}
	for _, open := range []string{"", "abc", `a\"`, `\`, "a\nb\"", "a\x00\"", "\\\n\"", long, long + "\t\"", long + `\"` + long} {
		if c, ok := MeasureString([]byte(open)); ok {
			t.Errorf("%q has no end before a control character, and %+v was found", open, c)
		}
	}
}

// A text without its closing quote has the same counts.
func TestCountsWithoutQuote(t *testing.T) {
	text := []byte(strings.Repeat(`a word, \\frac\n and 中`, 20))
	var got Counts
	stopped := got.add(text)
	if want, _ := MeasureString(append(bytes.Clone(text), '"')); stopped || got != want {
		t.Errorf("%+v, %v, want %+v", got, stopped, want)
	}
	for _, part := range []string{`"`, "\t", "\x00"} {
		var c Counts
		if !c.add(append(bytes.Clone(text), part...)) {
			t.Errorf("%q is in no string, and %+v was found", part, c)
		}
	}
}

// pieces of texts in which every rule meets every edge of a block.
var pieces = []string{`\`, `\\`, `\n`, `\"`, `"`, "u", "a", "/bfnrt", "0123456789ceghijklmopq", "word ", "é", "中", "😀", "\n", "\x00", "\x7f", "\x80", "\xff", strings.Repeat("x", 31), strings.Repeat("y", 64)}

// Blocks and words give the same counts, wherever a text is cut.
func TestBlocksCountAsWords(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var text []byte
		for range random.IntN(40) {
			text = append(text, pieces[random.IntN(len(pieces))]...)
		}
		compareWithWords(t, text)
	}
}

func compareWithWords(t *testing.T, text []byte) {
	t.Helper()
	got, ok := MeasureString(text)
	var want Counts
	n, stopped := countWords(text, 0, false, &want)
	want.Bytes = n
	if got != want || ok != (stopped && text[n] == '"') {
		t.Fatalf("%q: %+v, %v by blocks, %+v, %v by words", text, got, ok, want, stopped)
	}
}

// A string that encoding/json accepts has as many characters as it decodes.
func FuzzMeasure(f *testing.F) {
	f.Add([]byte(`a\\\"b` + strings.Repeat("c", 60) + `\n"`))
	f.Add(bytes.Repeat([]byte(`\\`), 70))
	f.Fuzz(func(t *testing.T, text []byte) {
		compareWithWords(t, text)
		c, ok := MeasureString(text)
		if !ok {
			return
		}
		var decoded string
		n, sure := c.Characters()
		if json.Unmarshal(append([]byte{'"'}, text[:c.Bytes+1]...), &decoded) == nil && sure && utf8.Valid(text[:c.Bytes]) && n != utf8.RuneCountInString(decoded) {
			t.Errorf("%q: %d characters, and encoding/json has %d", text[:c.Bytes], n, utf8.RuneCountInString(decoded))
		}
	})
}

func BenchmarkMeasure(b *testing.B) {
	for name, piece := range map[string]string{
		"prose": `Let us consider the triangle whose sides are given, so that the remainder is \\frac{3}{4}.\n\nFirst we note that x = 12 and therefore `,
		"tools": `{\"name\":\"ls\",\"args\":[\"-l\"]}`,
		"中文":    `我们来考虑这个三角形的三条边。\n`,
	} {
		text := []byte(strings.Repeat(piece, 10_000/len(piece)) + `"`)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				MeasureString(text)
			}
		})
		b.Run(name+"/words", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				var c Counts
				countWords(text, 0, false, &c)
			}
		})
	}
}
