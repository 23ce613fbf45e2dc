package tui

import (
	"io"
	"time"

	tea "charm.land/bubbletea/v2"
)

// suspendDelay is how long the program runs on between restoring the terminal and
// stopping. Bubble Tea's renderer stops its ticker some time after it was told to; a
// program that is stopped before that stops the ticker of its new renderer when it is
// continued, and draws nothing any more (charmbracelet/bubbletea issue 1778).
const suspendDelay = 50 * time.Millisecond

// suspendCommand stops the program and returns when it is continued. Bubble Tea runs it
// like an editor: with the terminal restored, and the screen drawn again afterwards.
type suspendCommand struct{ stop func() error }

var _ tea.ExecCommand = suspendCommand{}

func (s suspendCommand) Run() error {
	time.Sleep(suspendDelay)
	return s.stop()
}

func (suspendCommand) SetStdin(io.Reader)  {}
func (suspendCommand) SetStdout(io.Writer) {}
func (suspendCommand) SetStderr(io.Writer) {}
