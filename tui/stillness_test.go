package tui

import (
	"context"
	"fmt"
	"math"
	rand "math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"vantage/loaders/demo"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/diagnosis"
	"vantage/tui/env"
	"vantage/tui/header"
	"vantage/tui/layout"
)

// reel is the program in virtual time, without a terminal: computing takes no time, waiting does.
type reel struct {
	app      App
	messages chan tea.Msg
	ctx      context.Context
}

// filmed runs the program on a source, and calls f, which lets time pass.
func filmed(t *testing.T, source func() env.Source, w, h int, f func(*reel)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r := &reel{messages: make(chan tea.Msg), ctx: ctx}
		r.app = New(ctx, source(), Options{Title: "runs/made", Settings: model.DefaultSettings().WithFramework("verl"), NoColor: true})
		r.take(tea.WindowSizeMsg{Width: w, Height: h})
		r.start(r.app.Init())
		f(r)
		cancel()
		time.Sleep(time.Hour) // until the last ticks are over
	})
}

// start runs a command, as Bubble Tea does.
func (r *reel) start(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		msg := cmd()
		if all, ok := msg.(tea.BatchMsg); ok {
			for _, one := range all {
				r.start(one)
			}
			return
		}
		select {
		case r.messages <- msg:
		case <-r.ctx.Done():
		}
	}()
}

func (r *reel) take(msg tea.Msg) {
	next, cmd := r.app.Update(msg)
	r.app = next.(App)
	r.start(cmd)
}

// pass lets time pass.
func (r *reel) pass(d time.Duration) {
	over := time.After(d)
	for {
		select {
		case msg := <-r.messages:
			if msg != nil {
				r.take(msg)
			}
		case <-over:
			synctest.Wait()
			return
		}
	}
}

// frame returns the screen, line by line.
func (r *reel) frame() [][]rune {
	values := strings.NewReplacer(", ", "00", "NaN", "000") // of the mean reward
	return model.Mapped(strings.Split(values.Replace(ansi.Strip(r.app.frame())), "\n"), func(line string) []rune { return []rune(line) })
}

// isFurniture reports whether a character is part of what is to stand still: a letter, a frame or a sign of the words around values.
// Digits and bars change.
func isFurniture(c rune) bool {
	return c > ' ' && !strings.ContainsRune("0123456789.,+−-%×±∞–", c) && !strings.ContainsRune("▁▂▃▄▅▆▇█▔▀━─┼●○◐│", c) && (c < 0x2800 || c > 0x28ff)
}

// movesWithSteps reports whether a cell is of what the newest step says: its groups, its warnings, and their counts at the right end of the
// header.
func (r *reel) movesWithSteps(x, y int) bool {
	panes := r.app.views.panes.Screen(r.app.env).Panes
	for _, of := range []layout.Pane{layout.Groups, layout.Warnings} {
		if in := panes[of].Inner(); x >= in.X && x < in.X+in.W && y >= in.Y && y <= in.Y+in.H { // the frame below bears a reason
			return true
		}
	}
	fates := strings.TrimRight(ansi.Strip(header.StepLine(r.app.env, r.app.env.Display.W)), " ")
	return y == 1 && x >= r.app.env.Display.W-30 && len([]rune(fates)) > r.app.env.Display.W-30
}

// In a film of the demo, a frame each 0.1 s for 30 s, nothing moves but values, bars and what is of the newest step.
func TestTheScreenStandsStill(t *testing.T) {
	t.Parallel()
	for size, frames := range map[[2]int]int{{120, 36}: 300, {80, 24}: 100} {
		filmed(t, func() env.Source { return demo.New(demo.Options{Seed: 1, History: 44}) }, size[0], size[1], func(r *reel) {
			r.pass(5 * time.Second) // all that was there is read, and looked at
			before, steps := r.frame(), len(r.app.env.Snap.Steps)
			for range frames {
				r.pass(100 * time.Millisecond)
				now := r.frame()
				for y, line := range now {
					for x, c := range line {
						changes := x < len(before[y]) && c != before[y][x] && (isFurniture(c) || isFurniture(before[y][x]))
						if changes && !r.movesWithSteps(x, y) && !t.Failed() {
							t.Errorf("%v: %q becomes %q in column %d:\n%s\n%s", size, before[y][x], c, x, string(before[y]), string(line))
						}
					}
				}
				before = now
			}
			if grown := len(r.app.env.Snap.Steps); grown < steps+frames/20 {
				t.Errorf("%v: only %d steps came", size, grown-steps)
			}
		})
	}
}

// A log of TRL grows by a step a second. From the tenth on all answers are refusals: the screen says so within a second of the first step
// that shows it, and within some steps of the onset.
func TestAnIllnessIsOnTheScreenAtOnce(t *testing.T) {
	t.Parallel()
	const onset = 10
	source := func() *textSource {
		s := &textSource{madeSource: &madeSource{}, records: map[int64]model.Record{}, text: func(r model.Record) (model.Text, error) {
			if r.Step >= onset {
				return model.Text{Prompt: r.Preview, Response: "I can't help with that."}, nil
			}
			words := strings.Repeat(fmt.Sprintf("by %d and %d ", r.Offset%89, r.Offset%97), int(3+r.Offset%11))
			return model.Text{Prompt: r.Preview, Response: fmt.Sprintf("%s it is %d", words, r.Offset)}, nil
		}}
		random := rand.New(rand.NewPCG(1, 2))
		for step := range int64(40) {
			chunk := &model.Chunk{Format: "trl", Framework: "trl", Files: []string{"completions"}, Progress: model.Progress{Files: 1, CaughtUp: true}}
			for i := range int64(64) {
				r := model.Record{
					Step: step + 1, Prompt: uint64(8*step + i/8 + 1), Preview: fmt.Sprintf("question %d", 8*step+i/8), Advantage: math.NaN(), Length: -1,
					Offset: 1000*step + i, Line: i + 1,
				}
				if r.Step < onset {
					r.Reward = float64(random.IntN(2))
				}
				chunk.Records = append(chunk.Records, r)
				s.records[r.Offset] = r
			}
			s.chunks = append(s.chunks, chunk)
		}
		return s
	}
	shown := func() int { // after how many steps there is an alarm
		s, store := source(), model.NewStore()
		for i, chunk := range s.chunks {
			store.Append(chunk)
			how := diagnosis.Reading{Texts: analysis.ReadTextsOf(s)}
			look, err := diagnosis.See(t.Context(), store.Snapshot(), model.DefaultSettings().WithFramework("trl"), how, nil)
			if err != nil {
				t.Fatal(err)
			}
			if look.Diagnosis.Alarms() > 0 {
				return i + 1
			}
		}
		return 0
	}()
	if shown < onset || shown > onset+5 {
		t.Fatalf("the alarm is raised after step %d", shown)
	}
	filmed(t, func() env.Source {
		return &timedSource{textSource: source(), pause: func(int) time.Duration { return time.Second }}
	}, 80, 24, func(r *reel) {
		alarmed := func() bool {
			return strings.Contains(ansi.Strip(strings.Join(header.Lines(r.app.env, 80), "\n")), "! ")
		}
		r.pass(time.Duration(shown)*time.Second - 100*time.Millisecond)
		if alarmed() {
			t.Errorf("an alarm before step %d", shown)
		}
		r.pass(1100 * time.Millisecond)
		if !alarmed() {
			t.Errorf("no alarm a second after step %d:\n%s", shown, ansi.Strip(r.app.frame()))
		}
	})
}
