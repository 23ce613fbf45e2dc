package model

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A snapshot has the rows that are in none of the ranges, in input order, and counts the others.
func TestLeftOutRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		store := NewStore()
		var all []Record
		next := map[int32]int64{}
		files := []string{"a", "b", "c"}
		attempts := Attempts{}
		for range rapid.IntRange(1, 6).Draw(t, "chunks") {
			c := &Chunk{Files: files}
			for range rapid.IntRange(0, 12).Draw(t, "rows") {
				file := rapid.Int32Range(0, 2).Draw(t, "file")
				r := Record{Step: rapid.Int64Range(1, 3).Draw(t, "step"), Prompt: 1, File: file, Offset: next[file], Reward: float64(len(all)), Advantage: math.NaN(), Length: -1}
				next[file] += 10
				c.Records, all = append(c.Records, r), append(all, r)
			}
			if rapid.Bool().Draw(t, "judged") {
				attempts = Attempts{Shown: 2, Count: 2}
				for i := range rapid.IntRange(0, 3).Draw(t, "pieces") {
					from := rapid.Int64Range(0, 100).Draw(t, "from")
					attempts.LeftOut = append(attempts.LeftOut, OlderRows{Attempt: i + 1, Rows: []RowRange{{
						rapid.Int32Range(0, 2).Draw(t, "of file"), from, from + rapid.Int64Range(1, 60).Draw(t, "size"), rapid.Int64Range(1, 3).Draw(t, "from step"),
					}}})
				}
				sent := attempts
				c.Attempts = &sent
			}
			store.Append(c)
			compareRows(t, store.Snapshot(), all, attempts)
		}
	})
}

func compareRows(t *rapid.T, snap Snapshot, all []Record, attempts Attempts) {
	want, left := map[int64][]float64{}, make([]int, len(attempts.LeftOut))
	for _, r := range all {
		piece := slices.IndexFunc(attempts.LeftOut, func(o OlderRows) bool {
			return slices.ContainsFunc(o.Rows, func(x RowRange) bool {
				return x.File == r.File && r.Offset >= x.From && r.Offset < x.To && r.Step >= x.Step
			})
		})
		if piece < 0 {
			want[r.Step] = append(want[r.Step], r.Reward)
		} else {
			left[piece]++
		}
	}
	if len(snap.Steps) != len(want) {
		t.Fatalf("%d steps, want %d", len(snap.Steps), len(want))
	}
	for _, s := range snap.Steps {
		if !slices.Equal(s.Rewards, want[s.Number]) {
			t.Fatalf("step %d: %v, want %v", s.Number, s.Rewards, want[s.Number])
		}
		for i, reward := range s.Rewards {
			if at, r := s.Place(i), all[int(reward)]; at.File != r.File || at.Offset != r.Offset {
				t.Fatalf("place of row %d: %+v, want %+v", i, at, r)
			}
		}
	}
	got := 0
	for _, l := range snap.Run.Attempts.LeftOut {
		if l.Samples != left[l.Attempt-1] {
			t.Fatalf("%d rows of attempt %d, want %d", l.Samples, l.Attempt, left[l.Attempt-1])
		}
		got += l.Samples
	}
	if got+snap.Rows != len(all) {
		t.Fatalf("%d rows and %d left out of %d", snap.Rows, got, len(all))
	}
}

// A step that changes because rows are left out, or counted again, has another revision.
func TestLeavingOutChangesTheRevision(t *testing.T) {
	store := NewStore()
	add := func(a *Attempts) Snapshot {
		store.Append(&Chunk{Files: []string{"a", "b"}, Attempts: a})
		return store.Snapshot()
	}
	store.Append(&Chunk{Files: []string{"a", "b"}, Records: []Record{{Step: 1, File: 0}, {Step: 1, File: 1}, {Step: 2, File: 1}}})
	before := store.Snapshot()
	out := add(&Attempts{Shown: 2, Count: 2, LeftOut: []OlderRows{{Attempt: 1, Rows: []RowRange{{0, 0, 1, 0}}}}})
	back := add(&Attempts{})
	if before.Steps[0].Revision == out.Steps[0].Revision || out.Steps[0].Revision == back.Steps[0].Revision {
		t.Error("the revision of a changed step stays")
	}
	if before.Steps[1].Revision != back.Steps[1].Revision {
		t.Error("the revision of another step changes")
	}
	if len(out.Steps[0].Rewards) != 1 || len(back.Steps[0].Rewards) != 2 {
		t.Error(out.Steps[0].Rewards, back.Steps[0].Rewards)
	}
}

// Notes say what, how much, when, why and which flag.
func TestAttemptNotes(t *testing.T) {
	at := time.Date(2026, 11, 21, 14, 3, 0, 0, time.Local)
	a := RunAttempts{Shown: 2, Count: 2, Doubts: []string{"doubt"}, LeftOut: []LeftOut{
		{OlderRows: OlderRows{Attempt: 1, Of: 2, Cause: StartedAgain, Start: at, End: at.Add(67 * time.Minute)}, Files: 30, Steps: 30, Samples: 960, First: 11, Last: 40},
		{OlderRows: OlderRows{Attempt: 2, Of: 2, Cause: Resumed, Step: 6, Run: "lr1"}, Files: 1, Steps: 1, Samples: 32, First: 7, Last: 7},
		{OlderRows: OlderRows{Attempt: 1, Of: 2, Cause: FolderReplaced}, Files: 2, Steps: 2, Samples: 64, First: 1, Last: 2},
		{OlderRows: OlderRows{Attempt: 1, Of: 2, Cause: Numbered}, Steps: 2, Samples: 64, First: 1, Last: 2},
	}}
	want := []string{
		"attempt 1 of 2 is not counted: steps 11 to 40 (30 files, 960 samples, written 2026-11-21 14:03 to 15:10), because the run was started again and writes its files anew; --attempt 1 shows it, --attempt all counts everything",
		"the part beyond the checkpoint in lr1 is not counted: step 7 (1 file, 32 samples), because the run was resumed at step 6; --attempt all counts it too",
		"attempt 1 of 2 is not counted: steps 1 to 2 (2 files, 64 samples), because the folder was replaced by another; if its folder is still somewhere, open that to see it",
		"attempt 1 of 2 is not counted: steps 1 to 2 (64 samples), because the run was started again, according to a column of the table; --attempt 1 shows it, --attempt all counts everything",
		"doubt",
	}
	if got := a.Notes(); !slices.Equal(got, want) {
		t.Error(strings.Join(got, "\n"))
	}
}

// The sentence says how many, how it is known, what is lost, and what to do.
func TestEvaluationSentence(t *testing.T) {
	state := EvaluationEvidence{Kind: "trainer_state.json", Why: "trainer_state.json has eval_* metrics of it", Steps: 2, First: 4, File: "completions_00004.parquet"}
	start := EvaluationEvidence{Kind: "step 0", Why: "step 0 is before training", Steps: 1, First: 0, File: "completions_00000.parquet"}
	for want, e := range map[string]Evaluation{
		"evaluation is not counted: 16 rows of step 4, since trainer_state.json has eval_* metrics of it, first completions_00004.parquet. --split val shows evaluations instead, --split all counts them as training": {
			Steps: []int64{4}, Rows: 16, Evidence: []EvaluationEvidence{state},
		},
		"evaluation is not counted: 48 rows of steps 0, 4 and 8, since trainer_state.json has eval_* metrics of it (2 steps), first completions_00004.parquet; step 0 is before training (1 step), first completions_00000.parquet. " +
			"The training rows that had been logged for step 8 were overwritten before they were read, and are lost: to have them, open the run while it trains. " +
			"The training rows of step 4 were read before they were overwritten, and count. --split val shows evaluations instead, --split all counts them as training": {
			Steps: []int64{0, 4, 8}, Rows: 48, Lost: []int64{8}, Kept: []int64{4}, Evidence: []EvaluationEvidence{state, start},
		},
		"training is not counted, for --split val asks for evaluations: shown are 16 rows of step 4, since trainer_state.json has eval_* metrics of it, first completions_00004.parquet": {
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
