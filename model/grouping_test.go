package model

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vantage/estimators"
)

// rows are records of one step, "id/prompt" each; the reward is the index.
func rows(pairs ...string) *Chunk {
	chunk := &Chunk{Format: "made", HasTruth: true, Positional: true}
	for i, pair := range pairs {
		id, prompt, _ := strings.Cut(pair, "/")
		r := Record{Step: 1, Group: id, Reward: float64(i), Advantage: math.NaN(), Length: -1}
		for _, c := range prompt {
			r.Prompt = uint64(c)
		}
		chunk.Records = append(chunk.Records, r)
	}
	return chunk
}

// grouped returns the rows group by group.
func grouped(t *testing.T, chunk *Chunk, set Settings) ([][]float64, Grouping, error) {
	t.Helper()
	store := NewStore()
	store.Append(chunk)
	snap := store.Snapshot()
	grouping, err := snap.Grouping(set)
	if err != nil {
		return nil, Grouping{}, err
	}
	order, offsets, err := grouping.Layout(snap.Steps[0], snap.Open(0))
	if err != nil {
		return nil, Grouping{}, err
	}
	var groups [][]float64
	for i, end := range offsets[1:] {
		var rewards []float64
		for _, row := range order[offsets[i]:end] {
			rewards = append(rewards, snap.Steps[0].Rewards[row])
		}
		groups = append(groups, rewards)
	}
	return groups, grouping, nil
}

func TestGroupingOfRows(t *testing.T) {
	tests := []struct {
		name  string
		chunk *Chunk
		set   []string
		by    GroupBy
		want  [][]float64
		says  string
	}{
		{"id, not adjacent", rows("x/a", "y/b", "x/a", "y/b"), nil, GroupByID, [][]float64{{0, 2}, {1, 3}}, "group id"},
		{"prompt where there is no id", rows("/a", "/b", "/b", "/a"), nil, GroupByPrompt, [][]float64{{0, 3}, {1, 2}}, "prompt and ground truth"},
		{"an id per row is no group id", rows("1/a", "2/a", "3/b", "4/b"), nil, GroupByPrompt, [][]float64{{0, 1}, {2, 3}}, "numbers rows"},
		{"an id over different prompts is not believed", rows("1/a", "1/b", "2/a", "2/b"), nil, GroupByPrompt, [][]float64{{0, 2}, {1, 3}}, "different prompts"},
		{"unless a person says so", rows("1/a", "1/b", "2/a", "2/b"), []string{"group_by", "id"}, GroupByID, [][]float64{{0, 1}, {2, 3}}, "group id"},
		{"an id whose groups hold one prompt each", rows("x/a", "x/a", "y/b", "y/b"), nil, GroupByID, [][]float64{{0, 1}, {2, 3}}, "2 groups, 2.0 rows each, each of one prompt and ground truth"},
		{"and one whose groups do not", rows("1/a", "1/b", "2/a", "2/a"), []string{"group_by", "id"}, GroupByID, [][]float64{{0, 1}, {2, 3}}, "1/2 (50%) of one prompt and ground truth"},
		{"positions that hold one prompt each", rows("/a", "/a", "/b", "/b"), []string{"group_by", "position", "num_generations", "2"}, GroupByPosition, [][]float64{{0, 1}, {2, 3}}, "each of one prompt"},
		{"and some that do not", rows("/a", "/b", "/b", "/b"), []string{"group_by", "position", "num_generations", "2"}, GroupByPosition, [][]float64{{0, 1}, {2, 3}}, "1/2 (50%) of one prompt"},
		{"position", rows("", "", "", ""), []string{"num_generations", "2"}, GroupByPosition, [][]float64{{0, 1}, {2, 3}}, "2 consecutive rows"},
	}
	for _, test := range tests {
		got, grouping, err := grouped(t, test.chunk, settingsWith(t, test.set...))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if diff := cmp.Diff(test.want, got); diff != "" || grouping.By != test.by || !strings.Contains(grouping.Evidence, test.says) {
			t.Errorf("%s: by %s (%s)\n%s", test.name, grouping.By, grouping.Evidence, diff)
		}
	}
}

func TestGroupingFails(t *testing.T) {
	if _, _, err := grouped(t, rows("", ""), DefaultSettings()); !errors.Is(err, ErrUngrouped) {
		t.Errorf("neither id nor prompt: %v", err)
	}
	_, _, err := grouped(t, rows("", "", ""), settingsWith(t, "num_generations", "2"))
	var refusal *estimators.Refusal
	if !errors.As(err, &refusal) || refusal.Error() != "ValueError: Invalid" {
		t.Errorf("3 rows in blocks of 2: %v, want twinkle's ValueError: Invalid", err)
	}
	verl := rows("", "")
	verl.Format, verl.Positional = "verl", false
	if _, _, err := grouped(t, verl, settingsWith(t, "num_generations", "2")); err == nil || !strings.Contains(err.Error(), "reorders") {
		t.Errorf("verl by position: %v", err)
	}
	verl = rows("x/a", "x/a", "/b", "")
	verl.Format, verl.Positional = "verl", false
	if _, _, err := grouped(t, verl, DefaultSettings()); err == nil || !strings.HasPrefix(err.Error(), "1 of 4 rows have no prompt and 2 no group id") {
		t.Errorf("verl with a row that nothing tells of: %v", err)
	}
}

// The last block of an open step may be incomplete.
func TestLayoutOfAnOpenStep(t *testing.T) {
	chunk := rows("", "", "")
	chunk.Progress.Open = true
	got, _, err := grouped(t, chunk, settingsWith(t, "num_generations", "2"))
	if diff := cmp.Diff([][]float64{{0, 1}, {2}}, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}
