package richtext

import (
	"strings"

	"vantage/themes"
)

// setter sets Markdown lightly: marks that carry no words are taken away or
// become a look, lines stay where they are, and code is not touched.
type setter struct {
	b     *builder
	role  themes.Role // of what has no look of its own
	latex bool
	ascii bool
}

// set sets the lines of a text. Formulas may span lines, so what lies between
// two blocks of code is taken together.
func (m *setter) set(lines []string) {
	for len(lines) > 0 {
		n := 0
		for n < len(lines) && fenceOf(lines[n]) == "" {
			n++
		}
		m.words(lines[:n])
		if lines = lines[n:]; len(lines) > 0 {
			lines = lines[m.code(lines):]
		}
	}
}

// fenceOf returns the fence that a line of Markdown begins a block of code with.
func fenceOf(line string) string {
	line = strings.TrimLeft(line, " ")
	for _, fence := range []string{"```", "~~~"} {
		if strings.HasPrefix(line, fence) {
			return fence
		}
	}
	return ""
}

// code sets a block of code that begins with a fence, and returns how many lines
// it took.
func (m *setter) code(lines []string) int {
	fence := fenceOf(lines[0])
	m.b.line(themes.Dim, lines[0])
	for i, line := range lines[1:] {
		if strings.TrimSpace(line) == fence {
			m.b.line(themes.Dim, line)
			return i + 2
		}
		m.b.begun.kept, m.b.begun.gutter = true, true
		m.b.line(m.role, line)
	}
	return len(lines)
}

func (m *setter) words(lines []string) {
	if len(lines) == 0 {
		return
	}
	text := strings.Join(lines, "\n")
	if m.latex {
		text = formulas(text)
	}
	for line := range strings.SplitSeq(text, "\n") {
		m.line(line)
	}
}

func (m *setter) line(line string) {
	rest := strings.TrimLeft(line, " ")
	indent := line[:len(line)-len(rest)]
	switch bullet, item := listItem(rest, m.ascii); {
	case strings.HasPrefix(rest, "|"):
		m.b.begun.kept = true
		m.b.line(m.role, line)
	case heading(rest) > 0:
		m.b.line(themes.Title, strings.TrimSpace(strings.ReplaceAll(rest[heading(rest):], "**", "")))
	case bullet != "":
		m.b.say(themes.Dim, indent+bullet)
		m.b.begun.hang = width(indent + bullet)
		m.inline(item)
	default:
		m.b.say(m.role, indent)
		m.b.begun.hang = len(indent)
		m.inline(rest)
	}
}

// heading returns how long the mark of a heading is, 0 if the line is none.
func heading(line string) int {
	n := len(line) - len(strings.TrimLeft(line, "#"))
	if n < 1 || n > 6 || n >= len(line) || line[n] != ' ' {
		return 0
	}
	return n
}

// listItem takes a line of a list apart; a bullet is one character in all lists.
func listItem(line string, ascii bool) (bullet, item string) {
	if len(line) > 2 && strings.IndexByte("-*+", line[0]) >= 0 && line[1] == ' ' {
		if ascii {
			return line[:2], line[2:]
		}
		return "• ", line[2:]
	}
	const longest = 3
	for n := 0; n <= longest && n+1 < len(line); n++ {
		if c := line[n]; c < '0' || c > '9' {
			if n > 0 && (c == '.' || c == ')') && line[n+1] == ' ' {
				return line[:n+2], line[n+2:]
			}
			return "", line
		}
	}
	return "", line
}

// inline sets what is bold or code within a line, and ends it. A mark without its
// twin stays as it is.
func (m *setter) inline(line string) {
	for line != "" {
		at := strings.IndexAny(line, "`*")
		if at < 0 {
			break
		}
		m.b.say(m.role, line[:at])
		line = line[at:]
		n := m.span(line)
		line = line[n:]
	}
	m.b.line(m.role, line)
}

// span sets what begins with a mark and returns how many bytes it took.
func (m *setter) span(s string) int {
	if s[0] == '`' {
		if end := strings.IndexByte(s[1:], '`'); end > 0 {
			m.b.say(themes.Accent, s[:end+2])
			return end + 2
		}
	}
	if strings.HasPrefix(s, "**") && len(s) > 2 && s[2] != ' ' && s[2] != '*' {
		if end := strings.Index(s[2:], "**"); end > 0 {
			m.b.say(themes.Title, s[2:end+2])
			return end + 4
		}
	}
	m.b.say(m.role, s[:1])
	return 1
}
