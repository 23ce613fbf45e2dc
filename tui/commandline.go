package tui

import (
	"fmt"
	"slices"
	"strings"

	"vantage/themes"
	"vantage/tui/cells"
)

// commandLine is the line that : opens.
type commandLine struct {
	text         string
	history      []string // commands that were run, the latest last
	historyIndex int      // of the command that text was taken from; len(history): none
}

// maxCommandBytes bounds a command, in bytes.
const maxCommandBytes = 200

func commandKeys() keySection {
	return keySection{"command line", []binding{
		{[]string{"enter"}, "⏎", "Enter run", "run the command", App.runCommand},
		{[]string{"tab"}, "Tab", "Tab complete", "complete the word", App.completeCommand},
		{[]string{"up"}, "↑", "", "previous command", move(App.recallCommand, -1)},
		{[]string{"down"}, "↓", "", "next command", move(App.recallCommand, 1)},
		{[]string{"backspace"}, "⌫", "", "delete the last character", App.backspaceCommand},
		{[]string{"esc"}, "Esc", "Esc leave", "cancel", App.closeLine},
	}}
}

func (a App) openCommand() App {
	a.commandLine.text, a.commandLine.historyIndex = "", len(a.commandLine.history)
	return a.openLine(viewCommand)
}

func (a App) typeCommand(typed string) App {
	a.commandLine.text = appendTyped(a.commandLine.text, typed, maxCommandBytes)
	return a
}

func (a App) backspaceCommand() App {
	if a.commandLine.text == "" {
		return a.closeLine()
	}
	a.commandLine.text = backspace(a.commandLine.text)
	return a
}

func (a App) recallCommand(by int) App {
	a.commandLine.historyIndex = max(0, min(a.commandLine.historyIndex+by, len(a.commandLine.history)))
	a.commandLine.text = ""
	if a.commandLine.historyIndex < len(a.commandLine.history) {
		a.commandLine.text = a.commandLine.history[a.commandLine.historyIndex]
	}
	return a
}

// runCommand runs the command line. A wrong command stays there, to be corrected.
func (a App) runCommand() App {
	words := strings.Fields(a.commandLine.text)
	if len(words) == 0 {
		return a.closeLine()
	}
	c, ok := findCommand(words[0])
	if !ok {
		near := didYouMean(words[0], commandNames())
		if near == "" {
			near = ": there are " + strings.Join(commandNames(), " ")
		}
		a.notice = fmt.Sprintf("no command is called %q%s", words[0], near)
		return a
	}
	below := a
	below.position.view = a.position.viewBelow
	next, err := c.run(below, words[1:])
	if err != nil {
		a.notice = below.suggestFor(c, words[1:], err).Error()
		return a
	}
	next.commandLine.history = append(slices.Clip(a.commandLine.history), a.commandLine.text)
	next.commandLine.text = ""
	return next
}

// completions returns what the last word may be completed to, and the text before it.
func (a App) completions() (before string, fitting []string) {
	at := strings.LastIndexAny(a.commandLine.text, " ,(") + 1 // a column of several, a term in parentheses
	before, last := a.commandLine.text[:at], a.commandLine.text[at:]
	var all []string
	if words := strings.Fields(before); len(words) > 0 {
		if c, ok := findCommand(words[0]); ok && c.completions != nil {
			all = c.completions(a, words[1:])
			all = append(all, valuesAfter(all, last)...)
		}
	} else if at == 0 {
		all = commandNames()
	}
	for _, word := range all {
		if strings.HasPrefix(word, last) {
			fitting = append(fitting, word)
		}
	}
	return before, fitting
}

// completeCommand completes the last word as far as all completions agree.
func (a App) completeCommand() App {
	before, all := a.completions()
	if len(all) == 0 {
		return a
	}
	common := all[0]
	for _, word := range all[1:] {
		for !strings.HasPrefix(word, common) {
			common = common[:len(common)-1]
		}
	}
	a.commandLine.text = before + common
	if len(all) == 1 && !strings.ContainsRune(":~=", rune(common[len(common)-1])) {
		a.commandLine.text += " "
	}
	return a
}

// maxCompletions bounds the completions that are shown: a run has thousands of steps.
const maxCompletions = 24

// commandPrompt returns the line in w cells: what is typed, what it may be completed to, and
// what the command does.
func (a App) commandPrompt(w int) string {
	t := a.display.theme
	_, all := a.completions()
	next, doc := strings.Join(all[:min(len(all), maxCompletions)], " "), ""
	if len(all) > maxCompletions {
		next += " …"
	}
	if name, _, spaced := strings.Cut(a.commandLine.text, " "); spaced {
		c, _ := findCommand(name)
		doc = c.doc
		if next == "" {
			next = c.args
		}
	}
	line := cells.Truncate(" "+t.Paint(themes.Accent, ":"+a.commandLine.text+"▏")+" "+t.Paint(themes.Dim, next), w)
	if doc == "" {
		return line
	}
	return cells.JoinFitting(w, " — ", line, t.Paint(themes.Dim, doc))
}
