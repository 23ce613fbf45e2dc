package richtext

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"znkr.io/diff"

	"vantage/themes"
	"vantage/tui/cells"
)

// maxWords is how many words of each answer are compared, from the first on: a
// megabyte of English, which takes a quarter of a second.
const maxWords = 1 << 18

// longWords is how many words both answers may have together to be compared with
// all care: beyond it the shortest difference is not looked for.
const longWords = 1 << 15

// weak is how many words in a row must be the same between two differences to
// count as the same: fewer is what any two texts have in common.
const weak = 2

// Side is one of two answers: what to call it, and what it says.
type Side struct{ Name, Text string }

// Diff compares two answers word by word. What only the winner says stands in
// [+ ], what only the loser says in [− ]. Compared is what is shown, with Markdown
// and LaTeX set unless it is to be raw; spaces and line breaks are not compared.
// The rest of a text beyond 262 144 words is left out, and that is said.
func Diff(winner, loser Side, o Options) *Document {
	hidden := false
	if o.Folded {
		aloudW, aloudL := aloud(winner.Text), aloud(loser.Text)
		hidden = aloudW != winner.Text || aloudL != loser.Text
		winner.Text, loser.Text = aloudW, aloudL
	}
	x, moreX := wordsOf(loser.Text, o)
	y, moreY := wordsOf(winner.Text, o)
	c := comparison{x: x, y: y, signs: signsOf(o.ASCII)}
	c.compare()
	var b builder
	b.begun.hang = 2
	b.say(themes.Positive, c.signs.plus+" ")
	b.line(themes.Plain, winner.Name)
	b.begun.hang = 2
	b.say(themes.Negative, c.signs.minus+" ")
	b.line(themes.Plain, loser.Name)
	b.begun.hang = 2
	b.line(themes.Dim, c.summary())
	if hidden {
		b.line(themes.Dim, "thoughts are left out: z compares them too")
	}
	if moreX || moreY {
		b.line(themes.Warn, fmt.Sprintf("only the first %d words of each are compared", maxWords))
	}
	b.end()
	b.mark(AnchorResponse)
	c.write(&b)
	return b.finish()
}

type signs struct{ plus, minus string }

func signsOf(ascii bool) signs {
	if ascii {
		return signs{"+", "-"}
	}
	return signs{"+", "−"}
}

// word is what is compared, and the space that follows it.
type word struct {
	text   string
	breaks int // line breaks after it
	spaces int // after those
}

// wordsOf cuts a text into words: letters and digits that stand together, and
// every other character by itself.
func wordsOf(s string, o Options) (all []word, more bool) {
	s, beyond := cut(s)
	var shown builder
	shown.prose(s, themes.Plain, o)
	for i, line := range strings.Split(strings.TrimSpace(shown.text.String()), "\n") {
		if n := len(all); i > 0 && n > 0 { // spaces at the end of a line do not count
			all[n-1].breaks, all[n-1].spaces = all[n-1].breaks+1, 0
		}
		for at := 0; at < len(line); {
			if line[at] == ' ' {
				if n := len(all); n > 0 {
					all[n-1].spaces++
				}
				at++
				continue
			}
			n := wordEnd(line[at:])
			all = append(all, word{text: line[at : at+n]})
			at += n
		}
		if len(all) > maxWords {
			return all[:maxWords], true
		}
	}
	return all, beyond > 0
}

// wordEnd is how long the word is that s begins with; marks stay with what they
// stand on, and characters of scripts without spaces are words of their own.
func wordEnd(s string) int {
	first, n := utf8.DecodeRuneInString(s)
	single := !joins(first)
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		if !unicode.Is(unicode.M, r) && (single || !joins(r)) {
			break
		}
		n += size
	}
	return n
}

func joins(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	}
	return unicode.IsLetter(r) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer)
}

// comparison is two answers and where they differ.
type comparison struct {
	x, y  []word // the loser's and the winner's
	signs signs
	parts []part
}

// part is a stretch of both answers that is the same, or that differs: then one of
// the two may be empty.
type part struct {
	same   bool
	x, y   int // where it begins
	nx, ny int // how many words it has
}

func (c *comparison) compare() {
	texts := func(words []word) []string {
		all := make([]string, len(words))
		for i, w := range words {
			all[i] = w.text
		}
		return all
	}
	var how []diff.Option
	if len(c.x)+len(c.y) > longWords {
		how = append(how, diff.Fast())
	}
	x, y := 0, 0
	for _, e := range diff.Edits(texts(c.x), texts(c.y), how...) {
		same := e.Op == diff.Match
		if n := len(c.parts); n == 0 || c.parts[n-1].same != same {
			c.parts = append(c.parts, part{same: same, x: x, y: y})
		}
		p := &c.parts[len(c.parts)-1]
		if e.Op != diff.Insert {
			x++
			p.nx++
		}
		if e.Op != diff.Delete {
			y++
			p.ny++
		}
	}
	c.parts = joined(c.parts)
}

// joined makes one difference of two that have next to nothing between them.
func joined(parts []part) []part {
	var all []part
	for i, p := range parts {
		if n := len(all); n > 0 && !all[n-1].same && (!p.same || p.nx <= weak && i+1 < len(parts)) {
			all[n-1].nx += p.nx
			all[n-1].ny += p.ny
			continue
		}
		all = append(all, p)
	}
	return all
}

// summary says how far the answers go together.
func (c *comparison) summary() string {
	common, differences := 0, 0
	for _, p := range c.parts {
		if p.same {
			common += p.nx
		} else {
			differences++
		}
	}
	switch {
	case differences == 0:
		return "word for word the same"
	case common == 0:
		return "they have nothing in common"
	case c.parts[0].same:
		return fmt.Sprintf("the first %s the same; %d of %d and %d words are in both (n: the next difference)",
			plural(c.parts[0].nx, "word is", "words are"), common, len(c.y), len(c.x))
	}
	return fmt.Sprintf("they differ from the first word on; %d of %d and %d words are in both (n: the next difference)", common, len(c.y), len(c.x))
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// write sets the winner's words, with the loser's where they differ.
func (c *comparison) write(b *builder) {
	for _, p := range c.parts {
		if p.same {
			b.words(themes.Plain, c.y[p.y:p.y+p.ny])
			continue
		}
		b.mark(AnchorChange)
		b.changed(themes.Negative, c.signs.minus, c.x[p.x:p.x+p.nx])
		b.changed(themes.Positive, c.signs.plus, c.y[p.y:p.y+p.ny])
	}
	b.end()
}

// changed sets words that only one side has, in brackets with its sign.
func (b *builder) changed(role themes.Role, sign string, words []word) {
	if len(words) == 0 {
		return
	}
	last := len(words) - 1
	b.say(role, "["+sign)
	b.words(role, append(words[:last:last], word{text: words[last].text}))
	b.say(role, "]")
	b.space(role, words[last])
}

func (b *builder) words(role themes.Role, words []word) {
	for _, w := range words {
		b.say(role, w.text)
		b.space(role, w)
	}
}

// space sets what follows a word.
func (b *builder) space(role themes.Role, w word) {
	for range min(2, w.breaks) {
		b.end()
	}
	b.say(role, cells.Spaces(w.spaces))
}
