package diagnosis

import (
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"

	"vantage/model"
	"vantage/model/units"
)

// Answers that a limit cuts from the first step on, of which nothing but the texts are known: none is left that ends, beside which they
// could be graded lower. They stop in the middle of a sentence, and are as long as each other.

// Limits of what such texts look like.
const (
	oneLength   = 1.5 // times as long as the shortest twentieth is the longest twentieth at most: who ends an answer does not aim at a length
	inSentences = 0.5 // of the answers stop on a letter or a comma: grids and lists of numbers may be of one length
	oneClose    = 0.2 // of the answers have the most common last word at most: a form that all end on is an end
	leastCut    = 40  // words of a text that a limit cuts
)

// stopsInSentence reports whether an answer that does not end like a text that is complete stops on a letter or a comma.
func (a *answer) stopsInSentence() bool {
	last, _ := utf8.DecodeLastRuneInString(a.ending)
	return a.unfinished && (unicode.IsLetter(last) || last == ',')
}

// allInMiddle finds runs of which nearly all answers stop in the middle at about one length. It is a watch while the reward gains all the
// same.
func (e *evidence) allInMiddle() (Finding, bool) {
	all := e.texts.all()
	if len(all) < leastAllCut {
		return Finding{}, false
	}
	lengths := model.Mapped(all, func(a answer) int { return a.characters })
	slices.Sort(lengths)
	shortest, longest := lengths[len(lengths)/20], lengths[len(lengths)-1-len(lengths)/20]
	sentences, closes := 0, map[string]int{}
	for i := range all {
		sentences += model.Count01(all[i].stopsInSentence())
		if n := len(all[i].tail); n > 0 {
			closes[all[i].tail[n-1]]++
		}
	}
	areOfOneLength := float64(longest) <= oneLength*float64(shortest)
	isProse := float64(sentences) >= inSentences*float64(len(all))
	haveClose := float64(closes[model.MostCommon(closes)]) > oneClose*float64(len(all))
	if !areOfOneLength || !isProse || haveClose {
		return Finding{}, false
	}
	s := e.texts.share(func(a *answer) bool { return a.unfinished && a.words >= leastCut })
	f, found := e.shareFrom(s, allCutFrom, "answers cut off", "answers")
	if !found {
		return Finding{}, false
	}
	f.Title = fmt.Sprintf("%s of answers stop in the middle, at about %s characters each, as at a limit, ",
		units.Share(s.pooled(len(s)-s.span(), len(s)).mean()), units.Count(lengths[len(lengths)/2]))
	f.Title += e.whileCut(&f)
	return f, true
}

// whileCut says whether the reward gains though all answers are cut off, and makes that a watch.
func (e *evidence) whileCut(f *Finding) string {
	if l := e.learning(); l != nil && l.IsGain() {
		f.Severity = Watch
		return "though the reward gains"
	}
	return "and the reward does not gain"
}
