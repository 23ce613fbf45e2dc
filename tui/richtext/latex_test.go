package richtext

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"vantage/model/sanitize"
	"vantage/tui/cells"
)

func TestRenderLaTeX(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{`no formula, no change: a_b ^ c * d`, `no formula, no change: a_b ^ c * d`},
		{`$x^2 + y_1$`, `x² + y₁`},
		{`\(a \leq b\) and \[ c \neq d \]`, `a ≤ b and c ≠ d`},
		{"$$\n\\sum_{k=1}^{n} k\n$$", `∑ₖ₌₁ⁿ k`},
		{`$\frac{1}{2}$, $\frac{a+b}{2c}$, $\frac12$`, `1/2, (a+b)/2c, 1/2`},
		{`$\sqrt{2}$ $\sqrt{x+1}$ $\sqrt[3]{8}$`, `√2 √(x+1) ³√8`},
		{`$\alpha \to \infty$`, `α → ∞`},
		{`$x^{y_q}$ $2^{Ω}$`, `x^(y_q) 2^Ω`},
		{`$90^\circ$`, `90°`},
		{`$\mathbb{R}^n$, $\text{if } x_i$`, `ℝⁿ, if  xᵢ`},
		{`$\binom{7}{3}$, $7 \equiv 2 \pmod{5}$`, `C(7, 3), 7 ≡ 2 (mod 5)`},
		{`$\left( \frac{a}{b} \right)$`, `( a/b )`},
		{`\begin{align} a &= b \\ c &= d \end{align}`, "a  = b \n c  = d"},
		{`\begin{code} a &= b \end{code}`, `\begin{code} a &= b \end{code}`},
		{`$$\begin{aligned}a &= b\\c &= d\end{aligned}$$`, "a  = b\nc  = d"},
		{`$\vec{v} \cdot \hat{n}$ $\hat{xy}$`, "v\u20d7 · n\u0302 \\hat{xy}"},
		// kept, since readers search for it
		{`\boxed{\frac{2}{15}}`, `\boxed{2/15}`},
		// commands outside of formulas, and text that only looks like LaTeX
		{`so x \leq 3, in C:\temp\new and \d+`, `so x ≤ 3, in C:\temp\new and \d+`},
		{`it costs $5 and then $6 more`, `it costs $5 and then $6 more`},
		{`an open $x and no end`, `an open $x and no end`},
		{"code `$x^2$ \\leq` stays", "code `$x^2$ \\leq` stays"},
		// unknown and incomplete commands are kept
		{`$\unknown{x}$ $\frac{a}$`, `\unknown{x} \frac{a}`},
		{`\frac{a`, `\frac{a`},
		{`\`, `\`},
		{`$\$`, `$\$`},
		{`面积是 $\pi r^2$。`, `面积是 π r²。`},
	} {
		if got := renderLaTeX(test.in); got != test.want {
			t.Errorf("renderLaTeX(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

// All symbols are one cell wide and pass sanitize unchanged.
func TestSymbolsAreHarmless(t *testing.T) {
	var all strings.Builder
	for _, form := range latexForms() {
		all.WriteString(form)
	}
	all.WriteString(superscripts + subscripts)
	if utf8.RuneCountInString(superscripts) != utf8.RuneCountInString(plainOfSuperscripts) || utf8.RuneCountInString(subscripts) != utf8.RuneCountInString(plainOfSubscripts) {
		t.Error("superscripts or subscripts are not those of their characters")
	}
	if got := sanitize.Line(all.String()); got != all.String() {
		t.Errorf("%q becomes %q", all.String(), got)
	}
	for name, s := range latexForms() {
		if utf8.RuneCountInString(s) == 1 && cells.Width(s) != 1 {
			t.Errorf("%s is %d cells wide", name, cells.Width(s))
		}
	}
}

func FuzzRenderLaTeX(f *testing.F) {
	f.Add(`$\frac{\sqrt[3]{x}}{\hat y}$ \[ \begin{cases} a & b \\ c \end{cases} \]`)
	f.Add(`\frac\frac\frac{{{{}}}^^__$$$`)
	f.Fuzz(func(t *testing.T, s string) {
		s = sanitize.Line(s) // like all text that is rendered
		for _, r := range renderLaTeX(s) {
			if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
				t.Fatalf("renderLaTeX(%q) holds %U", s, r)
			}
		}
	})
}

// Formulas that are never closed take no longer than others.
func BenchmarkUnclosedFormulas(b *testing.B) {
	for _, s := range []string{`\frac{`, `\[`, `$$`, `\sqrt[`, `^{`, `$a^{`} {
		b.Run(s, func(b *testing.B) {
			text := strings.Repeat(s, maxBytes/len(s))
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				renderLaTeX(text)
			}
		})
	}
}
