package textsearch

import (
	"context"
	"errors"
	"math"
	"regexp"
	"testing"

	"vantage/model"
)

// made is a run of two steps of one group of four; the text of a sample is at its offset.
func made(t *testing.T) (model.Snapshot, []model.Text) {
	t.Helper()
	texts := []model.Text{
		{Response: "Wait, no: 4", Fields: []model.Field{{Name: "data_source", Value: "gsm8k"}}},
		{Response: "It is 4"},
		{Response: "so wait, 4"},
		{Response: "5", Prompt: "Wait, what is 2 + 2?"},
		{Response: "Wait, 4"},
		{Response: "lost"},
		{Response: "5"},
		{Response: "5"},
	}
	rewards := []float64{1, 0, 1, 0, 1, 1, 0, math.NaN()}
	chunk := model.Chunk{Format: "made", Files: []string{"x"}}
	for i := range texts {
		chunk.Records = append(chunk.Records, model.Record{Step: int64(1 + i/4), Prompt: 1, Preview: "p", Reward: rewards[i], Advantage: math.NaN(), Length: 10, Offset: int64(i)})
	}
	store := model.NewStore()
	store.Append(&chunk)
	return store.Snapshot(), texts
}

func search(t *testing.T, s Search) *Result {
	t.Helper()
	snap, texts := made(t)
	set := model.DefaultSettings()
	set.GroupBy = model.GroupByPrompt
	r, err := s.Run(t.Context(), snap, set, func(_ context.Context, places []model.Place, mayHold func([]byte) bool, visit func(int, model.Text, error)) error {
		for i, at := range places {
			text := texts[at.Offset]
			if text.Response == "lost" {
				visit(i, text, errors.New("it is gone"))
			} else if mayHold == nil || mayHold([]byte(text.Prompt+text.Response)) {
				visit(i, text, nil)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// By hand: of 7 samples that can be read, 0 and 4 match in the answer, both solved, and 3 in the prompt; the mean reward of the first two is 1, of the other
// four with a number (0, 1, 0, 0) a quarter, and the error √(0 + 0.25/4) = 0.25.
func TestWhatAMatchIsWorth(t *testing.T) {
	r := search(t, Search{Pattern: regexp.MustCompile("Wait,"), In: []Part{"answer"}})
	difference, stdErr := r.With.Reward.Less(r.Without.Reward)
	if r.With.Samples != 2 || r.Without.Samples != 5 || r.Unread != 1 || r.With.Reward.Mean() != 1 || difference != 0.75 || math.Abs(stdErr-0.25) > 1e-12 {
		t.Errorf("%+v: %v ± %v", r, difference, stdErr)
	}
	if m := r.Matches; len(m) != 2 || m[0].Step != 1 || m[1].Step != 2 || m[0].After != " no: 4" || m[0].In != "answer" || m[1].Index != 0 {
		t.Errorf("%+v", m)
	}
	if all := search(t, Search{Pattern: regexp.MustCompile("Wait,"), In: Parts()}); all.With.Samples != 3 {
		t.Errorf("in all texts: %d", all.With.Samples)
	}
}

// Matches are counted by step and by source, whose samples are counted too.
func TestCounts(t *testing.T) {
	r := search(t, Search{Pattern: regexp.MustCompile("(?i)wait"), In: []Part{"answer"}, CountBy: "step", Most: 1})
	if c := r.Counts; len(c) != 2 || c[0].Name != "1" || c[0].With.Samples != 2 || c[0].Samples != 4 || c[1].With.Samples != 1 || c[1].Samples != 3 || len(r.Matches) != 1 {
		t.Errorf("%+v", r)
	}
	r = search(t, Search{Pattern: regexp.MustCompile("Wait"), In: []Part{"answer"}, CountBy: "source"})
	if c := r.Counts; len(c) != 2 || c[0].Name != "gsm8k" || c[0].Samples != 1 || c[0].With.Samples != 1 || c[1].Name != "unknown" || c[1].Samples != 6 {
		t.Errorf("%+v %+v", *r.Counts[0], *r.Counts[1])
	}
}

// A record is passed over only if no match can be in it: what every match holds must be there, in whatever case; patterns without such a
// word, and words of speakers, decode all.
func TestWhatARecordMustHold(t *testing.T) {
	for pattern, word := range map[string]string{
		"Wait,": "Wait", "so be it": "so", "[Ww]ait": "ait", "(?i)WaIt": "wAiT", "user: hi": "", "a": "", "Wa|it": "", `the\sanswer`: "answer", "über": "ber", "(wait)?no": "no",
		"(?i)sorry": "ORRY", "(?i)ask": "", "(ab)+c?": "ab", "x{0,2}(?:abc){2}": "abc", "12": "12", "(?i)a1b2": "A1B2",
	} {
		mayHold := (&Search{Pattern: regexp.MustCompile(pattern)}).mayHold()
		if (mayHold == nil) != (word == "") || mayHold != nil && (!mayHold([]byte("xAxaxx"+word)) || !mayHold([]byte(word+"yy")) || mayHold([]byte("xAXax")) || mayHold([]byte(word[1:]+word[:1]+"!"))) {
			t.Errorf("%s: not %q", pattern, word)
		}
	}
}
