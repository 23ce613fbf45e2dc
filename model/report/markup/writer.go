package markup

import (
	"bufio"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
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

// Embedded writes an element with style or script, which is not escaped.
func (w *Writer) Embedded(name, content constant) {
	w.raw("<" + string(name) + ">" + string(content) + "</" + string(name) + ">\n")
}

// Hash returns what a Content-Security-Policy allows a style or a script by: 'sha256-…'.
func Hash(content constant) string {
	sum := sha256.Sum256([]byte(content))
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
