package runs

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A run is written as one word per step, a letter per group: "ab" asks a and then b. After a colon
// comes the size of its groups if that is not 4. "-" is a step that was not logged.
func tablesOf(steps string) []*Table {
	var tables []*Table
	for i, word := range strings.Fields(steps) {
		prompts, size, _ := strings.Cut(word, ":")
		if prompts == "-" {
			continue
		}
		rows := 4
		if size != "" {
			_, _ = fmt.Sscan(size, &rows)
		}
		t := &Table{Step: int64(i + 1)}
		for _, p := range prompts {
			t.Add(uint64(p), rows)
		}
		tables = append(tables, t)
	}
	return tables
}

// found returns the steps with evidence.
func found(tables []*Table) (steps []int64, kinds []Evidence) {
	for _, t := range tables {
		if t.Evidence != "" {
			steps, kinds = append(steps, t.Step), append(kinds, t.Evidence)
		}
	}
	slices.Sort(kinds)
	return steps, slices.Compact(kinds)
}

// What TRL wrote with an evaluation each few steps, and training that looks like it. The runs are
// those of real trainings, with letters for their prompts.
func TestFind(t *testing.T) {
	for name, c := range map[string]struct {
		steps string
		want  []int64
		kind  Evidence
	}{
		"an evaluation of a whole batch":       {"abcd efgh ijkl WXYZ mnop qrst uvab WXYZ cdef ghij klmn WXYZ", []int64{4, 8, 12}, SamePrompts},
		"after two of them":                    {"abcd efgh ijkl WXYZ mnop qrst uvab WXYZ", []int64{4, 8}, SamePrompts},
		"one is not enough":                    {"abcd efgh ijkl WXYZ mnop qrst", nil, ""},
		"rows of training stay before it":      {"abcd efgh ijkl mnYZ opqr stuv abeg ckYZ dhio lpsa ekmv nrYZ bdfh", []int64{4, 8, 12}, SamePrompts},
		"one prompt a step":                    {"a b c d Z f g h i Z k l m n Z p q r s Z", []int64{5, 10, 15, 20}, SamePrompts},
		"other groups":                         {"abcd efgh ijkl STUVWXYZ:2 mnop qrst uvab STUVWXYZ:2", []int64{4, 8}, GroupSize},
		"other groups, the newest not yet":     {"abcd efgh ijkl STUVWXYZ:2", nil, ""},
		"larger groups":                        {"abcd efgh ijkl YZ:8 mnop qrst uvab YZ:8 cdef", []int64{4, 8}, GroupSize},
		"resumed with larger groups":           {"abcd efgh ijkl mnop qrst uv:8 ab:8 cd:8", nil, ""},
		"resumed just now":                     {"abcd efgh ijkl mnop qrst uv:8", nil, ""},
		"logged each second step":              {"- abcd - WXYZ - efgh - WXYZ - ijkl - WXYZ", []int64{4, 8, 12}, SamePrompts},
		"the newest step is still of training": {"abcd efgh ijkl WXYZ mnop qrst uvab WXYZ cdef ghij klmn opqr", []int64{4, 8}, SamePrompts},
		"one more at the end":                  {"abcd efgh ijkl WXYZ mnop qrst uvab WXYZ cdef ghij klmn WXYZ aeim WXYZ", []int64{4, 8, 12, 14}, SamePrompts},
		"after a delay (eval_delay)":           {"abcd efgh ijkl aeim mnop qrst uvab WXYZ cdef ghij klmn WXYZ", []int64{8, 12}, SamePrompts},
		"epochs in one order":                  {"abcd efgh ijkl mnop abcd efgh ijkl mnop abcd efgh ijkl mnop", nil, ""},
		"evaluated at the end of such epochs":  {"abcd efgh ijkl WXYZ abcd efgh ijkl WXYZ abcd efgh ijkl WXYZ", nil, ""}, // nothing tells it
		"few prompts in changing order":        {"ab ba ab ab ba ba ab ba", nil, ""},
		"one prompt of four a step":            {"a b c d b d a c d a b c a c d b", nil, ""},
		"the same at each step":                {"abcd abcd abcd abcd abcd", nil, ""},
		"by chance, at no regular steps":       {"abcd efgh ijkl WXYZ mnop WXYZ qrst uvab WXYZ", nil, ""},
		"no prompts":                           {"\x00 \x00 \x00 \x00 \x00 \x00", nil, ""},
		"nothing":                              {"", nil, ""},
	} {
		tables := tablesOf(c.steps)
		Find(tables)
		steps, kinds := found(tables)
		if !slices.Equal(steps, c.want) || c.kind != "" && !slices.Equal(kinds, []Evidence{c.kind}) {
			t.Errorf("%s: steps %v by %v, want %v by %v", name, steps, kinds, c.want, c.kind)
		}
	}
}

// An evaluation that is known tells of the next one.
func TestKnownEvaluationTellsOfOthers(t *testing.T) {
	tables := tablesOf("a b c d Z f g h i Z k")
	if Find(tables); tables[9].Evidence != "" {
		t.Error("two steps of one prompt are not enough")
	}
	tables[4].Evidence = TrainerState
	if Find(tables); tables[4].Evidence != TrainerState || tables[9].Evidence != SamePrompts {
		t.Error(tables[4].Evidence, tables[9].Evidence)
	}
}

// The rows that an evaluation overwrote are training, though their step is the evaluation's.
func TestOverwrittenTrainingStays(t *testing.T) {
	tables := tablesOf("abcd efgh ijkl mnop qrst uvab cdef WXYZ ghij klmn opqr WXYZ")
	over := &Table{Step: 4, Evidence: Rewritten}
	for _, p := range "WXYZ" {
		over.Add(uint64(p), 4)
	}
	all := append([]*Table{over}, tables...)
	Find(all)
	if steps, _ := found(tables); !slices.Equal(steps, []int64{8, 12}) {
		t.Error(steps)
	}
}

func TestAskSamePrompts(t *testing.T) {
	for steps, want := range map[string]bool{"abcd abcd abcd": true, "abcd abcd": false, "abcd abcd abdc": false, "a a a": false, "": false} {
		if got := AskSamePrompts(tablesOf(steps)); got != want {
			t.Errorf("%q: %v", steps, got)
		}
	}
}

func TestEndsLike(t *testing.T) {
	tables := tablesOf("abcdefghij Abcdefghij bcdefghij hij abcdefghik")
	for i, want := range []bool{true, true, true, false, false} {
		if got := tables[0].EndsLike(tables[i]); got != want {
			t.Errorf("%d: %v", i, got)
		}
	}
}
