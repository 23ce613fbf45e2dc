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
	order, offsets, err := snap.Layout(grouping.GroupRule, 0)
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
		{"but one over the turns of answers", rows("x/p", "x/q", "x/p", "x/r", "y/s", "y/t", "y/s", "y/u"), nil, GroupByID, [][]float64{{0, 1, 2, 3}, {4, 5, 6, 7}}, "2/2 (100%) of them of several prompts as turns have them"},
		{"where two groups begin alike too", rows("x/p", "x/q", "x/p", "x/r", "y/p", "y/t", "y/p", "y/u"), nil, GroupByID, [][]float64{{0, 1, 2, 3}, {4, 5, 6, 7}}, "2/2 (100%) of them of several prompts as turns have them"},
		{"not one over several tasks", rows("m/a", "m/a", "m/b", "m/b", "n/c", "n/c", "n/d", "n/d"), nil, GroupByPrompt, [][]float64{{0, 1}, {2, 3}, {4, 5}, {6, 7}}, "different prompts"},
		{
			"nor one over tasks of which one came twice", rows("m/a", "m/b", "m/c", "m/d", "m/e", "m/f", "m/g", "m/h", "m/i", "m/j", "m/k", "m/l", "m/m", "m/n", "m/o", "m/p", "m/a"), nil, GroupByPrompt,
			[][]float64{{0, 16}, {1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}, {9}, {10}, {11}, {12}, {13}, {14}, {15}},
			"different prompts",
		},
		{"nor one that tears prompts apart", rows("1/a", "1/a", "1/b", "2/b", "2/b", "2/c", "3/c", "3/c", "3/a"), nil, GroupByPrompt, [][]float64{{0, 1, 8}, {2, 3, 4}, {5, 6, 7}}, "different prompts"},
		{"unless a person says so", rows("1/a", "1/b", "2/a", "2/b"), []string{"group_by", "id"}, GroupByID, [][]float64{{0, 1}, {2, 3}}, "group id"},
		{"an id whose groups hold one prompt each", rows("x/a", "x/a", "y/b", "y/b"), nil, GroupByID, [][]float64{{0, 1}, {2, 3}}, "2 groups, 2.0 rows each, each of one prompt and ground truth"},
		{"and one whose groups do not", rows("1/a", "1/b", "2/a", "2/a"), []string{"group_by", "id"}, GroupByID, [][]float64{{0, 1}, {2, 3}}, "1/2 (50%) of one prompt and ground truth"},
		{"positions that hold one prompt each", rows("/a", "/a", "/b", "/b"), []string{"group_by", "position", "num_generations", "2"}, GroupByPosition, [][]float64{{0, 1}, {2, 3}}, "each of one prompt"},
		{"and some that do not", rows("/a", "/b", "/b", "/b"), []string{"group_by", "position", "num_generations", "2"}, GroupByPosition, [][]float64{{0, 1}, {2, 3}}, "1/2 (50%) of one prompt"},
		{"a prompt that comes twice", rows("/a", "/a", "/b", "/b", "/a", "/a"), []string{"num_generations", "2"}, GroupByPrompt, [][]float64{{0, 1}, {4, 5}, {2, 3}}, "2 consecutive rows of a prompt are a group, as num_generations requires; 2 prompts, 3.0 rows each"},
		{"and whose last group was cut", rows("x/a", "x/a", "x/a", "y/b", "y/b"), []string{"num_generations", "2"}, GroupByID, [][]float64{{0, 1}, {2}, {3, 4}}, "2 consecutive rows of an id are a group"},
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

// The newest step is complete as soon as it has as many rows as each of three steps before it; of steps of other sizes only time tells.
func TestFullStepIsComplete(t *testing.T) {
	for _, test := range []struct {
		rows []int // of each step, the newest last
		open bool
	}{
		{[]int{4, 4, 4, 4}, false},
		{[]int{9, 4, 4, 4, 4}, false},
		{[]int{4, 4, 4, 3}, true},
		{[]int{4, 4, 4, 5}, true},
		{[]int{4, 5, 4, 4}, true},
		{[]int{4, 4, 4}, true},
	} {
		store, last := NewStore(), len(test.rows)-1
		for step, n := range test.rows {
			chunk := rows(make([]string, n)...)
			for i := range chunk.Records {
				chunk.Records[i].Step = int64(step)
			}
			chunk.Progress.Open = step == last
			store.Append(chunk)
		}
		snap := store.Snapshot()
		if got := snap.Open(last); got != test.open {
			t.Errorf("%v rows: open is %v, want %v", test.rows, got, test.open)
		}
		if only := snap.Only(snap.Steps[last:]); only.Open(0) != test.open {
			t.Errorf("%v rows: alone the newest step is open: %v, want %v", test.rows, only.Open(0), test.open)
		}
	}
}

// Where the trainer reorders rows, num_generations divides no group, and the doubt says so; what the logged
// advantages prove does.
func TestReorderedRowsAreDividedIfProved(t *testing.T) {
	verl := rows("x/a", "x/a", "y/b", "x/a", "x/a")
	verl.Format, verl.Positional = "verl", false
	got, grouping, err := grouped(t, verl, settingsWith(t, "num_generations", "2"))
	if diff := cmp.Diff([][]float64{{0, 1, 3, 4}, {2}}, got); err != nil || diff != "" || !strings.Contains(grouping.Doubt, "the order of rows in verl files does not tell") {
		t.Error(err, grouping.Doubt, diff)
	}
	set := DefaultSettings()
	set.Proved = ProvedGroups{By: GroupByID, Sizes: RunSizes{2}}
	got, grouping, err = grouped(t, verl, set)
	if diff := cmp.Diff([][]float64{{0, 1}, {3, 4}, {2}}, got); err != nil || diff != "" || !strings.Contains(grouping.Evidence, "as the logged advantages prove") {
		t.Error(err, grouping.Evidence, diff)
	}
	set.Proved = ProvedGroups{By: GroupByPosition, Sizes: RunSizes{2}}
	got, grouping, err = grouped(t, verl, set)
	if diff := cmp.Diff([][]float64{{0, 1}, {2, 3}, {4}}, got); err != nil || diff != "" || !strings.Contains(grouping.Evidence, "2 consecutive rows are a group, as the logged advantages prove, 2/3 (67%) of one prompt") {
		t.Error(err, grouping.Evidence, diff)
	}
}

// Each run has its own size, and blocks by position do not span runs.
func TestRunsAreDividedByTheirOwnSize(t *testing.T) {
	chunk := rows("x/a", "x/a", "x/a", "y/b", "y/b", "y/b", "y/b")
	chunk.Files, chunk.FileRuns = []string{"one/1.jsonl", "two/1.jsonl"}, []int32{0, 1}
	for i := 3; i < 7; i++ {
		chunk.Records[i].File = 1
	}
	set := DefaultSettings()
	set.Proved = ProvedGroups{By: GroupByID, Sizes: RunSizes{0, 2}}
	got, grouping, err := grouped(t, chunk, set)
	if diff := cmp.Diff([][]float64{{0, 1, 2}, {3, 4}, {5, 6}}, got); err != nil || diff != "" || !strings.Contains(grouping.Evidence, "consecutive rows of an id are a group, 2 in two, as") {
		t.Error(err, grouping.Evidence, diff)
	}
	set.Proved = ProvedGroups{By: GroupByPosition, Sizes: RunSizes{2, 4}}
	got, _, err = grouped(t, chunk, set)
	if diff := cmp.Diff([][]float64{{0, 1}, {2}, {3, 4, 5, 6}}, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

// While two files of a step are followed their rows come in turn; blocks are of rows that stand together
// in a file.
func TestBlocksAreOfOneFile(t *testing.T) {
	chunk := rows("/a", "/a", "/a", "/a", "/a", "/a", "/a", "/a")
	chunk.Files = []string{"rank_0.jsonl", "rank_1.jsonl"}
	for i := range chunk.Records {
		chunk.Records[i].File, chunk.Records[i].Offset = int32(i%4/2), int64(i)
	}
	got, _, err := grouped(t, chunk, settingsWith(t, "num_generations", "4"))
	if diff := cmp.Diff([][]float64{{0, 1, 4, 5}, {2, 3, 6, 7}}, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

// The groups into which an id is divided have names of their own.
func TestNamesOfDividedGroups(t *testing.T) {
	store := NewStore()
	store.Append(rows("x/a", "x/a", "y/b", "y/b", "x/a", "x/a"))
	snap := store.Snapshot()
	for want, set := range map[string]Settings{
		"x x#2 y": settingsWith(t, "num_generations", "2"),
		"x y":     DefaultSettings(),
		"0 1 2":   settingsWith(t, "group_by", "position", "num_generations", "2"),
	} {
		grouping, err := snap.Grouping(set)
		if err != nil {
			t.Fatal(err)
		}
		order, offsets, err := snap.Layout(grouping.GroupRule, 0)
		var names []string
		for k := range offsets[1:] {
			names = append(names, snap.GroupName(grouping.GroupRule, &snap.Steps[0], order, offsets, k))
		}
		if got := strings.Join(names, " "); err != nil || got != want {
			t.Errorf("%v: %s, want %s", err, got, want)
		}
	}
}
