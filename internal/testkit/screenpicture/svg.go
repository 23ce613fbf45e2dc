// Package screenpicture draws frames of the terminal as the pictures of the documentation.
package screenpicture

import (
	"encoding/xml"
	"fmt"
	"image/color"
	"slices"
	"strings"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// Colors are the terminal's default colours as #rrggbb, for cells without colours of their
// own.
type Colors struct{ Background, Foreground string }

// Sizes are in pixels. Glyphs of most monospaced fonts are three fifths of the font size wide.
const (
	cellWidth  = 10
	cellHeight = 20
	fontSize   = 16.6
	baseline   = 15 // below the top of the row
	margin     = 10
)

// fonts have most of the glyphs.
const fonts = `ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace`

// SVG draws a frame of the terminal as a picture that needs no other file and has a line for each row of the frame. Escape
// sequences other than styles draw nothing. Screen readers read the title.
//
// Fonts differ in their widths and glyphs, so the drawing does not depend on them: plain text states its length, glyphs that
// may come from another font are centred in their cells, and lines, bars and dots are paths, which meet without gaps.
func SVG(frame, title string, c Colors) string {
	styled := uv.NewStyledString(frame)
	screen := uv.NewScreenBuffer(styled.Bounds().Dx(), styled.Bounds().Dy())
	screen.Method = ansi.GraphemeWidth
	styled.Draw(screen, styled.Bounds())
	s := stylesheet{colors: c}
	var body strings.Builder
	for y, row := range screen.Lines {
		fmt.Fprintf(&body, `<g transform="translate(%d %d)">%s</g>`+"\n", margin, margin+y*cellHeight+baseline, s.row(row))
	}
	var css strings.Builder
	for i, style := range s.styles {
		fmt.Fprintf(&css, ".c%d{%s}", i, style)
	}
	w, h := screen.Width()*cellWidth+2*margin, screen.Height()*cellHeight+2*margin
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" xml:space="preserve">
<title>%s</title>
<style>text{font:%gpx %s;fill:%s;direction:ltr;unicode-bidi:bidi-override;white-space:pre}.m{text-anchor:middle}%s</style>
<rect width="%d" height="%d" rx="8" fill="%s"/>
%s</svg>
`, w, h, w, h, escape(title), fontSize, fonts, c.Foreground, css.String(), w, h, c.Background, body.String())
}

func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder returns no errors
	return b.String()
}

// run is a range of cells in one row that is drawn as one element.
type run struct {
	format   string // of the element: its class and body, text also its place
	class    string
	from, to int    // columns
	body     string // of text not yet escaped
}

// The formats of a run.
const (
	text     = `<text class="%s" x="%d" textLength="%d">%s</text>`
	centered = `<text class="m %s">%s</text>` // glyphs, each centred in its cells
	path     = `<path class="%s" d="%s"/>`
)

// row returns the elements of a row: its backgrounds and then its text.
func (s *stylesheet) row(cells uv.Line) string {
	var b strings.Builder
	for x := 0; x < len(cells); {
		from, fill := x, s.background(cells[x].Style)
		for x < len(cells) && s.background(cells[x].Style) == fill {
			x += max(1, cells[x].Width)
		}
		if fill != "" {
			fmt.Fprintf(&b, `<rect class="%s" x="%d" y="%d" width="%d" height="%d"/>`, s.class("fill:"+fill), from*cellWidth, -baseline,
				(x-from)*cellWidth, cellHeight)
		}
	}
	for _, r := range s.runs(cells) {
		if r.format == text {
			fmt.Fprintf(&b, r.format, r.class, r.from*cellWidth, (r.to-r.from)*cellWidth, escape(r.body))
		} else {
			fmt.Fprintf(&b, r.format, r.class, r.body)
		}
	}
	return b.String()
}

// runs joins neighbouring cells that are drawn alike, and the blanks between them.
func (s *stylesheet) runs(cells uv.Line) []run {
	var all []run
	for x := 0; x < len(cells); {
		if isBlank(cells[x]) {
			x += max(1, cells[x].Width)
			continue
		}
		next := s.runAt(x, cells)
		x = next.to
		if n := len(all); n > 0 && all[n-1].format == next.format && all[n-1].class == next.class {
			last := &all[n-1]
			if last.format == text {
				last.body += strings.Repeat(" ", next.from-last.to)
			}
			last.body, last.to = last.body+next.body, next.to
			continue
		}
		all = append(all, next)
	}
	return all
}

func isBlank(c uv.Cell) bool {
	lined := c.Style.Underline != uv.UnderlineNone || c.Style.Attrs&uv.AttrStrikethrough != 0
	return c.Width < 1 || strings.Trim(c.Content, " \u2800") == "" && !lined
}

// runAt returns the run of the cell at x. A bar includes the same bar in the next cells.
func (s *stylesheet) runAt(x int, cells uv.Line) run {
	c, css := cells[x], s.foreground(cells[x].Style)
	r := run{class: s.class(css), from: x, to: x + c.Width}
	char, size := utf8.DecodeRuneInString(c.Content)
	shaped := false
	if c.Width == 1 && size == len(c.Content) {
		_, barHeight := bar(char)
		for barHeight > 0 && r.to < len(cells) && cells[r.to].Content == c.Content && s.foreground(cells[r.to].Style) == css {
			r.to++
		}
		r.body, shaped = shape(char, r.from, r.to)
	}
	switch {
	case shaped:
		r.format = path
	case c.Width == 1 && size == len(c.Content) && inEveryFont(char):
		r.format, r.body = text, c.Content
	default: // an element each, since not all programs read a list of places in one
		r.format, r.body = centered, fmt.Sprintf(`<tspan x="%d">%s</tspan>`, (2*x+c.Width)*cellWidth/2, escape(c.Content))
	}
	return r
}

// inEveryFont reports whether every monospaced font has a character, so that no font of
// another width replaces it.
func inEveryFont(r rune) bool {
	return r >= ' ' && r < 0x7f || r >= 0xa1 && r <= 0xff && r != 0xad || strings.ContainsRune("−–—…", r)
}

// shape returns the path of a glyph that covers the columns [from, to), false for a glyph
// that a font draws.
func shape(r rune, from, to int) (path string, ok bool) {
	left, right := from*cellWidth, to*cellWidth
	if top, h := bar(r); h > 0 {
		return fmt.Sprintf("M%d %gH%dv%gH%dz", left, top-baseline, right, h, left), true
	}
	if r >= 0x2800 && r <= 0x28ff {
		return braille(int(r-0x2800), left), true
	}
	outline, ok := outlines[r]
	return fmt.Sprintf("M%d %d%s", left, -baseline, outline), ok
}

// seam is by how much a full block reaches into the row above: else a line between two shows where a
// picture is drawn smaller.
const seam = 0.5

// bar returns the top and height of a glyph that fills its cell from left to right, height 0
// for other glyphs.
func bar(r rune) (top, h float64) {
	switch {
	case r == '─':
		return 9.5, 1
	case r == '━':
		return 9, 2
	case r == '▀':
		return 0, cellHeight / 2
	case r == '▔':
		return 0, cellHeight / 8.0
	case r >= '▁' && r <= '█':
		h = float64(r-'▁'+1) * cellHeight / 8
		if r == '█' {
			return -seam, h + seam
		}
		return cellHeight - h, h
	}
	return 0, 0
}

// braille returns the path of a braille pattern, whose bit i is dot i+1 of Unicode: the upper
// six dots go down the two columns, the lowest row comes last.
func braille(dots, left int) string {
	path := ""
	for i, dot := range [8]struct{ column, row int }{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}, {0, 3}, {1, 3}} {
		if dots>>i&1 == 1 {
			path += fmt.Sprintf("M%d %dh2v2h-2z", left+2+5*dot.column, 2+5*dot.row-baseline)
		}
	}
	return path
}

// outlines are paths of glyphs from the top left of their cell. Lines are a pixel wide and
// meet in the middle of the cell.
var outlines = map[rune]string{
	'│': "m4.5 0h1v20h-1z",
	'┼': "m0 9.5h4.5v-9.5h1v9.5h4.5v1h-4.5v9.5h-1v-9.5h-4.5z",
	'╭': "m4.5 20v-5q0-5.5 5.5-5.5v1q-4.5 0-4.5 4.5v5z",
	'╮': "m0 9.5q5.5 0 5.5 5.5v5h-1v-5q0-4.5-4.5-4.5z",
	'╰': "m4.5 0h1v5q0 4.5 4.5 4.5v1q-5.5 0-5.5-5.5z",
	'╯': "m4.5 0h1v5q0 5.5-5.5 5.5v-1q4.5 0 4.5-4.5z",
	'●': "m1 10a4 4 0 0 1 8 0a4 4 0 0 1-8 0z",
	'○': "m1 10a4 4 0 0 1 8 0a4 4 0 0 1-8 0h1a3 3 0 0 0 6 0a3 3 0 0 0-6 0z",
	'◐': "m1 10a4 4 0 0 1 8 0a4 4 0 0 1-8 0m4 3a3 3 0 0 0 0-6z",
	'▏': "m0 0h1.25v20h-1.25z",
}

// stylesheet collects the styles of a picture as classes.
type stylesheet struct {
	colors Colors
	styles []string // CSS declarations; style i has class ci
}

func (s *stylesheet) class(style string) string {
	i := slices.Index(s.styles, style)
	if i < 0 {
		i = len(s.styles)
		s.styles = append(s.styles, style)
	}
	return fmt.Sprintf("c%d", i)
}

func (s *stylesheet) background(style uv.Style) string {
	if style.Attrs&uv.AttrReverse != 0 {
		return hex(style.Fg, s.colors.Foreground)
	}
	return hex(style.Bg, "")
}

func (s *stylesheet) foreground(style uv.Style) string {
	css := "fill:" + hex(style.Fg, s.colors.Foreground)
	if style.Attrs&uv.AttrReverse != 0 {
		css = "fill:" + hex(style.Bg, s.colors.Background)
	}
	for _, attribute := range []struct {
		on  bool
		css string
	}{
		{style.Attrs&uv.AttrBold != 0, ";font-weight:bold"},
		{style.Attrs&uv.AttrFaint != 0, ";fill-opacity:.6"},
		{style.Attrs&uv.AttrItalic != 0, ";font-style:italic"},
		{style.Underline != uv.UnderlineNone, ";text-decoration:underline"},
		{style.Attrs&uv.AttrStrikethrough != 0, ";text-decoration:line-through"},
	} {
		if attribute.on {
			css += attribute.css
		}
	}
	return css
}

// hex returns a colour as #rrggbb, or the default if there is none.
func hex(c color.Color, def string) string {
	if c == nil {
		return def
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
