package diagnosis

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The rule of a loop: the same words come again and again until they are most of the end of an answer.
const (
	maxPeriod     = 12 // words of a phrase that is repeated
	leastRepeated = 3  // times
	leastLooped   = 9  // words in the repetition: three times three is no accident
	loopedShare   = 0.5
	wordLetters   = 3  // characters to a word, of writings without spaces
	maxRunePeriod = 6  // the same of characters, for languages without spaces and for "!!!!!"
	leastRunes    = 48 // in the repetition
)

// loops reports whether at least half of a text is one phrase repeated.
func loops(text string, words []string) bool {
	words = words[max(0, len(words)-maxLoopWords):]
	period, least := maxPeriod, leastLooped
	if scriptOf(firstBytes(text, sampleBytes)) == han { // a word of it is a character
		period, least = wordLetters*maxPeriod, wordLetters*leastLooped
	}
	runes := []rune(firstBytes(text, 4*sampleBytes))
	return isLoop(words, period, least) || isLoop(runes, maxRunePeriod, leastRunes)
}

// isLoop reports whether a stretch of at least so many items, and half of them, repeats one period at least leastRepeated times. Such a
// stretch holds one of the two items in the middle, and so a pair that begins or ends there.
func isLoop[T comparable](items []T, maxPeriod, least int) bool {
	n := len(items)
	least = max(least, int(math.Ceil(loopedShare*float64(n))))
	for period := 1; period <= maxPeriod; period++ {
		for _, end := range []int{n/2 - 1, n / 2, n/2 - 1 + period, n/2 + period} {
			if end < period || end >= n || items[end] != items[end-period] {
				continue
			}
			lo, hi := end, end+1
			for lo > period && items[lo-1] == items[lo-1-period] {
				lo--
			}
			for hi < n && items[hi] == items[hi-period] {
				hi++
			}
			if hi-lo >= (leastRepeated-1)*period && hi-lo+period >= least {
				return true
			}
		}
	}
	return false
}

// isBroken reports whether an answer begins with one or two characters, or is one or two words, again and again.
func isBroken(begin string, words []string) bool {
	const least, few = 48, 2
	different := words[:0:0]
	for _, w := range words {
		if len(different) <= few && !slices.Contains(different, w) {
			different = append(different, w)
		}
		if len(different) > few {
			break
		}
	}
	signs := []rune(nil)
	for _, r := range begin {
		if len(signs) <= few && !unicode.IsSpace(r) && !slices.Contains(signs, r) {
			signs = append(signs, r)
		}
		if len(signs) > few {
			break
		}
	}
	return len(begin) >= least && len(signs) <= few || len(words) >= least/4 && len(different) <= few
}

// leastJunk is how many characters that no text has make an answer junk: one or two are a mistake of an encoder.
const leastJunk = 3

// controls reports whether an answer goes on after a control token, or has characters that no text has, and else on which token it ends,
// as many trainers log every answer.
func controls(text string) (within bool, end string) {
	junk := 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		rest, n := text[i:min(len(text), i+32)], 0
		if r == '<' || r == '[' {
			n = strings.IndexAny(rest, ">]") + 1
		}
		if n > 1 && isControl(rest[:n]) {
			end, size = strings.Clone(rest[:n]), n
		} else if end != "" && !unicode.IsSpace(r) {
			return true, ""
		} else if isJunk(r) {
			junk++
		}
		i += size
	}
	return junk >= leastJunk, end
}

// isJunk reports whether no text has a character: it is broken, a control character, or of private use.
func isJunk(r rune) bool {
	isControl := r < ' ' && r != '\n' && r != '\t' && r != '\r'
	isPrivate := r > unicode.MaxASCII && unicode.Is(unicode.Co, r)
	return r == utf8.RuneError || isControl || isPrivate
}

// taught are words in tags that a model may be taught to write: of thoughts, tools and results.
var taught = []string{"think", "thought", "solution", "answer", "tool", "call", "action", "observ", "python", "box"}

// isControl reports whether a tag is a token of a vocabulary that ends or begins a text or a turn: <|im_start|>, <pad>, </s>, <0x0A>.
func isControl(tag string) bool {
	inner := strings.ToLower(strings.Trim(tag, "<>[]/|"))
	switch {
	case strings.HasPrefix(tag, "<|") && strings.HasSuffix(tag, "|>"):
		return !slices.ContainsFunc(taught, func(word string) bool { return strings.Contains(inner, word) })
	case tag[0] == '[':
		return slices.Contains([]string{"[INST]", "[/INST]", "[PAD]", "[UNK]"}, tag)
	}
	return strings.HasPrefix(inner, "0x") ||
		slices.Contains([]string{"pad", "unk", "s", "eos", "bos", "mask", "sep", "cls", "start_of_turn", "end_of_turn"}, inner)
}
