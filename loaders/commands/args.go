package commands

import (
	"strings"

	"vantage/model/trainer"
)

// parseArguments takes options out of a launch script or argument file: --key value,
// --key=value, and Hydra's key=value. Of the shell's syntax it knows quotes, comments and a
// backslash at the end of a line.
func parseArguments(text []byte) []trainer.Option {
	var all []trainer.Option
	words := shellWords(string(text))
	for i := 0; i < len(words); i++ {
		flag := strings.HasPrefix(words[i], "--")
		key, value, hasValue := strings.Cut(strings.TrimLeft(words[i], "-+"), "=")
		if !isOptionName(key) || !flag && (!hasValue || strings.HasPrefix(words[i], "-")) {
			continue
		}
		if !hasValue && i+1 < len(words) && !strings.HasPrefix(words[i+1], "--") {
			i++
			value, hasValue = words[i], true
		}
		if !hasValue {
			value = "true"
		}
		if len(all) < maxConfigKeys {
			all = append(all, trainer.Option{Key: key, Value: value})
		}
	}
	return all
}

// isOptionName reports whether a word can be an option's name.
func isOptionName(word string) bool {
	return word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") == ""
}

// shellWords splits text at unquoted blanks and semicolons.
func shellWords(text string) []string {
	var words []string
	var word strings.Builder
	var quote rune
	inWord := false
	endWord := func() {
		if inWord {
			words = append(words, word.String())
		}
		word.Reset()
		inWord = false
	}
	inComment := false
	for _, r := range strings.ReplaceAll(text, "\\\n", " ") {
		switch {
		case inComment:
			inComment = r != '\n'
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case strings.ContainsRune(" \t\r\n;", r):
			endWord()
		case r == '#' && !inWord:
			inComment = true
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	endWord()
	return words
}
