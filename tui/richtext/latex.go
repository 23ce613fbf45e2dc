package richtext

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

const (
	maxDepth     = 12  // of nested formulas; deeper ones are kept as they are
	maxLookahead = 600 // bytes, so that a text of unclosed braces takes no longer than others
)

//go:embed latex.txt
var latexTable string

// latexForms returns how each command is written, by its name, or by its name and its argument in braces, which counts more. In
// the table ~ is a blank, {} nothing, @ an argument, which is rendered but for accents and between quotes; a lone point is a
// command that is left out with a point behind it.
var latexForms = sync.OnceValue(func() map[string]string {
	forms, blanks := map[string]string{}, strings.NewReplacer("~", " ", "{}", "")
	for line := range strings.Lines(latexTable) {
		words := strings.Fields(line)
		for _, name := range words[1:] {
			forms[name] = blanks.Replace(words[0])
		}
	}
	return forms
})

// escapes are commands only in formulas: elsewhere a backslash may be part of anything.
var escapes = map[string]string{
	",": " ", ";": " ", ":": " ", " ": " ", "!": "", "\\": "\n", "{": "{", "}": "}", "%": "%", "$": "$", "#": "#", "&": "&", "_": "_",
	"|": "‖",
}

// The characters that Unicode has as superscripts and subscripts too.
const (
	plainOfSuperscripts, superscripts = "0123456789+-=()nikmptxTabcdejrsy′", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵏᵐᵖᵗˣᵀᵃᵇᶜᵈᵉʲʳˢʸ′"
	plainOfSubscripts, subscripts     = "0123456789+-=()aeijkmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑᵢⱼₖₘₙₒₚᵣₛₜᵤᵥₓ"
)

// renderLaTeX replaces the LaTeX of a text by Unicode as one writes formulas by hand. The
// marks around formulas are removed; unknown commands and code in backquotes are kept.
func renderLaTeX(s string) string {
	unclosed := map[string]bool{}
	var b strings.Builder
	for s != "" {
		out, rest, found := cutFormula(s, unclosed)
		switch {
		case found:
			out = strings.Trim(render(out, 0), "\n ")
		case s[0] == '\\':
			out, rest = command(s, false, 0)
		default:
			n := len(s)
			if s[0] == '`' {
				n = 1
				if end := strings.IndexAny(s[1:], "`\n"); end >= 0 && s[1+end] == '`' {
					n = end + 2
				}
			} else if next := strings.IndexAny(s[1:], "`\\$"); next >= 0 {
				n = 1 + next
			}
			out, rest = s[:n], s[n:]
		}
		b.WriteString(out)
		s = rest
	}
	return b.String()
}

// closingMarks are what ends a formula of any number of lines, by what begins it.
var closingMarks = map[string]string{"$$": "$$", `\[`: `\]`, `\(`: `\)`}

// cutFormula returns the formula at the start of s without its marks, and what follows it. It adds closing marks that s does
// not have to unclosed and does not search for them again.
func cutFormula(s string, unclosed map[string]bool) (formula, rest string, found bool) {
	open := s[:min(2, len(s))]
	closing := closingMarks[open]
	if after, ok := strings.CutPrefix(s, `\begin`); ok {
		name, body, _ := argument(after)
		if _, isEnvironment := latexForms()["begin{"+name+"}"]; isEnvironment {
			open, closing = s[:len(s)-len(body)], `\end{`+name+"}"
		}
	}
	if closing != "" && !unclosed[closing] {
		if formula, rest, found = strings.Cut(s[len(open):], closing); found {
			return formula, rest, true
		}
		unclosed[closing] = true
	}
	if s[0] != '$' || len(s) < 3 || s[1] == ' ' || s[1] == '$' {
		return "", "", false
	}
	line, _, _ := strings.Cut(s[1:], "\n")
	formula, after, found := strings.Cut(line, "$")
	// in “$5 and $6” there is none: a formula ends neither after a space nor before a digit
	endsInSpace := strings.TrimRight(formula, ` \`) != formula
	beforeDigit := strings.TrimLeft(after, "0123456789") != after
	if !found || formula == "" || endsInSpace || beforeDigit {
		return "", "", false
	}
	return formula, s[len(formula)+2:], true
}

func render(s string, depth int) string {
	if depth > maxDepth {
		return s
	}
	var b strings.Builder
	for s != "" {
		out, rest := s[:1], s[1:]
		switch s[0] {
		case '\\':
			out, rest = command(s, true, depth)
		case '^':
			out, rest = script(s, plainOfSuperscripts, superscripts, depth)
		case '_':
			out, rest = script(s, plainOfSubscripts, subscripts, depth)
		case '{', '}':
			out = ""
		case '&', '~':
			out = " "
		}
		b.WriteString(out)
		s = rest
	}
	return b.String()
}

// script renders the superscript or subscript at the start of s, and returns what follows it.
func script(s, plain, small string, depth int) (out, rest string) {
	arg, rest, ok := argument(s[1:])
	if !ok {
		return s[:1], s[1:]
	}
	arg = render(arg, depth+1)
	out, ok = transliterate(arg, plain, small)
	switch {
	case ok:
		return out, rest
	case s[0] == '^' && arg == "∘":
		return "°", rest
	case utf8.RuneCountInString(arg) > 1:
		arg = "(" + arg + ")"
	}
	return s[:1] + arg, rest
}

// transliterate replaces the characters of s by those at their places in small, if all of them are in plain.
func transliterate(s, plain, small string) (out string, ok bool) {
	const maxLength = 16
	if len(s) > maxLength || strings.Trim(s, plain) != "" {
		return "", false
	}
	letters := []rune(small)
	return strings.Map(func(r rune) rune { return letters[utf8.RuneCountInString(plain[:strings.IndexRune(plain, r)])] }, s), true
}

// argument returns the argument of a command at the start of s, in braces, a command or a
// character, and what follows it.
func argument(s string) (arg, rest string, ok bool) {
	s = strings.TrimLeft(s, " ")
	switch {
	case s == "" || s[0] == '}':
		return "", "", false
	case s[0] == '{':
		end := closingBrace(s)
		if end == 0 {
			return "", "", false
		}
		return s[1:end], s[end+1:], true
	}
	_, n := utf8.DecodeRuneInString(s)
	if s[0] == '\\' {
		n += len(commandName(s))
	}
	return s[:n], s[n:], true
}

// closingBrace returns the index of the brace that closes the one at the start of s, 0 if
// there is none within maxLookahead.
func closingBrace(s string) int {
	open := 0
	for i := 0; i < min(len(s), maxLookahead) && s[0] == '{'; i++ {
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

// commandName returns the name of the command at the start of s: letters, or one other
// character.
func commandName(s string) string {
	n := len(s) - len(strings.TrimLeft(s[1:], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))
	if n == 1 && len(s) > 1 {
		_, size := utf8.DecodeRuneInString(s[1:])
		n += size
	}
	return s[1:n]
}

// command renders the command at the start of s with its arguments, and returns what follows it. Outside of formulas a
// backslash before another character than a letter is no command.
func command(s string, inFormula bool, depth int) (out, rest string) {
	name := commandName(s)
	rest = s[1+len(name):]
	if char, ok := escapes[name]; ok && inFormula {
		return char, rest
	}
	form, known := latexForms()[name]
	if name == "begin" || name == "end" || name == "mathbb" {
		arg, after, _ := argument(rest)
		if out, exact := latexForms()[name+"{"+arg+"}"]; exact {
			return out, after
		}
	}
	switch {
	case form == ".":
		return "", strings.TrimPrefix(rest, ".")
	case strings.Contains(form, "@"):
		if out, after, ok := apply(form, rest, depth); ok {
			return out, after
		}
	case known:
		return form, rest
	}
	out = s[:1+len(name)] // of an unknown command in a formula the arguments are rendered
	for end := closingBrace(rest); inFormula && end > 0; end = closingBrace(rest) {
		out += "{" + render(rest[1:end], depth+1) + "}"
		rest = rest[end+1:]
	}
	return out, rest
}

// apply writes a form with the arguments at the start of s, and returns what follows them. It returns false if one is missing or
// cannot be in that form.
func apply(form, s string, depth int) (out, rest string, ok bool) {
	command := form
	if degree, _, closed := strings.Cut(s[:min(len(s), maxLookahead)], "]"); form == "√@" && strings.HasPrefix(s, "[") {
		if out, _ = transliterate(degree[1:], plainOfSuperscripts, superscripts); out == "" || !closed {
			return "", "", false
		}
		s = s[len(degree)+1:]
	}
	args := make([]string, strings.Count(form, "@"))
	for i := range args {
		if args[i], s, ok = argument(s); !ok {
			return "", "", false
		}
	}
	for _, arg := range args {
		before, after, _ := strings.Cut(form, "@")
		if accent, _ := utf8.DecodeRuneInString(after); unicode.IsMark(accent) {
			return arg + after, s, len(arg) == 1 && arg[0] >= 'A'
		}
		if before == `"` {
			return arg, s, arg != "" && arg[0] != '\\'
		}
		out, form = out+before+delimited(command, render(arg, depth+1)), after
	}
	return out + form, s, true
}

// delimited puts what is in a root or a fraction into parentheses where they are needed.
func delimited(form, arg string) string {
	isLong := form == "√@" && utf8.RuneCountInString(arg) > 1 && strings.Trim(arg, "0123456789") != ""
	if form == "@/@" {
		arg = strings.TrimSpace(arg)
		isLong = strings.ContainsAny(arg, " +-−*/·×=<>")
	}
	if isLong {
		return "(" + arg + ")"
	}
	return arg
}
