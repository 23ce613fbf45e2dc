package loaders

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
)

// Folders that are only a number are the steps of one run if their rows go on from one to the next, or tell no step and the numbers are even.
// Else they are runs of a sweep, each with its own steps.
func TestFoldersOfSteps(t *testing.T) {
	row := func(step string, k int) string {
		return fmt.Sprintf("{%s\"prompt\": \"p%d\", \"completion\": \"a\", \"reward\": %d}\n", step, k/2, k%2)
	}
	for name, c := range map[string]struct {
		folders []int
		step    func(folder int) string // of its rows
		want    []int64
	}{
		"no steps":               {[]int{1, 2, 3, 10}, func(int) string { return "" }, []int64{1, 2, 3, 10}},
		"numbers of checkpoints": {[]int{50, 100, 150}, func(int) string { return "" }, []int64{50, 100, 150}},
		"their own steps":        {[]int{1, 2}, func(folder int) string { return fmt.Sprintf(`"step": %d, `, folder) }, []int64{1, 2}},
		"steps from 0":           {[]int{1, 2, 3}, func(folder int) string { return fmt.Sprintf(`"step": %d, `, folder-1) }, []int64{0, 1, 2}},
		"seeds":                  {[]int{7, 42, 1337}, func(int) string { return "" }, []int64{0}},
		"a sweep":                {[]int{1, 2, 3}, func(int) string { return `"step": 5, ` }, []int64{5}},
	} {
		w := trainer{t, t.TempDir()}
		for _, folder := range c.folders {
			text := ""
			for k := range 4 {
				text += row(c.step(folder), k)
			}
			w.add(filepath.Join(fmt.Sprint(folder), "rollouts.jsonl"), text)
		}
		got := readAll(t, w.dir)
		var steps []int64
		for _, r := range got.Records {
			steps = append(steps, r.Step)
		}
		slices.Sort(steps)
		if steps = slices.Compact(steps); !slices.Equal(steps, c.want) || len(got.Records) != 4*len(c.folders) {
			t.Errorf("%s: steps %v of %d rows, want %v", name, steps, len(got.Records), c.want)
		}
	}
}
