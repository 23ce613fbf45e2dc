package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vantage/tui/cells"
)

// maxTyped bounds what can be typed for a number.
const maxTyped = 20

// prompt is the line in which a ratio is typed.
type prompt struct {
	open     bool
	negative bool // keep_neg_ratio, not keep_pos_ratio: the one that was moved last
	text     string
}

func (a App) typeValue() (App, tea.Cmd) {
	a.prompt.open, a.prompt.text = true, ""
	return a, nil
}

// option is the name of the ratio that is typed.
func (p prompt) option() string {
	if p.negative {
		return "keep_neg_ratio"
	}
	return "keep_pos_ratio"
}

// onPrompt edits the line. Enter applies it, Tab changes which ratio is meant.
func (a App) onPrompt(key string) (App, tea.Cmd) {
	switch key {
	case "esc":
		a.prompt.open = false
	case "tab", "shift+tab":
		a.prompt.negative = !a.prompt.negative
	case "backspace":
		if n := len(a.prompt.text); n > 0 {
			a.prompt.text = a.prompt.text[:n-1]
		}
	case "enter":
		return a.applyTyped()
	default:
		if len(key) == 1 && strings.Contains("0123456789.", key) && len(a.prompt.text) < maxTyped {
			a.prompt.text += key
		}
	}
	return a, nil
}

// applyTyped applies what was typed. What cannot be taken stays, to be mended.
func (a App) applyTyped() (App, tea.Cmd) {
	if a.prompt.text == "" {
		a.prompt.open = false
		return a, nil
	}
	set, err := a.set.now.Set(a.prompt.option(), a.prompt.text)
	if err == nil {
		err = set.Validate()
	}
	if err != nil {
		a.notice = err.Error()
		return a, nil
	}
	a.prompt.open, a.notice = false, ""
	return a.apply(a.set.with(set))
}

// line is what the prompt shows in w cells.
func (p prompt) line(w int) string {
	return cells.JoinFitting(w, " · ", fmt.Sprintf(" %s = %s▏ 0 to 1", p.option(), p.text), "Enter apply", "Esc leave", "Tab the other ratio")
}
