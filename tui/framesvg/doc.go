// Package framesvg draws a frame of the terminal as an SVG. In comes the frame, lines of text
// with escape sequences, and the terminal's default colours; out comes an SVG that needs no
// other file and has a line for each row of the frame. Saving a picture of the screen and
// the tests that draw the pictures of the documentation call it.
//
// Fonts differ in their widths and glyphs, so the drawing does not depend on them: plain
// text states its length, glyphs that may come from another font are centred in their cells,
// and lines, bars and dots are paths, which meet without gaps.
package framesvg
