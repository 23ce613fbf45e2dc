// Package richtext prepares the text of a sample for the screen. In comes what a model wrote;
// out comes a [Document] without control characters, with Markdown and LaTeX rendered lightly
// and thoughts folded, or the word diff of two answers. A Document and a width make a [Page]
// of lines, which can be searched. The view of a group calls it.
//
// All functions are pure. Documents and pages do not change after they are built, so they are
// built in the background: a text may have a megabyte.
//
// A Document is one string. Styles, paragraphs, lines, matches and anchors are byte offsets
// into it, so that a match is found wherever lines break.
package richtext
