package demo

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/goccy/go-yaml"

	"vantage/model"
)

const (
	groupsPerStep = 32
	groupSize     = 16
)

// sample is one response without its text.
type sample struct {
	task   *task
	reward float64
	words  int
}

// run is the synthetic run. A step depends only on the seed and its number.
type run struct {
	seed  uint64
	steps int
	tasks []task
}

// step returns the samples of a step, shuffled as balance_batch does.
func (r *run) step(number int) []sample {
	rng := rand.New(rand.NewPCG(r.seed, uint64(number)))
	selected := r.tasksOf(number)
	rates := model.Mapped(selected, func(t *task) float64 { return t.successRate(r.skill(number)) })
	scripted := scriptGroups(selected, rates)
	var all []sample
	for i, t := range selected {
		rewards := t.rewards(rng, rates[i])
		if script := scripted[i]; script != nil {
			script(rewards)
		}
		if number%5 == 3 && i == number%groupsPerStep {
			rewards[rng.IntN(groupSize)] = math.NaN() // as if the judge failed
		}
		if i == (number*7)%groupsPerStep {
			rewards = rewards[:8+rng.IntN(8)] // as if the others timed out
		}
		for _, reward := range rewards {
			all = append(all, sample{t, reward, t.words(rng, reward, r.skill(number))})
		}
	}
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// tasksOf returns the tasks of a step, half of all: two steps are an epoch.
func (r *run) tasksOf(number int) []*task {
	epoch := rand.New(rand.NewPCG(^r.seed, uint64(number/2)))
	order := epoch.Perm(len(r.tasks))
	half := number % 2 * groupsPerStep
	return model.Mapped(order[half:half+groupsPerStep], func(i int) *task { return &r.tasks[i] })
}

// skill returns how well the model solves tasks at a step; it grows fast at first.
func (r *run) skill(number int) float64 {
	return 0.3 + 0.65*(1-math.Exp(-3*float64(number)/float64(r.steps)))
}

// successRate returns the probability of a right answer, or the mean grade.
func (t *task) successRate(skill float64) float64 {
	c := 1 / (1 + math.Exp(-12*(skill-t.Difficulty-0.08)))
	if t.Difficulty > 0.94 {
		c /= 20 // hardly ever solved
	}
	return c
}

func (t *task) rewards(rng *rand.Rand, rate float64) []float64 {
	rewards := make([]float64, groupSize)
	for i := range rewards {
		switch {
		case t.Graded:
			// 0.9 · accuracy + 0.1 · format, in tenths.
			accuracy := math.Round(9 * (rate + 0.28*rng.NormFloat64()))
			format := math.Trunc(1.05 - 0.15*rng.Float64() + 0.05*rng.ExpFloat64())
			rewards[i] = (min(9, max(0, accuracy)) + min(1, max(0, format))) / 10
		case rng.Float64() < rate:
			rewards[i] = 1
		}
	}
	return rewards
}

// scriptGroups chooses groups whose rewards are overwritten, so that every step has every
// fate: all correct, all wrong, one right sample, one wrong one, constant grades. It chooses
// the group with the nearest success rate for each.
func scriptGroups(selected []*task, rates []float64) map[int]func([]float64) {
	scripted := map[int]func([]float64){}
	assign := func(graded bool, rate float64, script func([]float64)) {
		best := -1
		for i, t := range selected {
			if t.Graded == graded && scripted[i] == nil &&
				(best < 0 || math.Abs(rates[i]-rate) < math.Abs(rates[best]-rate)) {
				best = i
			}
		}
		if best >= 0 {
			scripted[best] = script
		}
	}
	assign(false, 1, allRewards(1))
	assign(false, 0, allRewards(0))
	assign(false, 0.06, oneReward(1, 0))
	assign(false, 0.94, oneReward(0, 1))
	assign(true, 0, allRewards(0.1))
	assign(true, 0.7, allRewards(0.7))
	return scripted
}

func allRewards(x float64) func([]float64) {
	return func(rewards []float64) {
		for i := range rewards {
			rewards[i] = x
		}
	}
}

func oneReward(x, others float64) func([]float64) {
	return func(rewards []float64) {
		first := max(0, slices.Index(rewards[:8], x)) // a cut group keeps its first eight
		allRewards(others)(rewards)
		rewards[first] = x
	}
}

// words returns the length of a response: more for hard tasks, wrong answers and later steps.
func (t *task) words(rng *rand.Rand, reward, skill float64) int {
	n := 30 + 90*t.Difficulty + 40*skill
	if !(reward > 0.5) {
		n *= 1.6
	}
	return int(n * math.Exp(0.35*rng.NormFloat64()))
}

type task struct {
	Prompt     string
	Truth      string
	Difficulty float64   // from 0 to 1
	Graded     bool      // 0.9 · accuracy + 0.1 · format instead of 0 or 1
	Solution   *solution // nil: it has none
}

// solution is the worked answer to a task, right or wrong.
type solution struct {
	Thoughts []string
	Steps    []struct{ Right, Wrong string } // Wrong is "" where a wrong solution has the right step
	Answer   string                          // the wrong one
}

//go:embed tasks.yaml
var taskFile []byte

func tasks() (all []task) {
	if err := yaml.UnmarshalWithOptions(taskFile, &all, yaml.Strict()); err != nil {
		panic(err) // a mistake in our own file
	}
	return all
}

func (w *solution) text(right bool) string {
	text := "### Solution\n\n"
	for i, s := range w.Steps {
		step := s.Right
		if !right && s.Wrong != "" {
			step = s.Wrong
		}
		text += fmt.Sprintf("%d. %s\n", i+1, step)
	}
	return text
}

func phrases() []string {
	return []string{
		"Let us look at this step by step.", "First, write down what is given.", "So the next value follows from the one before.",
		"Wait, that cannot be right.", "Check the edge case once more.", "This leaves two possibilities.",
		"Substituting back gives the same.",
		"Hmm, let me try another way.", "The second condition rules this out.", "Therefore the claim holds.",
		"Now count those that were counted twice.",
		"一步一步来。", "Simplify both sides.", "That matches the first computation. ✅",
	}
}

// row is a sample with its text.
type row struct {
	text  model.Text
	score float64
}

func rows(rng *rand.Rand, samples []sample) []row {
	say := phrases()
	return model.Mapped(samples, func(s sample) row {
		return row{score: s.reward, text: model.Text{
			Prompt: "system\nYou are a careful assistant. Think first, then answer between <answer> tags.\nuser\n" + s.task.Prompt +
				"\nassistant\n",
			Response: s.response(rng, say), Truth: s.task.Truth,
		}}
	})
}

// jsonLine returns the row as verl writes it: {input, output, gts, score, step}.
func (r row) jsonLine(step int) []byte {
	return fmt.Appendf(nil, `{"input": %s, "output": %s, "gts": %s, "score": %s, "step": %d}`+"\n",
		jsonString(r.text.Prompt), jsonString(r.text.Response), jsonString(r.text.Truth), pythonFloat(r.score), step)
}

// passingGrade is the grade from which a graded answer has the right steps.
const passingGrade = 0.7

// response returns the answer of a sample, whose thoughts are of these phrases after those of its solution.
func (s sample) response(rng *rand.Rand, phrases []string) string {
	work := s.task.Solution
	text := []byte("<think>\n")
	for i, n := 0, 0; n < s.words; i, n = i+1, n+6 {
		say := phrases[rng.IntN(len(phrases))]
		if work != nil && i < len(work.Thoughts) {
			say = work.Thoughts[i]
		}
		text = append(append(text, say...), ' ')
	}
	if rng.IntN(200) == 0 {
		text = append(text, "\x1b[31mstill red\x1b]0;title\a"...) // as models write
	}
	text = append(text, "\n</think>\n"...)
	right := s.reward == 1 || s.task.Graded && s.reward >= passingGrade
	if work != nil {
		text = append(text, work.text(right)...)
	}
	text = append(text, "<answer>"...)
	switch {
	case right:
		text = append(text, s.task.Truth...)
	case work != nil:
		text = append(text, work.Answer...)
	default:
		text = strconv.AppendInt(text, rng.Int64N(1000), 10)
	}
	return string(append(text, "</answer>"...))
}

func jsonString(s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // cannot fail for a string
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// pythonFloat writes a number as Python's json does: 1.0, 0.1, NaN.
func pythonFloat(x float64) string {
	text := strconv.FormatFloat(x, 'f', -1, 64)
	if x == float64(int64(x)) {
		text += ".0"
	}
	return text
}
