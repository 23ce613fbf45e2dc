package offpolicy

import (
	"math"
	"testing"

	"vantage/model"
)

// stepAt is a step of samples at some places.
func stepAt(places ...model.Place) *model.Step {
	chunk := &model.Chunk{Format: "made", Files: []string{"a", "b"}}
	for _, p := range places {
		chunk.Records = append(chunk.Records, model.Record{
			Step: 1, File: p.File, Offset: p.Offset, IndexInLine: p.IndexInLine, Advantage: math.NaN(),
		})
	}
	store := model.NewStore()
	store.Append(chunk)
	return &store.Snapshot().Steps[0]
}

func placed(at Place, d ...float32) Sample {
	x := logged(1, "", 1, d...)
	x.Place = &at
	return x
}

// A row is found by its place, and the ratio of several is that of all their tokens: e^((0.2 + 0.2 + 0.5) / 3).
func TestRowsAreFoundByPlace(t *testing.T) {
	first, second := model.Place{Offset: 70}, model.Place{Offset: 70, IndexInLine: 1}
	s := studyOf(t, Asked{}, placed(Place{Place: second}, 0.5), placed(Place{Place: first}, 0.2, 0.2))
	rows := s.Rows.Of(stepAt(first, second, model.Place{File: 1}))
	if len(rows) != 3 || rows[0].Tokens != 2 || rows[2].Tokens != 0 {
		t.Fatalf("the rows are %+v", rows)
	}
	near(t, "ratio", rows[1].Ratio(), math.Exp(0.5))
	near(t, "ratio of all", RatioOf(rows...), math.Exp(0.3))
	near(t, "ratio of none", rows[2].Ratio(), math.NaN())
	if rows := s.Rows.Of(stepAt(model.Place{File: 1})); rows != nil {
		t.Errorf("rows of another file are %+v", rows)
	}
}

// The rows of a file of torch.save are in its order, if the step has all of them.
func TestRowsAreFoundByNumber(t *testing.T) {
	at := func(number int64) Place { return Place{Place: model.Place{Offset: number}, ByNumber: true} }
	s := studyOf(t, Asked{}, placed(at(1), 0.5), placed(at(0), 0.2))
	rows := s.Rows.Of(stepAt(model.Place{Offset: 900}, model.Place{Offset: 40}))
	if len(rows) != 2 {
		t.Fatalf("the rows are %+v", rows)
	}
	near(t, "ratio of the second", rows[0].Ratio(), math.Exp(0.5))
	near(t, "ratio of the first", rows[1].Ratio(), math.Exp(0.2))
	if rows := s.Rows.Of(stepAt(model.Place{Offset: 40})); rows != nil {
		t.Errorf("of a part nobody knows which: %+v", rows)
	}
}

// Every trainer that has a rule, and every one whose log is known to lack log-probs, has a clause on how to write them.
func TestHowToLog(t *testing.T) {
	for _, w := range ways() {
		if HowToLog(w.framework) != w.how || w.how == "" {
			t.Errorf("%s: %s", w.framework, HowToLog(w.framework))
		}
	}
	for framework, want := range map[string]string{
		"slime": "slime writes both sides with --dump-details DIR, into rollout_data and train_data",
		"rllm":  "no option of rLLM is known to write them, and any JSON lines or Parquet with rollout_log_probs and old_log_probs are read",
	} {
		if got := HowToLog(framework); got != want {
			t.Errorf("%s: %s", framework, got)
		}
	}
}
