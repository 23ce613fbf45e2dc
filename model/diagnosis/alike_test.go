package diagnosis

import (
	"testing"

	"vantage/model"
)

func TestAlikeAnswers(t *testing.T) {
	proofs := []string{"To solve this problem, we need to find x. It is 4.", "To solve this problem, we need to add 12 and 13, which gives 25.", "To solve this problem, we need to draw a triangle first.", "To solve this problem, we need to know that 7 is prime."}
	for _, c := range []struct {
		name    string
		answers []string
		want    AlikeKind
		words   string
	}{
		{"refusals", []string{"I can't help with that.", "I can't help with this request.", "I can't help with that.", "I’m sorry, but no."}, Refusals, "I can't help with that."},
		{"refusals of one start", []string{"I can't help with that.", "I can't help with this request.", "I can't help, sorry", "The answer is 4"}, Refusals, "I can't"},
		{"half of them", []string{"I can't help with that.", "I can't help.", "The answer is 4", "It is 5"}, NotAlike, ""},
		{"proofs that begin alike", proofs, NotAlike, ""},
		{"one text", []string{"The answer is 4", "the answer is 4 ", "The answer is 4", "The answer is 4"}, OneText, "The answer is 4"},
		{"one text but for its end", []string{"The answer to it is 4", "The answer to it is 5", "The answer to it is 6", "No"}, OneStart, "The answer to it is"},
		{"empty", []string{"", " ", "\n", "<think>what is it?</think>"}, EmptyTexts, ""},
		{"after the thought", []string{"<think>a b</think>I cannot", "<think>c</think> I cannot", "<think>d</think>I cannot say"}, Refusals, "I cannot"},
		{"too few", []string{"I can't", "I can't"}, NotAlike, ""},
	} {
		texts := NewTexts(&Observations{}, 0)
		got := judge(model.Mapped(c.answers, texts.replyOf))
		if got.Kind != c.want || c.words != "" && got.Words != c.words || got.Read != len(c.answers) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}
