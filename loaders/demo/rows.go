package demo

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strconv"

	"vantage/model"
)

func phrases() []string {
	return []string{
		"Let us look at this step by step.", "First, write down what is given.", "So the next value follows from the one before.",
		"Wait, that cannot be right.", "Check the edge case once more.", "This leaves two possibilities.", "Substituting back gives the same.",
		"Hmm, let me try another way.", "The second condition rules this out.", "Therefore the claim holds.", "Now count those that were counted twice.",
		"一步一步来。", "Simplify both sides.", "That matches the first computation. ✅",
	}
}

// row is a sample with its text.
type row struct {
	text  model.Text
	score float64
}

func rows(rng *rand.Rand, samples []sample) []row {
	all := make([]row, len(samples))
	say := phrases()
	for i := range samples {
		s := &samples[i]
		all[i] = row{score: s.reward, text: model.Text{
			Prompt:   "system\nYou are a careful assistant. Think first, then answer between <answer> tags.\nuser\n" + s.task.Prompt + "\nassistant\n",
			Response: s.response(rng, say), Truth: s.task.Truth,
		}}
	}
	return all
}

// jsonLine returns the row as verl writes it: {input, output, gts, score, step}.
func (r row) jsonLine(step int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"input": `)
	writeString(&b, r.text.Prompt)
	b.WriteString(`, "output": `)
	writeString(&b, r.text.Response)
	b.WriteString(`, "gts": `)
	writeString(&b, r.text.Truth)
	b.WriteString(`, "score": ` + pythonFloat(r.score))
	b.WriteString(`, "step": ` + strconv.Itoa(step) + "}\n")
	return b.Bytes()
}

// passingGrade is the grade from which a graded answer has the right steps.
const passingGrade = 0.7

// response returns the answer of a sample, whose thoughts are of these phrases after those of its solution.
func (s *sample) response(rng *rand.Rand, phrases []string) string {
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

func writeString(b *bytes.Buffer, s string) {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s)         // cannot fail for a string
	b.Truncate(b.Len() - 1) // Encode ends with a newline
}

// pythonFloat writes a number as Python's json does: 1.0, 0.1, NaN.
func pythonFloat(x float64) string {
	text := strconv.FormatFloat(x, 'f', -1, 64)
	if x == float64(int64(x)) {
		text += ".0"
	}
	return text
}
