package richtext

import (
	"strings"
	"unicode/utf8"
)

// commandName returns the name of the command at the start of s: letters, or one other
// character.
func commandName(s string) string {
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

// command renders the command at the start of s and returns its length with its arguments.
// Outside of formulas a backslash before another character than a letter is no command.
func command(s string, inFormula bool, depth int) (out string, n int) {
	name := commandName(s)
	n = 1 + len(name)
	if symbol, ok := symbols[name]; ok {
		return symbol, n
	}
	if char, ok := escapes[name]; ok && inFormula {
		return char, n
	}
	if out, args, ok := apply(name, s[n:], depth); ok {
		return out, n + args
	}
	out = s[:n] // of an unknown command in a formula the arguments are rendered
	for inFormula && n < len(s) && s[n] == '{' {
		end := closingBrace(s[n:])
		if end == 0 {
			break
		}
		out += "{" + render(s[n+1:n+end], depth+1) + "}"
		n += end + 1
	}
	return out, n
}

// apply renders the command of a name with the arguments at the start of s and returns their
// length. It returns false if it does not know the command or an argument is missing.
func apply(name, s string, depth int) (out string, n int, ok bool) {
	switch name {
	case "left", "right", "big", "Big", "bigg", "Bigg", "bigl", "bigr", "Bigl", "Bigr":
		return "", len(s) - len(strings.TrimPrefix(s, ".")), true // a point is a missing bracket
	case "sqrt":
		return root(s, depth)
	case "frac", "dfrac", "tfrac", "cfrac", "binom", "dbinom", "tbinom":
		return fraction(name, s, depth)
	}
	arg, n := argument(s)
	if n == 0 || len(name) < 2 { // of all commands with arguments bm has the shortest name
		return "", 0, false
	}
	switch name {
	case "mathbb":
		if letter, ok := blackboard[arg]; ok {
			return letter, n, true
		}
		return render(arg, depth+1), n, true
	case "mathrm", "mathbf", "mathit", "mathsf", "mathcal", "mathfrak", "boldsymbol", "operatorname", "bm":
		return render(arg, depth+1), n, true
	case "boxed": // kept, since readers search for it
		return `\boxed{` + render(arg, depth+1) + "}", n, true
	case "pmod":
		return "(mod " + render(arg, depth+1) + ")", n, true
	case "text", "textbf", "textit", "textrm", "mbox", "emph":
		return arg, n, arg != "" && arg[0] != '\\'
	case "begin", "end":
		return "", n, isEnvironment(arg)
	}
	accent, ok := accents[name]
	return arg + accent, n, ok && len(arg) == 1 && arg[0] >= 'A'
}

// root renders a root, with a degree if there is one in brackets.
func root(s string, depth int) (out string, n int, ok bool) {
	if strings.HasPrefix(s, "[") {
		end := strings.IndexByte(s[:min(len(s), maxLookahead)], ']')
		if end < 2 {
			return "", 0, false
		}
		if out, ok = transliterate(s[1:end], superscripts); !ok {
			return "", 0, false
		}
		n = end + 1
	}
	arg, size := argument(s[n:])
	if size == 0 {
		return "", 0, false
	}
	arg = render(arg, depth+1)
	if utf8.RuneCountInString(arg) > 1 && strings.Trim(arg, "0123456789") != "" {
		arg = "(" + arg + ")"
	}
	return out + "√" + arg, n + size, true
}

// fraction renders a fraction or a binomial coefficient.
func fraction(name, s string, depth int) (out string, n int, ok bool) {
	top, n := argument(s)
	bottom, n2 := argument(s[n:])
	if n == 0 || n2 == 0 {
		return "", 0, false
	}
	top, bottom = render(top, depth+1), render(bottom, depth+1)
	if strings.HasSuffix(name, "binom") {
		return "C(" + top + ", " + bottom + ")", n + n2, true
	}
	return parenthesize(top) + "/" + parenthesize(bottom), n + n2, true
}

// parenthesize puts an expression with operators into parentheses.
func parenthesize(s string) string {
	s = strings.TrimSpace(s)
	if strings.ContainsAny(s, " +-−*/·×=<>") {
		return "(" + s + ")"
	}
	return s
}
