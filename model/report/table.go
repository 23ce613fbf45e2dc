package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"vantage/model/units"
)

// Table is a table for other programs: of a command, or of the screen, as filtered and sorted there. A cell is a string, an
// int, an int64, a float64, a bool, or [quotedCell]. In JSON it is an array of objects.
type Table struct {
	Title   string
	Columns []string
	Rows    [][]any
}

// TableCSV writes a header and a line per row. Floats are the shortest decimals that parse to the same value; control
// characters become visible ones. There is nothing but the table, so that it loads as it is.
func TableCSV(w io.Writer, s Table) error {
	out := bufio.NewWriter(w)
	var line []byte
	for k, name := range s.Columns {
		line = appendCSVText(appendComma(line, k), name)
	}
	_, _ = out.Write(append(line, '\n'))
	for _, row := range s.Rows {
		_, _ = out.Write(appendCSVRow(line[:0], row))
	}
	return out.Flush()
}

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
