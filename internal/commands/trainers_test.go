package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vantage/internal/testkit/filetest"
	"vantage/model"
	"vantage/model/report"
)

// trained is what was recorded beside a log while the trainer wrote it.
type trained struct {
	Release    string               `json:"release"`
	Estimator  string               `json:"estimator"`
	Advantages map[string][]float32 `json:"advantages"` // by step, in the order of the log
}

// Real trainers wrote these logs, and these are the advantages that their losses were given: see
// .ci/trainers/run, whose --keep writes them.
func TestLogsOfRealTrainers(t *testing.T) {
	t.Parallel()
	wants, err := filepath.Glob(filepath.Join("testdata", "trainers", "*", "want.json"))
	if err != nil || len(wants) == 0 {
		t.Fatalf("no logs: %v", err)
	}
	for _, path := range wants {
		dir := filepath.Dir(path)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			var want trained
			filetest.JSON(t, path, &want)
			got := exported(t, filepath.Join(dir, "log"))
			if !strings.HasPrefix(got.Estimator, want.Estimator+" ") {
				t.Errorf("computed as %s, was trained with %s", got.Estimator, want.Estimator)
			}
			if have, need := slices.Sorted(maps.Keys(got.Advantages)), slices.Sorted(maps.Keys(want.Advantages)); !slices.Equal(have, need) {
				t.Errorf("steps %v, were %v", have, need)
			}
			for step, advantages := range want.Advantages {
				if !slices.EqualFunc(got.Advantages[step], advantages, sameBits) {
					t.Errorf("step %s: %v\nthe loss was given %v", step, got.Advantages[step], advantages)
				}
			}
		})
	}
}

func sameBits(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }

// exported returns what `vantage export` prints of a log, and whose arithmetic that is.
func exported(t *testing.T, path string) trained {
	t.Helper()
	p := program{split: "train"}
	snap, err := p.readAll(context.Background(), []string{path})
	if err != nil {
		t.Fatal(err)
	}
	set, chosen, err := p.choose(context.Background(), snap, model.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	table := &report.SampleTable{Snap: snap, Settings: set, Columns: report.UsualSampleColumns(snap)}
	if err := report.SampleJSONL(context.Background(), &out, table); err != nil {
		t.Fatal(err)
	}
	got := trained{Estimator: chosen.WithScale(), Advantages: map[string][]float32{}}
	for line := range bytes.Lines(out.Bytes()) {
		var row struct {
			Step      int64   `json:"step"`
			Advantage float32 `json:"advantage_original"`
		}
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		step := strconv.FormatInt(row.Step, 10)
		got.Advantages[step] = append(got.Advantages[step], row.Advantage)
	}
	return got
}
