// Package framesvg draws a frame of the screen as an SVG: what a person sees in the
// terminal, cell for cell, for a page or a message.
//
// Fonts differ in how wide they are and in which glyphs they have, so nothing is left to
// them that a picture stands on. Each run of plain text says how long it is; what may
// come from another font, and what is wide, is put in the middle of its own cells; and
// frames, bars and columns are drawn as paths, which meet without a gap.
package framesvg

import (
	"encoding/xml"
	"fmt"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// Colors is what the terminal itself gives, as #rrggbb: where a frame names no colour
// there is ink on paper.
type Colors struct{ Background, Foreground string }

// The measures of the picture, in pixels. The letters of most monospaced fonts are three
// fifths of their size wide.
const (
	cellW    = 10
	cellH    = 20
	fontSize = 16.6
	baseline = 15 // of a row, from its top
	margin   = 10
)

// fonts are those that have most of the glyphs, first the one that a system likes best.
const fonts = `ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace`

// SVG draws a frame: lines of text whose styles are escape sequences, as a view returns
// them. Other sequences draw nothing. The title is read to those who do not see the
// picture. The picture needs no other file, and has a line for each row of the frame.
func SVG(frame, title string, g Colors) string {
	rows := grid(frame)
	w := 0
	if len(rows) > 0 {
		w = len(rows[0])
	}
	s := sheet{ground: g}
	var body strings.Builder
	for y, row := range rows {
		fmt.Fprintf(&body, `<g transform="translate(%d %d)">%s</g>`+"\n", margin, margin+y*cellH+baseline, s.row(row))
	}
	width, height := w*cellW+2*margin, len(rows)*cellH+2*margin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" xml:space="preserve">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, "<title>%s</title>\n<style>text{font:%gpx %s;fill:%s;direction:ltr;unicode-bidi:bidi-override}.m{text-anchor:middle}%s</style>\n",
		escape(title), fontSize, fonts, g.Foreground, s.css())
	fmt.Fprintf(&b, `<rect width="%d" height="%d" rx="8" fill="%s"/>`+"\n%s</svg>\n", width, height, g.Background, body.String())
	return b.String()
}

// grid is the frame as cells: each row as wide as the widest.
func grid(frame string) []uv.Line {
	styled := uv.NewStyledString(frame)
	area := styled.Bounds()
	screen := uv.NewScreenBuffer(area.Dx(), area.Dy())
	screen.Method = ansi.GraphemeWidth
	styled.Draw(screen, area)
	return screen.Lines
}

// escape makes a text one that XML can hold.
func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a builder takes everything
	return b.String()
}
