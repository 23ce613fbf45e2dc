package commands

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A true sentence is made false here: by another number or word, by other steps, by other rows of its log. A claim that holds for all of
// these checks nothing.

// proof is what of a claim is known to be checked.
type proof struct {
	any     bool         // some alteration of a sentence fails
	numbers map[int]bool // by the group of the pattern that a number is in: whether another one there fails
}

// try alters a sentence, for which its claim holds, where it is not known yet that this fails.
func (p *proof) try(c *claim, l *rawLog, s said) {
	for _, at := range c.numbersIn(s.text) {
		for _, other := range farFrom(s.text[at.from:at.to]) {
			if !p.numbers[at.group] {
				p.numbers[at.group] = c.fails(l, s.withText(s.text[:at.from]+other+s.text[at.to:]))
			}
		}
		p.any = p.any || p.numbers[at.group]
	}
	for l, s := range alterations(l, s) {
		if p.any {
			return
		}
		p.any = c.fails(l, s)
	}
}

// lacks is what of the claim is checked by nothing.
func (p *proof) lacks() (all []string) {
	if !p.any {
		all = append(all, "a claim that checks nothing: it holds whatever else the sentence says, and whatever the rows are")
	}
	for _, group := range slices.Sorted(maps.Keys(p.numbers)) {
		if !p.numbers[group] && group > 0 {
			all = append(all, fmt.Sprintf("a number that nothing checks, in group %d", group))
		}
	}
	return all
}

// fails reports whether the claim does not hold for an altered sentence. One that does not fit its pattern tells nothing.
func (c *claim) fails(l *rawLog, s said) bool {
	words := c.expr.FindStringSubmatch(s.text)
	return words != nil && c.holds(l, s, words) != nil
}

// A claim that checks nothing is found, and so is a number that it does not check.
func TestClaimsThatCheckNothing(t *testing.T) {
	t.Parallel()
	l := &rawLog{rows: []rawRow{{step: 1, group: "a", reward: 1}, {step: 1, group: "a"}}}
	s := said{text: "4 of 2 rows are good: 50%", first: 1, last: 1}
	for _, test := range []struct {
		name  string
		holds func(l *rawLog, s said, words []string) error
		lacks int
	}{
		{"nothing", func(*rawLog, said, []string) error { return nil }, 4},
		{"the rows alone", func(l *rawLog, _ said, _ []string) error { return count("rows", "2", len(l.rows)) }, 3},
		{"one number", func(l *rawLog, _ said, w []string) error { return count("rows", w[2], len(l.rows)) }, 2},
		{"all", func(l *rawLog, _ said, w []string) error {
			return firstError(count("rows", w[2], len(l.rows)), same("four", w[1], 4), same("half", w[3], 0.5))
		}, 0},
	} {
		c := &claim{holds: test.holds, expr: regexp.MustCompile("^" + num + " of " + num + " rows are good: " + num + "$")}
		p := &proof{numbers: map[int]bool{}}
		if p.try(c, l, s); len(p.lacks()) != test.lacks {
			t.Errorf("a claim that checks %s lacks %q", test.name, p.lacks())
		}
	}
}

// numberAt is where a number is in a text, and in which group of a pattern, 0 for none.
type numberAt struct{ from, to, group int }

// numberSaid is a number in a sentence.
var numberSaid = regexp.MustCompile(`-?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?%?`)

// numbersIn are the numbers of a sentence that has the pattern.
func (c *claim) numbersIn(text string) (all []numberAt) {
	groups := c.expr.FindStringSubmatchIndex(text)
	for _, at := range numberSaid.FindAllStringIndex(text, -1) {
		number := numberAt{from: at[0], to: at[1]}
		for k := 1; 2*k < len(groups); k++ {
			if groups[2*k] >= 0 && groups[2*k] <= at[0] && at[1] <= groups[2*k+1] {
				number.group = k
			}
		}
		all = append(all, number)
	}
	return all
}

// farFrom are numbers, in the form of one, that differ from it clearly.
func farFrom(number string) []string {
	x := saidNumber(number)
	switch {
	case strings.HasSuffix(number, "%"):
		return []string{fmt.Sprintf("%.0f%%", math.Mod(100*x+37, 100)), fmt.Sprintf("%.0f%%", math.Mod(100*x+63, 100))}
	case strings.ContainsAny(number, ".e"):
		return []string{fmt.Sprintf("%.4f", 2*x+3), fmt.Sprintf("%.4f", -x-0.5)}
	}
	return []string{strconv.Itoa(2*int(x) + 3), strconv.Itoa(int(x) / 3)}
}

// withText is the same sentence in other words, which its finding has too if it had these.
func (s said) withText(text string) said {
	if s.finding["title"] == s.text {
		s.finding = maps.Clone(s.finding)
		s.finding["title"] = text
	}
	s.text = text
	return s
}

// alterations are a sentence with other words, with other steps, and with other rows of its log.
func alterations(l *rawLog, s said) iter.Seq2[*rawLog, said] {
	return func(yield func(*rawLog, said) bool) {
		for _, at := range regexp.MustCompile(`\pL{4,}`).FindAllStringIndex(s.text, -1) {
			if !yield(l, s.withText(s.text[:at[0]]+"something"+s.text[at[1]:])) {
				return
			}
		}
		steps := l.steps()
		first, last := steps[0], steps[len(steps)-1]
		for _, span := range [][2]int64{{first, first}, {last, last}, {first, last}} {
			other := s
			if other.first, other.last = span[0], span[1]; !yield(l, other) {
				return
			}
		}
		for _, change := range logChanges() {
			other := *l
			other.rows, other.isOwn = slices.Clone(l.rows), nil
			if change(&other); !yield(&other, s) {
				return
			}
		}
	}
}

// logChanges are what is done to a log.
func logChanges() []func(*rawLog) {
	return []func(*rawLog){
		func(l *rawLog) { l.rows = l.rows[:(len(l.rows)+1)/2] },
		func(l *rawLog) { l.evaluates = !l.evaluates },
		func(l *rawLog) { l.findings = nil },
		func(l *rawLog) { l.metrics = []string{"trainer_state.json"} },
		eachRow(func(r *rawRow, _ int) { r.reward = -r.reward }),
		eachRow(func(r *rawRow, _ int) { r.reward = 0.5 }),
		eachRow(func(r *rawRow, i int) { r.reward = float64(i % 3) }),
		eachRow(func(r *rawRow, _ int) { r.reward = math.NaN() }),
		eachRow(func(r *rawRow, i int) { r.advantage = float64(i%2) + 0.5 }),
		eachRow(func(r *rawRow, _ int) { r.advantage = math.NaN() }),
		eachRow(func(r *rawRow, i int) { r.group = strconv.Itoa(i) }),
		eachRow(func(r *rawRow, _ int) { r.group = "g" }),
		eachRow(func(r *rawRow, _ int) { r.answer, r.tokens = "", 0 }),
		eachRow(func(r *rawRow, _ int) { r.answer = "This is the one answer to all." }),
		eachRow(func(r *rawRow, i int) { r.answer, r.tokens = fmt.Sprintf("%d is one of many", i), 5000+i }),
		eachRow(func(r *rawRow, _ int) { r.cutOff = true }),
		eachRow(func(r *rawRow, i int) { r.prompt = fmt.Sprintf("What is %d × 7?", i) }),
		eachRow(func(r *rawRow, _ int) { r.prompt = "What is 6 × 7?" }),
		eachRow(func(r *rawRow, i int) { r.source = strconv.Itoa(i % 2) }),
		eachRow(func(r *rawRow, _ int) { r.gap++ }),
		eachRow(func(r *rawRow, i int) { r.parts = map[string]float64{"accuracy": float64(i % 2), "format": 1} }),
		eachRow(func(r *rawRow, _ int) { r.parts = nil }),
	}
}

// eachRow does something to each row of a log, in its place.
func eachRow(do func(r *rawRow, i int)) func(*rawLog) {
	return func(l *rawLog) {
		for i := range l.rows {
			do(&l.rows[i], i)
		}
	}
}
