package diagnosis

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"vantage/model"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// phrase is a sequence of words that is new in the answers to many prompts, with how those that have it are graded.
type phrase struct {
	text    string // as one answer has it
	share   series // of answers that have it
	has     []bool // by answer of Texts.all
	at      []int  // of the same: which of its words begins it, -1 if it lacks it
	words   int
	opening bool   // it is mostly among the first words
	effect  effect // against answers of the same group that lack it
	equals  effect // the same among answers that are right alike; n 0 if the log does not say which are
	right   effect // of being right
	cites   bool   // it names a file, or the result is told with it
	file    bool   // it names a file
}

// effect is by how much answers with a phrase differ from those of their group without it.
type effect struct {
	n             int     // groups that have both
	change        float64 // mean over these
	z             float64
	with, without float64
}

// Limits of phrases.
const (
	phraseWords   = 4    // in a row make a phrase, each of letters
	hanWords      = 8    // the same of characters, in writings without spaces
	phraseFrom    = 0.1  // of answers have it
	phraseBefore  = 0.02 // of the first ones had it at most
	phrasePrompts = 3    // whose answers have it at least
	phraseTries   = 48   // phrases that are looked at, the most common first
	phraseMined   = 512  // of the newest answers, in which phrases are looked for
	phraseGroups  = 5    // that have answers with and without it
	phraseSure    = 4.0  // standard errors by which these differ, since many phrases are looked at
	phraseLoss    = 0.25 // of the range of rewards that answers with it lose
	phraseFloor   = 0.1  // of that range above the lowest reward, that they still get at most
	phraseGain    = 0.3  // of the standard deviation of rewards in a group that they gain
	openingWords  = 8    // of a wording that wins: fewer are how one begins
	phraseTakes   = 0.8  // of answers have it at the end: then hardly any group has others
	phraseExtends = 0.8  // of the answers that have a phrase go on with the same word
	leaksRight    = 0.9  // of answers that tell a result with it are right
	leaksMore     = 0.3  // more than of the others
)

// spoken are the first and the last words of an answer, each as a number: in lower case without punctuation, those with digits all one.
type spoken struct {
	words []uint32
	size  int // how many words make a phrase
}

// The words that are kept of an answer, and what stands for those that are no words.
const (
	firstSpoken = 128
	lastSpoken  = 32

	noWord     uint32 = 0
	numberWord uint32 = 1
)

// spokenOf takes the words of an answer. In a writing without spaces each is a character.
func spokenOf(words []string, han bool) spoken {
	s := spoken{size: phraseWords}
	if han {
		s.size = hanWords
	}
	first := words[:min(len(words), firstSpoken)]
	last := words[max(len(first), len(words)-lastSpoken):]
	s.words = make([]uint32, 0, len(first)+len(last))
	for _, some := range [][]string{first, last} {
		for _, w := range some {
			s.words = append(s.words, spokenWord(w))
		}
	}
	return s
}

// isPunctuation reports whether a byte is of ASCII and neither a letter nor a digit.
func isPunctuation(c byte) bool {
	return c < utf8.RuneSelf && (c < '0' || c > '9' && c < 'A' || c > 'Z' && c < 'a' || c > 'z')
}

// withoutPunctuation is a word without the punctuation around it.
func withoutPunctuation(w string) string {
	for w != "" && isPunctuation(w[0]) {
		w = w[1:]
	}
	for w != "" && isPunctuation(w[len(w)-1]) {
		w = w[:len(w)-1]
	}
	return w
}

// spokenWord is a word as a number: a hash of its letters (FNV).
func spokenWord(w string) uint32 {
	w = withoutPunctuation(w)
	if w == "" {
		return noWord
	}
	h := uint32(2166136261)
	for i := range len(w) {
		c := w[i]
		switch {
		case c >= '0' && c <= '9':
			return numberWord
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		}
		h = (h ^ uint32(c)) * 16777619
	}
	return h | 2
}

// each calls f with every phrase of its size, of words of which one at most is a number, and where it begins.
func (s *spoken) each(f func(phrase uint64, at int)) {
	for i := 0; i+s.size <= len(s.words); i++ {
		numbers, h := 0, uint64(s.size)
		for _, w := range s.words[i : i+s.size] {
			if w == noWord {
				numbers = s.size
			}
			numbers += model.Count01(w == numberWord)
			h = (h^uint64(w))*0x9e3779b97f4a7c15 + h>>32
		}
		if numbers <= 1 {
			f(h, i)
		}
	}
}

// fields are the words of an answer as they are written, in the order of spoken, as far as they are kept.
func (a *answer) fields() []string {
	first := wordsOf(a.begin)
	all := make([]string, len(a.said.words))
	copy(all[:min(len(all), firstSpoken)], first)
	last := wordsOf(a.finish)
	for i := range min(lastSpoken, len(last), max(0, len(all)-firstSpoken)) {
		all[len(all)-1-i] = last[len(last)-1-i]
	}
	return all
}

// findPhrases looks for the phrases that came up in the answers, with rewards far from those of the rest of their group, before several
// ask: the most striking first.
func (e *evidence) findPhrases() {
	if !e.hasTexts() || e.texts.phrasesOf == len(e.texts.answers) {
		return
	}
	e.texts.phrases, e.texts.phrasesOf = nil, len(e.texts.answers)
	if e.tooFew() != "" || !(e.High > e.Low) {
		return
	}
	found := &e.texts.phrases
	if p := e.secretFile(); p != nil {
		*found = append(*found, *p)
	}
	for _, code := range e.phrasesToTry() {
		if p := e.phraseOf(code); p != nil && !slices.ContainsFunc(*found, func(q phrase) bool { return q.text == p.text }) {
			*found = append(*found, *p)
		}
	}
	slices.SortStableFunc(*found, func(p, q phrase) int { return -compareAbs(p.effect.z, q.effect.z) })
}

func compareAbs(x, y float64) int {
	switch x, y = math.Abs(x), math.Abs(y); {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// phrasesToTry are the most common phrases of the newest answers that hardly any of the first ones had, nor their own prompts.
func (e *evidence) phrasesToTry() []uint64 {
	all := e.texts.all()
	early := max(all[len(all)/8].step, e.stepWithAnswers(leastSteps))
	newest := len(e.Steps) - make(series, len(e.Steps)).span()
	firsts := sort.Search(len(all), func(i int) bool { return all[i].step > early })
	lasts := sort.Search(len(all), func(i int) bool { return all[i].step >= newest })
	late := spread(model.Indexes(len(all))[max(firsts, lasts):], phraseMined)
	type uses struct {
		answers, last, one int
		prompts            int // counted from one prompt to another
		prompt             uint32
	}
	count := map[uint64]uses{}
	for _, i := range late {
		all[i].said.each(func(p uint64, _ int) {
			u := count[p]
			if u.last == i+1 {
				return
			}
			u.prompts += model.Count01(u.answers == 0 || u.prompt != all[i].prompt)
			u.answers, u.last, u.one, u.prompt = u.answers+1, i+1, i, all[i].prompt
			count[p] = u
		})
	}
	maps.DeleteFunc(count, func(_ uint64, u uses) bool {
		ofPrompts := u.prompts >= phrasePrompts || u.prompt == 0
		return float64(u.answers) < phraseFrom*float64(len(late)) || !ofPrompts
	})
	before := map[uint64]int{}
	for i := range firsts {
		all[i].said.each(func(p uint64, _ int) {
			if _, is := count[p]; is {
				before[p]++
			}
		})
	}
	asked := func(p uint64, of *answer) (is bool) {
		prompt := spokenOf(wordsOf(of.asks), of.said.size == hanWords)
		prompt.each(func(q uint64, _ int) { is = is || p == q })
		return is
	}
	maps.DeleteFunc(count, func(p uint64, u uses) bool {
		return float64(before[p]) > phraseBefore*float64(firsts) || asked(p, &all[u.one])
	})
	phrases := slices.Sorted(maps.Keys(count))
	slices.SortStableFunc(phrases, func(p, q uint64) int {
		return cmp.Or(count[q].answers-count[p].answers, count[p].one-count[q].one)
	})
	return phrases[:min(len(phrases), phraseTries)]
}

// phraseOf looks at who says a phrase, and how they are graded; nil if that makes no difference.
func (e *evidence) phraseOf(code uint64) *phrase {
	all := e.texts.all()
	p := &phrase{has: make([]bool, len(all)), at: make([]int, len(all)), share: make(series, len(e.Steps))}
	n, first, begin := 0, -1, 0
	for i := range all {
		p.at[i] = -1
		all[i].said.each(func(q uint64, k int) {
			if q == code && p.at[i] < 0 {
				p.at[i] = k
			}
		})
		p.has[i] = p.at[i] >= 0
		p.share[all[i].step].add(float64(model.Count01(p.has[i])))
		if p.has[i] {
			n++
			begin += model.Count01(p.at[i] <= openingWords || 3*p.at[i] < len(all[i].said.words))
			if first < 0 {
				first = i
			}
		}
	}
	if n < 10 {
		return nil
	}
	p.opening = 10*begin >= 9*n
	reward := func(a *answer) float64 { return a.reward }
	p.effect = e.effectOf(all, p.has, reward, nil)
	if isSmall := math.Abs(p.effect.z) <= phraseSure && p.effect.n >= phraseGroups; isSmall {
		return nil
	}
	if isRight, knows := e.rightOf(all); knows {
		p.right = e.effectOf(all, p.has, isRight, nil)
		p.equals = e.effectOf(all, p.has, reward, isRight)
	}
	from, to := extended(all, p)
	words := all[first].said.words
	lo, hi := max(0, p.at[first]-from), min(len(words), p.at[first]+all[first].said.size+to)
	p.file = slices.ContainsFunc(all[first].fields()[lo:hi], isPath)
	for lo < hi && words[lo] == numberWord {
		lo++
	}
	for lo < hi && words[hi-1] == numberWord {
		hi--
	}
	p.words = hi - lo
	p.text = strings.Join(all[first].fields()[lo:hi], map[bool]string{true: "", false: " "}[all[first].said.size == hanWords])
	p.cites = e.cites(all, p, to)
	return p
}

// rightOf returns which answers are right by their ground truth, if most have one.
func (e *evidence) rightOf(all []answer) (of func(*answer) float64, byTruth bool) {
	known := 0
	for i := range all {
		known += model.Count01(len(all[i].truths) > 0 && all[i].final.Answer != "")
	}
	if 2*known > len(all) {
		return func(a *answer) float64 { return float64(model.Count01(a.isTrue())) }, true
	}
	return nil, false
}

// effectOf compares the answers of each group that have a phrase with those that lack it, of which alike is the same, if that is not nil.
func (e *evidence) effectOf(all []answer, has []bool, value, alike func(*answer) float64) (of effect) {
	var d Moments
	with, without := Moments{}, Moments{}
	for lo := 0; lo < len(all); {
		hi := lo + 1
		for hi < len(all) && all[hi].step == all[lo].step && all[hi].group == all[lo].group {
			hi++
		}
		for _, stratum := range []float64{0, 1} {
			var a, b Moments
			for i := lo; i < hi; i++ {
				x := value(&all[i])
				isOther := alike != nil && alike(&all[i]) != stratum
				switch {
				case !units.IsFinite(x), isOther, alike == nil && stratum > 0:
				case has[i]:
					a.add(x)
				default:
					b.add(x)
				}
			}
			if a.N > 0 && b.N > 0 {
				d.add(a.mean() - b.mean())
				with.add(a.mean())
				without.add(b.mean())
			}
		}
		lo = hi
	}
	if d.N == 0 {
		return of
	}
	sd := math.Sqrt(max(0, d.Squares/float64(d.N)-d.mean()*d.mean())) + 1e-9
	return effect{d.N, d.mean(), d.mean() / sd * math.Sqrt(float64(d.N)), with.mean(), without.mean()}
}

// extended is by how many words, before and after, the answers that have a phrase go on alike.
func extended(all []answer, p *phrase) (before, after int) {
	const most = 12
	goesOn := func(place func(i int) int) bool {
		count, n := map[int]int{}, 0
		for i := range all {
			if !p.has[i] {
				continue
			}
			n++
			if k := place(i); k >= 0 && k < len(all[i].said.words) {
				count[int(all[i].said.words[k])]++
			}
		}
		return float64(count[model.MostCommon(count)]) >= phraseExtends*float64(n)
	}
	for before < most && goesOn(func(i int) int { return p.at[i] - before - 1 }) {
		before++
	}
	for after < most && goesOn(func(i int) int { return p.at[i] + all[i].said.size + after }) {
		after++
	}
	return before, after
}

// cites reports whether a phrase names a file, or most answers that have it tell their result with it and are right then, unlike others of
// their group.
func (e *evidence) cites(all []answer, p *phrase, after int) bool {
	if p.file {
		return true
	}
	right := p.right
	if right.n == 0 {
		right = p.effect
		right.with, right.without = (right.with-e.Low)/(e.High-e.Low), (right.without-e.Low)/(e.High-e.Low)
	}
	isRight := right.n >= phraseGroups && right.with >= leaksRight && right.with-right.without >= leaksMore && right.z > phraseSure
	if !p.opening || !isRight {
		return false
	}
	tell, n := 0, 0
	for i := range all {
		if a := &all[i]; p.has[i] && a.final.Said != "" {
			n++
			fields := a.fields()
			from, to := max(0, p.at[i]-2), min(len(fields), p.at[i]+a.said.size+after+3)
			isResult := func(w string) bool { return plainAnswer(w) == a.final.Answer }
			tell += model.Count01(to < len(fields) && slices.ContainsFunc(fields[from:to], isResult))
		}
	}
	return n > 0 && float64(tell) >= phraseTakes*float64(n)
}

// spreadInGroup is the standard deviation of the rewards within the groups that were read.
func (e *evidence) spreadInGroup() float64 {
	sum, n := 0.0, 0
	e.texts.byGroup(func(group []answer) {
		var m Moments
		for i := range group {
			if units.IsFinite(group[i].reward) {
				m.add(group[i].reward)
			}
		}
		if m.N > 1 {
			sum += m.Squares - m.Sum*m.mean()
			n += m.N - 1
		}
	})
	return math.Sqrt(max(0, sum/float64(max(1, n))))
}

// loses reports whether the answers that have a phrase get hardly more than the lowest reward, unlike others of their group; or all
// answers have it, and get that unlike those before.
func (e *evidence) loses(p *phrase) bool {
	span := e.High - e.Low
	floor := e.Low + phraseFloor*span
	if p.effect.n >= phraseGroups {
		return p.effect.with <= floor && p.effect.change <= -phraseLoss*span && p.effect.z < -phraseSure
	}
	before, after := e.rewardsAround(p)
	return after.N > 0 && before.N > 0 && p.takesOver() && after.mean() <= floor && before.mean()-after.mean() >= phraseLoss*span
}

// wins reports whether the answers that open with a long phrase get more than others of their group that are right alike.
func (e *evidence) wins(p *phrase) bool {
	of := p.effect
	if p.equals.n >= phraseGroups {
		of = p.equals
	}
	isOpening := p.opening && p.words >= openingWords
	return isOpening && of.n >= phraseGroups && of.change >= phraseGain*e.spreadInGroup() && of.z > phraseSure
}

// winsForAll reports whether nearly all answers have a phrase, so that few groups have others, and get more than those before.
func (e *evidence) winsForAll(p *phrase) bool {
	before, after := e.rewardsAround(p)
	isMore := after.N > 0 && before.N > 0 && after.mean()-before.mean() >= phraseLoss*(e.High-e.Low)
	return isMore && p.effect.n < phraseGroups && p.takesOver()
}

func (p *phrase) takesOver() bool {
	s := p.share
	return s.pooled(len(s)-s.span(), len(s)).mean() >= phraseTakes
}

// rewardsAround are those of the answers without a phrase before its onset, and of those that have it.
func (e *evidence) rewardsAround(p *phrase) (before, after Moments) {
	from := p.share.beyond(phraseFrom)
	all := e.texts.all()
	for i := range all {
		switch x := all[i].reward; {
		case !units.IsFinite(x):
		case p.has[i]:
			after.add(x)
		case all[i].step < from:
			before.add(x)
		}
	}
	return before, after
}

// quote is a phrase as it is shown.
func (p *phrase) quote() string {
	const quoted = 70
	text := sanitize.Line(p.text)
	if r := []rune(text); len(r) > quoted {
		text = string(r[:quoted-1]) + "…"
	}
	return "“" + strings.Trim(text, " .") + "”"
}

// phraseFinding is the finding that a phrase came up, with the rewards of those that have it.
func (e *evidence) phraseFinding(p *phrase) (Finding, bool) {
	f, found := e.shareFrom(p.share, phraseFrom, "answers with a new phrase", "answers")
	if !found {
		return Finding{}, false
	}
	s := p.share
	graded := fmt.Sprintf("which get %s where others of their group get %s", units.Short(p.effect.with), units.Short(p.effect.without))
	if p.effect.n < phraseGroups {
		before, after := e.rewardsAround(p)
		graded = fmt.Sprintf("which get %s where answers before got %s", units.Short(after.mean()), units.Short(before.mean()))
	}
	f.takesOver = p.takesOver()
	what := "a new phrase is in %s of answers, %s: %s"
	if p.words == 1 {
		what = "a file that seems to hold the result is named in %s of answers, %s: %s"
	}
	f.Title = fmt.Sprintf(what, units.Share(s.pooled(len(s)-s.span(), len(s)).mean()), graded, p.quote())
	all := e.texts.all()
	for i := range all {
		if p.has[i] && all[i].step >= f.first {
			f.Example = Example{Step: e.Steps[all[i].step].Step, Group: e.groupName(all[i].step, all[i].group)}
			break
		}
	}
	return f, true
}

// losingPhrase finds a phrase that came up and gets the lowest reward: a refusal, an error of a tool.
func losingPhrase(e *evidence) ([]Finding, string) {
	if !e.hasTexts() {
		return nil, noTexts
	}
	if why := e.tooFew(); why != "" {
		return nil, why
	}
	for _, p := range e.texts.phrases {
		if !e.loses(&p) {
			continue
		}
		if f, found := e.phraseFinding(&p); found {
			return []Finding{f}, ""
		}
	}
	return nil, ""
}

// winningPhrase finds an opening that came up and wins by itself, or with which answers tell a result that they know.
func (e *evidence) winningPhrase() (Finding, bool) {
	if e.texts == nil {
		return Finding{}, false
	}
	for _, p := range e.texts.phrases {
		isLeak := p.cites && p.effect.change > 0 && p.effect.z > phraseSure || p.file && e.winsForAll(&p)
		if !isLeak && !e.wins(&p) {
			continue
		}
		f, found := e.phraseFinding(&p)
		if !found {
			continue
		}
		if !isLeak {
			f.Severity = Watch // it may be a style that is wanted
		} else {
			f.Title += ", and the result may be copied"
			f.takesOver = false // that answers become one is what follows from it
		}
		return f, true
	}
	return Finding{}, false
}
