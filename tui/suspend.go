package tui

import (
	"io"
	"time"

	tea "charm.land/bubbletea/v2"
)

// settling is how long the program goes on between giving the terminal back and stopping.
// Bubble Tea's renderer stops its ticker some time after it was told to; a program that is
// stopped before that, and woken, stops the ticker of its new renderer and draws nothing
// ever after (charmbracelet/bubbletea issue 1778).
const settling = 50 * time.Millisecond

// suspension stops the program, and returns when it is woken. The program runs it as it
// would run an editor: with the terminal as it was, and drawn anew afterwards.
type suspension struct{ stop func() error }

var _ tea.ExecCommand = suspension{}

func (s suspension) Run() error {
	time.Sleep(settling)
	return s.stop()
}

func (suspension) SetStdin(io.Reader)  {}
func (suspension) SetStdout(io.Writer) {}
func (suspension) SetStderr(io.Writer) {}
