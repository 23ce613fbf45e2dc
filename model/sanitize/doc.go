// Package sanitize makes text of a log safe to write to a terminal. Everything that shows
// such text calls [Line].
//
// A model can write escape sequences that move the cursor, change the title or write to the
// clipboard, marks that change the direction of a line, and characters without width or
// wider than they seem. None of them reaches the terminal.
package sanitize
