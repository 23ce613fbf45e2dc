package tui

import (
	"fmt"
	"runtime/debug"

	tea "charm.land/bubbletea/v2"
)

// panicMsg is a panic in a command: a fault of ours, which ends the program. It is raised
// anew in Update, since from there the terminal is given back before the trace is
// written; what is written sooner goes with the screen.
type panicMsg struct {
	what  any
	trace []byte
}

func (f panicMsg) String() string { return fmt.Sprintf("%v, in a command:\n%s", f.what, f.trace) }

// guarded is a command whose panic is a message, as is that of each command which it
// stands for.
func guarded(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer func() {
			if what := recover(); what != nil {
				msg = panicMsg{what, debug.Stack()}
			}
		}()
		msg = cmd()
		all, ok := msg.(tea.BatchMsg)
		if !ok {
			return msg
		}
		several := make(tea.BatchMsg, len(all))
		for i, one := range all {
			several[i] = guarded(one)
		}
		return several
	}
}
