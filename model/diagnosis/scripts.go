package diagnosis

import "unicode"

// script is a family of letters.
type script int

const (
	noScript script = iota
	latin
	greek
	cyrillic
	han // with kana
	hangul
	arabic
	hebrew
	thai
	otherScript
)

// tables are those of the scripts whose letters are not told by their range.
var tables = map[script]*unicode.RangeTable{
	greek: unicode.Greek, cyrillic: unicode.Cyrillic, hangul: unicode.Hangul, arabic: unicode.Arabic, hebrew: unicode.Hebrew,
	thai: unicode.Thai,
}

// scripts says how many of the letters of a text are of each script. Names of commands, such as \boxed, are of none.
type scripts [otherScript + 1]int

func scriptsOf(text string) (n scripts) {
	command := false
	for _, r := range text {
		if !unicode.IsLetter(r) {
			command = r == '\\'
			continue
		}
		switch {
		case command:
		case r < 0x250:
			n[latin]++
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
			n[han] += 2 // one of them is about a word's half
		default:
			s := otherScript
			for known, table := range tables {
				if unicode.Is(table, r) {
					s = known
				}
			}
			n[s]++
		}
	}
	return n
}

// share is how much of the letters are of a script; 0 of a few, which are a symbol or a name.
func (n scripts) share(s script) float64 {
	if n.areFew() {
		return 0
	}
	return float64(n[s]) / float64(n.letters())
}

func (n scripts) letters() (sum int) {
	for _, k := range n {
		sum += k
	}
	return sum
}

// areFew reports whether a text has too few letters to be in a script.
func (n scripts) areFew() bool {
	const few = 8
	return n.letters() < few
}

// scriptOf returns the script of most letters of a text, if it has some.
func scriptOf(text string) script {
	n := scriptsOf(text)
	for s := range n {
		if n.share(script(s)) > 0.5 {
			return script(s)
		}
	}
	return noScript
}

// Limits of what is written in a script that nobody asked in.
const (
	askedShare   = 0.2  // of the letters of a prompt, for an answer in their script to be asked for: the others may be a template's
	strayShare   = 0.15 // of the letters of an answer are in a script that is not even in its prompt. Latin ones are formulas
	salad        = 4    // scripts in one answer
	saladLetters = 2    // of each of them
)

// foreign reports whether an answer, or a part of it, is in another script than its prompt, or in many. A prompt of a few letters, as in
// "3x + 20 = 44", asks in no script.
func foreign(asks, says string) bool {
	a, b, many := scriptsOf(asks), scriptsOf(says), 0
	for k := latin; k <= otherScript; k++ {
		if b[k] >= saladLetters {
			many++
		}
		share := b.share(k)
		isAnother := !a.areFew() && share > 0.5 && a.share(k) < askedShare
		isStray := a != (scripts{}) && k != latin && k != greek && share > strayShare && a[k] == 0
		if isAnother || isStray {
			return true
		}
	}
	return many >= salad
}
