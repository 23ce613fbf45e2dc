package loaders

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"vantage/model"
)

// fanOutLog is a dump of verl's v1 trainer, in which rollouts have up to three outputs, and the first
// output of each row's rollout.
func fanOutLog(rows int) (log string, firstOutputs []int32) {
	random := rand.New(rand.NewPCG(7, 7))
	var b strings.Builder
	for group := 0; len(firstOutputs) < rows; group++ {
		for session := range 12 {
			first := int32(len(firstOutputs))
			for output := range 1 + random.IntN(3) {
				fmt.Fprintf(&b, `{"input": "p%d %d", "output": %q, "gts": "g", "score": %d, "step": 1, "uid": "u%d-x_%d_%d"}`+"\n",
					group, output, strings.Repeat("word ", random.IntN(200)), random.IntN(2), group, session, output)
				firstOutputs = append(firstOutputs, first)
			}
		}
	}
	return b.String(), firstOutputs
}

// Outputs of a rollout stay together across the strides of workers.
func TestRolloutsOfVerlLog(t *testing.T) {
	log, want := fanOutLog(12000)
	path := t.TempDir() + "/1.jsonl"
	if err := os.WriteFile(path, []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, serial := range []bool{true, false} {
		s, err := Open([]string{path}, Options{serial: serial})
		if err != nil {
			t.Fatal(err)
		}
		snap := snapshotOf(t, s)
		_ = s.Close()
		if got := snap.Steps[0].FirstOutputs; !slices.Equal(got, want) {
			t.Errorf("serial %t: %d rollouts", serial, snap.Rollouts())
		}
		by, err := snap.Grouping(model.DefaultSettings())
		if err != nil || by.By != model.GroupByID || !strings.Contains(by.Evidence, "rows of 12.0 rollouts each") || len(snap.Run.Notes) > 0 {
			t.Error(err, by, snap.Run.Notes)
		}
	}
}
