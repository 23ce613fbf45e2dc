package ledger

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/diagnosis"
	"vantage/model/units"
)

// Doubt is a reason to think that the ground truth of a prompt, or how its answers are graded, is wrong.
type Doubt struct {
	Kind   DoubtKind
	Answer string // that the tries agree on, or that is graded in two ways: sanitise before showing
	Same   int    // tries that give it
	Solved int    // of these
	Read   int    // tries that give an answer
	Others int    // other numbers that are solved, though several answers of one are graded in two ways
	Odds   float64
	of     int    // prompts that the odds are from
	source string // of these, "" if the log does not say it
}

// DoubtKind is what is wrong.
type DoubtKind string

// The kinds.
const (
	AgreeWrong DoubtKind = "agree_wrong" // the answers agree, and all are graded wrong
	TruthWrong DoubtKind = "truth_wrong" // the answers agree with the ground truth, and all are graded wrong
	TwoGrades  DoubtKind = "two_grades"  // one answer is graded in two ways
	FarBelow   DoubtKind = "far_below"   // never solved, where hardly any prompt of its source, if that is known, and of like length is as hard
)

// String is the evidence, with the odds.
func (d *Doubt) String() string {
	answer := d.briefAnswer()
	switch d.Kind {
	case TruthWrong:
		return fmt.Sprintf("%d of %d answers are “%s”, which is the ground truth, and none of these is solved", d.Same, d.Read, answer)
	case TwoGrades:
		others := ""
		if d.Others > 0 {
			others = fmt.Sprintf(", and %s solved too", units.Plural(d.Others, "other numbers are"))
		}
		return fmt.Sprintf("the answer “%s” is solved %d of %d times%s: by chance 1 in %s such prompts", answer, d.Solved, d.Same, others,
			units.Short(d.Odds))
	case FarBelow:
		like := "of like length"
		if d.source != "" {
			like = "of its source and " + like
		}
		return fmt.Sprintf("none of %d tries is solved, and of %s %s hardly any is as hard: odds %s:1", d.Read,
			units.Plural(d.of, "other prompts"), like, units.Short(d.Odds))
	case AgreeWrong:
	}
	return fmt.Sprintf("%d of %d answers are “%s”, and none of these is solved: odds %s:1 that this is right, as for %s whose "+
		"answers agree so", d.Same, d.Read, answer, units.Short(d.Odds), units.Plural(d.of, "other prompts"))
}

func (d *Doubt) briefAnswer() string {
	if r := []rune(d.Answer); len(r) > 40 {
		return string(r[:39]) + "…"
	}
	return d.Answer
}

// agreed says on what tries agree of which none is solved, without saying that it is a reason to doubt.
func (d *Doubt) agreed() string {
	return fmt.Sprintf("%d of %d answers are “%s”", d.Same, d.Read, d.briefAnswer())
}

// The limits of doubts.
const (
	promptTries   = 16   // of a prompt that are read, the latest
	mostTries     = 64   // where there are few prompts
	leastTries    = 8    // that give an answer, before anything is said of it
	sureAgree     = 0.05 // that so many answers are one by chance, if each is as often as the second, for them to agree
	leastSame     = 3    // of these
	luckySolved   = 32   // one try in so many may hit a wrong truth by luck
	leastLike     = 20   // other prompts whose answers agree about as much say how often such an answer is right
	sureUnlike    = 0.05 // that so many of these are wrong by chance, if they are as the others, for the others to say nothing
	leastOdds     = 4    // that an answer on which tries agree is right
	sureTwoGrades = 1000 // times less likely than one by chance
	leastKin      = 50   // other prompts of its source and length, for one to be far below them
	kinLength     = 2    // times longer or shorter they may be
	rarelySolved  = 0.2  // the solve rate of one that is as hard
	leastKinOdds  = 20   // of those that are not as hard
)

// try is a sample whose text is read.
type try struct {
	prompt int // index in Prompts
	place  model.Place
	solved bool
	answer string
	isTrue bool   // the answer is the ground truth
	truth  string // a number, "" if it is none
	placed diagnosis.Placed
	source string // of the prompt
	length int    // of the prompt, in bytes
}

// doubt reads the answers to some prompts, so many at most, and says of which of them the ground truth or the grades are in doubt: of
// prompts that were never solved, and of others for what is usual. It goes through the steps once more. It needs rewards that say what
// is solved; else it finds nothing. It is for before judge.
func (l *Ledger) doubt(ctx context.Context, set model.Settings, o Options) error {
	read := o.Read
	if !l.Known || o.Texts == 0 && !o.Every || len(l.Prompts) == 0 {
		return nil
	}
	hasAnswers := false
	err := read(ctx, []model.Place{l.Prompts[0].Place}, nil, func(_ int, t model.Text, _ error) { hasAnswers = t.Response != "" })
	if err != nil || !hasAnswers {
		return err
	}
	asked, keep := l.asked(len(l.Prompts)), math.MaxInt
	if !o.Every {
		asked = l.asked(o.Texts / promptTries)
		keep = min(mostTries, max(promptTries, o.Texts/max(1, len(asked))))
	}
	all, err := l.tries(ctx, set, asked, keep)
	if err != nil {
		return err
	}
	places, isRead := model.Mapped(all, func(t *try) model.Place { return t.place }), make([]bool, len(all))
	err = read(ctx, places, nil, func(i int, t model.Text, err error) {
		if err != nil {
			return // what cannot be read says nothing
		}
		isRead[i] = true
		all[i].source, all[i].length = diagnosis.SourceOf(t.Fields), len(t.Prompt)
		final := diagnosis.FinalOf(t.Response)
		all[i].answer, all[i].isTrue = final.Answer, final.IsTruth(t.Truth)
		if truth := diagnosis.FinalOf(t.Truth).Answer; isNumber(truth) {
			all[i].truth = truth
		}
		all[i].placed.Final, all[i].placed.Truths = final, diagnosis.TruthsOf(t.Truth)
	})
	if err != nil {
		return err
	}
	for _, is := range isRead {
		l.Read += model.Count01(is)
	}
	if p := diagnosis.PlacementOf(model.Mapped(all, func(t *try) diagnosis.Placed { return t.placed })); p.IsAway() {
		l.Away = p.String()
		return nil // such rewards say nothing of a prompt
	}
	l.judgeAnswers(all)
	l.judgeKin(all)
	return nil
}

// judgeKin finds the prompts that were never solved although nearly all of their source and of like length are solved more often.
func (l *Ledger) judgeKin(tries []*try) {
	kin := map[int]*try{} // one of the tries of each prompt
	for _, t := range tries {
		if t.length > 0 {
			kin[t.prompt] = t
		}
	}
	for k, own := range kin {
		p := &l.Prompts[k]
		if p.Solved > 0 || p.Doubt != nil {
			continue
		}
		others, asHard := 0, 0
		for m, t := range kin {
			if m != k && t.source == own.source && t.length <= kinLength*own.length && own.length <= kinLength*t.length {
				others++
				asHard += model.Count01(l.Prompts[m].SolveRate() < rarelySolved)
			}
		}
		if odds := float64(others+1) / float64(asHard+1); others >= leastKin && odds >= leastKinOdds {
			p.Doubt = &Doubt{Kind: FarBelow, Read: p.Tries, Odds: odds, of: others, source: own.source}
		}
	}
}

// tries are the latest samples of some prompts, so many of each, in the order of the log.
func (l *Ledger) tries(ctx context.Context, set model.Settings, asked map[int]bool, keep int) (all []*try, err error) {
	tries := map[int][]*try{}
	err = analysis.EachComplete(ctx, l.snap, set, func(a *analysis.Analysis) error {
		i, _ := l.snap.Find(a.Step)
		step := l.snap.Steps[i]
		for g := range a.Table {
			group := &a.Table[g]
			k := l.find(step, a, g)
			if k < 0 || !asked[k] {
				continue
			}
			for c := group.Start; c < group.End; c++ {
				if _, last := step.CountedAs(int(a.InputRow[c])); last {
					tries[k] = append(tries[k], &try{
						prompt: k, place: step.Place(int(a.InputRow[c])), solved: a.IsSolved(group, c),
						placed: diagnosis.Placed{Step: a.Step, Prompt: uint32(k) + 1},
					})
				}
			}
			tries[k] = tries[k][max(0, len(tries[k])-keep):]
		}
		return nil
	})
	for _, k := range tries {
		all = append(all, k...)
	}
	slices.SortFunc(all, func(x, y *try) int { return x.place.Compare(y.place) })
	return all, err
}

// asked are the prompts to read, by index: half of them such as were never solved, those of the most tries first, and for what is usual
// others that were, in the order of their hashes. None is graded by degrees: equal answers may well differ in such grades.
func (l *Ledger) asked(most int) map[int]bool {
	var never, other []int
	for k := range l.Prompts {
		switch p := &l.Prompts[k]; {
		case p.Tries < leastTries, p.Partly > 0:
		case p.Solved == 0:
			never = append(never, k)
		default:
			other = append(other, k)
		}
	}
	slices.SortFunc(never, func(x, y int) int { return cmp.Or(l.Prompts[y].Tries-l.Prompts[x].Tries, x-y) })
	slices.SortFunc(other, func(x, y int) int { return cmp.Or(cmp.Compare(l.Prompts[x].hash, l.Prompts[y].hash), x-y) })
	half := max(most/2, most-len(other))
	never = never[:min(len(never), half)]
	other = other[:min(len(other), most-len(never))]
	asked := map[int]bool{}
	for _, k := range slices.Concat(never, other) {
		asked[k] = true
	}
	return asked
}

// answers are the tries of a prompt that give an answer.
type answers struct {
	prompt, read, solved int
	top                  string // the most common answer
	same, right          int    // tries that give it, and of these the solved ones
	second               int    // tries that give the next one
	isTrue               bool   // it is the ground truth
	lost                 int    // tries that give the ground truth, a number, and are not solved
	strange              int    // other numbers that are solved, each once
	twoGrades            int    // tries of one answer that are graded unlike most of it
	twice                string // the answer with most of these
	twiceSame, twiceOK   int    // tries that give it, and the solved ones
	others               int    // numbers that are solved, each once, besides the one that is solved most
}

// agree reports whether one answer is so much more common than the next that they are not as likely, or the only one that comes twice.
func (a *answers) agree() bool {
	if a.read < leastTries || a.same < leastSame || a.same <= 2*a.second {
		return false
	}
	next := float64(a.second+1) / float64(a.read-a.same+2)
	return a.second <= 1 || tail(a.same, a.read, next) <= sureAgree
}

// isWrong reports whether the answer on which the tries agree is never solved, nor others more often than a wrong truth is hit by luck.
func (a *answers) isWrong(p *Prompt) bool {
	lucky := max(1, p.Tries/luckySolved)
	return a.agree() && a.right == 0 && p.Solved <= lucky && a.same > 2*p.Solved
}

// lead is by how much the most common answer leads.
func (a *answers) lead() float64 { return float64(a.same-a.second) / float64(a.read) }

// errs is how many tries are graded as if the grader drew: unlike others of one answer, and where answers agree also other numbers that are
// solved. Where the truth is known, tries that give it are not solved and other numbers are: one of the two alone may be another way to
// grade.
func (a *answers) errs() int {
	byTruth := 0
	if a.lost > 0 && a.strange > 0 {
		byTruth = a.lost + a.strange
	}
	if a.twoGrades < 2 || !a.agree() {
		return max(a.twoGrades, byTruth)
	}
	return max(a.twoGrades+a.others, byTruth)
}

// judgeAnswers finds the doubts, by what is usual among the prompts that were read.
func (l *Ledger) judgeAnswers(tries []*try) {
	all := answersByPrompt(tries)
	usual := usualErrors(all)
	for i := range all {
		a, p := &all[i], &l.Prompts[all[i].prompt]
		d := &Doubt{Answer: a.top, Same: a.same, Solved: a.right, Read: a.read}
		switch {
		case a.isWrong(p) && a.isTrue:
			d.Kind, d.Odds = TruthWrong, math.Inf(1)
		case a.isWrong(p):
			right, wrong := like(all, i)
			d.Kind, d.Odds, d.of = AgreeWrong, odds(right, wrong), right+wrong
			p.Agreed = d
		case a.errs() > 1 && a.read >= leastTries:
			d.Kind, d.Odds = TwoGrades, 1/tail(a.errs(), a.read, usual.without(a))
			d.Answer, d.Same, d.Solved, d.Others = a.twice, a.twiceSame, a.twiceOK, a.errs()-a.twoGrades
		}
		if least := map[DoubtKind]float64{AgreeWrong: leastOdds, TwoGrades: sureTwoGrades}; d.Kind != "" && d.Odds >= least[d.Kind] {
			p.Doubt = d
		}
	}
}

// errorRate is how many tries of some prompts are graded as if the grader drew.
type errorRate struct {
	errors, graded int
	counted        map[int]bool // prompts
}

// usualErrors is the rate of the prompts whose tries are graded so no more often than those of all.
func usualErrors(all []answers) errorRate {
	rough := errorRate{counted: map[int]bool{}}
	for i := range all {
		rough.add(&all[i])
	}
	usual := errorRate{counted: map[int]bool{}}
	for i := range all {
		if a := &all[i]; a.errs() == 0 || sureTwoGrades*tail(a.errs(), a.read, rough.without(a)) > 1 {
			usual.add(a)
		}
	}
	return usual
}

func (r *errorRate) add(a *answers) {
	r.errors, r.graded = r.errors+a.errs(), r.graded+a.read
	r.counted[a.prompt] = true
}

// without is the rate of the prompts besides one, as if one try more were wrong and one right.
func (r *errorRate) without(a *answers) float64 {
	errors, graded := r.errors, r.graded
	if r.counted[a.prompt] {
		errors, graded = errors-a.errs(), graded-a.read
	}
	return float64(errors+1) / float64(graded+2)
}

// odds are Laplace's: one more of each.
func odds(right, wrong int) float64 { return float64(right+1) / float64(wrong+1) }

// like counts the other prompts whose answers agree, by whether the answer on which they agree is mostly solved: those that agree about as
// much, and all where these are no more often wrong than all. A grader that does not know the truth, or draws, says nothing about those who
// agree.
func like(all []answers, i int) (right, wrong int) {
	var others []*answers
	for k := range all {
		a := &all[k]
		grader := a.isTrue && a.solved == 0 || 4*min(a.right, a.same-a.right) > a.same
		if k != i && a.agree() && !grader {
			others = append(others, a)
		}
	}
	away := func(a *answers) float64 { return math.Abs(a.lead() - all[i].lead()) }
	slices.SortFunc(others, func(x, y *answers) int { return cmp.Or(cmp.Compare(away(x), away(y)), x.prompt-y.prompt) })
	near := others[:min(len(others), max(leastLike, len(others)/4))]
	right, wrong = mostlySolved(near)
	allRight, allWrong := mostlySolved(others)
	if wrong > 0 && tail(wrong, len(near), float64(allWrong+1)/float64(len(others)+2)) > sureUnlike {
		return allRight, allWrong
	}
	return right, wrong
}

func mostlySolved(some []*answers) (solved, not int) {
	for _, a := range some {
		if 2*a.right > a.same {
			solved++
		} else {
			not++
		}
	}
	return solved, not
}

func answersByPrompt(tries []*try) (all []answers) {
	byPrompt := map[int][]*try{}
	for _, t := range tries {
		if t.answer != "" {
			byPrompt[t.prompt] = append(byPrompt[t.prompt], t)
		}
	}
	for prompt, some := range byPrompt {
		all = append(all, answersOf(prompt, some))
	}
	return all
}

func answersOf(prompt int, tries []*try) answers {
	a := answers{prompt: prompt, read: len(tries)}
	count, solved := map[string]int{}, map[string]int{}
	for _, t := range tries {
		count[t.answer]++
		solved[t.answer] += model.Count01(t.solved)
		a.solved += model.Count01(t.solved)
	}
	a.top = model.MostCommon(count)
	a.same, a.right = count[a.top], solved[a.top]
	most := model.MostCommon(solved)
	for _, answer := range slices.Sorted(maps.Keys(count)) {
		n, right := count[answer], solved[answer]
		if answer != a.top {
			a.second = max(a.second, n)
		}
		few, isNumber := min(right, n-right), isNumber(answer) && isNumber(most)
		switch {
		case n > 1:
			if a.twoGrades += few; few > min(a.twiceOK, a.twiceSame-a.twiceOK) {
				a.twice, a.twiceSame, a.twiceOK = answer, n, right
			}
		case isNumber && answer != most:
			a.others += right
		}
	}
	a.compareTruth(tries)
	return a
}

// compareTruth compares the grades with the ground truth.
func (a *answers) compareTruth(tries []*try) {
	strange := map[string]bool{}
	for _, t := range tries {
		a.isTrue = a.isTrue || t.answer == a.top && t.isTrue
		if t.truth == "" || t.solved == t.isTrue {
			continue
		}
		if t.isTrue {
			a.lost++
		} else if isNumber(t.answer) {
			strange[t.answer] = true
		}
	}
	a.strange = len(strange)
}

func isNumber(answer string) bool {
	_, err := strconv.ParseFloat(answer, 64)
	return err == nil
}

// tail is the chance of at least k of n if each has probability p.
func tail(k, n int, p float64) float64 {
	sum := 0.0
	for i := k; i <= n; i++ {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(i + 1))
		c, _ := math.Lgamma(float64(n - i + 1))
		sum += math.Exp(a - b - c + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return min(1, sum)
}

// Twin is a prompt that differs from another only in white space or in a time stamp.
type Twin struct{ Prompt, Of *Prompt }

// Limits of twins.
const (
	twinTexts       = 4096 // prompts that are compared by their whole text
	fullPreview     = 150  // bytes, from which a preview may be only the beginning of a prompt
	comparedPreview = 120  // of such a one so many are compared: white space moves where it ends
)

// stamps finds dates, with the time of day if there is one, times with seconds, and seconds since 1970.
func stamps() *regexp.Regexp {
	const months = `(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*`
	return regexp.MustCompile(`\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?|\d?\d ` + months + ` \d{4}|` +
		months + ` \d?\d,? \d{4}|\b\d?\d:\d\d:\d\d\b|\b1[5-9]\d{8}\b`)
}

// findTwins compares prompts that begin alike, by their whole text.
func (l *Ledger) findTwins(ctx context.Context, read analysis.ReadTexts) error {
	find := stamps()
	plain := func(text string) string {
		return strings.Join(strings.Fields(find.ReplaceAllString(text, "(time)")), " ")
	}
	alike := l.alike(plain)
	if len(alike) == 0 || read == nil {
		return nil
	}
	slices.SortFunc(alike, func(x, y *Prompt) int { return x.Place.Compare(y.Place) })
	texts := make([]string, len(alike))
	places := model.Mapped(alike, func(p *Prompt) model.Place { return p.Place })
	err := read(ctx, places, nil, func(i int, t model.Text, err error) {
		if err == nil && t.Prompt != "" {
			texts[i] = plain(t.Prompt) + "\x00" + t.Truth
		}
	})
	first := map[string]*Prompt{}
	for i, p := range alike {
		if of := first[texts[i]]; of != nil && texts[i] != "" {
			l.Twins = append(l.Twins, Twin{p, of})
		} else {
			first[texts[i]] = p
		}
	}
	return err
}

// alike returns prompts whose beginnings differ only in white space or in a time stamp from that of another. A preview has no runs of white
// space, so that equal ones are of such prompts too, or, if they are long, of any that begin alike: those come last.
func (l *Ledger) alike(plain func(string) string) (alike []*Prompt) {
	seed := maphash.MakeSeed()
	forms := make([]uint64, len(l.Prompts)) // hashes, since there may be millions
	first := make(map[uint64]int32, len(l.Prompts))
	isAlike := map[uint64]bool{} // by form, if several prompts have it: whether not only their long beginnings do
	for k := range l.Prompts {
		preview := l.Prompts[k].Preview
		form := strings.Join(strings.Fields(preview), " ")
		if mayHaveStamp(form) {
			form = plain(form)
		}
		if len(preview) >= fullPreview {
			form = form[:min(len(form), comparedPreview)]
		}
		forms[k] = maphash.String(seed, form)
		of, found := first[forms[k]]
		if !found {
			first[forms[k]] = int32(k)
		} else {
			isAlike[forms[k]] = isAlike[forms[k]] || l.Prompts[of].Preview != preview || len(preview) < fullPreview
		}
	}
	for _, wanted := range []bool{true, false} {
		for k := range l.Prompts {
			if is, found := isAlike[forms[k]]; found && is == wanted && len(alike) < twinTexts {
				alike = append(alike, &l.Prompts[k])
			}
		}
	}
	return alike
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// mayHaveStamp reports whether a text has what every time stamp has: a digit, a dash or a colon and a digit; a year; or ten digits.
func mayHaveStamp(text string) bool {
	digits := 0
	for i := range len(text) {
		c := text[i]
		isYear := digits == 4 && (text[i-4:i-2] == "20" || text[i-4:i-2] == "19")
		isMark := (c == '-' || c == ':') && digits > 0 && i+1 < len(text) && isDigit(text[i+1])
		switch {
		case isDigit(c):
			digits++
		case isYear, isMark, digits == 10:
			return true
		default:
			digits = 0
		}
	}
	return digits == 10 || digits == 4
}

// AwayNote says that answers belong to other prompts, so that none is to be dropped; "" if they do not.
func (l *Ledger) AwayNote() string {
	if l.Away == "" {
		return ""
	}
	return l.Away + ": answers are graded at the wrong prompts, and no state of a prompt can be trusted; drop none by it"
}

// TwinNote offers to join the twins; "" if there are none.
func (l *Ledger) TwinNote() string {
	if len(l.Twins) == 0 {
		return ""
	}
	t := l.Twins[0]
	return fmt.Sprintf("%s: they differ from another prompt only in white space or in a time stamp, such as %s from %s; --join counts "+
		"each as that one", units.Plural(len(l.Twins), "prompts"), t.Prompt.Name(), t.Of.Name())
}
