package ledger

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"math"
	"regexp"
	"slices"
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
	answer := d.Answer
	if r := []rune(answer); len(r) > 40 {
		answer = string(r[:39]) + "…"
	}
	switch d.Kind {
	case TruthWrong:
		return fmt.Sprintf("%d of %d answers are “%s”, which is the ground truth, and none is solved", d.Same, d.Read, answer)
	case TwoGrades:
		return fmt.Sprintf("the answer “%s” is solved %d of %d times: by chance 1 in %s such prompts", answer, d.Solved, d.Same, units.Short(d.Odds))
	case FarBelow:
		like := "of like length"
		if d.source != "" {
			like = "of its source and " + like
		}
		return fmt.Sprintf("none of %d tries is solved, and of %s %s hardly any is as hard: odds %s:1", d.Read, units.Plural(d.of, "other prompts"), like, units.Short(d.Odds))
	case AgreeWrong:
	}
	return fmt.Sprintf("%d of %d answers are “%s”, and none is solved: odds %s:1 that this is right, as for %s whose answers agree so", d.Same, d.Read, answer, units.Short(d.Odds), units.Plural(d.of, "other prompts"))
}

// The limits of doubts.
const (
	promptTries   = 16   // of a prompt that are read, the latest
	leastTries    = 8    // that give an answer, before anything is said of it
	agreeShare    = 0.75 // of the answers are one, for them to agree
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
	source string // of the prompt
	length int    // of the prompt, in bytes
}

// doubt reads the answers to some prompts, so many at most, and says of which of them the ground truth or the grades are in doubt: of
// prompts that were never solved, and of others for what is usual. It goes through the steps once more. It needs rewards that say what
// is solved; else it finds nothing. It is for before judge.
func (l *Ledger) doubt(ctx context.Context, set model.Settings, read analysis.ReadTexts, most int) error {
	if !l.Known || most == 0 || len(l.Prompts) == 0 {
		return nil
	}
	hasAnswers := false
	err := read(ctx, []model.Place{l.Prompts[0].Place}, nil, func(_ int, t model.Text, _ error) { hasAnswers = t.Response != "" })
	if err != nil || !hasAnswers {
		return err
	}
	all, err := l.tries(ctx, set, l.asked(most/promptTries))
	if err != nil {
		return err
	}
	places := model.Mapped(all, func(t *try) model.Place { return t.place })
	err = read(ctx, places, nil, func(i int, t model.Text, err error) {
		if err != nil {
			return // what cannot be read says nothing
		}
		all[i].source, all[i].length = diagnosis.SourceOf(t.Fields), len(t.Prompt)
		final := diagnosis.FinalOf(t.Response)
		all[i].answer, all[i].isTrue = final.Answer, final.IsTruth(t.Truth)
	})
	if err != nil {
		return err
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

// tries are the latest samples of some prompts, in the order of the log.
func (l *Ledger) tries(ctx context.Context, set model.Settings, asked map[int]bool) (all []*try, err error) {
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
					tries[k] = append(tries[k], &try{prompt: k, place: step.Place(int(a.InputRow[c])), solved: a.IsSolved(group, c)})
				}
			}
			tries[k] = tries[k][max(0, len(tries[k])-promptTries):]
		}
		return nil
	})
	for _, k := range tries {
		all = append(all, k...)
	}
	slices.SortFunc(all, func(x, y *try) int { return x.place.Compare(y.place) })
	return all, err
}

// asked are the prompts to read, by index: half of them such as were never solved, those of the most tries first, and for what is usual others
// that were, in the order of their hashes. None is graded by degrees: equal answers may well differ in such grades.
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
	isTrue               bool   // it is the ground truth
}

func (a *answers) agree() bool {
	return a.read >= leastTries && float64(a.same) >= agreeShare*float64(a.read)
}

// judgeAnswers finds the doubts, by what is usual among the prompts that were read.
func (l *Ledger) judgeAnswers(tries []*try) {
	all := answersByPrompt(tries)
	right, wrong := 0, 0     // prompts whose answers agree, by whether the answer is mostly solved
	minority, graded := 0, 0 // tries of one answer that are graded unlike most of it, of all
	for _, a := range all {
		switch mostly := 2*a.right > a.same; {
		case !a.agree():
		case mostly:
			right++
		case !a.isTrue: // else it is the grader that errs, not those who agree
			wrong++
		}
		minority, graded = minority+min(a.right, a.same-a.right), graded+a.same
	}
	for i := range all {
		a := &all[i]
		few := min(a.right, a.same-a.right)
		d := &Doubt{Answer: a.top, Same: a.same, Solved: a.right, Read: a.read}
		switch never := a.agree() && a.solved == 0; {
		case never && a.isTrue:
			d.Kind, d.Odds = TruthWrong, math.Inf(1)
		case never && l.Prompts[a.prompt].Solved == 0:
			d.Kind, d.Odds, d.of = AgreeWrong, float64(right+1)/float64(wrong), right+wrong-1 // Laplace's rule over the others: one more of each
		case few > 1 && a.same >= leastTries:
			d.Kind, d.Odds = TwoGrades, 1/tail(few, a.same, float64(minority-few+1)/float64(graded-a.same+2))
		}
		if least := map[DoubtKind]float64{AgreeWrong: leastOdds, TwoGrades: sureTwoGrades}; d.Kind != "" && d.Odds >= least[d.Kind] {
			l.Prompts[a.prompt].Doubt = d
		}
	}
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
	count := map[string]int{}
	for _, t := range tries {
		count[t.answer]++
		a.solved += model.Count01(t.solved)
	}
	a.top = model.MostCommon(count)
	a.same = count[a.top]
	for _, t := range tries {
		if t.answer == a.top {
			a.right += model.Count01(t.solved)
			a.isTrue = a.isTrue || t.isTrue
		}
	}
	return a
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
	return regexp.MustCompile(`\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?|\d?\d ` + months + ` \d{4}|` + months + ` \d?\d,? \d{4}|\b\d?\d:\d\d:\d\d\b|\b1[5-9]\d{8}\b`)
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

// alike returns prompts whose beginnings differ only in white space or in a time stamp from that of another. A preview has no runs of white space, so
// that equal ones are of such prompts too, or, if they are long, of any that begin alike: those come last.
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

// mayHaveStamp reports whether a text has what every time stamp has: a digit, a dash or a colon and a digit; a year; or ten digits.
func mayHaveStamp(text string) bool {
	digits := 0
	for i := range len(text) {
		c := text[i]
		isDigit := c >= '0' && c <= '9'
		year := digits == 4 && (text[i-4:i-2] == "20" || text[i-4:i-2] == "19")
		switch {
		case isDigit:
			digits++
		case year, digits == 10, (c == '-' || c == ':') && digits > 0 && i+1 < len(text) && text[i+1] >= '0' && text[i+1] <= '9':
			return true
		default:
			digits = 0
		}
	}
	return digits == 10 || digits == 4
}

// TwinNote offers to join the twins; "" if there are none.
func (l *Ledger) TwinNote() string {
	if len(l.Twins) == 0 {
		return ""
	}
	t := l.Twins[0]
	return fmt.Sprintf("%s: they differ from another prompt only in white space or in a time stamp, such as %s from %s; --join counts each as that one", units.Plural(len(l.Twins), "prompts"), t.Prompt.Name(), t.Of.Name())
}
