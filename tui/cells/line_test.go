package cells

import "testing"

// What readline of bash 5.2 does with these keys, the cursor written as |.
func TestKeysDoWhatAShellDoes(t *testing.T) {
	for _, c := range []struct{ line, key, want string }{
		{"keep pos 0.7|", "left", "keep pos 0.|7"},
		{"|x", "left", "|x"},
		{"keep |pos", "right", "keep p|os"},
		{"keep pos|", "home", "|keep pos"},
		{"|keep pos", "ctrl+e", "keep pos|"},
		{"keep pos 0|", "alt+b", "keep pos |0"},
		{"keep pos |0", "alt+b", "keep |pos 0"},
		{"|keep pos", "alt+f", "keep| pos"},
		{"keep| pos 0", "alt+f", "keep pos| 0"},
		{"keep pos|", "backspace", "keep po|"},
		{"ke|ep", "delete", "ke|p"},
		{"keep pos| 0.7", "ctrl+w", "keep | 0.7"},
		{"keep| pos 0", "alt+d", "keep| 0"},
		{"keep| pos", "ctrl+u", "| pos"},
		{"keep| pos", "ctrl+k", "keep|"},
		{"一个|", "backspace", "一|"},
		{"e\u0301|", "backspace", "|"}, // a letter with its accent is one character
		{"👩‍🔬|", "left", "|👩‍🔬"},
		{"|", "backspace", "|"},
		{"|", "delete", "|"},
	} {
		l, ok := lineOf(c.line).Press(c.key)
		if before, behind := l.Cut(); !ok || before+"|"+behind != c.want {
			t.Errorf("%s on %q gives %q, want %q", c.key, c.line, before+"|"+behind, c.want)
		}
	}
	if _, ok := lineOf("a|").Press("f5"); ok {
		t.Error("F5 is taken for a key of the line")
	}
}

// lineOf reads a line with its cursor as |.
func lineOf(text string) Line {
	for i := range text {
		if text[i] == '|' {
			return Line{text[:i] + text[i+1:], len(text) - i - 1}
		}
	}
	return Line{Text: text}
}

func TestLongLineIsShownAroundItsCursor(t *testing.T) {
	for line, want := range map[string]string{
		"abcdefghij|":      "…fghij▏",
		"|abcdefghij":      "▏abcde…",
		"abcdefgh|ijklmno": "…fgh▏i…",
		"abc|":             "abc▏",
	} {
		if got := lineOf(line).Shown(7); got != want {
			t.Errorf("%s is shown as %s, want %s", line, got, want)
		}
	}
}

func TestInsertKeepsWhatIsBehind(t *testing.T) {
	if got := lineOf("keep | 0.7").Insert("pos"); got != lineOf("keep pos| 0.7") {
		t.Errorf("%+v", got)
	}
}
