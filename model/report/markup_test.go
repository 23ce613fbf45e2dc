package report

import (
	"embed"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"vantage/internal/testkit/filetest"
)

func TestMarkup(t *testing.T) {
	got := tag("p", class("x"), attr("title", "a \"b\" & 'c'\x1b"), "1 < 2 & \"so\"\u202e on\n", emptyTag("br", []attribute{attr("x", 12.34)}), []markup{tag("b", "</script>", 7)})
	want := `<p class="x" title="a &#34;b&#34; &amp; &#39;c&#39;‹U+001B›">1 &lt; 2 &amp; &#34;so&#34;‹U+202E› on` + "\n" + `<br x="12.3"/><b>&lt;/script&gt;7</b></p>`
	if string(got) != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// No other file makes markup, or a name, of a string that is no constant.
func TestOnlyConstantsAreMarkup(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	conversion := regexp.MustCompile(`\b(markup|constant)\([^"]`)
	for _, name := range files {
		if name == "markup.go" || name == "markup_test.go" {
			continue
		}
		source := filetest.Read(t, name)
		if found := conversion.Find(source); found != nil {
			t.Errorf("%s has %s…", name, found)
		}
	}
}

//go:embed testdata/page.css
var files embed.FS

// The hash is that which `printf '\nbody{}' | openssl sha256 -binary | base64` prints.
func TestHash(t *testing.T) {
	if got, want := assetHash(files, "testdata/page.css"), "'sha256-ektrY5hdMf4xmv+uLk4m+OGmFlSrViakJtcU/JNHvbk='"; got != want {
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
		if got := visible(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestNumber(t *testing.T) {
	for x, want := range map[float64]string{12.34: "12.3", 12: "12", 0.04: "0", -0.04: "0", -3: "-3", 99.96: "100"} {
		if got := coordinate(x); got != want {
			t.Errorf("%g: %s, want %s", x, got, want)
		}
	}
}

// Whatever a text holds, a parser finds the elements that were written, no others, and the text as [visible]
// gives it, between elements and in an attribute.
func FuzzText(f *testing.F) {
	for _, s := range []string{
		"<script>alert(1)</script>", `"><img src=x onerror=alert(1)>`, "</title></style></textarea><!--", "' onmouseover='x", "&lt;&#60;&amp;&nbsp", "]]>",
		"\x1b[31m\x00\x7f\u0085", "\u202eabc\u2069\u200b", "\xff\xc0\xaf\xed\xa0\x80", "`${x}`", "\ufffe\uffff", "a\r\nb\tc",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		page := tag("p", attr("title", s), s, tag("b", "end"))
		var got strings.Builder
		var names []string
		decoder := xml.NewDecoder(strings.NewReader(string(page)))
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
				if token.Name.Local == "p" && (len(token.Attr) != 1 || token.Attr[0].Value != visible(s)) {
					t.Errorf("%q: attributes %q", s, token.Attr)
				}
			case xml.CharData:
				got.Write(token)
			case xml.EndElement:
			default:
				t.Errorf("%q: %T", s, token)
			}
		}
		if fmt.Sprint(names) != "[p b]" || got.String() != visible(s)+"end" {
			t.Errorf("%q: elements %v, text %q", s, names, got.String())
		}
		for _, r := range got.String() {
			if r != '\n' && r != '\t' && (unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r)) {
				t.Errorf("%q: %U is not visible", s, r)
			}
		}
	})
}
