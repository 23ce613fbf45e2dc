package decode

import (
	"strings"
	"testing"
)

// The hash of a prompt covers its decoded text and the ground truth.
func TestPromptHash(t *testing.T) {
	hash := func(line string) uint64 {
		t.Helper()
		got, err := NewRowDecoder(UsualNames(), "x").Decode(nil, []byte(line))
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
		t.Error("prompt and truth are not separated")
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
		if got := shorten(question([]byte(c.in))); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}
