package demo

import "strings"

// solution is the worked answer to a task, right or wrong.
type solution struct {
	promptPrefix string
	thoughts     []string
	steps        []solutionStep
	wrongAnswer  string
}

// solutionStep is a step of a solution; wrong is "" where a wrong solution has the right one.
type solutionStep struct{ right, wrong string }

// solutions returns all solutions; other tasks have none.
func solutions() []solution {
	return []solution{
		{
			"How many positive divisors does 360 have?",
			[]string{"A divisor picks an exponent for each prime.", "So I need the factorisation of $360$ first."},
			[]solutionStep{
				{`Factor: $360 = 2^3 \cdot 3^2 \cdot 5$.`, ""},
				{`Each exponent can be chosen from $0$ to its maximum, so there are $(3+1)(2+1)(1+1)$ choices.`, `Each exponent can be chosen from $1$ to its maximum, so there are $3 \cdot 2 \cdot 1$ choices.`},
				{`That is $4 \times 3 \times 2 = \boxed{24}$.`, `That is $3 \times 2 \times 1 = \boxed{6}$.`},
			},
			"6",
		},
		{
			"What is the remainder when 7^100",
			[]string{`Modulo $5$ we have $7 \equiv 2$.`, "The powers of 2 repeat."},
			[]solutionStep{
				{`$7 \equiv 2 \pmod{5}$, so $7^{100} \equiv 2^{100} \pmod{5}$.`, ""},
				{`By Fermat $2^4 \equiv 1 \pmod{5}$, and $100 = 4 \cdot 25$.`, `By Fermat $2^5 \equiv 1 \pmod{5}$, and $100 = 5 \cdot 20$, up to a factor of $2$.`},
				{`Hence $7^{100} \equiv 1^{25} = 1$, so the remainder is $\boxed{1}$.`, `Hence $7^{100} \equiv 2 \cdot 1^{20} = 2$, so the remainder is $\boxed{2}$.`},
			},
			"2",
		},
		{
			"A bag contains 4 red and 6 blue",
			[]string{"Without replacement the second draw depends on the first.", "Count pairs, or multiply."},
			[]solutionStep{
				{`The first marble is red with probability $\frac{4}{10} = \frac{2}{5}$.`, ""},
				{`Of the $9$ that are left, $3$ are red: $\frac{3}{9} = \frac{1}{3}$.`, `The second one is red with probability $\frac{4}{10} = \frac{2}{5}$ again.`},
				{`Together: $\frac{2}{5} \cdot \frac{1}{3} = \boxed{\frac{2}{15}}$.`, `Together: $\frac{2}{5} \cdot \frac{2}{5} = \boxed{\frac{4}{25}}$.`},
			},
			"4/25",
		},
		{
			"Let ABC be a triangle with AB = 13",
			[]string{"Heron gives the area; the altitude follows.", "The sides 13, 14, 15 look familiar."},
			[]solutionStep{
				{`Half of the perimeter is $s = \frac{13 + 14 + 15}{2} = 21$.`, ""},
				{`By Heron the area is $\sqrt{21 \cdot 8 \cdot 7 \cdot 6} = \sqrt{7056} = 84$.`, `By Heron the area is $\sqrt{21 \cdot 8 \cdot 7 \cdot 5} = \sqrt{5880} \approx 76.7$.`},
				{`Since $84 = \frac{1}{2} \cdot 14 \cdot h$, we get $h = \boxed{12}$.`, `Since $76.7 = \frac{1}{2} \cdot 14 \cdot h$, we get $h \approx \boxed{10.95}$.`},
			},
			"10.95",
		},
		{
			"Find the sum of all integers n with",
			[]string{"Multiples of 3, less those of 15.", "Both are arithmetic series."},
			[]solutionStep{
				{`The multiples of $3$ sum to $3 \sum_{k=1}^{33} k = 3 \cdot 561 = 1683$.`, ""},
				{`Those of $15$ among them sum to $15 \sum_{k=1}^{6} k = 315$.`, `Those of $5$ sum to $5 \sum_{k=1}^{20} k = 1050$.`},
				{`What is left is $1683 - 315 = \boxed{1368}$.`, `What is left is $1683 - 1050 = \boxed{633}$.`},
			},
			"633",
		},
		{
			"Evaluate the integral of x·e^x",
			[]string{"By parts, with $u = x$.", "Mind the sign of the second term."},
			[]solutionStep{
				{`Take $u = x$ and $dv = e^x \, dx$, so $du = dx$ and $v = e^x$.`, ""},
				{`$$\int_0^1 x e^x \, dx = \left[ x e^x \right]_0^1 - \int_0^1 e^x \, dx$$`, `$$\int_0^1 x e^x \, dx = \left[ x e^x \right]_0^1 + \int_0^1 e^x \, dx$$`},
				{`$= e - (e - 1) = \boxed{1}$.`, `$= e + (e - 1) = \boxed{2e - 1}$.`},
			},
			"2e - 1",
		},
		{
			"What is the coefficient of x^3",
			[]string{"The binomial theorem.", "The factor 2 is raised too."},
			[]solutionStep{
				{`$(1 + 2x)^7 = \sum_{k=0}^{7} \binom{7}{k} (2x)^k$.`, ""},
				{`For $k = 3$ the term is $\binom{7}{3} \cdot 2^3 \cdot x^3$.`, `For $k = 3$ the term is $\binom{7}{3} \cdot 2 \cdot x^3$.`},
				{`The coefficient is $35 \cdot 8 = \boxed{280}$.`, `The coefficient is $35 \cdot 2 = \boxed{70}$.`},
			},
			"70",
		},
		{
			"A regular hexagon has side 4",
			[]string{"Six equilateral triangles.", `Each has area $\frac{\sqrt{3}}{4} a^2$.`},
			[]solutionStep{
				{`The hexagon consists of $6$ equilateral triangles of side $4$.`, ""},
				{`Each has the area $\frac{\sqrt{3}}{4} \cdot 4^2 = 4\sqrt{3}$.`, `Each has the area $\frac{1}{2} \cdot 4^2 = 8$.`},
				{`In all: $6 \cdot 4\sqrt{3} = \boxed{24\sqrt{3}}$.`, `In all: $6 \cdot 8 = \boxed{48}$.`},
			},
			"48",
		},
		{
			"A clock shows 3:15",
			[]string{"The hour hand has moved on a little.", `Half a degree per minute.`},
			[]solutionStep{
				{`The minute hand stands at $15 \cdot 6^\circ = 90^\circ$.`, ""},
				{`The hour hand stands at $3 \cdot 30^\circ + 15 \cdot 0.5^\circ = 97.5^\circ$.`, `The hour hand stands at $3 \cdot 30^\circ = 90^\circ$.`},
				{`Between them: $\boxed{7.5}$ degrees.`, `Between them: $\boxed{0}$ degrees.`},
			},
			"0",
		},
		{
			"Let f(x) = x^2 - 4x + 7",
			[]string{"Complete the square."},
			[]solutionStep{
				{`$f(x) = x^2 - 4x + 4 + 3$.`, ""},
				{`So $f(x) = (x - 2)^2 + 3 \geq 3$, with equality at $x = 2$.`, `So $f(x) = (x - 4)^2 + 7 \geq 7$, with equality at $x = 4$.`},
				{`The minimum is $\boxed{3}$.`, `The minimum is $\boxed{7}$.`},
			},
			"7",
		},
		{
			"解方程 2x + 3 = 11",
			[]string{"先把常数移到右边。", "再除以系数。"},
			[]solutionStep{
				{`移项，得 $2x = 11 - 3$。`, `移项，得 $2x = 11 + 3$。`},
				{`所以 $2x = 8$，两边同除以 $2$。`, `所以 $2x = 14$，两边同除以 $2$。`},
				{`$x = \boxed{4}$。`, `$x = \boxed{7}$。`},
			},
			"7",
		},
		{
			"Write a Go function that reverses",
			[]string{"Three pointers are enough.", "The order of the assignments matters."},
			[]solutionStep{
				{"Walk the list once, and turn each `next` pointer around:\n\n```go\nfunc reverse(head *node) *node {\n\tvar before *node\n\tfor head != nil {\n\t\tnext := head.next\n\t\thead.next = before\n\t\tbefore, head = head, next\n\t}\n\treturn before\n}\n```\n", "Walk the list once, and turn each `next` pointer around:\n\n```go\nfunc reverse(head *node) *node {\n\tvar before *node\n\tfor head != nil {\n\t\thead.next = before\n\t\tbefore, head = head, head.next\n\t}\n\treturn before\n}\n```\n"},
				{"It takes **O(n)** time and **O(1)** memory; an empty list gives `nil`.", ""},
			},
			"tests fail",
		},
	}
}

// findSolution returns the solution of a task, false if it has none.
func findSolution(all []solution, t *task) (w solution, ok bool) {
	for _, w := range all {
		if strings.HasPrefix(t.prompt, w.promptPrefix) {
			return w, true
		}
	}
	return solution{}, false
}

// text returns the steps as a numbered list.
func (w solution) text(right bool) string {
	var b strings.Builder
	b.WriteString("### Solution\n\n")
	number := 0
	for _, s := range w.steps {
		text := s.right
		if !right && s.wrong != "" {
			text = s.wrong
		}
		number++
		b.WriteString(string(rune('0'+number)) + ". " + text + "\n")
	}
	return b.String()
}
