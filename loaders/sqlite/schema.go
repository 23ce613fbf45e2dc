package sqlite

import (
	"strings"
)

// Table is a table of a view.
type Table struct {
	Columns []string // as in a row; that of its id too, whose values are null
	view    *View
	root    uint32
}

// maxSchema bounds the text of a table's definition.
const maxSchema = 1 << 20

// Table returns the table of a name, nil if there is none.
func (v *View) Table(name string) (found *Table, err error) {
	schema := Table{view: v, root: 1}
	err2 := schema.Each(-1<<63, func(r *Row) bool {
		var values []Value
		if values, err = r.Values(); err != nil || len(values) < 5 {
			return err == nil
		}
		texts := make([]string, 5)
		for i, value := range values[:5] {
			var text []byte
			if value.Kind != Text {
				continue
			}
			if text, err = r.Text(value, 0, min(value.Size, maxSchema)); err != nil {
				return false
			}
			texts[i] = string(text)
		}
		if texts[0] == "table" && strings.EqualFold(texts[1], name) && values[3].Kind == Integer {
			found = &Table{columnNames(texts[4]), v, uint32(values[3].Integer)}
		}
		return found == nil
	})
	if err == nil {
		err = err2
	}
	if err != nil {
		return nil, err
	}
	return found, nil
}

// IsEmpty reports whether the database has no tables yet.
func (v *View) IsEmpty() (bool, error) {
	empty := true
	schema := Table{view: v, root: 1}
	err := schema.Each(-1<<63, func(*Row) bool {
		empty = false
		return false
	})
	return empty, err
}

// Column returns the number of a column, -1 if there is none of that name.
func (t *Table) Column(name string) int {
	for i, c := range t.Columns {
		if strings.EqualFold(c, name) {
			return i
		}
	}
	return -1
}

// columnNames returns the names of the columns in CREATE TABLE name (column type …, constraint …).
func columnNames(sql string) (names []string) {
	_, body, ok := strings.Cut(sql, "(")
	for ok && body != "" {
		name, rest := firstWord(body)
		body = afterComma(rest)
		switch strings.ToUpper(name) {
		case "":
		case "CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN":
			return names // the columns come first
		default:
			names = append(names, name)
		}
	}
	return names
}

// quotes are what begins a quoted name, and what ends it.
var quotes = map[byte]byte{'"': '"', '\'': '\'', '`': '`', '[': ']'}

// firstWord returns the name that a definition begins with.
func firstWord(s string) (name, rest string) {
	s = skipSpace(s)
	if s == "" {
		return "", ""
	}
	if end, ok := quotes[s[0]]; ok {
		if i := strings.IndexByte(s[1:], end); i >= 0 {
			return s[1 : 1+i], s[2+i:]
		}
		return "", ""
	}
	i := strings.IndexAny(s, " \t\r\n,()")
	if i < 0 {
		i = len(s)
	}
	return s[:i], s[i:]
}

// skipSpace cuts space and comments.
func skipSpace(s string) string {
	for {
		s = strings.TrimLeft(s, " \t\r\n")
		switch {
		case strings.HasPrefix(s, "--"):
			_, s, _ = strings.Cut(s, "\n")
		case strings.HasPrefix(s, "/*"):
			_, s, _ = strings.Cut(s, "*/")
		default:
			return s
		}
	}
}

// afterComma returns what follows the comma after a definition, "" if it is the last one.
func afterComma(s string) string {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\'' || c == '"' || c == '`':
			end := strings.IndexByte(s[i+1:], c)
			if end < 0 {
				return ""
			}
			i += end + 1
		case strings.HasPrefix(s[i:], "--"):
			end := strings.IndexByte(s[i:], '\n')
			if end < 0 {
				return ""
			}
			i += end
		case c == '(':
			depth++
		case c == ')' && depth == 0:
			return ""
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			return s[i+1:]
		}
	}
	return ""
}
