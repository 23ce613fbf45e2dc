package richtext

import (
	"strings"
	"unicode/utf8"
)

// deepest is how far formulas nest before they are left as they are.
const deepest = 12

// longest bounds, in bytes, what is looked through for the brace that closes
// another: a text that never closes them costs no more for it.
const longest = 600

// formulas writes the LaTeX of a text as people write formulas by hand: common
// commands become characters, the marks around formulas go, what is not known
// stays. Code between backquotes is left alone.
func formulas(s string) string {
	if !strings.ContainsAny(s, `$\`) {
		return s
	}
	f := finder{unclosed: map[string]bool{}}
	var b strings.Builder
	for i := 0; i < len(s); {
		if inner, n := f.formula(s[i:]); n > 0 {
			b.WriteString(strings.Trim(formula(inner, 0), "\n "))
			i += n
			continue
		}
		n := 1
		switch s[i] {
		case '`':
			n = codeSpan(s[i:])
			b.WriteString(s[i : i+n])
		case '\\':
			var out string
			out, n = command(s[i:], false, 0)
			b.WriteString(out)
		default:
			for i+n < len(s) && strings.IndexByte("`\\$", s[i+n]) < 0 {
				n++
			}
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

// codeSpan is how long the code that begins with a backquote is; 1 if it never
// ends on its line.
func codeSpan(s string) int {
	line, _, _ := strings.Cut(s[1:], "\n")
	if end := strings.IndexByte(line, '`'); end >= 0 {
		return end + 2
	}
	return 1
}

// finder finds formulas. A mark that was looked for to the end of the text in vain
// is not looked for again.
type finder struct{ unclosed map[string]bool }

// formula returns the inside of the formula that s begins with, and the bytes
// that it takes with its marks: 0 if there is none.
func (f *finder) formula(s string) (inner string, n int) {
	for _, pair := range [][2]string{{"$$", "$$"}, {`\[`, `\]`}, {`\(`, `\)`}} {
		if strings.HasPrefix(s, pair[0]) && !f.unclosed[pair[1]] {
			if end := strings.Index(s[2:], pair[1]); end >= 0 {
				return s[2 : 2+end], end + 4
			}
			f.unclosed[pair[1]] = true
		}
	}
	if inner, n := f.setting(s); n > 0 {
		return inner, n
	}
	if s[0] != '$' || len(s) < 3 || s[1] == ' ' || s[1] == '$' {
		return "", 0
	}
	line, _, _ := strings.Cut(s[1:], "\n")
	end := strings.IndexByte(line, '$')
	// as in “$5 and $6”: no formula ends in a space or before a digit
	if end < 1 || line[end-1] == ' ' || line[end-1] == '\\' || end+1 < len(line) && line[end+1] >= '0' && line[end+1] <= '9' {
		return "", 0
	}
	return line[:end], end + 2
}

// setting is a formula of several lines, from its \begin to its \end.
func (f *finder) setting(s string) (inner string, n int) {
	const begin = `\begin`
	if !strings.HasPrefix(s, begin) {
		return "", 0
	}
	of, taken := argument(s[len(begin):])
	closes := `\end{` + of + "}"
	if !lined(of) || f.unclosed[closes] {
		return "", 0
	}
	start := len(begin) + taken
	end := strings.Index(s[start:], closes)
	if end < 0 {
		f.unclosed[closes] = true
		return "", 0
	}
	return s[start : start+end], start + end + len(closes)
}

// lined reports whether a setting is one of formulas in lines.
func lined(of string) bool {
	switch strings.TrimSuffix(of, "*") {
	case "align", "aligned", "equation", "gather", "gathered", "split", "cases", "matrix", "pmatrix", "bmatrix", "vmatrix":
		return true
	}
	return false
}

// formula writes the inside of a formula.
func formula(s string, depth int) string {
	if depth > deepest {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		n := 1
		switch s[i] {
		case '\\':
			var out string
			out, n = command(s[i:], true, depth)
			b.WriteString(out)
		case '^', '_':
			out, taken := script(s[i], s[i+1:], depth)
			b.WriteString(out)
			n += taken
		case '{', '}':
		case '&', '~':
			b.WriteByte(' ')
		default:
			b.WriteByte(s[i])
		}
		i += n
	}
	return b.String()
}

// argument is what a command is applied to: what stands in braces, a command, or a
// character; with the bytes that it takes, 0 if there is none.
func argument(s string) (inner string, n int) {
	rest := strings.TrimLeft(s, " ")
	skipped := len(s) - len(rest)
	switch {
	case rest == "":
		return "", 0
	case rest[0] == '{':
		if end := braceEnd(rest); end > 0 {
			return rest[1:end], skipped + end + 1
		}
		return "", 0
	case rest[0] == '\\':
		n := len(name(rest)) + 1
		return rest[:n], skipped + n
	case rest[0] == '}':
		return "", 0
	}
	_, size := utf8.DecodeRuneInString(rest)
	return rest[:size], skipped + size
}

// braceEnd is where the brace that s begins with is closed; 0 if it is not, or
// too far away.
func braceEnd(s string) int {
	open := 0
	for i := 0; i < min(len(s), longest); i++ {
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

// name is the name of the command that s begins with: letters, or one other
// character.
func name(s string) string {
	n := 1
	for n < len(s) && (s[n] >= 'a' && s[n] <= 'z' || s[n] >= 'A' && s[n] <= 'Z') {
		n++
	}
	if n == 1 && n < len(s) {
		_, size := utf8.DecodeRuneInString(s[1:])
		n += size
	}
	return s[1:n]
}

// command writes the command that s begins with and returns the bytes that it
// takes. Outside of formulas only commands that have a name are taken for LaTeX.
func command(s string, inside bool, depth int) (out string, n int) {
	word := name(s)
	n = len(word) + 1
	if symbol, ok := symbols[word]; ok {
		return symbol, n
	}
	if inside {
		if mark, ok := marks[word]; ok {
			return mark, n
		}
	}
	if draw := shapeOf(word); draw != nil {
		if out, taken := draw(s, n, depth); taken > n || out != s[:n] {
			return out, taken
		}
	}
	return unknown(s, n, inside, depth)
}

// unknown leaves a command as it is, and in a formula the braces after it too.
func unknown(s string, n int, inside bool, depth int) (string, int) {
	out := s[:n]
	for inside && n < len(s) && s[n] == '{' {
		end := braceEnd(s[n:])
		if end == 0 {
			break
		}
		out += "{" + formula(s[n+1:n+end], depth+1) + "}"
		n += end + 1
	}
	return out, n
}

// script raises or lowers what follows.
func script(sign byte, s string, depth int) (out string, n int) {
	inner, n := argument(s)
	if n == 0 {
		return string(sign), 0
	}
	inner = formula(inner, depth+1)
	alphabet := raised
	if sign == '_' {
		alphabet = lowered
	}
	if inner == "∘" && sign == '^' {
		return "°", n
	}
	if all, ok := spelled(inner, alphabet); ok {
		return all, n
	}
	if utf8.RuneCountInString(inner) > 1 {
		inner = "(" + inner + ")"
	}
	return string(sign) + inner, n
}

// spelled writes s in another alphabet, if it has all its characters.
func spelled(s string, alphabet map[rune]rune) (string, bool) {
	const most = 16
	if len(s) > most {
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
