package markup_test

import (
	"bytes"
	"embed"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode"

	"vantage/model/report/markup"
)

func TestWriter(t *testing.T) {
	var out bytes.Buffer
	w := markup.New(&out)
	w.Open("p", markup.Class("x"), markup.A("title", "a \"b\" & 'c'\x1b"))
	w.Text("1 < 2 & \"so\"\u202e on\n")
	w.Void("br")
	w.Element("b", "</script>")
	w.Close()
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	want := `<p class="x" title="a &#34;b&#34; &amp; &#39;c&#39;‹U+001B›">1 &lt; 2 &amp; &#34;so&#34;‹U+202E› on` + "\n" + `<br/><b>&lt;/script&gt;</b></p>`
	if out.String() != want {
		t.Errorf("%s\nwant\n%s", &out, want)
	}
	w.Open("p")
	if err := w.Flush(); err == nil {
		t.Error("an element that is not closed is no error")
	}
	failing := markup.New(failingWriter{})
	failing.Text("x")
	if err := failing.Flush(); !errors.Is(err, errWrite) {
		t.Error(err)
	}
}

var errWrite = errors.New("broken")

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errWrite }

//go:embed testdata/page.css
var files embed.FS

// The hash is that which `printf '\nbody{}' | openssl sha256 -binary | base64` prints.
func TestHash(t *testing.T) {
	if got, want := markup.NewAsset(files, "testdata/page.css").Hash(), "'sha256-ektrY5hdMf4xmv+uLk4m+OGmFlSrViakJtcU/JNHvbk='"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"plain\ttext\n":                         "plain\ttext\n",
		"é 数学 👍🏽 π≤3":                           "é 数学 👍🏽 π≤3",
		"\x1b]0;title\a":                        "‹U+001B›]0;title‹U+0007›",
		"a\r\nb\x7f":                            "a‹U+000D›\nb‹U+007F›",
		"\u009b31m":                             "‹U+009B›31m",
		"x\u202ey\u2066z":                       "x‹U+202E›y‹U+2066›z",
		"a\u200bb\ufeffc":                       "a‹U+200B›b‹U+FEFF›c",
		"a\u2028b":                              "a‹U+2028›b",
		"\U000e0041":                            "‹U+E0041›", // a tag: an invisible letter
		"\u3164\u115f\u034f":                    "‹U+3164›‹U+115F›‹U+034F›",
		"bad \xff\xfe bytes":                    "bad \ufffd\ufffd bytes",
		"\u0301x":                               "‹U+0301›x",
		"e\u0301":                               "e\u0301",
		"a\u0300\u0301\u0302\u0303\u0304\u0305": "a\u0300\u0301\u0302\u0303‹U+0304›‹U+0305›",
		"❤️":                                    "❤️",
	} {
		if got := markup.Visible(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestNumber(t *testing.T) {
	for x, want := range map[float64]string{12.34: "12.3", 12: "12", 0.04: "0", -0.04: "0", -3: "-3", 99.96: "100"} {
		if got := markup.Number(x); got != want {
			t.Errorf("%g: %s, want %s", x, got, want)
		}
	}
}

// Whatever a text holds, a parser finds the elements that were written, no others, and the text as [markup.Visible]
// gives it, between elements and in an attribute.
func FuzzText(f *testing.F) {
	for _, s := range []string{
		"<script>alert(1)</script>", `"><img src=x onerror=alert(1)>`, "</title></style></textarea><!--", "' onmouseover='x", "&lt;&#60;&amp;&nbsp", "]]>",
		"\x1b[31m\x00\x7f\u0085", "\u202eabc\u2069\u200b", "\xff\xc0\xaf\xed\xa0\x80", "`${x}`", "\ufffe\uffff", "a\r\nb\tc",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var out bytes.Buffer
		w := markup.New(&out)
		w.Open("p", markup.A("title", s))
		w.Text(s)
		w.Element("b", "end")
		w.Close()
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		var names []string
		decoder := xml.NewDecoder(&out)
		for {
			token, err := decoder.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%q: %v", s, err)
			}
			switch token := token.(type) {
			case xml.StartElement:
				names = append(names, token.Name.Local)
				if token.Name.Local == "p" && (len(token.Attr) != 1 || token.Attr[0].Value != markup.Visible(s)) {
					t.Errorf("%q: attributes %q", s, token.Attr)
				}
			case xml.CharData:
				got.Write(token)
			case xml.EndElement:
			default:
				t.Errorf("%q: %T", s, token)
			}
		}
		if fmt.Sprint(names) != "[p b]" || got.String() != markup.Visible(s)+"end" {
			t.Errorf("%q: elements %v, text %q", s, names, got.String())
		}
		for _, r := range got.String() {
			if r != '\n' && r != '\t' && (unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r)) {
				t.Errorf("%q: %U is not visible", s, r)
			}
		}
	})
}
