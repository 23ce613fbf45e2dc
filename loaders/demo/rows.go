package demo

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strconv"
)

// phrases are what the made model thinks in.
func phrases() []string {
	return []string{
		"Let us look at this step by step.", "First, write down what is given.", "So the next value follows from the one before.",
		"Wait, that cannot be right.", "Check the edge case once more.", "This leaves two possibilities.", "Substituting back gives the same.",
		"Hmm, let me try another way.", "The second condition rules this out.", "Therefore the claim holds.", "Now count those that were counted twice.",
		"一步一步来。", "Simplify both sides.", "That matches the first computation. ✅",
	}
}

// rows writes samples as verl does: {input, output, gts, score, step}.
func rows(rng *rand.Rand, samples []sample, step int) [][]byte {
	say := phrases()
	lines := make([][]byte, len(samples))
	for i, s := range samples {
		var b bytes.Buffer
		b.WriteString(`{"input": `)
		quote(&b, "system\nYou are a careful assistant. Think first, then answer between <answer> tags.\nuser\n"+s.task.prompt+"\nassistant\n")
		b.WriteString(`, "output": `)
		quote(&b, response(rng, say, s))
		b.WriteString(`, "gts": `)
		quote(&b, s.task.truth)
		b.WriteString(`, "score": ` + float(s.reward))
		b.WriteString(`, "step": ` + strconv.Itoa(step) + "}\n")
		lines[i] = b.Bytes()
	}
	return lines
}

func response(rng *rand.Rand, say []string, s sample) string {
	text := []byte("<think>\n")
	for n := 0; n < s.words; n += 6 {
		text = append(append(text, say[rng.IntN(len(say))]...), ' ')
	}
	if rng.IntN(200) == 0 {
		text = append(text, "\x1b[31mstill red\x1b]0;title\a"...) // models write such things
	}
	text = append(text, "\n</think>\n<answer>"...)
	if s.reward == 1 {
		text = append(text, s.task.truth...)
	} else {
		text = strconv.AppendInt(text, rng.Int64N(1000), 10)
	}
	return string(append(text, "</answer>"...))
}

func quote(b *bytes.Buffer, s string) {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s)         // a string cannot fail
	b.Truncate(b.Len() - 1) // Encode ends with a newline
}

// float writes a number as Python does: 1.0, 0.1, NaN.
func float(x float64) string {
	text := strconv.FormatFloat(x, 'f', -1, 64)
	if x == float64(int64(x)) {
		text += ".0"
	}
	return text
}
