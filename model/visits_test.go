package model

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// stepless are rows of a log without steps.
func stepless(pairs ...string) *Chunk {
	chunk := rows(pairs...)
	chunk.Stepless = true
	return chunk
}

// In a log without steps an id or a prompt that comes again is another visit.
func TestVisits(t *testing.T) {
	index := rows("0/", "1/", "0/", "1/")
	index.GroupIsIndex = true
	for i := range index.Records {
		index.Records[i].Prompt = uint64(1 + i/2)
	}
	tests := []struct {
		name         string
		chunk        *Chunk
		set          []string
		want         [][]float64
		says, doubts string
	}{
		{"runs of one length", stepless("x/a", "x/a", "y/b", "y/b", "x/a", "x/a"), nil, [][]float64{{0, 1}, {4, 5}, {2, 3}}, "2 consecutive rows of an id are a group, assumed", "2 ids in 3 runs of 2 rows"},
		{"of which the last is being written", stepless("x/a", "x/a", "y/b", "y/b", "x/a"), nil, [][]float64{{0, 1}, {4}, {2, 3}}, "2 consecutive rows of an id are a group, assumed", "2 ids in 3 runs of 2 rows"},
		{"of prompts", stepless("/a", "/a", "/b", "/b", "/a", "/a"), nil, [][]float64{{0, 1}, {4, 5}, {2, 3}}, "2 consecutive rows of a prompt are a group, assumed", "consecutive rows of one prompt, assumed"},
		{"runs of several lengths", stepless("x/a", "y/b", "y/b", "x/a", "x/a"), nil, [][]float64{{0, 3, 4}, {1, 2}}, "2 groups, 2.5 rows each", "may merge several visits: the log has no step, and ids come again after others, 2 ids in 3 runs of rows"},
		{"rows of turn by turn", stepless("x/a", "y/b", "x/a", "y/b"), nil, [][]float64{{0, 2}, {1, 3}}, "2 groups, 2.0 rows each", "2 ids in 4 runs of rows"},
		{"ids that come once", stepless("x/a", "x/a", "y/b", "y/b", "y/b"), nil, [][]float64{{0, 1}, {2, 3, 4}}, "2 groups, 2.5 rows each", ""},
		{"a number that a person gives", stepless("x/a", "x/a", "y/b", "y/b", "x/a", "x/a"), []string{"num_generations", "4"}, [][]float64{{0, 1, 4, 5}, {2, 3}}, "as num_generations requires", ""},
		{"a log with steps", rows("x/a", "x/a", "y/b", "y/b", "x/a", "x/a"), nil, [][]float64{{0, 1, 4, 5}, {2, 3}}, "2 groups, 3.0 rows each", ""},
		{"an index within a batch", index, nil, [][]float64{{0, 1}, {2, 3}}, "its id column numbers the rows of each batch, not groups", ""},
	}
	for _, test := range tests {
		got, grouping, err := grouped(t, test.chunk, settingsWith(t, test.set...))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		isDoubted := strings.Contains(grouping.Doubt, test.doubts) && (test.doubts == "") == (grouping.Visits == "")
		if diff := cmp.Diff(test.want, got); diff != "" || !strings.Contains(grouping.Evidence, test.says) || !isDoubted {
			t.Errorf("%s: %s; doubt %q\n%s", test.name, grouping.Evidence, grouping.Doubt, diff)
		}
	}
}
