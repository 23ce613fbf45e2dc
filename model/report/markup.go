package report

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// markup is HTML or SVG into which no text can put more of it: only this file makes some of a string. Names of elements
// and attributes are constants of the source, style and script its files. Everything else is a text or the value of an
// attribute: it is escaped, with [visible] for what a reader would not see. What is written is well-formed XML too.
type markup string

// constant is a string of the source: the compiler makes one of a constant, and refuses a variable.
type constant string

// lineBreak begins a new line of the source, which a reader does not see.
const lineBreak markup = "\n"

// tag returns an element: its attributes, and what it holds. A part is an [attribute], markup, several of either, a string,
// which is escaped, or a number.
func tag(name constant, parts ...any) markup {
	attributes, content := splitParts(parts)
	return "<" + markup(name) + attributes + ">" + content + closeTag(name)
}

func emptyTag(name constant, attributes ...any) markup {
	all, _ := splitParts(attributes)
	return "<" + markup(name) + all + "/>"
}

// openTag and closeTag are an element that is written while what it holds is computed.
func openTag(name constant, attributes ...any) markup {
	all, _ := splitParts(attributes)
	return "<" + markup(name) + all + ">"
}

func closeTag(name constant) markup { return "</" + markup(name) + ">" }

// inner returns what an element holds, without the element.
func inner(parts ...any) markup {
	_, content := splitParts(parts)
	return content
}

func splitParts(parts []any) (attributes, content markup) {
	var head, body strings.Builder
	for _, part := range parts {
		switch part := part.(type) {
		case attribute:
			part.writeTo(&head)
		case []attribute:
			for _, a := range part {
				a.writeTo(&head)
			}
		case markup:
			body.WriteString(string(part))
		case []markup:
			for _, m := range part {
				body.WriteString(string(m))
			}
		default:
			body.WriteString(escape(visible(fmt.Sprint(part))))
		}
	}
	return markup(head.String()), markup(body.String())
}

// attribute is an attribute of an element. A value that is a float64 is a coordinate.
type attribute struct {
	name  constant
	value any
}

func (a attribute) writeTo(b *strings.Builder) {
	value := a.value
	if x, ok := value.(float64); ok {
		value = coordinate(x)
	}
	b.WriteString(" " + string(a.name) + `="` + escape(visible(fmt.Sprint(value))) + `"`)
}

func attr(name constant, value any) attribute { return attribute{name, value} }

func class(names constant) attribute { return attribute{"class", names} }

// linkTo is a link to the element with that id: a page links to nothing else.
func linkTo(id string) attribute { return attribute{"href", "#" + id} }

// outline returns the course of a drawn line, by a format whose arguments are coordinates.
func outline(format string, coordinates ...any) attribute {
	for i, x := range coordinates {
		if x, ok := x.(float64); ok {
			coordinates[i] = coordinate(x)
		}
	}
	return attribute{"d", fmt.Sprintf(format, coordinates...)}
}

// coordinate writes a number with at most one decimal: 12.5, 12, -3.
func coordinate(x float64) string {
	text := strings.TrimSuffix(strconv.FormatFloat(x, 'f', 1, 64), ".0")
	if text == "-0" {
		return "0"
	}
	return text
}

// embedded returns an element with a style or a script, which is not escaped. It is a file of the source: nothing else can be
// embedded into the program.
func embedded(name constant, files embed.FS, file constant) markup {
	return "<" + markup(name) + ">" + markup(asset(files, file)) + "</" + markup(name) + ">\n"
}

// assetHash returns what a Content-Security-Policy allows a style or a script by: 'sha256-…'.
func assetHash(files embed.FS, file constant) string {
	sum := sha256.Sum256([]byte(asset(files, file)))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func asset(files embed.FS, file constant) string {
	text, err := files.ReadFile(string(file))
	if err != nil {
		panic(err) // the name is that of another file than the compiler embedded
	}
	return "\n" + string(text)
}

// escape returns a text that is no markup, neither between elements nor in quotes.
func escape(s string) string {
	if !strings.ContainsAny(s, "&<>\"'") {
		return s
	}
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;").Replace(s)
}

// maxMarks is how many combining marks a letter of any language has: more would draw over the lines around.
const maxMarks = 4

// visible returns a text in which a reader sees what a browser would obey or hide. Control characters except for line
// breaks and tabs, marks of direction, characters without width and those that no font shows become their number:
// ‹U+001B›, ‹U+202E›. Bytes that are no UTF-8 become the replacement character.
func visible(s string) string {
	isPlain := func(r rune) bool { return r >= ' ' && r <= '~' || r == '\n' || r == '\t' }
	if !strings.ContainsFunc(s, func(r rune) bool { return !isPlain(r) }) { // most text is
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
