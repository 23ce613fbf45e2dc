package ledger

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"vantage/internal/testkit/repotest"
	"vantage/model"
)

// plant is what is wrong with a prompt of a planted run.
type plant int

const (
	honest plant = iota
	wrongTruth
	flipped
	plants // how many there are
)

// field is a planted run: 80 prompts over 40 steps, eight of them with a wrong ground truth, four whose grader flips three grades in ten. A
// prompt gives its agreed answer in 20 to 85 % of its samples, and else one of a thousand values, among which are the agreed answers and the
// truths too: by luck a sample now and then hits a truth that is wrong.
type field struct {
	rows   []row
	plants map[uint64]plant
	shares map[uint64]float64
}

// The sizes of a field.
const (
	fieldPrompts = 80
	fieldSteps   = 40
	fieldWrong   = 8
	fieldFlipped = 4
	fieldValues  = 1000
	flipRate     = 0.3
)

// answerForms are the ways in which a field gives its answers.
func answerForms() []string {
	return []string{"It is so:\n\\boxed{%d}", "We add both.\n#### %d", "So the answer is %d."}
}

func newField(r *rand.Rand, shape fieldShape) field {
	f := field{plants: map[uint64]plant{}, shares: map[uint64]float64{}}
	agreed, truths := make([]int, fieldPrompts), make([]int, fieldPrompts)
	order := r.Perm(fieldPrompts)
	for p := range fieldPrompts {
		agreed[p] = r.IntN(fieldValues)
		truths[p] = agreed[p]
		f.shares[uint64(p+1)] = 0.2 + 0.65*r.Float64()
		switch {
		case order[p] < fieldWrong:
			f.plants[uint64(p+1)] = wrongTruth
			truths[p] = (agreed[p] + 1 + r.IntN(fieldValues-1)) % fieldValues
		case order[p] < fieldWrong+fieldFlipped:
			f.plants[uint64(p+1)] = flipped
		}
	}
	for step := range fieldSteps {
		for k := range shape.perStep {
			p := (step*shape.perStep + k) % fieldPrompts
			name := uint64(p + 1)
			for range shape.size {
				answer := agreed[p]
				if r.Float64() >= f.shares[name] {
					answer = r.IntN(fieldValues)
				}
				isRight := answer == truths[p]
				if f.plants[name] == flipped && r.Float64() < flipRate {
					isRight = !isRight
				}
				f.rows = append(f.rows, row{
					step: int64(step), prompt: name, reward: float64(model.Count01(isRight)),
					response: fmt.Sprintf(shape.form, answer), truth: fmt.Sprint(truths[p]),
				})
			}
		}
	}
	return f
}

// tally is how many prompts there are, and how many of them are called suspect.
type tally struct{ all, suspect int }

func (t tally) share() float64 { return float64(t.suspect) / float64(t.all) }

// String is "309 of 320 (96.6 %)".
func (t tally) String() string {
	return fmt.Sprintf("%d of %d (%.1f %%)", t.suspect, t.all, 100*t.share())
}

// fieldShape is how many prompts a step of a field has, how many samples each of them, and how its answers are given.
type fieldShape struct {
	perStep, size int
	form          string
}

// tries is how many tries of a prompt a field of the shape has.
func (s fieldShape) tries() int { return s.perStep * s.size * fieldSteps / fieldPrompts }

// shapeOf is the shape of the k-th field: 16 to 64 tries in the three ways to answer.
func shapeOf(k int) fieldShape {
	forms := answerForms()
	shapes := []fieldShape{{perStep: 8, size: 8}, {perStep: 4, size: 8}, {perStep: 16, size: 8}, {perStep: 8, size: 16}}
	shape := shapes[k/len(forms)%len(shapes)]
	shape.form = forms[k%len(forms)]
	return shape
}

// one is a prompt of a field.
type one struct {
	shape   fieldShape
	share   float64 // of its samples that give the agreed answer
	plant   plant
	suspect bool
}

// judged is what is said of the prompts of the k-th field.
func judged(t *testing.T, k int) (all []one) {
	t.Helper()
	shape := shapeOf(k)
	f := newField(rand.New(rand.NewPCG(2026, uint64(k))), shape)
	l := ledgerOf(t, f.rows, true)
	for i := range l.Prompts {
		p := &l.Prompts[i]
		all = append(all, one{shape: shape, share: f.shares[p.hash], plant: f.plants[p.hash], suspect: p.State() == "suspect"})
	}
	return all
}

// tallies counts prompts by what is wrong with them.
type tallies [plants]tally

func (t *tallies) add(o one) {
	t[o.plant].all++
	t[o.plant].suspect += model.Count01(o.suspect)
}

// hold reports an error if too few of the planted prompts are suspect, or too many of the honest ones.
func (t *tallies) hold(tb testing.TB) {
	tb.Helper()
	if t[wrongTruth].share() < 0.9 || t[flipped].share() < 0.75 || t[honest].share() > 0.01 {
		tb.Errorf("suspect: %v of those with a wrong truth, %v of those that are flipped, %v of the honest ones", t[wrongTruth], t[flipped], t[honest])
	}
}

// Of planted runs most prompts with a wrong ground truth are suspect, most whose grader flips, and hardly an honest one.
func TestSuspectPlants(t *testing.T) {
	var all tallies
	for k := range 12 { // each shape once in each form
		for _, o := range judged(t, k) {
			all.add(o)
		}
	}
	all.hold(t)
}

// The page has the rates of many such runs.
func TestSuspectRates(t *testing.T) {
	repotest.Slow(t)
	type line struct {
		title string
		holds func(one) bool
		tallies
	}
	between := func(low, high float64) func(one) bool {
		return func(o one) bool { return o.share >= low && o.share < high }
	}
	lines := []line{
		{title: "agreed answer in 20–35 % of the samples", holds: between(0, 0.35)},
		{title: "in 35–50 %", holds: between(0.35, 0.5)},
		{title: "in 50–85 %", holds: between(0.5, 1)},
	}
	for _, tries := range []int{16, 32, 64} {
		lines = append(lines, line{title: fmt.Sprintf("%d tries of a prompt", tries), holds: func(o one) bool { return o.shape.tries() == tries }})
	}
	for _, form := range answerForms() {
		shown := strings.TrimSpace(form[strings.LastIndex(form, "\n")+1:])
		lines = append(lines, line{title: "answers end with `" + strings.ReplaceAll(shown, "%d", "7") + "`", holds: func(o one) bool { return o.shape.form == form }})
	}
	lines = append(lines, line{title: "all", holds: func(one) bool { return true }})
	const runs = 120
	for k := range runs {
		for _, o := range judged(t, 1000+k) {
			for i := range lines {
				if lines[i].holds(o) {
					lines[i].add(o)
				}
			}
		}
	}
	var page strings.Builder
	fmt.Fprintf(&page, "| %d runs | wrong ground truth | grader flips 3 in 10 | honest |\n| --- | ---: | ---: | ---: |\n", runs)
	for _, l := range lines {
		fmt.Fprintf(&page, "| %s | %v | %v | %v |\n", l.title, l.tallies[wrongTruth], l.tallies[flipped], l.tallies[honest])
	}
	lines[len(lines)-1].hold(t)
	repotest.Part(t, ".github/docs/prompts.md", "suspects", strings.TrimRight(page.String(), "\n"))
}

// A model that is often wrong in one way is no reason to doubt the truth: a third of these prompts agree on an answer that is wrong.
func TestAgreedMistakes(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 26))
	var rows []row
	for step := range int64(4) {
		for p := range uint64(90) {
			for range 8 {
				answer := 7
				if r.Float64() > 0.5 {
					answer = 100 + r.IntN(1000)
				}
				truth := 7 + 10*model.Count01(p%3 == 0)
				rows = append(rows, row{step: step, prompt: 1 + p, reward: float64(model.Count01(answer == truth)), response: fmt.Sprintf("\\boxed{%d}", answer), truth: fmt.Sprint(truth)})
			}
		}
	}
	for _, p := range ledgerOf(t, rows, true).Prompts {
		if p.Doubt != nil || (p.Agreed != nil) != (p.hash%3 == 1) {
			t.Errorf("%d: %v, agreed %v", p.hash, p.Doubt, p.Agreed)
		}
		if p.State() == "hopeless" && !strings.Contains(p.Why(), "answers are “7”") {
			t.Errorf("%d is dropped without a word: %s", p.hash, p.Why())
		}
	}
}
