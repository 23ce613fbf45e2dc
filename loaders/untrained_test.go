package loaders

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// episodes are lines of verifiers' traces, each with a solver that is trained and a judge that is not.
func episodes(n int) string {
	random := rand.New(rand.NewPCG(1, 1))
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"id":"e%d","task":{"data":{"prompt":"p%d"}},"run":{"work":{"step":%d}},"traces":[`+
			`{"id":"s","agent":{"name":"solver","trainable":true},"reward":%d,"completion":%q},`+
			`{"id":"j","agent":{"name":"judge","trainable": false },"reward":7,"completion":"fine"}]}`+"\n",
			i, i/4, i/64, i%2, strings.Repeat("word ", random.IntN(200)))
	}
	return b.String()
}

// Traces of agents that are not trained are no samples: they are counted by file, whoever reads them,
// and anew if the file is read again.
func TestTracesOfUntrainedAgents(t *testing.T) {
	for _, serial := range []bool{true, false} {
		const n = 9000
		path := t.TempDir() + "/traces.jsonl"
		if err := os.WriteFile(path, []byte(episodes(n)), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open([]string{path}, Options{serial: serial})
		if err != nil {
			t.Fatal(err)
		}
		snap := snapshotOf(t, s)
		_ = s.Close()
		want := fmt.Sprintf("[not counted: %d traces of agents that are not trained (agent.trainable is false), in traces.jsonl]", n)
		if got := fmt.Sprint(snap.Run.Notes); snap.Rows != n || got != want {
			t.Errorf("serial %t: %d rows, notes %q, want %q", serial, snap.Rows, got, want)
		}
		for _, step := range snap.Steps {
			for _, reward := range step.Rewards {
				if reward == 7 {
					t.Fatal("the judge's reward is a sample's")
				}
			}
		}
	}
}
