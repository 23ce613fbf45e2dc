package richtext

import (
	"strings"
	"unicode/utf8"

	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
)

// maxShown is how many bytes of a prompt, a response or a truth are shown.
const maxShown = 1 << 20

// tab is how far tabs are set.
const tab = 4

// cut bounds a text; more is how many bytes were left out.
func cut(s string) (shown string, more int) {
	if len(s) <= maxShown {
		return s, 0
	}
	at := maxShown
	for at > maxShown-utf8.UTFMax && !utf8.RuneStart(s[at]) {
		at--
	}
	return s[:at], len(s) - at
}

// clean returns the lines of a text without anything that could control the
// terminal.
func clean(s string) []string {
	lines := strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	for i, line := range lines {
		lines[i] = sanitize.Line(untabbed(line))
	}
	return lines
}

// untabbed sets tabs as spaces up to the next stop.
func untabbed(line string) string {
	if !strings.Contains(line, "\t") {
		return line
	}
	var b strings.Builder
	column := 0
	for _, r := range line {
		if r == '\t' {
			n := tab - column%tab
			b.WriteString("    "[:n])
			column += n
			continue
		}
		b.WriteRune(r)
		column++
	}
	return b.String()
}

// sayMore says that a text was cut, and how much is missing.
func (b *builder) sayMore(more int) {
	if more > 0 {
		b.line(themes.Warn, "cut here: "+units.Bytes(int64(more))+" more are in the log")
	}
}
