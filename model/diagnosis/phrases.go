package diagnosis

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"

	"vantage/model"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// phrase is a sequence of words that is new in the answers to many prompts, with how those that have it are graded.
type phrase struct {
	text    string // as one answer has it
	share   series // of answers that have it
	has     []bool // by answer of Texts.all
	words   int
	opening bool   // it is mostly among the first words
	effect  effect // against answers of the same group that lack it
	equals  effect // the same among answers that are right alike; n 0 if the log does not say which are
	right   effect // of being right
	cites   bool   // it names a file, or the result is told with it
	unlike  bool   // of all that have it the reward is unlike that before the onset
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

// spoken is a text as words in lower case without punctuation, where those with digits are all one, with the places of these in the fields
// of the text.
type spoken struct {
	words, fields []string
	han           bool
}

func spokenOf(text string) spoken {
	s := spoken{fields: wordsOf(text)}
	s.han = len(s.fields) > 2*len(strings.Fields(text))
	for _, w := range s.fields {
		s.words = append(s.words, spokenWord(w))
	}
	return s
}

func spokenWord(w string) string {
	w = strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if strings.IndexFunc(w, unicode.IsDigit) >= 0 {
		return "#"
	}
	return strings.ToLower(w)
}

// size is how many words make a phrase.
func (s *spoken) size() int {
	if s.han {
		return hanWords
	}
	return phraseWords
}

// each calls f with every phrase of its size, of words of which one at most is a number, and where it begins.
func (s *spoken) each(f func(phrase string, at int)) {
	n := s.size()
	for i := 0; i+n <= len(s.words); i++ {
		numbers, signs := 0, 0
		for _, w := range s.words[i : i+n] {
			numbers, signs = numbers+model.Count01(w == "#"), signs+model.Count01(w == "")
		}
		if numbers <= 1 && signs == 0 {
			f(strings.Join(s.words[i:i+n], " "), i)
		}
	}
}

// newPhrases are the phrases that came up in the answers, with rewards far from those of the rest of their group: the most striking first.
func (e *evidence) newPhrases() (found []phrase) {
	if !e.hasTexts() || e.tooFew() != "" || !(e.High > e.Low) {
		return nil
	}
	all := e.texts.all()
	said := make([]spoken, len(all))
	for i := range all {
		said[i] = spokenOf(all[i].begin + all[i].finish)
	}
	for _, text := range e.phrasesToTry(all, said) {
		if p := e.phraseOf(all, said, text); p != nil && !slices.ContainsFunc(found, func(q phrase) bool { return q.text == p.text }) {
			found = append(found, *p)
		}
	}
	slices.SortStableFunc(found, func(p, q phrase) int { return -compareAbs(p.effect.z, q.effect.z) })
	return found
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
func (e *evidence) phrasesToTry(all []answer, said []spoken) []string {
	early := max(all[len(all)/8].step, e.stepWithAnswers(leastSteps))
	s := make(series, len(e.Steps))
	newest := len(s) - s.span()
	var late []int
	firsts := 0
	for i := range all {
		if all[i].step >= newest && all[i].step > early {
			late = append(late, i)
		}
		firsts += model.Count01(all[i].step <= early)
	}
	late = spread(late, phraseMined)
	type uses struct {
		answers, first int
		prompts        map[uint32]bool
		last           int
	}
	count := map[string]*uses{}
	for _, i := range late {
		asked := strings.ToLower(all[i].asks)
		said[i].each(func(p string, _ int) {
			u := count[p]
			if u == nil {
				u = &uses{last: -1, prompts: map[uint32]bool{}}
				count[p] = u
			}
			if u.last == i || strings.Contains(asked, p) {
				return
			}
			u.answers, u.last = u.answers+1, i
			u.prompts[all[i].prompt] = true
		})
	}
	maps.DeleteFunc(count, func(_ string, u *uses) bool {
		ofPrompts := len(u.prompts) >= phrasePrompts || all[0].prompt == 0
		return float64(u.answers) < phraseFrom*float64(len(late)) || !ofPrompts
	})
	if len(count) == 0 {
		return nil
	}
	for i := range all {
		if all[i].step > early {
			break
		}
		said[i].each(func(p string, _ int) {
			if u := count[p]; u != nil && u.last != -2-i {
				u.first, u.last = u.first+1, -2-i
			}
		})
	}
	maps.DeleteFunc(count, func(_ string, u *uses) bool { return float64(u.first) > phraseBefore*float64(firsts) })
	phrases := slices.Sorted(maps.Keys(count))
	slices.SortStableFunc(phrases, func(p, q string) int { return count[q].answers - count[p].answers })
	return phrases[:min(len(phrases), phraseTries)]
}

// phraseOf looks at who says a phrase, and how they are graded; nil if it is not new, or makes no difference.
func (e *evidence) phraseOf(all []answer, said []spoken, text string) *phrase {
	p := &phrase{has: make([]bool, len(all)), share: make(series, len(e.Steps))}
	n, first, begin := 0, -1, 0
	at := make([]int, len(all))
	for i := range all {
		at[i] = -1
		said[i].each(func(q string, k int) {
			if q == text && at[i] < 0 {
				at[i] = k
			}
		})
		p.has[i] = at[i] >= 0
		p.share[all[i].step].add(float64(model.Count01(p.has[i])))
		if p.has[i] {
			n++
			begin += model.Count01(at[i] <= openingWords || 3*at[i] < len(said[i].words))
			if first < 0 {
				first = i
			}
		}
	}
	if n < 10 {
		return nil
	}
	p.opening = 10*begin >= 9*n
	p.effect = e.effectOf(all, p.has, func(a *answer) float64 { return a.reward }, nil)
	isRight, knows := e.rightOf(all)
	if knows {
		p.right = e.effectOf(all, p.has, isRight, nil)
		p.equals = e.effectOf(all, p.has, func(a *answer) float64 { return a.reward }, isRight)
	}
	from, to := extended(said, p.has, at)
	lo, hi := max(0, at[first]-from), min(len(said[first].fields), at[first]+said[first].size()+to)
	for lo < hi && said[first].words[lo] == "#" {
		lo++
	}
	for lo < hi && said[first].words[hi-1] == "#" {
		hi--
	}
	span := said[first].fields[lo:hi]
	p.words = len(span)
	p.text = strings.Join(span, map[bool]string{true: "", false: " "}[said[first].han])
	p.cites = e.cites(all, said, p, at, to)
	return p
}

// rightOf returns which answers are right, by their ground truth; else by a reward that says what is solved.
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
func extended(said []spoken, has []bool, at []int) (before, after int) {
	const most = 12
	goesOn := func(offset func(i int) int) bool {
		count, n := map[string]int{}, 0
		for i := range said {
			if !has[i] {
				continue
			}
			n++
			if k := offset(i); k >= 0 && k < len(said[i].words) {
				count[said[i].words[k]]++
			}
		}
		word := model.MostCommon(count)
		return n > 0 && float64(count[word]) >= phraseExtends*float64(n)
	}
	for before < most && goesOn(func(i int) int { return at[i] - before - 1 }) {
		before++
	}
	for after < most && goesOn(func(i int) int { return at[i] + said[i].size() + after }) {
		after++
	}
	return before, after
}

// cites reports whether a phrase names a file, or most answers that have it tell their result with it and are right then, unlike others of
// their group.
func (e *evidence) cites(all []answer, said []spoken, p *phrase, at []int, after int) bool {
	for _, w := range strings.Fields(p.text) {
		w = strings.Trim(w, "\"'`.,:;()<>")
		if isPath := strings.Count(w, "/") >= 2 && !strings.Contains(w, "//") && !strings.ContainsAny(w, "<>{}\\="); isPath {
			return true
		}
	}
	tell, n := 0, 0
	for i := range all {
		if a := &all[i]; p.has[i] && a.final.Said != "" {
			n++
			from := min(len(said[i].fields), max(0, at[i]-2))
			to := min(len(said[i].fields), at[i]+said[i].size()+after+3)
			near := said[i].fields[from:to]
			tell += model.Count01(to < len(said[i].fields) && slices.ContainsFunc(near, func(w string) bool { return plainAnswer(w) == a.final.Answer }))
		}
	}
	right := p.right
	if right.n == 0 {
		right = p.effect
		right.with, right.without = (right.with-e.Low)/(e.High-e.Low), (right.without-e.Low)/(e.High-e.Low)
	}
	isRight := right.n >= phraseGroups && right.with >= leaksRight && right.with-right.without >= leaksMore && right.z > phraseSure
	return p.opening && n > 0 && float64(tell) >= phraseTakes*float64(n) && isRight
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
	f.Title = fmt.Sprintf("a new phrase is in %s of answers, %s: %s", units.Share(s.pooled(len(s)-s.span(), len(s)).mean()), graded, p.quote())
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
	for _, p := range e.newPhrases() {
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
	for _, p := range e.newPhrases() {
		isLeak := p.cites && p.effect.change > 0 && p.effect.z > phraseSure
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
		}
		return f, true
	}
	return Finding{}, false
}
