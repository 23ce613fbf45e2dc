package loaders_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/loaderstest"
)

// An episode of prime-rl trains at the step of its folder, however long ago it was sent, and whatever part of the run is opened. Without
// a folder the step at which it was sent is the only one.
func TestEpisodesTrainAtTheStepOfTheirFolder(t *testing.T) {
	dir := t.TempDir()
	episodes := func(folder string, sent ...int) {
		var b strings.Builder
		for i, step := range sent {
			fmt.Fprintf(&b, `{"id":"e%d","task":{"data":{"prompt":"What?"}},"group":{"id":"g"},"run":{"type":"train","work":{"step":%d,"policy":{"start":%d,"end":%d}}},`+
				`"ok":true,"traces":[{"nodes":[{"message":{"role":"assistant","content":"%d"},"sampled":true}],"rewards":{"ok":{"score":%d,"weight":1}},"info":{"advantage":0.5}}]}`+"\n",
				i, step, step-1, step-1, i, i%2)
		}
		filetest.Write(t, filepath.Join(dir, folder, "traces.jsonl"), b.String())
	}
	episodes("run/rollouts/step_7/train/effective", 7, 4, 6)
	episodes("run/rollouts/step_8/train/effective", 8, 7)
	episodes("alone", 3, 3)
	for path, want := range map[string]string{
		"run":                 "7×3 8×2",
		"run/rollouts":        "7×3 8×2",
		"run/rollouts/step_7": "7×3",
		"run/rollouts/step_8/train/effective/traces.jsonl": "8×2",
		"alone": "3×2",
	} {
		snap := loaderstest.Read(t, filepath.Join(dir, path))
		var got []string
		for i := range snap.Steps {
			got = append(got, fmt.Sprint(snap.Steps[i].Number, "×", len(snap.Steps[i].Rewards)))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: steps %s, want %s", path, got, want)
		}
	}
}
