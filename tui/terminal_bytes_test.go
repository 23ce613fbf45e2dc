package tui_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// mixedStep is the log of a step of 24 groups of 8: some all right, some all wrong, some
// that a filter without negatives kills, some that it leaves too few of.
func mixedStep(step int) string {
	var b strings.Builder
	for g := range 24 {
		for i := range 8 {
			score := 0.0
			if i < g%9 || g > 16 && (g+i+step)%3 == 0 {
				score = float64(1 + (g+i)%2*(g%4))
			}
			fmt.Fprintf(&b, `{"input": "Question %d of the run, whose text goes on for a while", "output": "answer", "gts": "%d", "score": %.1f, "step": %d}`+"\n", g, g, score, step)
		}
	}
	return b.String()
}

// A slow link carries what a person does: the median key costs less than 2 KB at 120×36,
// and going down the table less than 250 bytes.
func TestKeysCostFewBytes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for step := range 12 {
		writeFile(t, filepath.Join(dir, fmt.Sprintf("%d.jsonl", step+1)), mixedStep(step+1))
	}
	old := time.Now().Add(-time.Hour) // the newest step counts as written
	if err := os.Chtimes(filepath.Join(dir, "12.jsonl"), old, old); err != nil {
		t.Fatal(err)
	}
	x := startProgram(t, dir, "--keep-pos-ratio", "0.7", "--keep-neg-ratio", "0", "--compute-new-adv")
	x.waitFor("12 steps")
	x.waitFor("step 12")
	x.quiet(500 * time.Millisecond)
	var costs []int
	for _, key := range []string{
		"j", "j", "j", "j", "j", "j", "j", "j", "k", "p", "p", "P", "m", "m", "M", "r", "r", "b", "m", "b", "[", "[", "]", "]", "e", "u", "f", "u",
		"w", "w", "v", "l", "v", "v", "v", "3", "j", "5", "4", "1", "/", "s", "t", "d", ">", "0", "\r", "j", "u", "S", "l", "k", "v", "\x1b", "\r", "j",
		"j", "J", "d", "\x1b", "o", "O", "?", "?", "?", ":", "s", "\x1b", "t", "q",
	} {
		before := len(x.output())
		x.send(key)
		if key == "q" {
			break
		}
		costs = append(costs, x.answered(before)-before)
	}
	x.waitExit()
	rows := slices.Sorted(slices.Values(costs[:8]))
	down := rows[len(rows)/2] // on a busy machine one key's repaint may come with the next one's
	if down >= 250 {
		t.Errorf("going down a row costs %d bytes: %d", down, rows)
	}
	slices.Sort(costs)
	if median := costs[len(costs)/2]; median >= 2048 {
		t.Errorf("the median key costs %d bytes: %d", median, costs)
	}
	t.Logf("bytes by key: median %d, most %d; a row down %d", costs[len(costs)/2], costs[len(costs)-1], down)
}

// A log that grows a hundred times a second repaints the screen twice a second.
func TestGrowingLogRepaintsTwiceASecond(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "log.jsonl")
	writeFile(t, path, mixedStep(1)+mixedStep(2))
	x := startProgram(t, dir)
	x.waitFor("2 steps")
	x.quiet(500 * time.Millisecond)
	h, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	x.mu.Lock()
	bursts := x.bursts
	x.mu.Unlock()
	began, rows := time.Now(), 0
	for step := 3; time.Since(began) < 5*time.Second; step++ {
		for line := range strings.Lines(mixedStep(step)) {
			if _, err := h.WriteString(line); err != nil {
				t.Fatal(err)
			}
			if rows++; rows%8 == 0 {
				time.Sleep(10 * time.Millisecond)
			}
		}
	}
	took := time.Since(began)
	x.mu.Lock()
	painted := x.bursts - bursts
	x.mu.Unlock()
	t.Logf("%d repaints in %v", painted, took)
	if most := int(2*took.Seconds()) + 1; painted > most || painted < 2 {
		t.Errorf("%d repaints in %v, want at most %d", painted, took, most)
	}
	x.send("q")
	x.waitExit()
}
