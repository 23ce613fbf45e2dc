package diagnosis

import "testing"

// The answers that the trainers' own graders take: verl's gsm8k and math, DAPO's "Answer:", the <answer> of R1 and TRL's examples, tools
// that answer in JSON.
func TestAnswers(t *testing.T) {
	for _, c := range []struct{ response, want, way string }{
		{"He pays 3 * 24 = 72.\n#### 72", "72", "hashes"},
		{"#### 1,234.00\n", "1234", "hashes"},
		{`So $x = \boxed{\dfrac{3}{4}}$.`, `\frac{3}{4}`, "boxed"},
		{`First \boxed{1}, but then \boxed{\text{B}}.`, "b", "boxed"},
		{`We get \boxed{12}. Let me check: \boxed{1`, "12", "boxed"},
		{"<think>maybe \\boxed{7}</think>\n<answer> 42 </answer>", "42", "tag"},
		{"<think>the answer is 7", "7", "words"},
		{"Reasoning.\nAnswer: $\\frac{1}{2}$", `\frac{1}{2}`, "words"},
		{"The final answer is **B**. I hope it helps.", "b", "words"},
		{"答案是 12。", "12", "words"},
		{"Here it is:\n```json\n{\"thought\": {\"n\": 1}, \"answer\": 17}\n```", "17", "json"},
		{`{"final_answer": "Paris"}`, "paris", "json"},
		{"That makes 5 + 7 = 12 apples.", "12", "number"},
		{"It falls by -3.50", "-3.5", "number"},
		{"between 3-5", "5", "number"},
		{"I cannot say.", "", ""},
		{"", "", ""},
		{`\boxed{(1,2)}`, "(1,2)", "boxed"},
		{`\boxed{1,2}`, "1,2", "boxed"},
		{`\boxed{50\%}`, "50", "boxed"},
	} {
		if got := FinalOf(c.response); got.Answer != c.want || got.Way != c.way {
			t.Errorf("%q: %q by %q, want %q by %q", c.response, got.Answer, got.Way, c.want, c.way)
		}
	}
}

// No text makes it fail.
func FuzzFinalAnswer(f *testing.F) {
	f.Add(`\boxed{{}`)
	f.Add("{{}}")
	f.Add("answer is İ")
	f.Fuzz(func(_ *testing.T, text string) { FinalOf(text) })
}
