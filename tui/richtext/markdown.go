package richtext

import (
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

// code writes the code block at the start of lines and returns how many lines it has.
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
	switch bullet, item := listItem(rest, m.ascii); {
	case strings.HasPrefix(rest, "|"):
		m.b.current.verbatim = true
		m.b.writeLine(m.role, line)
	case headingMark(rest) > 0:
		m.b.writeLine(themes.Title, strings.TrimSpace(strings.ReplaceAll(rest[headingMark(rest):], "**", "")))
	case bullet != "":
		m.b.write(themes.Dim, indent+bullet)
		m.b.current.hang = cells.Width(indent + bullet)
		m.inline(item)
	default:
		m.b.write(m.role, indent)
		m.b.current.hang = len(indent)
		m.inline(rest)
	}
}

// headingMark returns the length of the mark of a heading, 0 for other lines.
func headingMark(line string) int {
	n := len(line) - len(strings.TrimLeft(line, "#"))
	if n < 1 || n > 6 || n >= len(line) || line[n] != ' ' {
		return 0
	}
	return n
}

// listItem splits a list item into its bullet or number and its text. The bullet is "" for
// other lines.
func listItem(line string, ascii bool) (bullet, text string) {
	if len(line) > 2 && strings.IndexByte("-*+", line[0]) >= 0 && line[1] == ' ' {
		if ascii {
			return line[:2], line[2:]
		}
		return "• ", line[2:]
	}
	const maxDigits = 3
	for n := 0; n <= maxDigits && n+1 < len(line); n++ {
		if c := line[n]; c < '0' || c > '9' {
			if n > 0 && (c == '.' || c == ')') && line[n+1] == ' ' {
				return line[:n+2], line[n+2:]
			}
			return "", line
		}
	}
	return "", line
}

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
