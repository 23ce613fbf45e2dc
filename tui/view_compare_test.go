package tui

import (
	"context"
	"math"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"vantage/internal/testkit/repotest"
	"vantage/model"
	"vantage/model/compare"
	"vantage/tui/env"
	"vantage/tui/pairs"
	"vantage/tui/view"
)

// driveTwoRuns starts App on two made runs; the second has the rewards 1 − r.
func driveTwoRuns(t *testing.T, w, h int, f func(*driver)) {
	t.Helper()
	repotest.OneGoroutine(t)
	other := madeRunWithTexts(2, proofText)
	for _, chunk := range other.chunks {
		for i := range chunk.Records {
			r := &chunk.Records[i]
			r.Reward = 1 - r.Reward
			other.records[r.Offset] = *r
		}
	}
	synctest.Test(t, func(t *testing.T) {
		d := &driver{t: t, app: New(context.Background(), madeRunWithTexts(2, proofText), Options{
			Title: "base", Second: other, SecondTitle: "new", Settings: filterSettings(), NoColor: true,
		})}
		d.send(tea.WindowSizeMsg{Width: w, Height: h})
		d.run(d.app.Init())
		f(d)
	})
}

// With the rewards 1 − r the best prompt of one run is the worst of the other.
func TestCompareViewPairsPrompts(t *testing.T) {
	t.Parallel()
	driveTwoRuns(t, 120, 36, func(d *driver) {
		d.press("c")
		r := d.app.views.compare.Job.Value.Result
		if r == nil || len(r.Pairs) == 0 || r.Baseline.LeftOutPrompts+r.Candidate.LeftOutPrompts != 0 {
			t.Fatalf("%+v", r)
		}
		for _, p := range r.Pairs {
			if sum := p.Baseline + p.Candidate; sum < 1-1e-9 || sum > 1+1e-9 {
				t.Errorf("%v and %v", p.Baseline, p.Candidate)
			}
		}
		d.wantText("new against base, prompt by prompt", "new wins", "better", "worst for new first", "base      new")
		d.press("o")
		d.wantText("best for new first")
		d.press("esc")
		if d.app.position.view != view.Overview {
			t.Error("Esc does not leave")
		}
	})
	drive(t, madeRun(2), 120, 36, filterSettings(), func(d *driver) {
		d.press("c")
		d.wantText("one run is open")
	})
}

// Enter opens both runs' answers to the prompt: the best of the run that is better, the worst of the other.
func TestAnswersOfBothRuns(t *testing.T) {
	t.Parallel()
	driveTwoRuns(t, 120, 36, func(d *driver) {
		d.press("c", "enter")
		d.wantText("prompt", "base 1/16  reward 1  step 1", "new 16/16  reward 0  step 2", "response", "2/5 · 1/3", "2/5 · 2/5")
		d.press("l")
		d.wantText("base 2/16")
		d.press("tab", "h", "h")
		d.wantText("new 14/16")
		d.press("l", "l", "l")
		d.wantText("no further answer of new")
		d.press("d")
		d.wantText("diff  + new 16/16  − base 2/16", "3. Together 2/5 · [−1/3] [+2/5]", "<think>")
		d.press("n", "N", "T", "G", "g")
		d.wantText("thinking is left out: T compares it too")
		d.press("T")
		d.wantText("<think>")
		d.press("d", "I")
		d.wantText("<think>", "$\\frac{4}{10} = \\frac{2}{5}$")
		d.press("J")
		d.wantText("2/24")
		d.press("K", "K")
		d.wantText("no further prompt")
		d.press("esc")
		d.wantText("24 · worst for new first", "1/24")
		d.press("esc")
		if d.app.position.view != view.Overview {
			t.Error("Esc does not leave")
		}
	})
}

// Answers are cut and shown as text, whatever a model wrote into them; a text that cannot be read is an error
// on the screen.
func TestHostileAnswers(t *testing.T) {
	t.Parallel()
	hostile := func(r model.Record) (model.Text, error) {
		if r.Reward < 0.5 {
			return model.Text{}, errPermission
		}
		return model.Text{Response: "\x1b]0;title\x07\x1b[2J\u202eabc" + strings.Repeat("long ", 1<<16)}, nil
	}
	synctest.Test(t, func(t *testing.T) {
		d := &driver{t: t, app: New(context.Background(), madeRunWithTexts(1, hostile), Options{Second: madeRunWithTexts(1, hostile), Settings: filterSettings(), NoColor: true})}
		d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
		d.run(d.app.Init())
		d.press("c", "enter")
		d.wantText("abclong", "[2J")
		for _, sent := range []string{"\x1b]", "\x1b[2J", "\a", "\u202e"} {
			if strings.Contains(d.frame(), sent) {
				t.Errorf("%q is sent to the terminal", sent)
			}
		}
		d.press("d", "G", "ctrl+u", "J")
		d.wantText("permission denied")
	})
}

// Logs without texts say so, and a run that grows keeps the cursor on its prompt.
func TestAnswersWithoutTexts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &driver{t: t, app: New(context.Background(), madeRun(1), Options{Second: madeRun(2), Settings: filterSettings(), NoColor: true})}
		d.send(tea.WindowSizeMsg{Width: 120, Height: 36})
		d.run(d.app.Init())
		d.press("c", "j", "j", "enter")
		d.wantText("This source has no texts")
		want := d.app.views.answers.Pair.Hash
		d.press("d", "esc")
		more := madeRun(2).chunks[1]
		for i := range more.Records {
			more.Records[i].Reward = float64(i % 2)
		}
		d.send(chunkMsg{chunk: more})
		if p, ok := d.app.views.compare.Selected(); !ok || p.Hash != want || d.app.views.compare.Job.Value.Result.Steps != 2 {
			t.Errorf("the cursor is on %x, not on %x, after %d steps", p.Hash, want, d.app.views.compare.Job.Value.Result.Steps)
		}
	})
}

// Each difficulty has its mean difference with the standard error, where there is room.
func TestDifficultyLines(t *testing.T) {
	t.Parallel()
	bins := []compare.Bin{{Lo: 0, Hi: 0.5, Pairs: 12, Delta: 0.13, StdErr: 0.05}, {Lo: 0.5, Hi: 1, Pairs: 1, Delta: -0.25, StdErr: math.NaN()}, {Lo: 1, Hi: 1.5, Delta: math.NaN(), StdErr: math.NaN()}}
	driveTwoRuns(t, 80, 24, func(d *driver) {
		got := ansi.Strip(strings.Join(pairs.DifficultyLines(d.app.env, bins, 76), "\n"))
		want := " reward, both         0.00–0.50       0.50–1.00       1.00–1.50\n mean Δ ± s.e.        +0.13±.05           -0.25               —\n prompts                     12               1               0"
		if got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		if lines := pairs.DifficultyLines(d.app.env, bins, 40); lines != nil {
			t.Errorf("too narrow: %q", lines)
		}
	})
}

// The names of the runs are short and different, whatever they were opened by.
func TestRunNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ first, second, want0, want1 string }{
		{"base", "new", "base", "new"},
		{"runs/a/rollouts", "runs/b/rollouts", "a/rollouts", "b/rollouts"},
		{"/data/x/v1/", "/data/x/v2", "v1", "v2"},
		{"same", "same", "first run", "second run"},
		{"runs/x", "runs", "runs/x", "runs"},
		{"runs/x", "", "runs/x", "second run"},
		{"runs/" + strings.Repeat("long-", 9) + "1", "runs/" + strings.Repeat("long-", 9) + "2", "…g-long-long-long-long-1", "…g-long-long-long-long-2"},
	} {
		a := App{env: env.Env{Title: c.first}}
		a.env.Second.Title = c.second
		if got := a.env.RunNames(); got != [2]string{c.want0, c.want1} {
			t.Errorf("%s and %s: %q", c.first, c.second, got)
		}
	}
}

// Wherever two runs are open, the screen says whose figures it shows and what they are compared with; copies,
// exports and the session name the runs too.
func TestBothRunsAreNamed(t *testing.T) {
	t.Parallel()
	for _, size := range allSizes {
		driveTwoRuns(t, size[0], size[1], func(d *driver) {
			files := &memoryFiles{}
			d.app.outside.files = files
			d.wantText("vantage  base  c against new", "groups of base")
			d.press("3", "3")
			d.wantText("base  c against new", "all steps of base")
			d.press("c")
			for _, word := range []string{"baseline", "candidate"} {
				body := strings.Join(strings.Split(ansi.Strip(d.frame()), "\n")[3:d.app.env.Display.H-1], "\n")
				if strings.Contains(body, word) {
					t.Errorf("%v: %s says nothing:\n%s", size, word, body)
				}
			}
			d.press("y", "t")
			if !strings.HasPrefix(files.data, "# new against base, prompt by prompt\nprompt\treward of base\treward of new\tdelta\t") {
				t.Errorf("%.100q", files.data)
			}
			d.press(withText(":", "export shown md")...)
			d.press("enter")
			if !strings.HasPrefix(files.data, "## new against base, prompt by prompt") {
				t.Errorf("%.100q", files.data)
			}
			d.press("enter", "d", "d")
			d.wantText("mean reward: base ")
			if view := d.app.viewToSave(); view == nil || view.OpenView != "compare" {
				t.Errorf("%+v", view)
			}
			d.press("esc", "esc", "esc")
			d.press(withText(":", "export shown csv")...)
			d.press("enter")
			d.wantText("of base")
		})
	}
}
