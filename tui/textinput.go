package tui

import "unicode/utf8"

// appendTyped returns text with what was typed, unless that makes it longer than limit bytes.
func appendTyped(text, typed string, limit int) string {
	if len(text)+len(typed) > limit {
		return text
	}
	return text + typed
}

// backspace returns text without its last character.
func backspace(text string) string {
	_, n := utf8.DecodeLastRuneInString(text)
	return text[:len(text)-n]
}
