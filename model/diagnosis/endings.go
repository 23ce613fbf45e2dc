package diagnosis

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// lastWords are the last words of an answer in lower case, each as far as it begins with letters: "boxed" of "\\boxed{12}$.".
func lastWords(words []string) []string {
	var all []string
	for _, w := range words[max(0, len(words)-tailWords):] {
		w = strings.TrimLeftFunc(w[:min(len(w), 32)], func(r rune) bool { return !unicode.IsLetter(r) })
		if end := strings.IndexFunc(w, func(r rune) bool { return !unicode.IsLetter(r) }); end >= 0 {
			w = w[:end]
		}
		if w != "" {
			all = append(all, strings.ToLower(w))
		}
	}
	return all
}

// endingOf is the shape of the last word: its digits are one 0, and its letters one a, but for those of a tag or a command, such as
// </answer> and \boxed{12}, which mean something.
func endingOf(words []string) string {
	if len(words) == 0 {
		return ""
	}
	w := words[len(words)-1]
	if tag := strings.LastIndexByte(w, '<'); tag >= 0 && strings.HasSuffix(w, ">") {
		return strings.Clone(w[max(tag, len(w)-32):]) // whatever stands before it
	}
	w = w[max(0, len(w)-32):]
	isTag := strings.ContainsAny(w, "<\\")
	shape := make([]rune, 0, len(w))
	for _, r := range w {
		switch {
		case unicode.IsDigit(r):
			r = '0'
		case unicode.IsLetter(r) && !isTag:
			r = 'a'
		}
		isRun := (r == '0' || r == 'a' && !isTag) && len(shape) > 0 && shape[len(shape)-1] == r
		if !isRun {
			shape = append(shape, r)
		}
	}
	return string(shape)
}

// unfinished reports whether a text ends in the middle: on a letter, a digit or a comma. Whether that means anything is seen from
// the answers that win.
func unfinished(text string) bool {
	text = strings.TrimRightFunc(text, unicode.IsSpace)
	r, _ := utf8.DecodeLastRuneInString(text)
	return text != "" && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(",;:-–—(+=*/<&\\", r))
}
