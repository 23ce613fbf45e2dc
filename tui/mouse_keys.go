package tui

import (
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
)

// namedKeys are the keys of the tables that are no characters.
func namedKeys() map[string]tea.Key {
	return map[string]tea.Key{
		"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "tab": {Code: tea.KeyTab}, "shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift},
		"backspace": {Code: tea.KeyBackspace}, "space": {Code: tea.KeySpace, Text: " "},
		"up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight},
		"pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown}, "home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd},
	}
}

// keyCode returns the number of a key for a mark.
func keyCode(name string) int {
	k, named := namedKeys()[name]
	if letter, held := strings.CutPrefix(name, "ctrl+"); held && !named {
		k, named = tea.Key{Code: []rune(letter)[0], Mod: tea.ModCtrl}, true
	}
	if !named {
		k.Code = []rune(name)[0]
	}
	return int(k.Code)<<3 | int(k.Mod)
}

// keyOfCode returns the key of that number as the keyboard reports it.
func keyOfCode(n int) tea.KeyPressMsg {
	k := tea.KeyPressMsg{Code: rune(n >> 3), Mod: tea.KeyMod(n & 7)}
	if k.Mod == 0 && unicode.IsGraphic(k.Code) && k.Code <= unicode.MaxRune {
		k.Text = string(k.Code)
	}
	return k
}

// pressKey presses the key of that number.
func (a App) pressKey(h hit) App { return a.onKey(keyOfCode(h.n)) }

// pressSetting does what a key of the header does, also where characters are typed.
func (a App) pressSetting(h hit) App {
	if a.currentView().typeText == nil && a.position.view != viewCopy && !a.help.open && !a.valuePrompt.open {
		return a.pressKey(h)
	}
	for _, s := range commonKeys() {
		for _, b := range s.bindings {
			if slices.ContainsFunc(b.keys, func(key string) bool { return keyCode(key) == h.n }) {
				return b.action(a)
			}
		}
	}
	return a
}

// markKey marks text as the key of that name.
func (e env) markKey(name, text string) string {
	if !e.display.marking {
		return text
	}
	return e.mark(onKey, keyCode(name), text)
}

// keyOfHint returns the key that a word of a hint stands for, as j and k do in "j k move"; a word that is no
// key stands for the first.
func (a App) keyOfHint(b binding, word string) string {
	for _, s := range a.activeKeys() {
		for _, other := range s.bindings {
			if slices.Contains(strings.Fields(a.keyLabel(other.label)), word) {
				return other.keys[0]
			}
		}
	}
	return b.keys[0]
}

// markSetting marks text as a key of the settings in the header.
func (e env) markSetting(name, text string) string {
	if !e.display.marking {
		return text
	}
	return e.mark(onSetting, keyCode(name), text)
}

// mouseSection says what the mouse does, for the help and the documentation: it binds no keys.
func mouseSection() keySection {
	return keySection{"mouse", []binding{
		{label: "click", doc: "select; a heading sorts, a bin of the distribution filters, each back again by a second click; words of the header and of the last line press their key; a chart of steps goes to the step"},
		{label: "twice", doc: "open: group, warning, metric, step, pair, mark; set a cell of the sweep; put a moved border back"},
		{label: "drag", doc: "sliders of keep_pos and keep_neg; borders between panes"},
		{label: "wheel", doc: "scroll what is under the pointer; over a ratio change it"},
		{label: "Shift", doc: "held down: the terminal selects text as usual. The mouse is off until --mouse or :mouse on"},
	}}
}
