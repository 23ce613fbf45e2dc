package commands

import (
	"strings"

	"vantage/model/trainer"
)

// arguments takes options out of a command line as launch scripts and argument files
// have it: --key value, --key=value, and key=value as Hydra takes them. A backslash at the end of a
// line, comments and quotes are those of a shell; what else a shell would do is not done.
func arguments(text []byte) []trainer.Option {
	var all []trainer.Option
	words := shellWords(string(text))
	for i := 0; i < len(words); i++ {
		flag := strings.HasPrefix(words[i], "--")
		key, value, given := strings.Cut(strings.TrimLeft(words[i], "-+"), "=")
		if !dotted(key) || !flag && (!given || strings.HasPrefix(words[i], "-")) {
			continue
		}
		if !given && i+1 < len(words) && !strings.HasPrefix(words[i+1], "--") {
			i++
			value, given = words[i], true
		}
		if !given {
			value = "true"
		}
		if len(all) < maxConfigKeys {
			all = append(all, trainer.Option{Key: key, Value: value})
		}
	}
	return all
}

// dotted reports whether a word can be the name of an option.
func dotted(word string) bool {
	return word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") == ""
}

// shellWords splits text at blanks that are not quoted.
func shellWords(text string) []string {
	var words []string
	var word strings.Builder
	var quote rune
	open := false
	end := func() {
		if open {
			words = append(words, word.String())
		}
		word.Reset()
		open = false
	}
	comment := false
	for _, r := range strings.ReplaceAll(text, "\\\n", " ") {
		switch {
		case comment:
			comment = r != '\n'
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, open = r, true
		case strings.ContainsRune(" \t\r\n;", r):
			end()
		case r == '#' && !open:
			comment = true
		default:
			word.WriteRune(r)
			open = true
		}
	}
	end()
	return words
}
