package commands

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"

	"vantage/loaders/fileio"
	"vantage/model/fault"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/tui/cells"
)

// waiting is the screen while the disk of a log has not answered what lies there: until then there is nothing else to show.
type waiting struct {
	disk  *fileio.Disk
	title string // of what is opened
	done  <-chan fault.Outcome[error]
	w, h  int
	err   error // with which it ended
}

const (
	blankFor    = 200 * time.Millisecond // a disk may take before the screen opens without it
	redrawAfter = 500 * time.Millisecond
)

// waitForDisk does what asks a disk behind a screen that says so, which can be left.
func (p *explorer) waitForDisk(ctx context.Context, title string, do func() error) error {
	if !isTerminal(p.out) || p.outputFormat != "" {
		return do()
	}
	done := fault.Later(func() error {
		fault.Plant("waiting", "")
		return do()
	})
	for open := false; !open; {
		select {
		case outcome := <-done:
			return outcome.Get()
		case <-ctx.Done():
			return stopped(ctx)
		case <-time.After(blankFor / 10):
		}
		_, waits := p.disk.Waits()
		open = waits > blankFor
	}
	last, err := p.runScreen(ctx, waiting{disk: p.disk, title: title, done: done}, true)
	if left, ok := last.(waiting); ok && err == nil && ctx.Err() == nil {
		return left.err
	}
	return errors.Join(err, stopped(ctx))
}

// errLeft is the end of the program by a key.
var errLeft = errors.New("left")

type (
	redrawMsg struct{}
	readyMsg  struct{ err error }
)

func (w waiting) redraw() tea.Cmd {
	return tea.Tick(redrawAfter, func(time.Time) tea.Msg { return redrawMsg{} })
}

func (w waiting) Init() tea.Cmd {
	return tea.Batch(w.redraw(), func() tea.Msg {
		outcome := <-w.done
		return readyMsg{outcome.Get()}
	})
}

func (w waiting) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		w.w, w.h = msg.Width, msg.Height
	case redrawMsg:
		return w, w.redraw()
	case readyMsg:
		w.err = msg.err
		return w, tea.Quit
	case tea.KeyPressMsg:
		switch msg.String() {
		case "q":
			w.err = errLeft
			return w, tea.Quit
		case "ctrl+c":
			w.err = &signalError{Signal: os.Interrupt}
			return w, tea.Quit
		}
	}
	return w, nil
}

func (w waiting) View() tea.View {
	path, waits := w.disk.Waits()
	state := "waiting for the disk"
	if waits >= fileio.Patience {
		state = fmt.Sprintf("disk not answering for %s", units.ShortDuration(waits.Truncate(time.Second)))
	}
	lines := []string{
		cells.Justify(" vantage  "+sanitize.Line(w.title), state+" ", w.w), "", "",
		"    " + state, "    it opens as soon as the disk of " + sanitize.Line(path) + " answers", "", "    q quit",
	}
	v := tea.NewView("")
	if w.w > 0 {
		for i, line := range cells.FitLines(lines, w.w, w.h) {
			if i > 0 {
				v.Content += "\n"
			}
			v.Content += line
		}
	}
	v.AltScreen = true
	return v
}
