package model

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// rolloutRows are records of one step, by "group rollout output".
func rolloutRows(ids ...string) []Record {
	var rows []Record
	for i, id := range ids {
		rows = append(rows, Record{
			Step: 1, Group: id[:1], Prompt: 1, Rollout: Rollout{Number: int32(id[1] - '0'), Output: int32(id[2] - '0')},
			Reward: 1, Advantage: math.NaN(), Length: -1, Offset: int64(i),
		})
	}
	return rows
}

func TestFirstOutputs(t *testing.T) {
	for _, c := range []struct {
		name, ids string
		want      []int32 // nil if all rows are rollouts of their own
		rollouts  int
		stray     bool
	}{
		{"one output each", "a10 a20 b10", nil, 3, false},
		{"no rollouts in the log", "a00 a00 a00", nil, 3, false},
		{"three outputs", "a10 a20 a21 a22 b20", []int32{0, 1, 1, 1, 4}, 3, false},
		{"the same number in the next group", "a10 a11 b10 b11", []int32{0, 0, 2, 2}, 2, false},
		{"twice the same output", "a10 a10 a11", []int32{0, 1, 1}, 2, false},
		{"the first output is lost", "a11 a12 a20", []int32{0, 0, 2}, 2, true},
		{"outputs are apart", "a10 b10 a11", nil, 3, true},
		{"outputs in another order", "a12 a11 a10", nil, 3, true},
	} {
		store := NewStore()
		ids := strings.Fields(c.ids)
		store.Append(&Chunk{Files: []string{"1.jsonl"}, Records: rolloutRows(ids...)})
		snap := store.Snapshot()
		if got := snap.Steps[0].FirstOutputs; !slices.Equal(got, c.want) || snap.Rollouts() != c.rollouts {
			t.Errorf("%s: %v, %d rollouts, want %v, %d", c.name, got, snap.Rollouts(), c.want, c.rollouts)
		}
		if noted := len(snap.Run.Notes) > 0; noted != c.stray {
			t.Errorf("%s: notes %q", c.name, snap.Run.Notes)
		}
	}
}

// Rows of one rollout have its prompt, also where the log says only which rollout a row is of: the turns of an answer are no groups.
func TestTurnsHaveOnePrompt(t *testing.T) {
	var records []Record
	for i, row := range []struct {
		rollout int32
		prompt  uint64
	}{{5, 1}, {5, 2}, {5, 3}, {6, 1}, {6, 4}, {7, 8}, {8, 8}, {8, 9}} {
		records = append(records, Record{Step: 1, Prompt: row.prompt, Rollout: Rollout{row.rollout, -1}, Reward: float64(i), Advantage: math.NaN(), Length: -1, Offset: int64(i)})
	}
	for name, order := range map[string][]int{"answer by answer": {0, 1, 2, 3, 4, 5, 6, 7}, "turn by turn": {0, 3, 5, 6, 1, 4, 7, 2}} {
		var ordered []Record
		for at, i := range order {
			r := records[i]
			r.Offset = int64(at)
			ordered = append(ordered, r)
		}
		groups, grouping, err := grouped(t, &Chunk{Files: []string{"turns.jsonl"}, Records: ordered}, DefaultSettings())
		for _, g := range groups {
			slices.Sort(g)
		}
		if err != nil || grouping.By != GroupByPrompt || !slices.EqualFunc(groups, [][]float64{{0, 1, 2, 3, 4}, {5, 6, 7}}, slices.Equal) {
			t.Errorf("%s: %v %v by %s", name, err, groups, grouping.By)
		}
		store := NewStore()
		store.Append(&Chunk{Files: []string{"turns.jsonl"}, Records: ordered})
		snap := store.Snapshot()
		var counted []float64
		for row, reward := range snap.Steps[0].Rewards {
			if _, last := snap.Steps[0].CountedAs(row); last {
				counted = append(counted, reward)
			}
		}
		slices.Sort(counted)
		if !slices.Equal(counted, []float64{2, 4, 5, 7}) || snap.Rollouts() != 4 || len(snap.Run.Notes) > 0 {
			t.Errorf("%s: counted by %v, %d rollouts, notes %q", name, counted, snap.Rollouts(), snap.Run.Notes)
		}
	}
}

// However rows come in chunks, and whatever else is forgotten, the rollouts are the same, and those of
// older snapshots stay.
func TestRolloutsInAnyChunks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var ids []string
		var want []int32
		for group := range 3 {
			for rollout := range rapid.IntRange(1, 4).Draw(t, "rollouts") {
				first := int32(len(ids))
				for output := range rapid.IntRange(1, 3).Draw(t, "outputs") {
					ids, want = append(ids, string([]byte{byte('a' + group), byte('1' + rollout), byte('0' + output)})), append(want, first)
				}
			}
		}
		if int(want[len(want)-1]) == len(want)-1 && slices.Equal(want, inputOrder(len(want))) {
			want = nil
		}
		store := NewStore()
		store.Append(&Chunk{Files: []string{"old", "new"}, Records: rolloutRows("x10", "x11")})
		var older []Step
		var frozen [][]int32
		for rows := rolloutRows(ids...); len(rows) > 0; {
			n := rapid.IntRange(1, len(rows)).Draw(t, "chunk")
			for i := range n {
				rows[i].File = 1
			}
			store.Append(&Chunk{Records: rows[:n]})
			rows = rows[n:]
			step := store.Snapshot().Steps[0]
			older, frozen = append(older, step), append(frozen, slices.Clone(step.FirstOutputs))
		}
		store.Append(&Chunk{Forget: []int32{0}})
		got := store.Snapshot().Steps[0].FirstOutputs
		if want == nil { // the column was there for the file that is forgotten
			want = inputOrder(len(ids))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%v has first outputs %v, want %v", ids, got, want)
		}
		for i := range older {
			if !slices.Equal(older[i].FirstOutputs, frozen[i]) {
				t.Fatal("an older snapshot changed")
			}
		}
	})
}
