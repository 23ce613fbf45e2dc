package tui

import "unicode/utf8"

// appendTyped returns text with what was typed, unless that makes it longer than max bytes.
func appendTyped(text, typed string, max int) string {
	if len(text)+len(typed) > max {
		return text
	}
	return text + typed
}

// backspace returns text without its last character.
func backspace(text string) string {
	_, n := utf8.DecodeLastRuneInString(text)
	return text[:len(text)-n]
}
