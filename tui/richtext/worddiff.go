package richtext

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"znkr.io/diff"

	"vantage/model"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
)

const (
	// maxWords of each answer are compared: a megabyte of English, which takes a quarter of
	// a second.
	maxWords = 1 << 18

	// maxExactWords of both answers together are compared exactly; the difference of more is
	// not the shortest.
	maxExactWords = 1 << 15

	// maxCoincidence is how many equal words between two differences are taken for a
	// coincidence, since any two texts have them in common.
	maxCoincidence = 2
)

// Side is one of two answers that are compared.
type Side struct{ Name, Text string }

// Diff compares two answers word by word, in the form in which they are shown. Words of the
// winner alone are in [+ ], words of the loser alone in [− ]. Spaces and line breaks are not
// compared. Beyond 262,144 words a text is left out, and the Document says so.
func Diff(winner, loser Side, o Options) *Document {
	var b builder
	b.diff(winner, loser, o, " (n: next difference)")
	return b.document()
}

// SampleAndDiff is Sample, and below it under a title what Diff says of two answers.
func SampleAndDiff(t model.Text, title string, winner, loser Side, o Options) *Document {
	var b builder
	b.sample(t, o)
	b.writeLine(themes.Title, title)
	b.diff(winner, loser, o, "")
	return b.document()
}

// diff writes a diff. hint follows the words on a difference.
func (b *builder) diff(winner, loser Side, o Options, hint string) {
	thoughtsLeftOut := false
	if o.Folded {
		w, l := withoutThoughts(winner.Text), withoutThoughts(loser.Text)
		thoughtsLeftOut = w != winner.Text || l != loser.Text
		winner.Text, loser.Text = w, l
	}
	loserWords, loserTruncated := splitWords(loser.Text, o)
	winnerWords, winnerTruncated := splitWords(winner.Text, o)
	c := comparison{loser: loserWords, winner: winnerWords, plus: "+", minus: o.sign("−", "-")}
	c.compare()
	b.legend(themes.Positive, c.plus, winner.Name)
	b.legend(themes.Negative, c.minus, loser.Name)
	b.current.hang = 2
	b.writeLine(themes.Dim, c.summary(hint))
	if thoughtsLeftOut {
		b.writeLine(themes.Dim, "thinking is left out: T compares it too")
	}
	if loserTruncated || winnerTruncated {
		b.writeLine(themes.Warn, fmt.Sprintf("only the first %d words of each are compared", maxWords))
	}
	b.endParagraph()
	b.anchor(AnchorResponse)
	c.write(b)
}

func (b *builder) legend(role themes.Role, sign, name string) {
	b.current.hang = 2
	b.write(role, sign+" ")
	b.writeLine(themes.Plain, name)
}

type word struct {
	text   string
	breaks int // line breaks
	spaces int // after the line breaks
}

// splitWords splits a text, rendered, into words: runs of letters and digits, and every other
// character on its own.
func splitWords(s string, o Options) (words []word, truncated bool) {
	s, omitted := truncate(s)
	var rendered builder
	rendered.prose(s, themes.Plain, o)
	for i, line := range strings.Split(strings.TrimSpace(rendered.text.String()), "\n") {
		if n := len(words); i > 0 && n > 0 { // spaces before a line break are dropped
			words[n-1].breaks, words[n-1].spaces = words[n-1].breaks+1, 0
		}
		for line != "" {
			if line[0] == ' ' {
				if n := len(words); n > 0 {
					words[n-1].spaces++
				}
				line = line[1:]
				continue
			}
			n := wordLength(line)
			words = append(words, word{text: line[:n]})
			line = line[n:]
		}
		if len(words) > maxWords {
			return words[:maxWords], true
		}
	}
	return words, omitted > 0
}

// wordLength returns the length of the word at the start of s, with combining marks.
// Characters of scripts without spaces are words of their own.
func wordLength(s string) int {
	first, n := utf8.DecodeRuneInString(s)
	single := !inWord(first)
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		if !unicode.Is(unicode.M, r) && (single || !inWord(r)) {
			break
		}
		n += size
	}
	return n
}

func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	}
	return unicode.IsLetter(r) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer)
}

// comparison is two answers as a sequence of equal and different parts.
type comparison struct {
	loser, winner []word
	plus, minus   string
	parts         []part
}

// part is a range of words in both answers that is equal, or that differs and may be empty
// in one of them. Both are slices of the whole answers, so that a longer slice includes the
// words that follow.
type part struct {
	equal         bool
	loser, winner []word
}

func (c *comparison) compare() {
	texts := func(words []word) []string {
		return model.Mapped(words, func(w word) string { return w.text })
	}
	var options []diff.Option
	if len(c.loser)+len(c.winner) > maxExactWords {
		options = append(options, diff.Fast())
	}
	l, w := c.loser, c.winner
	for _, e := range diff.Edits(texts(l), texts(w), options...) {
		equal := e.Op == diff.Match
		if n := len(c.parts); n == 0 || c.parts[n-1].equal != equal {
			c.parts = append(c.parts, part{equal: equal, loser: l[:0], winner: w[:0]})
		}
		p := &c.parts[len(c.parts)-1]
		if e.Op != diff.Insert {
			p.loser, l = p.loser[:len(p.loser)+1], l[1:]
		}
		if e.Op != diff.Delete {
			p.winner, w = p.winner[:len(p.winner)+1], w[1:]
		}
	}
	c.parts = joinDifferences(c.parts)
}

func joinDifferences(parts []part) []part {
	var all []part
	for i, p := range parts {
		isCoincidence := len(p.loser) <= maxCoincidence && i+1 < len(parts)
		if n := len(all); n > 0 && !all[n-1].equal && (!p.equal || isCoincidence) {
			last := &all[n-1]
			last.loser, last.winner = last.loser[:len(last.loser)+len(p.loser)], last.winner[:len(last.winner)+len(p.winner)]
			continue
		}
		all = append(all, p)
	}
	return all
}

func (c *comparison) summary(hint string) string {
	common, differences := 0, 0
	for _, p := range c.parts {
		if p.equal {
			common += len(p.loser)
		} else {
			differences++
		}
	}
	switch {
	case differences == 0:
		return "identical"
	case common == 0:
		return "no words in common"
	}
	start := "they differ from the first word"
	if p := c.parts[0]; p.equal && len(p.loser) == 1 {
		start = "the first word is the same"
	} else if p.equal {
		start = fmt.Sprintf("the first %d words are the same", len(p.loser))
	}
	return fmt.Sprintf("%s; %s in common, of %d and %d%s", start, units.Plural(common, "words"), len(c.winner), len(c.loser), hint)
}

// write writes the winner's words and, at differences, the loser's before them.
func (c *comparison) write(b *builder) {
	for _, p := range c.parts {
		if p.equal {
			b.words(themes.Plain, p.winner)
			continue
		}
		b.anchor(AnchorChange)
		b.changed(themes.Negative, c.minus, p.loser)
		b.changed(themes.Positive, c.plus, p.winner)
	}
	b.endParagraph()
}

func (b *builder) changed(role themes.Role, sign string, words []word) {
	if len(words) == 0 {
		return
	}
	last := words[len(words)-1]
	b.write(role, "["+sign)
	b.words(role, words[:len(words)-1])
	b.write(role, last.text+"]")
	b.whiteSpace(role, last)
}

func (b *builder) words(role themes.Role, words []word) {
	for _, w := range words {
		b.write(role, w.text)
		b.whiteSpace(role, w)
	}
}

// whiteSpace writes the white space after a word, at most one empty line.
func (b *builder) whiteSpace(role themes.Role, w word) {
	for range min(2, w.breaks) {
		b.endParagraph()
	}
	b.write(role, cells.Spaces(w.spaces))
}
