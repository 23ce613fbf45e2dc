package tui

import (
	"fmt"
	"strings"

	"vantage/tui/cells"
)

// maxTyped bounds a number or a name that is typed, in bytes.
const maxTyped = 20

// valuePrompt is the line in which a ratio is typed.
type valuePrompt struct {
	open     bool
	negative bool // keep_neg_ratio, not keep_pos_ratio; at first the one changed last
	text     string
}

func (a App) openValuePrompt() App {
	a.valuePrompt.open, a.valuePrompt.text = true, ""
	return a
}

// option returns the name of the ratio that is typed.
func (p valuePrompt) option() string {
	if p.negative {
		return "keep_neg_ratio"
	}
	return "keep_pos_ratio"
}

// onPromptKey edits the line, applies it, or changes which ratio is typed.
func (a App) onPromptKey(key string) App {
	switch key {
	case "esc":
		a.valuePrompt.open = false
	case "tab", "shift+tab":
		a.valuePrompt.negative = !a.valuePrompt.negative
	case "backspace":
		if n := len(a.valuePrompt.text); n > 0 {
			a.valuePrompt.text = a.valuePrompt.text[:n-1]
		}
	case "enter":
		return a.applyTypedValue()
	default:
		if len(key) == 1 && strings.Contains("0123456789.", key) && len(a.valuePrompt.text) < maxTyped {
			a.valuePrompt.text += key
		}
	}
	return a
}

// applyTypedValue applies the ratio. A wrong one stays in the line, to be corrected.
func (a App) applyTypedValue() App {
	if a.valuePrompt.text == "" {
		a.valuePrompt.open = false
		return a
	}
	set, err := a.settings.now.Set(a.valuePrompt.option(), a.valuePrompt.text)
	if err == nil {
		err = set.Validate()
	}
	if err != nil {
		a.notice = err.Error()
		return a
	}
	a.valuePrompt.open = false
	return a.apply(a.settings.withSettings(set))
}

// valueLine returns the prompt in w cells.
func (a App) valueLine(w int) string {
	return cells.JoinFitting(w, " · ", fmt.Sprintf(" %s = %s▏ 0 to 1", a.valuePrompt.option(), a.valuePrompt.text),
		a.markKey("enter", "Enter apply"), a.markKey("esc", "Esc leave"), a.markKey("tab", "Tab the other ratio"))
}
