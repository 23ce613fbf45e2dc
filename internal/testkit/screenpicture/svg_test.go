package screenpicture_test

import (
	"encoding/xml"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vantage/internal/testkit/screenpicture"
)

var colors = screenpicture.Colors{Background: "#1c1c1c", Foreground: "#d0d0d0"}

// The picture has the colours, bold text and backgrounds of the frame, and its text escaped
// for XML.
func TestSVG(t *testing.T) {
	got := screenpicture.SVG("\x1b[1;38;5;208m−0.5\x1b[m a<b\n\x1b[48;5;237m一 ∅\x1b[m─╮", "a & b", colors)
	for _, want := range []string{
		`<title>a &amp; b</title>`,
		`viewBox="0 0 100 60"`,
		`{fill:#ff8700;font-weight:bold}`,
		`x="0" textLength="40">−0.5</text>`,
		`x="50" textLength="30">a&lt;b</text>`,
		`{fill:#3a3a3a}`,
		`x="0" y="-15" width="40" height="20"/>`,
		`<tspan x="10">一</tspan><tspan x="35">∅</tspan>`, // centred in two cells and in one
		`d="M40 -5.5H50v1H40zM50 -15m0 9.5q5.5 0 5.5 5.5v5h-1v-5q0-4.5-4.5-4.5z"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in\n%s", want, got)
		}
	}
}

// element is an XML element of a picture.
type element struct {
	XMLName  xml.Name
	X        float64   `xml:"x,attr"`
	Length   int       `xml:"textLength,attr"`
	Text     string    `xml:",chardata"`
	Elements []element `xml:",any"`
}

// rowsOf parses a picture and returns its rows.
func rowsOf(t interface{ Fatalf(string, ...any) }, svg string) (rows []element) {
	var root element
	if err := xml.Unmarshal([]byte(svg), &root); err != nil {
		t.Fatalf("%v in %s", err, svg)
	}
	for _, e := range root.Elements {
		if e.XMLName.Local == "g" {
			rows = append(rows, e)
		}
	}
	return rows
}

// Any frame gives valid XML with a line for each row.
func TestPictureIsValidXML(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
			"\x1b[31m", "\x1b[7;4m", "\x1b[m", "\x1b]52;c;ZXZpbA==\a", "\x1b]8;;http://x\a", "<&>'\"]]>", "\x00", "\xff\xfe", "\u202e", "\u2800", "👩‍👩‍👧", "é̂̂",
		}))
		line := rapid.Map(rapid.SliceOfN(piece, 0, 6), func(all []string) string {
			return strings.NewReplacer("\n", "", "\r", "").Replace(strings.Join(all, ""))
		})
		frame := rapid.SliceOfN(line, 1, 6).Draw(t, "frame")
		svg := screenpicture.SVG(strings.Join(frame, "\n"), line.Draw(t, "title"), colors)
		if rows := rowsOf(t, svg); len(rows) != len(frame) {
			t.Fatalf("%d rows, want %d, in\n%s", len(rows), len(frame), svg)
		}
		if got := strings.Count(svg, "\n<g "); got != len(frame) {
			t.Fatalf("%d lines with a row, want %d", got, len(frame))
		}
	})
}

// glyphs are characters and their widths by Unicode.
var glyphs = []struct {
	text string
	w    int
}{{"a", 1}, {"<", 1}, {" ", 1}, {"−", 1}, {"ß", 1}, {"✓", 1}, {"∅", 1}, {"ש", 1}, {"é", 1}, {"一", 2}, {"，", 2}, {"🙂", 2}}

// Every character is centred in its own cells, whatever is next to it.
func TestCharactersAreInTheirCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		frame, want := "", map[string]string{}
		for row := range rapid.IntRange(1, 4).Draw(t, "rows") {
			if row > 0 {
				frame += "\n"
			}
			column := 0
			for range rapid.IntRange(0, 30).Draw(t, "cells") {
				g := rapid.SampledFrom(glyphs).Draw(t, "glyph")
				frame += rapid.SampledFrom([]string{"", "", "\x1b[31m", "\x1b[1m", "\x1b[m"}).Draw(t, "style") + g.text
				if g.text != " " {
					want[fmt.Sprintf("%d:%g", row, float64(column)+float64(g.w)/2)] = g.text
				}
				column += g.w
			}
		}
		svg := screenpicture.SVG(frame+"\x1b[m", "", colors)
		if diff := cmp.Diff(want, characters(t, rowsOf(t, svg))); diff != "" {
			t.Fatalf("%s\n%s", diff, svg)
		}
	})
}

// characters returns the characters of a picture by row and middle of their cells.
func characters(t *rapid.T, rows []element) map[string]string {
	all := map[string]string{}
	for y, row := range rows {
		for _, e := range row.Elements {
			if e.XMLName.Local != "text" {
				continue
			}
			for _, glyph := range e.Elements {
				all[fmt.Sprintf("%d:%g", y, glyph.X/10)] = glyph.Text
			}
			if n := utf8.RuneCountInString(e.Text); e.Length != 10*n {
				t.Fatalf("%q is %d pixels wide, want %d", e.Text, e.Length, 10*n)
			}
			for i, r := range []rune(e.Text) {
				if r != ' ' {
					all[fmt.Sprintf("%d:%g", y, e.X/10+float64(i)+0.5)] = string(r)
				}
			}
		}
	}
	return all
}

// Neighbouring cells of the same style are one element.
func TestCellsOfOneStyleAreOneElement(t *testing.T) {
	svg := screenpicture.SVG(strings.Repeat("word ", 20)+"\x1b[31m"+strings.Repeat("∅  ", 20)+"\x1b[m"+strings.Repeat("─", 40), "", colors)
	if n := len(rowsOf(t, svg)[0].Elements); n != 3 {
		t.Errorf("%d elements, want 3\n%s", n, svg)
	}
}
