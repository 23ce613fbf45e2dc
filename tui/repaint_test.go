package tui

import (
	"context"
	"image/color"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"vantage/model"
	"vantage/tui/env"
	"vantage/tui/tty"
)

// virtualTerminal is what the program writes to, in virtual time.
type virtualTerminal struct {
	program *tty.Screen

	mu       sync.Mutex
	written  int // bytes
	repaints int // writes with a quarter of a second and more between them
	last     time.Time
}

func (v *virtualTerminal) Write(p []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.written += len(p)
	if now := time.Now(); now.Sub(v.last) > 250*time.Millisecond {
		v.repaints, v.last = v.repaints+1, now
	}
	return len(p), nil
}

// counts returns the bytes and the repaints so far.
func (v *virtualTerminal) counts() (written, repaints int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.written, v.repaints
}

// inVirtualTime runs the program as main does, on a terminal of 120×36, and then f.
// Whatever takes no computing takes no time: sleeping lets everything settle that is due
// by then.
func inVirtualTime(t *testing.T, source env.Source, f func(*virtualTerminal)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		v := &virtualTerminal{}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		app := New(ctx, source, Options{Title: "runs/made", Settings: filterSettings()})
		program, err := tty.New(app, v, colorprofile.ANSI256, tea.WithInput(nil), tea.WithWindowSize(120, 36), tea.WithEnvironment([]string{"TERM=xterm-256color"}))
		if err != nil {
			t.Fatal(err)
		}
		v.program = program
		ended := make(chan error)
		go func() {
			_, err := v.program.Run()
			ended <- err
		}()
		f(v)
		v.program.Quit()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		time.Sleep(time.Hour) // until the last ticks are over
	})
}

// timedSource hands out the chunks of a run with a pause before each, and then nothing.
type timedSource struct {
	*textSource

	pause func(chunk int) time.Duration
	next  int
}

func (s *timedSource) Next(ctx context.Context) (*model.Chunk, error) {
	if s.next == len(s.chunks) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	select {
	case <-time.After(s.pause(s.next)):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	s.next++
	return s.chunks[s.next-1], nil
}

// A slow link carries what a person does: the median key costs less than 2 KB at 120×36, and going down
// the table less than 250 bytes. The bar under the cursor takes 150 of them, the cells of two rows as far as their
// dots; another reason below the table costs up to 100 more.
func TestKeysCostFewBytes(t *testing.T) {
	t.Parallel()
	source := &timedSource{textSource: madeRunWithTexts(12, proofText), pause: func(int) time.Duration { return 0 }}
	inVirtualTime(t, source, func(v *virtualTerminal) {
		v.program.Send(tea.BackgroundColorMsg{Color: color.Black})
		time.Sleep(time.Second)
		const rowsDown = 16 // before the table scrolls
		var costs []int
		for _, key := range []string{
			"j", "j", "j", "j", "j", "j", "j", "j", "j", "j", "j", "j", "j", "j", "j", "j", "k", "p", "p", "P", "m", "m", "M", "r", "r", "b", "m", "b", "[", "[", "]", "]", "e", "u", "f", "u",
			"w", "w", "v", "l", "v", "v", "v", "3", "j", "5", "4", "1", "/", "s", "t", "d", ">", "0", "enter", "j", "u", "S", "l", "k", "v", "esc", "enter", "j",
			"j", "J", "d", "esc", "o", "O", "?", "?", "?", ":", "s", "esc", "t",
		} {
			before, _ := v.counts()
			v.program.Send(keyPress(key))
			time.Sleep(time.Second)
			after, _ := v.counts()
			costs = append(costs, after-before)
		}
		down := slices.Sorted(slices.Values(costs[:rowsDown]))
		if down[0] == 0 || down[len(down)/2] >= 250 || down[len(down)-1] >= 300 {
			t.Errorf("going down a row costs %d bytes", costs[:rowsDown])
		}
		slices.Sort(costs)
		if median := costs[len(costs)/2]; median >= 2048 {
			t.Errorf("the median key costs %d bytes: %d", median, costs)
		}
		t.Logf("bytes by key: median %d, most %d; a row down %d, most %d", costs[len(costs)/2], costs[len(costs)-1], down[len(down)/2], down[len(down)-1])
	})
}

// Where few groups leave room for the samples of the one under the cursor, going down a row changes the numbers of each sample too:
// six samples with two advantages each cost less than 900 bytes.
func TestSamplesBelowGroupsCostFewBytes(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, onePromptRun(10), func(v *virtualTerminal) {
		v.program.Send(tea.BackgroundColorMsg{Color: color.Black})
		time.Sleep(time.Second)
		for range 6 {
			before, _ := v.counts()
			v.program.Send(keyPress("j"))
			time.Sleep(time.Second)
			after, _ := v.counts()
			if n := after - before; n < 100 || n >= 900 {
				t.Errorf("going down a row costs %d bytes", n)
			}
		}
	})
}

// A log that grows a hundred times a second repaints the screen twice a second.
func TestGrowingLogRepaintsTwiceASecond(t *testing.T) {
	t.Parallel()
	const begins, perSecond, seconds = 2, 100, 5
	rows := &textSource{madeSource: madeRun(30)}
	source := &timedSource{textSource: rows}
	whole := rows.chunks
	rows.chunks = whole[:begins:begins]
	for _, chunk := range whole[begins:] {
		for part := range slices.Chunk(chunk.Records, 8) {
			c := *chunk
			c.Records, c.Progress.Open = part, true
			rows.chunks = append(rows.chunks, &c)
		}
	}
	rows.chunks = rows.chunks[:begins+perSecond*seconds]
	source.pause = func(chunk int) time.Duration {
		if chunk < begins {
			return 0
		}
		return time.Second / perSecond
	}
	inVirtualTime(t, source, func(v *virtualTerminal) {
		time.Sleep(seconds * time.Second)
		if _, painted := v.counts(); painted > 2*seconds+1 || painted < 2*seconds-1 {
			t.Errorf("%d repaints in %d s", painted, seconds)
		}
	})
}

// A screen on a log that is no longer written says so: it is repainted once a minute at most, by few
// bytes, and not at all once the log has ended.
func TestFreshnessRepaintsOnceAMinute(t *testing.T) {
	t.Parallel()
	source := &timedSource{textSource: &textSource{madeSource: madeRun(3)}, pause: func(int) time.Duration { return 0 }}
	for _, c := range source.chunks { // the time at which virtual time starts
		c.Progress.LastWrite = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	inVirtualTime(t, source, func(v *virtualTerminal) {
		time.Sleep(10 * time.Second)
		written, atStart := v.counts()
		time.Sleep(50 * time.Minute)
		idle, atIdle := v.counts()
		if n, each := atIdle-atStart, (idle-written)/max(1, atIdle-atStart); n < 40 || n > 50 || each > 100 {
			t.Errorf("%d repaints in 50 minutes, %d bytes each", n, each)
		}
		time.Sleep(24 * time.Hour)
		ended, atEnd := v.counts()
		if n := atEnd - atIdle; n < 10 || n > 60 {
			t.Errorf("%d repaints until the log has ended", n)
		}
		time.Sleep(48 * time.Hour)
		if after, _ := v.counts(); after != ended {
			t.Errorf("%d bytes after the end", after-ended)
		}
	})
}

// An idle screen sends nothing, even while the source reports that nothing has come.
func TestIdleScreenSendsNothing(t *testing.T) {
	t.Parallel()
	source := &timedSource{textSource: &textSource{madeSource: madeRun(3)}}
	for range 60 {
		source.chunks = append(source.chunks, &model.Chunk{Progress: model.Progress{Files: 1, CaughtUp: true}})
	}
	source.pause = func(chunk int) time.Duration { return time.Duration(min(chunk, 3)) * time.Second / 2 }
	inVirtualTime(t, source, func(v *virtualTerminal) {
		time.Sleep(5 * time.Second)
		before, _ := v.counts()
		time.Sleep(5 * time.Minute)
		if after, _ := v.counts(); after != before {
			t.Errorf("%d bytes in five idle minutes", after-before)
		}
	})
}

// The first frame does not wait for the processors that reading takes.
func TestReadingStartsAfterTheFirstFrame(t *testing.T) {
	t.Parallel()
	asked := make(chan int, 1)
	source := &timedSource{textSource: &textSource{madeSource: madeRun(1)}}
	var terminal atomic.Pointer[virtualTerminal]
	source.pause = func(chunk int) time.Duration {
		if written, _ := terminal.Load().counts(); chunk == 0 {
			asked <- written
		}
		return 0
	}
	inVirtualTime(t, source, func(v *virtualTerminal) {
		terminal.Store(v)
		time.Sleep(time.Second)
		if written := <-asked; written < 500 {
			t.Errorf("the log is asked for its first rows after %d bytes of the screen", written)
		}
	})
}
