package model

import (
	"slices"
	"strings"
	"testing"
)

// The sentence says how many, how it is known, what is lost, and what to do.
func TestEvaluationSentence(t *testing.T) {
	state := EvaluationEvidence{Kind: "trainer_state.json", Why: "trainer_state.json has eval_* figures of it", Steps: 2, First: 4, File: "completions_00004.parquet"}
	start := EvaluationEvidence{Kind: "step 0", Why: "step 0 is before training", Steps: 1, First: 0, File: "completions_00000.parquet"}
	for want, e := range map[string]Evaluation{
		"evaluation is not counted: 16 rows of step 4, since trainer_state.json has eval_* figures of it, first completions_00004.parquet. --split val shows evaluations instead, --split all counts them as training": {
			Steps: []int64{4}, Rows: 16, Evidence: []EvaluationEvidence{state},
		},
		"evaluation is not counted: 48 rows of steps 0, 4 and 8, since trainer_state.json has eval_* figures of it (2 steps), first completions_00004.parquet; step 0 is before training (1 step), first completions_00000.parquet. " +
			"The training rows that had been logged for step 8 were overwritten before they were read, and are lost: to have them, open the run while it trains. " +
			"The training rows of step 4 were read before they were overwritten, and count. --split val shows evaluations instead, --split all counts them as training": {
			Steps: []int64{0, 4, 8}, Rows: 48, Lost: []int64{8}, Kept: []int64{4}, Evidence: []EvaluationEvidence{state, start},
		},
		"training is not counted, for --split val asks for evaluations: shown are 16 rows of step 4, since trainer_state.json has eval_* figures of it, first completions_00004.parquet": {
			Steps: []int64{4}, Rows: 16, Evidence: []EvaluationEvidence{state}, Shown: true,
		},
	} {
		if got := e.Sentence(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	many := Evaluation{Steps: []int64{4, 8, 12, 16, 20, 24, 28}, Rows: 7}
	if got := many.Sentence(); !strings.Contains(got, "7 rows of 7 steps (4, 8, 12, … 28)") {
		t.Error(got)
	}
}

// What is known of evaluations replaces what was known before, and none removes it.
func TestEvaluationIsReplaced(t *testing.T) {
	store := NewStore()
	store.Append(&Chunk{Evaluation: &Evaluation{Steps: []int64{4}, Rows: 1}})
	store.Append(&Chunk{})
	store.Append(&Chunk{Evaluation: &Evaluation{Steps: []int64{4, 8}, Rows: 2}})
	run := store.Snapshot().Run
	if !slices.Equal(run.Evaluation.Steps, []int64{4, 8}) || len(run.Notes) != 1 || !strings.Contains(run.Notes[0], "2 rows of steps 4 and 8") {
		t.Error(run.Evaluation, run.Notes)
	}
	store.Append(&Chunk{Evaluation: &Evaluation{}})
	if run := store.Snapshot().Run; run.Evaluation != nil || len(run.Notes) > 0 {
		t.Error(run.Evaluation, run.Notes)
	}
}
