package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"vantage/model/units"
)

// Table is a table for other programs: of a command, or of the screen, as filtered and sorted there. A cell is a string, an
// int, an int64, a float64, a bool, or [quotedCell]. In JSON it is an array of objects.
type Table struct {
	Title   string
	Columns []string
	Rows    [][]any
}

// quotedCell is a text of the log that CSV always has in quotes.
type quotedCell string

// TableCSV writes a header and a line per row. Floats are the shortest decimals that parse to the same value; control
// characters become visible ones. There is nothing but the table, so that it loads as it is.
func TableCSV(w io.Writer, s Table) error {
	out := bufio.NewWriter(w)
	for i, name := range s.Columns {
		fmt.Fprint(out, between(i), csvCell(name))
	}
	fmt.Fprintln(out)
	for _, row := range s.Rows {
		for i, cell := range row {
			fmt.Fprint(out, between(i), csvCell(cell))
		}
		fmt.Fprintln(out)
	}
	return out.Flush()
}

// between returns what stands before column i.
func between(i int) string {
	if i > 0 {
		return ","
	}
	return ""
}

// csvCell returns a cell in quotes where a reader of CSV could take it for something else.
func csvCell(cell any) string {
	switch x := cell.(type) {
	case float64:
		return formatFloat(x)
	case quotedCell:
		return quoteCSV(csvText(string(x)))
	}
	text := csvText(fmt.Sprint(cell))
	first, _ := utf8.DecodeRuneInString(text)
	if strings.ContainsAny(text, `",`) || unicode.IsSpace(first) || text == `\.` { // the last ends what PostgreSQL reads
		return quoteCSV(text)
	}
	return text
}

// quoteCSV returns s as a quoted cell.
func quoteCSV(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

// TableJSONL writes an object per row, keys in the order of the columns. Numbers that JSON
// lacks are strings.
func TableJSONL(w io.Writer, s Table) error {
	out := bufio.NewWriter(w)
	for _, row := range s.objects() {
		line, err := json.Marshal(row) // which escapes <, > and & too
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s\n", line)
	}
	return out.Flush()
}

// MarshalJSON writes an object per row, keys in the order of the columns.
func (s Table) MarshalJSON() ([]byte, error) { return encode(s.objects()), nil }

func (s Table) objects() []object {
	all := make([]object, len(s.Rows))
	for i, row := range s.Rows {
		for k, cell := range row {
			all[i] = append(all[i], member{s.Columns[k], cell})
		}
	}
	return all
}

// TableMarkdown writes the table under its title, with the digits of the screen.
func TableMarkdown(w io.Writer, s Table) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "## %s\n\n|", escapeMarkdown(s.Title))
	for _, name := range s.Columns {
		fmt.Fprintf(out, " %s |", escapeMarkdown(name))
	}
	fmt.Fprint(out, "\n|"+strings.Repeat(" --- |", len(s.Columns))+"\n")
	for _, row := range s.Rows {
		fmt.Fprint(out, "|")
		for _, c := range row {
			text := fmt.Sprint(c)
			if x, ok := c.(float64); ok {
				text = units.Short(x)
			}
			fmt.Fprintf(out, " %s |", escapeMarkdown(text))
		}
		fmt.Fprintln(out)
	}
	return out.Flush()
}

// textColumn is a column of a table for people.
type textColumn[T any] struct {
	head  string
	width int // negative: the text is at the left
	rank  int // 0: always there; of the others those of a higher rank go first where there is no room
	text  func(T) string
}

// textTable returns a line of heads, and one per row, to be written behind what a line begins with. before stands before
// each column.
func textTable[T any](columns []textColumn[T], before string, rows []T) []string {
	lines := make([]string, 1+len(rows))
	for _, c := range columns {
		lines[0] += fmt.Sprintf("%s%*s", before, c.width, c.head)
		for i, row := range rows {
			lines[i+1] += fmt.Sprintf("%s%*s", before, c.width, c.text(row))
		}
	}
	return lines
}

// plainFloat is a number that JSON has as Go's encoding/json writes it: 1e-9, where [appendNumber] writes 1e-09.
type plainFloat float64

// MarshalJSON writes the number, or its name as a string where JSON has no such number.
func (x plainFloat) MarshalJSON() ([]byte, error) {
	if f := float64(x); f-f == 0 {
		return json.Marshal(f)
	}
	return appendNumber(nil, float64(x), 64), nil
}
