package tui

import (
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
)

// settling is how long the program goes on between giving the terminal back and stopping.
// Bubble Tea's renderer stops its ticker some time after it was told to; a program that is
// stopped before that, and woken, stops the ticker of its new renderer and draws nothing
// ever after (charmbracelet/bubbletea issue 1778).
const settling = 50 * time.Millisecond

// suspension stops the program, and returns when the shell wakes it. The program runs it
// as it would run an editor: with the terminal as it was, and drawn anew afterwards.
type suspension struct{}

var _ tea.ExecCommand = suspension{}

// Run stops every process of the job, as the terminal's own key does.
func (suspension) Run() error {
	time.Sleep(settling)
	woken := make(chan os.Signal, 1)
	signal.Notify(woken, syscall.SIGCONT)
	defer signal.Stop(woken)
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		return err
	}
	<-woken
	return nil
}

func (suspension) SetStdin(io.Reader)  {}
func (suspension) SetStdout(io.Writer) {}
func (suspension) SetStderr(io.Writer) {}
