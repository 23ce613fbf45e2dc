// Package markup writes HTML and SVG into which no text can put markup.
//
// Names of elements and attributes are constants of the source, style and script its files: the compiler refuses a
// variable.
// Everything else is [Writer.Text] or the value of an attribute, and is escaped, with [Visible] for what a reader
// would not see. The report writes its pages with it. What is written is well-formed XML too, so tests can parse it.
package markup

import (
	"bufio"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// constant is a string of the source: the compiler converts a constant to it, and no variable.
type constant string

// Writer writes a page.
type Writer struct {
	out  *bufio.Writer
	open []constant // elements, the innermost last
}

// New returns a writer of a page.
func New(out io.Writer) *Writer { return &Writer{out: bufio.NewWriter(out)} }

// Attribute is an attribute of an element.
type Attribute struct {
	name  constant
	value string
}

// A returns an attribute.
func A(name constant, value string) Attribute { return Attribute{name, value} }

// Class returns the attribute class.
func Class(names constant) Attribute { return Attribute{"class", string(names)} }

// To returns the attribute href of a link to the element with that id: a page links to nothing else.
func To(id string) Attribute { return Attribute{"href", "#" + id} }

// Doctype begins a page of HTML.
func (w *Writer) Doctype() { w.raw("<!DOCTYPE html>\n") }

// Open begins an element, which [Writer.Close] ends.
func (w *Writer) Open(name constant, attributes ...Attribute) {
	w.tag(name, attributes)
	w.raw(">")
	w.open = append(w.open, name)
}

// Close ends the element that was opened last.
func (w *Writer) Close() {
	last := len(w.open) - 1
	w.raw("</")
	w.raw(string(w.open[last]))
	w.raw(">")
	w.open = w.open[:last]
}

// Element writes an element that holds only a text.
func (w *Writer) Element(name constant, text string, attributes ...Attribute) {
	w.Open(name, attributes...)
	w.Text(text)
	w.Close()
}

// Void writes an element that holds nothing.
func (w *Writer) Void(name constant, attributes ...Attribute) {
	w.tag(name, attributes)
	w.raw("/>")
}

// Text writes a text, with line breaks and tabs as they are.
func (w *Writer) Text(text string) { w.raw(escape(Visible(text))) }

// Break begins a new line of the source, which a reader does not see.
func (w *Writer) Break() { w.raw("\n") }

// Asset is a style or a script. It is a file of the source: nothing else can be embedded into the program.
type Asset struct{ content string }

// NewAsset returns an embedded file as an asset.
func NewAsset(files embed.FS, name constant) Asset {
	text, err := files.ReadFile(string(name))
	if err != nil {
		panic(err) // the name is that of another file than the compiler embedded
	}
	return Asset{"\n" + string(text)}
}

// Embedded writes an element with a style or a script, which is not escaped.
func (w *Writer) Embedded(name constant, content Asset) {
	w.raw("<" + string(name) + ">" + content.content + "</" + string(name) + ">\n")
}

// Hash returns what a Content-Security-Policy allows the style or the script by: 'sha256-…'.
func (a Asset) Hash() string {
	sum := sha256.Sum256([]byte(a.content))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Flush writes what is buffered. It fails if an element is still open, or if writing does.
func (w *Writer) Flush() error {
	var err error
	if len(w.open) > 0 {
		err = fmt.Errorf("the element %s is not closed", w.open[len(w.open)-1])
	}
	return errors.Join(err, w.out.Flush())
}

func (w *Writer) tag(name constant, attributes []Attribute) {
	w.raw("<")
	w.raw(string(name))
	for _, a := range attributes {
		w.raw(" ")
		w.raw(string(a.name))
		w.raw(`="`)
		w.raw(escape(Visible(a.value)))
		w.raw(`"`)
	}
}

func (w *Writer) raw(s string) { _, _ = w.out.WriteString(s) } // the error remains: Flush returns it

// escape returns a text that is no markup, neither between elements nor in quotes.
func escape(s string) string {
	if !strings.ContainsAny(s, "&<>\"'") {
		return s
	}
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;").Replace(s)
}

// Number writes a coordinate with at most one decimal: 12.5, 12, -3.
func Number(x float64) string {
	text := strings.TrimSuffix(strconv.FormatFloat(x, 'f', 1, 64), ".0")
	if text == "-0" {
		return "0"
	}
	return text
}

// maxMarks is how many combining marks a letter of any language has: more would draw over the lines around.
const maxMarks = 4

// Visible returns a text in which a reader sees what a browser would obey or hide. Control characters except for line
// breaks and tabs, marks of direction, characters without width and those that no font shows become their number:
// ‹U+001B›, ‹U+202E›. Bytes that are no UTF-8 become the replacement character.
func Visible(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	marks := 0
	for i, r := range s {
		if unicode.Is(unicode.M, r) {
			marks++
		} else {
			marks = 0
		}
		switch {
		case r == '\n', r == '\t', r == utf8.RuneError:
			b.WriteRune(r)
		case isHidden(r) || marks > maxMarks || marks > 0 && i == 0:
			fmt.Fprintf(&b, "‹U+%04X›", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isPlain reports whether every byte is printable ASCII, a line break or a tab: most text is.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < ' ' || c > '~') && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// isHidden reports whether a browser shows nothing for r, or changes the order of what is around it.
func isHidden(r rune) bool {
	switch {
	case r == '\ufe0e', r == '\ufe0f': // a sign as text or in colour
		return false
	case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r), unicode.Is(unicode.Variation_Selector, r):
		return true
	case unicode.Is(unicode.Zs, r), unicode.Is(unicode.Co, r):
		return false
	}
	return !unicode.IsPrint(r)
}
