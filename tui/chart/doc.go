// Package chart draws histograms, sparklines, trends, dot plots and meters as lines of
// text. In come values, a size in cells, a theme and a set of glyphs; out come styled
// lines of exactly that size. The panes and views of tui call it.
package chart
