package framesvg

import "fmt"

// stroke is a glyph that is drawn, over some cells side by side.
type stroke struct {
	glyph    rune
	from, to int
}

// path is the stroke as a path has it.
func (s stroke) path() string {
	if top, h, ok := band(s.glyph); ok {
		return fmt.Sprintf("M%d %gH%dv%gH%dz", s.from*cellW, top-baseline, s.to*cellW, h, s.from*cellW)
	}
	if dots, ok := braille(s.glyph); ok {
		return dotted(s.from*cellW, dots)
	}
	return fmt.Sprintf("M%d %d", s.from*cellW, -baseline) + outline(s.glyph)
}

// shaped reports whether a glyph is drawn, not left to a font.
func shaped(r rune) bool {
	_, _, flat := band(r)
	_, dots := braille(r)
	return flat || dots || outline(r) != ""
}

// braille is which of its eight dots a character has: a bit each, as Unicode counts them.
func braille(r rune) (dots int, ok bool) {
	return int(r) & 0xff, r >= 0x2800 && r <= 0x28ff
}

// dotted is a path of dots, two beside each other in four rows: the upper six are counted
// down the columns, and the last row was added to them later.
func dotted(x, dots int) string {
	path := ""
	for i, dot := range []struct{ column, row int }{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}, {0, 3}, {1, 3}} {
		if dots>>i&1 == 1 {
			path += fmt.Sprintf("M%d %dh2v2h-2z", x+2+5*dot.column, 2+5*dot.row-baseline)
		}
	}
	return path
}

// band is the place of a glyph that reaches from side to side: lines, and columns of so
// many eighths.
func band(r rune) (top, h float64, ok bool) {
	switch {
	case r == '─':
		return 9.5, 1, true
	case r == '━':
		return 9, 2, true
	case r == '▀':
		return 0, cellH / 2, true
	case r == '▔':
		return 0, cellH / 8.0, true
	case r >= '▁' && r <= '█':
		h = float64(r-'▁'+1) * cellH / 8
		return cellH - h, h, true
	}
	return 0, 0, false
}

// outline is the path of any other glyph from the top left of its cell, "" if a font
// draws it. The lines of frames are a pixel wide and meet in the middle of their cells.
func outline(r rune) string {
	switch r {
	case '│':
		return "m4.5 0h1v20h-1z"
	case '┼':
		return "m0 9.5h4.5v-9.5h1v9.5h4.5v1h-4.5v9.5h-1v-9.5h-4.5z"
	case '╭':
		return "m4.5 20v-5q0-5.5 5.5-5.5v1q-4.5 0-4.5 4.5v5z"
	case '╮':
		return "m0 9.5q5.5 0 5.5 5.5v5h-1v-5q0-4.5-4.5-4.5z"
	case '╰':
		return "m4.5 0h1v5q0 4.5 4.5 4.5v1q-5.5 0-5.5-5.5z"
	case '╯':
		return "m4.5 0h1v5q0 5.5-5.5 5.5v-1q4.5 0 4.5-4.5z"
	case '●':
		return "m1 10a4 4 0 0 1 8 0a4 4 0 0 1-8 0z"
	case '○':
		return "m1 10a4 4 0 0 1 8 0a4 4 0 0 1-8 0h1a3 3 0 0 0 6 0a3 3 0 0 0-6 0z"
	case '◐':
		return "m1 10a4 4 0 0 1 8 0a4 4 0 0 1-8 0m4 3a3 3 0 0 0 0-6z"
	case '▏':
		return "m0 0h1.25v20h-1.25z"
	}
	return ""
}
