package model

import "strings"

// Nearest returns the name that a person who typed word may have meant, "" if none is near: one that begins
// like it, that holds it, or that differs by few letters. Of several that are as near it is the shortest.
func Nearest(word string, names []string) string {
	word = strings.ToLower(word)
	best, least := "", max(1, len(word)/3)+1
	for _, name := range names {
		distance := least
		lower := strings.TrimRight(strings.ToLower(name), "=")
		tail := lower[strings.LastIndexAny(lower, "/.")+1:] // of trl/dapo, of reward.clip_range
		switch {
		case word == "":
		case lower == word, strings.HasPrefix(lower, word), len(word) > 2 && strings.Contains(lower, word):
			distance = 0
		default:
			distance = min(letterDistance(word, lower), letterDistance(word, tail))
		}
		if distance < least || distance == least && best != "" && len(name) < len(best) {
			best, least = name, distance
		}
	}
	return best
}

// letterDistance returns how many letters must be changed, added, removed or swapped with their neighbour to
// make b of a.
func letterDistance(a, b string) int {
	x, y := []rune(a), []rune(b)
	before, last := make([]int, len(y)+1), Indexes(len(y)+1)
	for i := range x {
		now := make([]int, len(y)+1)
		now[0] = i + 1
		for j := range y {
			change := 1
			if x[i] == y[j] {
				change = 0
			}
			now[j+1] = min(last[j]+change, last[j+1]+1, now[j]+1)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				now[j+1] = min(now[j+1], before[j-1]+1)
			}
		}
		before, last = last, now
	}
	return last[len(y)]
}

// HasLettersInOrder reports whether a text contains the letters of a word one after the other, others between
// them.
func HasLettersInOrder(text, word string) bool {
	for _, letter := range word {
		i := strings.IndexRune(text, letter)
		if i < 0 {
			return false
		}
		text = text[i+len(string(letter)):]
	}
	return true
}
