package tui

import (
	"runtime/debug"

	tea "charm.land/bubbletea/v2"
)

// guarded turns a panic of cmd, or of a command in its batch, into a message. Update
// panics with it: Bubble Tea then restores the terminal first, so that the trace is
// written to the screen that stays.
func guarded(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer func() {
			if value := recover(); value != nil {
				msg = panicMsg{value, debug.Stack()}
			}
		}()
		msg = cmd()
		batch, ok := msg.(tea.BatchMsg)
		if !ok {
			return msg
		}
		all := make(tea.BatchMsg, len(batch))
		for i, one := range batch {
			all[i] = guarded(one)
		}
		return all
	}
}
