package richtext

import (
	"strings"
	"unicode/utf8"
)

const (
	maxDepth     = 12  // of nested formulas; deeper ones are kept as they are
	maxLookahead = 600 // bytes, so that a text of unclosed braces takes no longer than others
)

// renderLaTeX replaces the LaTeX of a text by Unicode as one writes formulas by hand. The
// marks around formulas are removed; unknown commands and code in backquotes are kept.
func renderLaTeX(s string) string {
	if !strings.ContainsAny(s, `$\`) {
		return s
	}
	unclosed := map[string]bool{}
	var b strings.Builder
	for s != "" {
		formula, n := formulaAt(s, unclosed)
		out := strings.Trim(render(formula, 0), "\n ")
		switch {
		case n > 0:
		case s[0] == '\\':
			out, n = command(s, false, 0)
		case s[0] == '`':
			n = codeLength(s)
			out = s[:n]
		default:
			for n = 1; n < len(s) && strings.IndexByte("`\\$", s[n]) < 0; n++ {
			}
			out = s[:n]
		}
		b.WriteString(out)
		s = s[n:]
	}
	return b.String()
}

// codeLength returns the length of the code that begins with the backquote at the start of
// s, 1 if its line has no other backquote.
func codeLength(s string) int {
	if end := strings.IndexAny(s[1:], "`\n"); end >= 0 && s[1+end] == '`' {
		return end + 2
	}
	return 1
}

// formulaAt returns the formula at the start of s without its marks, and its length with
// them, 0 if there is none. It adds closing marks that s does not have to unclosed and does
// not search for them again.
func formulaAt(s string, unclosed map[string]bool) (formula string, n int) {
	if open, closing := blockMarks(s); open > 0 && !unclosed[closing] {
		if end := strings.Index(s[open:], closing); end >= 0 {
			return s[open : open+end], open + end + len(closing)
		}
		unclosed[closing] = true
	}
	if s[0] != '$' || len(s) < 3 || s[1] == ' ' || s[1] == '$' {
		return "", 0
	}
	line, _, _ := strings.Cut(s[1:], "\n")
	end := strings.IndexByte(line, '$')
	// in “$5 and $6” there is none: a formula ends neither after a space nor before a digit
	if end < 1 || line[end-1] == ' ' || line[end-1] == '\\' || end+1 < len(line) && line[end+1] >= '0' && line[end+1] <= '9' {
		return "", 0
	}
	return line[:end], end + 2
}

// blockMarks returns the length of the mark at the start of s that opens a formula of any
// number of lines, and the mark that closes it.
func blockMarks(s string) (open int, closing string) {
	const begin = `\begin`
	switch {
	case strings.HasPrefix(s, "$$"):
		return 2, "$$"
	case strings.HasPrefix(s, `\[`):
		return 2, `\]`
	case strings.HasPrefix(s, `\(`):
		return 2, `\)`
	case strings.HasPrefix(s, begin):
		if name, n := argument(s[len(begin):]); isEnvironment(name) {
			return len(begin) + n, `\end{` + name + "}"
		}
	}
	return 0, ""
}

// isEnvironment reports whether an environment of LaTeX holds formulas.
func isEnvironment(name string) bool {
	switch strings.TrimSuffix(name, "*") {
	case "align", "aligned", "equation", "gather", "gathered", "split", "cases", "matrix", "pmatrix", "bmatrix", "vmatrix":
		return true
	}
	return false
}

// render renders a formula.
func render(s string, depth int) string {
	if depth > maxDepth {
		return s
	}
	var b strings.Builder
	for s != "" {
		out, n := s[:1], 1
		switch s[0] {
		case '\\':
			out, n = command(s, true, depth)
		case '^', '_':
			out, n = script(s, depth)
		case '{', '}':
			out = ""
		case '&', '~':
			out = " "
		}
		b.WriteString(out)
		s = s[n:]
	}
	return b.String()
}

// script renders the superscript or subscript at the start of s, and returns its length.
func script(s string, depth int) (out string, n int) {
	arg, n := argument(s[1:])
	if n == 0 {
		return s[:1], 1
	}
	arg = render(arg, depth+1)
	alphabet := superscripts
	if s[0] == '_' {
		alphabet = subscripts
	}
	if out, ok := transliterate(arg, alphabet); ok {
		return out, n + 1
	}
	switch {
	case s[0] == '^' && arg == "∘":
		return "°", n + 1
	case utf8.RuneCountInString(arg) > 1:
		arg = "(" + arg + ")"
	}
	return s[:1] + arg, n + 1
}

// transliterate returns s in another alphabet, false if that lacks one of its characters.
func transliterate(s string, alphabet map[rune]rune) (string, bool) {
	const maxLength = 16
	if len(s) > maxLength {
		return "", false
	}
	out := []rune(s)
	for i, r := range out {
		if out[i] = alphabet[r]; out[i] == 0 {
			return "", false
		}
	}
	return string(out), true
}

// argument returns the argument of a command at the start of s, in braces, a command or a
// character, and its length, 0 if there is none.
func argument(s string) (arg string, n int) {
	rest := strings.TrimLeft(s, " ")
	spaces := len(s) - len(rest)
	if rest == "" || rest[0] == '}' {
		return "", 0
	}
	switch rest[0] {
	case '{':
		if end := closingBrace(rest); end > 0 {
			return rest[1:end], spaces + end + 1
		}
		return "", 0
	case '\\':
		n = len(commandName(rest)) + 1
	default:
		_, n = utf8.DecodeRuneInString(rest)
	}
	return rest[:n], spaces + n
}

// closingBrace returns the index of the brace that closes the one at the start of s, 0 if
// there is none within maxLookahead.
func closingBrace(s string) int {
	open := 0
	for i := 0; i < min(len(s), maxLookahead); i++ {
		switch s[i] {
		case '\\':
			i++
		case '{':
			open++
		case '}':
			if open--; open == 0 {
				return i
			}
		}
	}
	return 0
}
