package match

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"vantage/model"
)

// centred are rows of an id in groups of some rewards, each less the mean of its group.
func centred(id string, groups ...[]float64) []row {
	var all []row
	for _, rewards := range groups {
		sum := 0.0
		for _, r := range rewards {
			sum += r
		}
		for _, r := range rewards {
			all = append(all, row{id, r, r - sum/float64(len(rewards))})
		}
	}
	return all
}

func concat(parts ...[]row) []row {
	var all []row
	for _, part := range parts {
		all = append(all, part...)
	}
	return all
}

// Groups of four, by hand: r − μ. The rewards of both groups of an id differ in their mean.
func TestLoggedAdvantagesProveGroups(t *testing.T) {
	one, most, half := []float64{1, 0, 0, 0}, []float64{1, 1, 1, 0}, []float64{1, 1, 0, 0}
	apart := []row{}
	for i, r := range concat(centred("x", one), centred("y", half), centred("x", most)) {
		apart = append(apart, row{fmt.Sprint(i), r.reward, r.advantage})
	}
	for _, test := range []struct {
		name string
		rows []row
		by   model.GroupBy
		want model.ProvedGroups
		says string // in the evidence
	}{
		{"an id that comes twice", concat(centred("x", one, most), centred("y", half)), "", model.ProvedGroups{By: "id", Sizes: model.RunSizes{4}}, "4 consecutive rows of an id are a group, as the logged advantages prove"},
		{"with another between", concat(centred("x", one), centred("y", half), centred("x", most)), "", model.ProvedGroups{By: "id", Sizes: model.RunSizes{4}}, ""},
		{"three times", concat(centred("x", one, most, half), centred("y", half)), "", model.ProvedGroups{By: "id", Sizes: model.RunSizes{4}}, ""},
		{"a short last group", concat(centred("x", one, most, half)[:10], centred("y", half)), "", model.ProvedGroups{By: "id", Sizes: model.RunSizes{4}}, ""},
		{"ids that number rows", apart, "", model.ProvedGroups{By: "position", Sizes: model.RunSizes{4}}, "by position: 4 consecutive rows are a group"},
		{"the id's own groups", concat(centred("x", one), centred("y", half)), "", model.ProvedGroups{}, "2 groups, 4.0 rows each"},
		{"the person says id", concat(centred("x", one, most), centred("y", half)), "id", model.ProvedGroups{}, "2 groups, 6.0 rows each"},
		{"only one group of the id", concat(centred("x", []float64{1, 0, 0, 0, 1, 1, 1, 0}), centred("y", half)), "", model.ProvedGroups{}, ""},
	} {
		set := model.DefaultSettings()
		if test.by != "" {
			set.GroupBy = test.by
		}
		snap := logOf(test.rows)
		snap.Run.Positional = false // what is proved needs no order that the format promises
		r, err := Run(context.Background(), snap, set, DefaultLimit)
		if err != nil || r.Proved != test.want || r.HasMatch() != (test.by == "") || !strings.Contains(r.Grouping.Evidence, test.says) {
			t.Errorf("%s: %v; match %v, %+v, %q", test.name, err, r.HasMatch(), r.Proved, r.Grouping.Evidence)
		}
		if flags := "--group-by " + string(test.want.By) + " --num-generations 4"; err == nil && test.want.By != "" && r.GroupFlags != flags {
			t.Errorf("%s: flags %q, want %q", test.name, r.GroupFlags, flags)
		}
	}
}

// The groups are those of TRL's own code, of which two have one id.
func TestGroupsOfTRLAreProved(t *testing.T) {
	rows := golden(t, "trl_grpo.json", func(p map[string]any) bool { return p["scale_rewards"] == "group" })
	size := 1
	for rows[size].group == rows[0].group {
		size++
	}
	for i := range rows[:2*size] {
		rows[i].group = "twice"
	}
	r, err := Run(context.Background(), logOf(rows), model.DefaultSettings(), DefaultLimit)
	if err != nil || !r.HasMatch() || r.Proved.Sizes[0] != int32(size) || r.Matches[0].Exact != len(rows) {
		t.Fatalf("%v: %+v", err, r)
	}
}

// AReaL's estimators take blocks of rows for groups, so that they match whatever the groups are: that
// confirms none.
func TestBlocksOfAReaLConfirmNoGroups(t *testing.T) {
	snap := logOf(concat(centred("x", []float64{0, 0, 0, 0}, []float64{1, 1, 1, 0}), centred("y", []float64{1, 1, 0, 0}), centred("z", []float64{1, 0, 0, 0})))
	r, err := Run(context.Background(), snap, model.DefaultSettings(), DefaultLimit)
	if err != nil || r.Proved.Sizes[0] != 4 || !slices.ContainsFunc(r.Matches, func(v Verdict) bool { return v.Framework == "trl" }) {
		t.Errorf("%v, proved %+v, %d matches", err, r.Proved, len(r.Matches))
	}
}

// One group with advantages may agree by chance.
func TestOneGroupProvesNothing(t *testing.T) {
	rows := concat(centred("x", []float64{1, 0, 0, 0}, []float64{1, 1, 1, 1}), centred("y", []float64{0, 0, 0, 0}))
	r, err := Run(context.Background(), logOf(rows), model.DefaultSettings(), DefaultLimit)
	if err != nil || r.HasMatch() || !r.Proved.IsZero() {
		t.Errorf("%v: match %v, proved %+v", err, r.HasMatch(), r.Proved)
	}
}

// What flags say of rows that the trainer reorders is taken if the advantages prove it, and only then.
func TestFlagsAreProved(t *testing.T) {
	snap := logOf(centred("x", []float64{1, 0, 0, 0}, []float64{1, 1, 1, 0}))
	snap.Run.Positional, snap.Run.Format = false, "prime"
	for _, test := range []struct {
		by     model.GroupBy
		n      int
		proved bool
	}{
		{"position", 4, true},
		{"position", 0, true},
		{"position", 2, false},
		{"id", 4, true},
		{"id", 2, false},
		{"auto", 4, true},
		{"auto", 2, false},
	} {
		set := model.DefaultSettings()
		set.GroupBy, set.NumGenerations = test.by, test.n
		r, err := Run(context.Background(), snap, set, DefaultLimit)
		switch {
		case test.proved:
			if err != nil || !r.HasMatch() || r.Proved.Sizes[0] != 4 {
				t.Errorf("%s %d: %v %+v", test.by, test.n, err, r)
			}
		case test.by == "position":
			if err == nil || !strings.Contains(err.Error(), "no logged advantages prove") {
				t.Errorf("%s %d: %v", test.by, test.n, err)
			}
		case err != nil || r.HasMatch() || !r.Proved.IsZero():
			t.Errorf("%s %d: %v %+v", test.by, test.n, err, r)
		}
	}
}

// Two runs of one folder have groups of four and of two.
func TestRunsProveTheirOwnGroups(t *testing.T) {
	four := centred("x", []float64{1, 0, 0, 0}, []float64{1, 1, 1, 0})
	two := centred("y", []float64{1, 0}, []float64{3, 0}, []float64{2, 0})
	for _, test := range []struct {
		name  string
		other []row
		want  model.RunSizes
		flags string
	}{
		{"both are divided", two, model.RunSizes{4, 2}, ""},
		{"one is not, and may have the size", centred("y", []float64{1, 0, 0, 0}), model.RunSizes{4, 4}, "--group-by id --num-generations 4"},
		{"one is not, and may not", centred("y", []float64{1, 0, 0, 0, 1, 1, 1, 1}), model.RunSizes{4, 0}, ""},
		{"one is of no estimator", []row{{"y", 1, 3}, {"y", 1, -1}, {"y", 0, 5}, {"y", 0, 7}}, model.RunSizes{4, 0}, ""},
	} {
		chunk := &model.Chunk{
			Format: "synthetic", Files: []string{"one/1.jsonl", "two/1.jsonl"}, FileRuns: []int32{0, 1}, Progress: model.Progress{CaughtUp: true},
		}
		for run, rows := range [][]row{four, test.other} {
			for _, r := range rows {
				chunk.Records = append(chunk.Records, model.Record{Step: 7, File: int32(run), Group: r.group, Reward: r.reward, Advantage: r.advantage, Length: -1})
			}
		}
		r, err := Run(context.Background(), snapshotOf(chunk), model.DefaultSettings(), DefaultLimit)
		if err != nil || r.Proved.Sizes != test.want || r.GroupFlags != test.flags || r.HasMatch() != (test.name != "one is of no estimator") {
			t.Errorf("%s: %v %+v", test.name, err, r)
		}
	}
}

// A log with neither ids nor prompts, in blocks of four with a short last one.
func TestPositionIsProvedWithoutIDs(t *testing.T) {
	rows := centred("", []float64{1, 0, 0, 0}, []float64{1, 1, 1, 0}, []float64{1, 1, 0, 0})[:10]
	r, err := Run(context.Background(), logOf(rows), model.DefaultSettings(), DefaultLimit)
	if err != nil || !r.HasMatch() || r.Proved.By != "position" || r.Proved.Sizes[0] != 4 || r.LeftOut != 2 {
		t.Errorf("%v %+v", err, r)
	}
	for i := range rows {
		rows[i].advantage = math.Sqrt(float64(i))
	}
	if _, err := Run(context.Background(), logOf(rows), model.DefaultSettings(), DefaultLimit); !errors.Is(err, model.ErrUngrouped) {
		t.Errorf("nothing proved: %v", err)
	}
}

// Groups that were proved stay as long as they agree, and give way to others that do.
func TestProofIsRevised(t *testing.T) {
	four := centred("x", []float64{1, 0, 0, 0}, []float64{1, 1, 1, 0})
	set := model.DefaultSettings()
	for before, want := range map[int32]int32{4: 4, 2: 4} {
		set.Proved = model.ProvedGroups{By: model.GroupByID, Sizes: model.RunSizes{before}}
		if r, err := Run(context.Background(), logOf(four), set, DefaultLimit); err != nil || r.Proved.Sizes[0] != want {
			t.Errorf("proved %d before: %v %+v", before, err, r.Proved)
		}
	}
	for i := range four {
		four[i].advantage = math.Sqrt(float64(i))
	}
	if r, err := Run(context.Background(), logOf(four), set, DefaultLimit); err != nil || r.Proved != set.Proved {
		t.Errorf("nothing agrees: %v, proved %+v", err, r.Proved)
	}
}

func TestAffineGroups(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, test := range []struct {
		rewards, advantages []float64
		want                bool
	}{
		{[]float64{1, 0, 0}, []float64{1.155, -0.577, -0.577}, true},
		{[]float64{0, 1, 3}, []float64{-4, -1, 5}, true},
		{[]float64{0, 1, 3}, []float64{-4, 0, 4}, false},
		{[]float64{1, 0, 0}, []float64{1, -0.5, -0.4}, false},
		{[]float64{1, 0}, []float64{-1, 1}, false},
		{[]float64{1, 1}, []float64{0, 0}, true},
		{[]float64{1, 1}, []float64{0.5, -0.5}, false},
		{[]float64{1, nan, inf, 0}, []float64{0.5, 7, 9, -0.5}, true},
		{[]float64{1, 0}, []float64{nan, nan}, true},
	} {
		if got := isAffine(test.rewards, test.advantages); got != test.want {
			t.Errorf("%v of %v: %v", test.advantages, test.rewards, got)
		}
	}
}
