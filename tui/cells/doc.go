// Package cells measures, truncates, pads and wraps text by terminal columns. In come
// strings, styled or not, and a width; out come strings of that width. An escape sequence
// takes no column and a wide character takes two. Everything in tui that is laid out in
// columns calls it.
package cells
