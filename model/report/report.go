// Package report writes what the screen shows without a screen: a page of text,
// JSON, or one line per sample. It writes to the io.Writer that it is given and
// nowhere else.
package report
