package decode

import (
	"math"
	"testing"

	"vantage/estimators"
	"vantage/model"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Rows of different trainers give their step, group, reward, advantage and length.
func TestRowDecoder(t *testing.T) {
	missing := estimators.MissingReward()
	for _, c := range []struct {
		name, file, line string
		want             model.Record
		unit             model.LengthUnit
	}{
		{
			"verl v0", "7.jsonl", `{"input":"system\nBe kind.\nuser\nWhat is\n 2+2?\nassistant\n","output":"vier 🙂","gts":"4","score":0.5,"request_id":"x"}`,
			model.Record{Step: 7, Preview: "What is 2+2?", Reward: 0.5, Advantage: math.NaN(), Length: 6},
			model.LengthCharacters,
		},
		{
			"a uid of another trainer than verl", "7.jsonl", `{"input":"q","output":"\ud83d\ude42\n","gts":"4","score":NaN,"step":8,"uid":"0a-b_3_0"}`,
			model.Record{Step: 8, Group: "0a-b_3_0", Preview: "q", Reward: math.NaN(), Advantage: math.NaN(), Length: 2},
			model.LengthCharacters,
		},
		{
			"verl without a score", "7.jsonl", `{"input":"q","output":"","score":null,"step":8}`,
			model.Record{Step: 8, Preview: "q", Reward: missing, Advantage: math.NaN()},
			model.LengthCharacters,
		},
		{
			"messages", "x.jsonl", `{"step":3.0,"prompt":[{"role":"system","content":"s"},{"role":"user","content":"first"},{"role":"assistant","content":"a"},{"role":"user","content":[{"type":"text","text":"last  one"}]}],"completion":[{"role":"assistant","content":"abc"}],"Reward":"1.5","advantage":-0.25,"problem_id":12}`,
			model.Record{Step: 3, Group: "12", Preview: "last one", Reward: 1.5, Advantage: -0.25, Length: 3},
			model.LengthCharacters,
		},
		{
			"JSON in a string", "x.jsonl", `{"prompt":"[{\"role\": \"user\", \"content\": \"h\\u00e9\"}]","reward":true,"response_length":"42"}`,
			model.Record{Preview: "hé", Reward: 1, Advantage: math.NaN(), Length: 42},
			model.LengthTokens,
		},
		{
			"tokens as a list", "step_9.jsonl", `{"prompt_idx":0,"response_tokens":[1,2,3],"reward":[2],"advantages":[0,0.5]}`,
			model.Record{Step: 9, Group: "0", Reward: 2, Advantage: 0.5, Length: 3},
			model.LengthTokens,
		},
		{
			"duplicate keys, the last wins", "x.jsonl", `{"reward":1,"step":1,"reward":2,"step":"5"}`,
			model.Record{Step: 5, Reward: 2, Advantage: math.NaN(), Length: -1},
			model.LengthUnknown,
		},
		{
			"a better name wins wherever it stands", "x.jsonl", `{"score":1,"reward":2,"acc":3}`,
			model.Record{Reward: 2, Components: []float64{3}, Advantage: math.NaN(), Length: -1},
			model.LengthUnknown,
		},
		{
			"a null yields", "x.jsonl", `{"reward":null,"score":1}`,
			model.Record{Reward: 1, Advantage: math.NaN(), Length: -1},
			model.LengthUnknown,
		},
		{
			"seqlen less prompt_len", "x.jsonl", `{"reward":0,"seqlen":60,"prompt_len":20,"completion":"x","tail_version":4}`,
			model.Record{Step: 4, Reward: 0, Advantage: math.NaN(), Length: 40},
			model.LengthTokens,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := NewRowDecoder(UsualNames(), c.file)
			got, err := d.Decode(nil, []byte(c.line))
			if err != nil || len(got) != 1 {
				t.Fatal(got, err)
			}
			if diff := cmp.Diff(c.want, got[0], cmpopts.EquateNaNs(), cmpopts.IgnoreFields(model.Record{}, "Prompt")); diff != "" {
				t.Error("-want +got\n" + diff)
			}
			if (got[0].Prompt == 0) != (c.want.Preview == "") {
				t.Errorf("prompt hash %x", got[0].Prompt)
			}
			if estimators.IsMissing(got[0].Reward) != estimators.IsMissing(c.want.Reward) {
				t.Error("missing and NaN are not the same")
			}
			if d.Note().LengthUnit != c.unit {
				t.Errorf("unit %d, want %d", d.Note().LengthUnit, c.unit)
			}
		})
	}
}

// A row decoder never panics, whatever the line holds.
func FuzzRowDecoder(f *testing.F) {
	for _, s := range []string{
		`{"input":"a\nb","output":"\ud83d\ude42","score":1.0,"step":1}`, `{"reward":NaN,"rewards":{"a":-Infinity}}`,
		`{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}],"reward":[0.5]}`, `{"a"`, `{}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(_ *testing.T, line []byte) {
		_, _ = NewRowDecoder(UsualNames(), "1.jsonl").Decode(nil, line)
	})
}
