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

// symbols are commands without arguments: a character, or the name of a function.
var symbols = map[string]string{
	"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "zeta": "ζ", "eta": "η",
	"theta": "θ", "vartheta": "ϑ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π",
	"rho": "ρ", "sigma": "σ", "tau": "τ", "upsilon": "υ", "phi": "φ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω",
	"Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",

	"times": "×", "cdot": "·", "div": "÷", "pm": "±", "mp": "∓", "ast": "∗", "circ": "∘", "bullet": "•", "oplus": "⊕", "otimes": "⊗",
	"leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "neq": "≠", "ne": "≠", "approx": "≈", "equiv": "≡", "sim": "∼", "simeq": "≃",
	"cong": "≅", "propto": "∝", "ll": "≪", "gg": "≫", "mid": "|", "nmid": "∤", "parallel": "∥", "perp": "⊥",
	"in": "∈", "notin": "∉", "subset": "⊂", "subseteq": "⊆", "supset": "⊃", "supseteq": "⊇", "cup": "∪", "cap": "∩",
	"setminus": "∖", "emptyset": "∅", "varnothing": "∅", "forall": "∀", "exists": "∃", "neg": "¬", "land": "∧", "lor": "∨",
	"wedge": "∧", "vee": "∨", "to": "→", "rightarrow": "→", "leftarrow": "←", "Rightarrow": "⇒", "Leftarrow": "⇐",
	"implies": "⇒", "iff": "⇔", "Leftrightarrow": "⇔", "leftrightarrow": "↔", "mapsto": "↦", "longrightarrow": "⟶",
	"sum": "∑", "prod": "∏", "int": "∫", "iint": "∬", "oint": "∮", "partial": "∂", "nabla": "∇", "infty": "∞",
	"angle": "∠", "triangle": "△", "square": "□", "degree": "°", "prime": "′", "ldots": "…", "dots": "…", "cdots": "⋯", "vdots": "⋮",
	"therefore": "∴", "because": "∵", "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉", "langle": "⟨", "rangle": "⟩",
	"ell": "ℓ", "hbar": "ℏ", "Re": "ℜ", "Im": "ℑ", "aleph": "ℵ", "checkmark": "✓", "star": "⋆",

	"sin": "sin", "cos": "cos", "tan": "tan", "cot": "cot", "sec": "sec", "csc": "csc", "arcsin": "arcsin", "arccos": "arccos",
	"arctan": "arctan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "log": "log", "ln": "ln", "lg": "lg", "exp": "exp",
	"lim": "lim", "limsup": "lim sup", "liminf": "lim inf", "max": "max", "min": "min", "sup": "sup", "inf": "inf", "gcd": "gcd",
	"det": "det", "dim": "dim", "ker": "ker", "deg": "deg", "arg": "arg", "Pr": "Pr", "bmod": "mod", "quad": "  ", "qquad": "    ",
	"displaystyle": "", "textstyle": "", "limits": "", "nolimits": "",
}

// escapes are commands only in formulas: elsewhere a backslash may be part of anything.
var escapes = map[string]string{
	",": " ", ";": " ", ":": " ", " ": " ", "!": "", "\\": "\n", "{": "{", "}": "}", "%": "%", "$": "$", "#": "#", "&": "&", "_": "_", "|": "‖",
}

// superscripts and subscripts are the characters that Unicode has in both forms.
var (
	superscripts = map[rune]rune{
		'0': '⁰', '1': '¹', '2': '²', '3': '³', '4': '⁴', '5': '⁵', '6': '⁶', '7': '⁷', '8': '⁸', '9': '⁹',
		'+': '⁺', '-': '⁻', '=': '⁼', '(': '⁽', ')': '⁾', 'n': 'ⁿ', 'i': 'ⁱ', 'k': 'ᵏ', 'm': 'ᵐ', 'p': 'ᵖ', 't': 'ᵗ', 'x': 'ˣ', 'T': 'ᵀ',
		'a': 'ᵃ', 'b': 'ᵇ', 'c': 'ᶜ', 'd': 'ᵈ', 'e': 'ᵉ', 'j': 'ʲ', 'r': 'ʳ', 's': 'ˢ', 'y': 'ʸ', '′': '′',
	}
	subscripts = map[rune]rune{
		'0': '₀', '1': '₁', '2': '₂', '3': '₃', '4': '₄', '5': '₅', '6': '₆', '7': '₇', '8': '₈', '9': '₉',
		'+': '₊', '-': '₋', '=': '₌', '(': '₍', ')': '₎', 'a': 'ₐ', 'e': 'ₑ', 'i': 'ᵢ', 'j': 'ⱼ', 'k': 'ₖ', 'm': 'ₘ', 'n': 'ₙ',
		'o': 'ₒ', 'p': 'ₚ', 'r': 'ᵣ', 's': 'ₛ', 't': 'ₜ', 'u': 'ᵤ', 'v': 'ᵥ', 'x': 'ₓ',
	}
)

// accents are commands that put an accent on a letter.
var accents = map[string]string{
	"bar": "\u0304", "overline": "\u0304", "hat": "\u0302", "widehat": "\u0302", "vec": "\u20d7", "tilde": "\u0303",
}

// blackboard are the double-struck letters, such as ℝ for the real numbers.
var blackboard = map[string]string{"R": "ℝ", "N": "ℕ", "Z": "ℤ", "Q": "ℚ", "C": "ℂ", "P": "ℙ", "E": "𝔼", "F": "𝔽", "1": "𝟙"}
