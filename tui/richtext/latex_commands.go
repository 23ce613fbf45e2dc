package richtext

import (
	"strings"
	"unicode/utf8"
)

// shape is a command that is applied to something: s begins with it, n is the bytes
// of its name. It returns what is written and how many bytes it took in all.
type shape func(s string, n, depth int) (string, int)

// shapeOf returns the shape that a command has, nil if it has none.
func shapeOf(word string) shape {
	switch word {
	case "frac", "dfrac", "tfrac", "cfrac":
		return fraction
	case "sqrt":
		return root
	case "mathrm", "mathbf", "mathit", "mathsf", "mathcal", "mathfrak", "boldsymbol", "operatorname", "bm":
		return plain
	case "text", "textbf", "textit", "textrm", "mbox", "emph":
		return words
	case "mathbb":
		return doubled
	case "boxed":
		return boxed
	case "binom", "dbinom", "tbinom":
		return choose
	case "pmod":
		return modulo
	case "left", "right", "big", "Big", "bigg", "Bigg", "bigl", "bigr", "Bigl", "Bigr":
		return sized
	case "begin", "end":
		return surrounded
	case "bar", "overline":
		return over("\u0304")
	case "hat", "widehat":
		return over("\u0302")
	case "vec":
		return over("\u20d7")
	case "tilde":
		return over("\u0303")
	}
	return nil
}

// fraction writes a over b.
func fraction(s string, n, depth int) (string, int) {
	above, na := argument(s[n:])
	below, nb := argument(s[n+na:])
	if na == 0 || nb == 0 {
		return s[:n], n
	}
	return single(formula(above, depth+1)) + "/" + single(formula(below, depth+1)), n + na + nb
}

// single puts what consists of several parts into parentheses.
func single(s string) string {
	s = strings.TrimSpace(s)
	if strings.ContainsAny(s, " +-−*/·×=<>") {
		return "(" + s + ")"
	}
	return s
}

// root writes a root, of a degree if one stands in brackets.
func root(s string, n, depth int) (string, int) {
	sign, at := "√", n
	if strings.HasPrefix(s[at:], "[") {
		window := s[at:min(len(s), at+longest)]
		end := strings.IndexByte(window, ']')
		degree, ok := spelled(window[1:max(1, end)], raised)
		if end < 2 || !ok {
			return s[:n], n
		}
		sign, at = degree+"√", at+end+1
	}
	inner, taken := argument(s[at:])
	if taken == 0 {
		return s[:n], n
	}
	inner = formula(inner, depth+1)
	if utf8.RuneCountInString(inner) > 1 && strings.Trim(inner, "0123456789") != "" {
		inner = "(" + inner + ")"
	}
	return sign + inner, at + taken
}

// plain writes the argument alone: its look is lost.
func plain(s string, n, depth int) (string, int) {
	inner, taken := argument(s[n:])
	if taken == 0 {
		return s[:n], n
	}
	return formula(inner, depth+1), n + taken
}

// words writes the argument as it is: it is no formula.
func words(s string, n, _ int) (string, int) {
	inner, taken := argument(s[n:])
	if taken == 0 || inner == "" || inner[0] == '\\' {
		return s[:n], n
	}
	return inner, n + taken
}

// boxed keeps the command that answers are looked for by, and writes what it
// holds.
func boxed(s string, n, depth int) (string, int) {
	inner, taken := argument(s[n:])
	if taken == 0 {
		return s[:n], n
	}
	return `\boxed{` + formula(inner, depth+1) + "}", n + taken
}

// doubled writes ℝ for the R of the real numbers.
func doubled(s string, n, depth int) (string, int) {
	inner, taken := argument(s[n:])
	if letter, ok := struck[inner]; ok {
		return letter, n + taken
	}
	return plain(s, n, depth)
}

// over writes a mark over a single letter; over more the command stays.
func over(mark string) func(string, int, int) (string, int) {
	return func(s string, n, _ int) (string, int) {
		inner, taken := argument(s[n:])
		if len(inner) != 1 || inner[0] < 'A' {
			return s[:n], n
		}
		return inner + mark, n + taken
	}
}

// choose writes a binomial coefficient.
func choose(s string, n, depth int) (string, int) {
	from, nf := argument(s[n:])
	some, ns := argument(s[n+nf:])
	if nf == 0 || ns == 0 {
		return s[:n], n
	}
	return "C(" + formula(from, depth+1) + ", " + formula(some, depth+1) + ")", n + nf + ns
}

func modulo(s string, n, depth int) (string, int) {
	inner, taken := argument(s[n:])
	if taken == 0 {
		return s[:n], n
	}
	return "(mod " + formula(inner, depth+1) + ")", n + taken
}

// sized leaves out what makes a bracket grow, and the point for a missing one.
func sized(s string, n, _ int) (string, int) {
	if n < len(s) && s[n] == '.' {
		return "", n + 1
	}
	return "", n
}

// surrounded leaves out where a setting of lines begins and ends.
func surrounded(s string, n, _ int) (string, int) {
	if of, taken := argument(s[n:]); lined(of) {
		return "", n + taken
	}
	return s[:n], n
}
