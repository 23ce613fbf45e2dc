package decode

import (
	"strings"
	"testing"
)

// A row decoder never panics, whatever the line holds.
func FuzzRowDecoder(f *testing.F) {
	for _, s := range []string{
		`{"input":"a\nb","output":"\ud83d\ude42","score":1.0,"step":1}`, `{"reward":NaN,"rewards":{"a":-Infinity}}`,
		`{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}],"reward":[0.5]}`, `{"a"`, `{}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(_ *testing.T, line []byte) {
		_, _ = NewRowDecoder(OnlyNames(Synonyms()), "1.jsonl").Decode(nil, line)
	})
}

// The hash of a prompt covers its decoded text and the ground truth.
func TestPromptHash(t *testing.T) {
	hash := func(line string) uint64 {
		t.Helper()
		got, err := NewRowDecoder(OnlyNames(Synonyms()), "x").Decode(nil, []byte(line))
		if err != nil {
			t.Fatal(err)
		}
		return got[0].Prompt
	}
	a := hash(`{"prompt":"é","answer":"1","reward":0}`)
	if b := hash(`{"answer":"1","reward":0,"prompt":"\u00e9"}`); a != b {
		t.Error("escapes change the hash")
	}
	if b := hash(`{"prompt":"é","answer":"2","reward":0}`); a == b {
		t.Error("the truth does not change the hash")
	}
	if hash(`{"prompt":"ab","answer":"c","reward":0}`) == hash(`{"prompt":"a","answer":"bc","reward":0}`) {
		t.Error("prompt and truth run together")
	}
	if hash(`{"prompt":"","answer":"c","reward":0}`) != 0 {
		t.Error("no prompt has a hash")
	}
	if hash(`{"prompt":"abc","reward":0}`) != hash(`{"prompt":"abc","reward":1}`) {
		t.Error("the hash is not the same again")
	}
}

// A preview is the question alone, at most 160 bytes of whole characters.
func TestPreview(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain  text\n\n with   spaces ", "plain text with spaces"},
		{"system\nS\nuser\nold\nassistant\nA\nuser\nnew\nassistant\n", "new"},
		{"system\nS\nuser\nnew\nassistant\n<think>\n", "new"},
		{"user\nfirst words", "first words"},
		{"<|im_start|>user\nhello<|im_end|>\n<|im_start|>assistant\n", "hello"},
		{"\x1b[31mred", "\x1b[31mred"},
		{strings.Repeat("é", 100), strings.Repeat("é", 80)},
		{strings.Repeat("a", 159) + "漢字", strings.Repeat("a", 159)},
		{strings.Repeat("a", 159) + " b", strings.Repeat("a", 159)},
	} {
		if got := Shorten(Question([]byte(c.in))); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

// verl appends the numbers of the rollout and the output to the uid.
func TestTrimRolloutSuffix(t *testing.T) {
	for in, want := range map[string]string{
		"06ec41ad-ea05_3_0": "06ec41ad-ea05", "a_b_1_2": "a_b", "a_1": "a_1", "a_x_1": "a_x_1", "a": "a", "_1_2": "_1_2", "": "",
	} {
		if got := TrimRolloutSuffix(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// The step is the number of a numbered file, or of a name such as step_3; a directory that is
// only a number may be an id.
func TestStepFromPath(t *testing.T) {
	for in, want := range map[string]int64{
		"12.jsonl": 12, "a/0012.jsonl": 12, "train_data_step3.jsonl": 3, "iteration_000012/train.jsonl": 12,
		"global_step_10_evals/openai_gsm8k.jsonl": 10, "73850758/results.jsonl": 0, "steps.jsonl": 0, "x.jsonl": 0,
	} {
		if got, _ := StepFromPath(in); got != want {
			t.Errorf("%s: %d, want %d", in, got, want)
		}
	}
}
