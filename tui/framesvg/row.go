package framesvg

import (
	"fmt"
	"strings"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
)

// kind is how a run is drawn.
type kind int

const (
	plain  kind = iota // text that every monospaced font has
	placed             // glyphs each in the middle of its cells
	drawn              // a path
)

// run is what is drawn as one element: cells of one look, from one column on.
type run struct {
	kind    kind
	class   string
	from    int
	to      int      // the column after
	text    string   // plain
	glyphs  []glyph  // placed
	strokes []stroke // drawn
}

// glyph is a character, or a cluster of them, and the middle of its cells in pixels.
type glyph struct {
	text   string
	middle int
}

// row draws a row: what lies under the text, and then the text.
func (s *sheet) row(cells uv.Line) string {
	var b strings.Builder
	for x := 0; x < len(cells); {
		from, fill := x, s.under(cells[x].Style)
		for x < len(cells) && s.under(cells[x].Style) == fill {
			x += max(1, cells[x].Width)
		}
		if fill != "" {
			fmt.Fprintf(&b, `<rect class="%s" x="%d" y="%d" width="%d" height="%d"/>`, s.class("fill:"+fill), from*cellW, -baseline, (x-from)*cellW, cellH)
		}
	}
	for _, r := range s.runs(cells) {
		b.WriteString(r.element())
	}
	return b.String()
}

// runs are the runs of a row. Blanks within one belong to it; others are not drawn.
func (s *sheet) runs(cells uv.Line) []run {
	var all []run
	for x := 0; x < len(cells); x += max(1, cells[x].Width) {
		c := cells[x]
		next := s.begin(x, c)
		if next == nil {
			continue
		}
		if n := len(all); n > 0 && all[n-1].takes(*next) {
			all[n-1].add(*next)
			continue
		}
		all = append(all, *next)
	}
	return all
}

// begin is a run of one cell; nil if there is nothing to draw in it.
func (s *sheet) begin(x int, c uv.Cell) *run {
	bare := c.Style.Underline == uv.UnderlineNone && c.Style.Attrs&uv.AttrStrikethrough == 0
	if c.Width < 1 || strings.Trim(c.Content, " \u2800") == "" && bare {
		return nil
	}
	r := &run{class: s.class(s.ink(c.Style)), from: x, to: x + c.Width, text: c.Content}
	char, size := utf8.DecodeRuneInString(c.Content)
	switch {
	case c.Width == 1 && size == len(c.Content) && shaped(char):
		r.kind, r.strokes = drawn, []stroke{{char, x, x + 1}}
	case c.Width == 1 && size == len(c.Content) && everywhere(char):
	default:
		r.kind, r.glyphs = placed, []glyph{{c.Content, (2*x + c.Width) * cellW / 2}}
	}
	return r
}

// everywhere reports whether every monospaced font has a character: no other font comes
// in with another width.
func everywhere(r rune) bool {
	return r >= ' ' && r < 0x7f || r >= 0xa1 && r <= 0xff && r != 0xad || strings.ContainsRune("−–—…", r)
}

// takes reports whether a run can go on with the next one: nothing but blanks is between
// them.
func (r run) takes(next run) bool { return r.kind == next.kind && r.class == next.class }

func (r *run) add(next run) {
	switch r.kind {
	case plain:
		r.text += strings.Repeat(" ", next.from-r.to) + next.text
	case placed:
		r.glyphs = append(r.glyphs, next.glyphs...)
	case drawn:
		last, begun := &r.strokes[len(r.strokes)-1], next.strokes[0]
		if _, _, flat := band(begun.glyph); flat && begun.glyph == last.glyph && begun.from == last.to {
			last.to = begun.to
		} else {
			r.strokes = append(r.strokes, begun)
		}
	}
	r.to = next.to
}

// element is the run as XML.
func (r run) element() string {
	switch r.kind {
	case drawn:
		path := ""
		for _, s := range r.strokes {
			path += s.path()
		}
		return fmt.Sprintf(`<path class="%s" d="%s"/>`, r.class, path)
	case placed:
		spans := ""
		for _, g := range r.glyphs { // a list of places in one element is not read by all that draw
			spans += fmt.Sprintf(`<tspan x="%d">%s</tspan>`, g.middle, escape(g.text))
		}
		return fmt.Sprintf(`<text class="m %s">%s</text>`, r.class, spans)
	case plain:
	}
	return fmt.Sprintf(`<text class="%s" x="%d" textLength="%d">%s</text>`, r.class, r.from*cellW, (r.to-r.from)*cellW, escape(r.text))
}
