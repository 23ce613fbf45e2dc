package tui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"vantage/model/analysis"
	"vantage/model/sanitize"
	"vantage/tui/cells"
)

// minSharedPrompt is how many bytes prompts share at least where the table leaves them out: the first
// word of a question says something, and costs little.
const minSharedPrompt = 12

// shortPrompt is how many columns the longest of the prompts takes at most where they are left whole.
const shortPrompt = 16

// sharedPrompt returns how many bytes at the beginning of the prompts of all groups are the same, up to
// the end of a word: 0 if they are few, if all prompts are short, or if there are no two different ones. Groups without a
// prompt do not count.
func sharedPrompt(groups []analysis.Group) int {
	return sharedBeginning(len(groups), func(i int) string { return groups[i].Preview })
}

// sharedBeginning is sharedPrompt for n prompts.
func sharedBeginning(n int, prompt func(i int) string) int {
	first, same, several, longest := "", 0, false, 0
	for i := range n {
		text := prompt(i)
		if longest <= shortPrompt {
			longest = max(longest, cells.Width(sanitize.Line(text)))
		}
		switch {
		case text == "" || text == first:
		case first == "":
			first, same = text, len(text)-1
		default:
			several = true
			same = min(commonBytes(first[:same], text), len(text)-1) // something is left of each
		}
	}
	if !several || longest <= shortPrompt || wordStart(first, same) < minSharedPrompt {
		return 0
	}
	return wordStart(first, same)
}

// withoutShared returns a prompt as it is shown beside others that share its first n bytes.
func withoutShared(prompt string, n int) string {
	if n > 0 && n < len(prompt) {
		return "…" + sanitize.Line(prompt[n:])
	}
	return sanitize.Line(prompt)
}

// commonBytes returns how many bytes at the beginning of two texts are the same.
func commonBytes(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// wordStart returns the last place of a text, at most at, that follows a space, or a character of a
// script without spaces.
func wordStart(text string, at int) int {
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	for at > 0 {
		before, size := utf8.DecodeLastRuneInString(text[:at])
		if unicode.IsSpace(before) || unicode.In(before, unicode.Han, unicode.Hiragana, unicode.Katakana) || isWidePunctuation(before) {
			return at
		}
		at -= size
	}
	return 0
}

// isWidePunctuation reports whether r is a punctuation mark of a script without spaces.
func isWidePunctuation(r rune) bool {
	return strings.ContainsRune("，。、；：？！（）「」", r)
}
