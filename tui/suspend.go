package tui

import (
	"io"
	"time"

	tea "charm.land/bubbletea/v2"
)

// suspendDelay is how long the program goes on between giving the terminal back and stopping.
// Bubble Tea's renderer stops its ticker some time after it was told to; a program that is
// stopped before that, and woken, stops the ticker of its new renderer and draws nothing
// ever after (charmbracelet/bubbletea issue 1778).
const suspendDelay = 50 * time.Millisecond

// suspendCommand stops the program, and returns when it is woken. The program runs it as it
// would run an editor: with the terminal as it was, and drawn anew afterwards.
type suspendCommand struct{ stop func() error }

var _ tea.ExecCommand = suspendCommand{}

func (s suspendCommand) Run() error {
	time.Sleep(suspendDelay)
	return s.stop()
}

func (suspendCommand) SetStdin(io.Reader)  {}
func (suspendCommand) SetStdout(io.Writer) {}
func (suspendCommand) SetStderr(io.Writer) {}
