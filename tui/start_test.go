package tui

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/rogpeppe/go-internal/txtar"

	"vantage/model/runlist"
	"vantage/themes"
	"vantage/tui/runpicker"
)

// startScene is a state of the list of runs with golden frames.
type startScene struct {
	name  string
	found []runlist.Run
	ends  bool // the search does
	keys  []tea.KeyPressMsg
}

func startScenes() []startScene {
	typed := func(text string) (keys []tea.KeyPressMsg) {
		for _, r := range text {
			keys = append(keys, tea.KeyPressMsg{Code: r, Text: string(r)})
		}
		return keys
	}
	down, space := tea.KeyPressMsg{Code: tea.KeyDown}, tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}
	return []startScene{
		{name: "start", found: someRuns(), ends: true},
		{name: "startlooking", found: someRuns()[:1]},
		{name: "startfilter", found: someRuns(), ends: true, keys: typed("/qwen")},
		{name: "startcompare", found: someRuns(), ends: true, keys: []tea.KeyPressMsg{space, down, down}},
		{name: "startnothing", ends: true},
		{name: "starthelp", found: someRuns(), ends: true, keys: typed("?")},
	}
}

// someRuns returns runs of each kind: growing and old, by steps, files, samples and size, under the
// current directory and elsewhere.
func someRuns() []runlist.Run {
	now := startTime
	runs := []runlist.Run{
		{Name: "runs/qwen-math/rollouts", Format: "verl", HasSteps: true, FirstStep: 1, LastStep: 214, Files: 214, Size: 1_230_000_000, LastWrite: now.Add(-20 * time.Second), Opened: now.Add(-26 * time.Hour)},
		{Name: "runs/qwen-math-kl/rollouts", Format: "verl", HasSteps: true, FirstStep: 1, LastStep: 9, Files: 9, Size: 52_000_000, LastWrite: now.Add(-3 * time.Minute)},
		{Name: "trl/outputs/gsm8k-lora-r16/completions", Format: "trl", Files: 300, LastWrite: now.Add(-5 * time.Hour)},
		{Name: "old/rollouts.parquet", Format: "parquet", Files: 1, Samples: 131_072, Size: 8_400_000, LastWrite: now.Add(-9 * 24 * time.Hour)},
		{Name: "notes/一个盒子 \x1b[31mred/rewards.csv", Format: "csv", Files: 1, Size: 3100, LastWrite: now.Add(-200 * 24 * time.Hour)},
		{Name: "/data/shared/a-long-name-of-a-project/of-somebody-else/experiment-7/easyr1/checkpoints", Format: "easyr1", Files: 1, Size: 77_000_000, LastWrite: now.Add(-49 * time.Hour), Opened: now.Add(-48 * time.Hour), Elsewhere: true},
		{Name: "~/other/rollouts", Opened: now.Add(-50 * 24 * time.Hour), Elsewhere: true},
	}
	for i := range runs {
		runs[i].ID, runs[i].Paths = runs[i].Name, []string{runs[i].Name}
	}
	return runs
}

// someContents returns what reading tells of them; the others are too large, or no longer there.
func someContents() map[string]runlist.Contents {
	return map[string]runlist.Contents{
		"runs/qwen-math/rollouts":                {Steps: 214, Samples: 438_272, Size: 1_230_000_000, Health: "reward hacking since 61", Ill: true},
		"runs/qwen-math-kl/rollouts":             {Steps: 9, Samples: 18_432, Size: 52_000_000, Newest: startTime.Add(-2 * time.Hour), Health: "unknown"},
		"trl/outputs/gsm8k-lora-r16/completions": {Steps: 300, Samples: 1800, Size: 2_400_000, Health: "healthy · 17 of 26 looked for", Healthy: true},
	}
}

// startTime is when the golden frames of the list of runs were drawn.
var startTime = time.Date(2026, 11, 22, 14, 0, 0, 0, time.UTC)

// startFinder finds the runs of a scene at once, and then ends or looks on.
type startFinder struct {
	scene startScene
	found bool
}

func (f *startFinder) Next(ctx context.Context) ([]runlist.Run, error) {
	switch {
	case !f.found:
		f.found = true
		return f.scene.found, nil
	case f.scene.ends:
		return nil, io.EOF
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

func (f *startFinder) Looked() runlist.Looked {
	return runlist.Looked{LeftOut: len(f.scene.found), Example: "runs/qwen-math/metrics.jsonl", Entries: 312, Limit: 300 * time.Millisecond, Timeout: f.scene.name == "startnothing"}
}

// The list of runs is at each size as in its golden file.
func TestGoldenStart(t *testing.T) {
	for _, s := range startScenes() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			var files []txtar.File
			for _, size := range append([][2]int{{40, 12}}, allSizes...) {
				files = append(files, snapshotsOf(t, size[0], size[1], func(theme *themes.Theme, ascii bool) (frame string) {
					synctest.Test(t, func(t *testing.T) { frame = startFrame(t, s, size[0], size[1], theme.Name, ascii) })
					return frame
				})...)
			}
			matchGolden(t, s.name, files)
		})
	}
}

// startFrame draws a scene.
func startFrame(t *testing.T, s startScene, w, h int, theme string, ascii bool) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer time.Sleep(100 * 24 * time.Hour) // what waits for the clock ends, as a bubble must
	defer cancel()
	var m tea.Model = runpicker.New(ctx, runpicker.Options{
		Dir: "~/work/rl", Theme: theme, ASCII: ascii, Now: func() time.Time { return startTime },
		Look:    func(bool) runpicker.Finder { return &startFinder{scene: s} },
		Examine: func(_ context.Context, r runlist.Run) runlist.Contents { return someContents()[r.Name] },
	})
	m = settle(m, m.Init())
	m, cmd := m.Update(tea.WindowSizeMsg{Width: w, Height: h})
	m = settle(m, cmd)
	for _, key := range s.keys {
		m, _ = m.Update(key)
	}
	return m.View().Content
}

// settle runs a command and those that follow from it until all have ended or wait.
func settle(m tea.Model, cmd tea.Cmd) tea.Model {
	answers := make(chan tea.Msg, 100)
	start := func(cmd tea.Cmd) {
		if cmd != nil {
			go func() { answers <- cmd() }()
		}
	}
	start(cmd)
	for {
		synctest.Wait()
		select {
		case msg := <-answers:
			if batch, ok := msg.(tea.BatchMsg); ok {
				for _, cmd := range batch {
					start(cmd)
				}
				continue
			}
			m, cmd = m.Update(msg)
			start(cmd)
		default:
			return m
		}
	}
}
