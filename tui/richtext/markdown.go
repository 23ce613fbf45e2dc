package richtext

import (
	"regexp"
	"strings"

	"vantage/themes"
	"vantage/tui/cells"
)

// markdown renders Markdown lightly: marks around text become styles, lines are not joined,
// and code is not changed.
type markdown struct {
	b     *builder
	role  themes.Role // of text without a style of its own
	ascii bool        // then LaTeX is not rendered
}

// write renders lines. All lines between two code blocks are rendered together, since a
// formula may span several.
func (m *markdown) write(lines []string) {
	for len(lines) > 0 {
		n := 0
		for n < len(lines) && fenceOf(lines[n]) == "" {
			n++
		}
		m.text(lines[:n])
		if lines = lines[n:]; len(lines) > 0 {
			lines = lines[m.code(lines):]
		}
	}
}

// fenceOf returns the fence of a line that begins a code block, "" for other lines.
func fenceOf(line string) string {
	line = strings.TrimLeft(line, " ")
	for _, fence := range []string{"```", "~~~"} {
		if strings.HasPrefix(line, fence) {
			return fence
		}
	}
	return ""
}

func (m *markdown) code(lines []string) int {
	fence := fenceOf(lines[0])
	m.b.writeLine(themes.Dim, lines[0])
	for i, line := range lines[1:] {
		if strings.TrimSpace(line) == fence {
			m.b.writeLine(themes.Dim, line)
			return i + 2
		}
		m.b.current.verbatim, m.b.current.gutter = true, true
		m.b.writeLine(m.role, line)
	}
	return len(lines)
}

func (m *markdown) text(lines []string) {
	if len(lines) == 0 {
		return
	}
	text := strings.Join(lines, "\n")
	if !m.ascii {
		text = renderLaTeX(text)
	}
	for line := range strings.SplitSeq(text, "\n") {
		m.line(line)
	}
}

func (m *markdown) line(line string) {
	rest := strings.TrimLeft(line, " ")
	indent := line[:len(line)-len(rest)]
	bullet := listMark.FindString(rest)
	item := rest[len(bullet):]
	if bullet != "" && strings.Contains("-*+", bullet[:1]) && !m.ascii {
		bullet = "• "
	}
	heading := headingMark.FindString(rest)
	switch {
	case strings.HasPrefix(rest, "|"):
		m.b.current.verbatim = true
		m.b.writeLine(m.role, line)
	case heading != "":
		m.b.writeLine(themes.Title, strings.TrimSpace(strings.ReplaceAll(rest[len(heading):], "**", "")))
	case bullet != "" && len(rest) > 2:
		m.b.write(themes.Dim, indent+bullet)
		m.b.current.hang = cells.Width(indent + bullet)
		m.inline(item)
	default:
		m.b.write(m.role, indent)
		m.b.current.hang = len(indent)
		m.inline(rest)
	}
}

// The marks at the start of a heading and of a list item.
var (
	headingMark = regexp.MustCompile(`^#{1,6} `)
	listMark    = regexp.MustCompile(`^(?:[-*+]|\d{1,3}[.)]) `)
)

// inline writes a line with its bold text and code. A mark without a closing one is kept.
func (m *markdown) inline(line string) {
	for {
		i := strings.IndexAny(line, "`*")
		if i < 0 {
			m.b.writeLine(m.role, line)
			return
		}
		m.b.write(m.role, line[:i])
		line = line[i:]
		line = line[m.span(line):]
	}
}

// span writes the bold text or code at the start of s, or else its first byte, and returns
// how many bytes of s it read.
func (m *markdown) span(s string) int {
	if s[0] == '`' {
		if end := strings.IndexByte(s[1:], '`'); end > 0 {
			m.b.write(themes.Accent, s[:end+2])
			return end + 2
		}
	}
	if strings.HasPrefix(s, "**") && len(s) > 2 && s[2] != ' ' && s[2] != '*' {
		if end := strings.Index(s[2:], "**"); end > 0 {
			m.b.write(themes.Title, s[2:end+2])
			return end + 4
		}
	}
	m.b.write(m.role, s[:1])
	return 1
}
