package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/figures"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// CSV writes a table: a row per step with the counts of samples and groups, the flips of each kind, the groups of each
// fate and every metric under its name; the same with steps in the place of step and open for the run; or a row per
// group. The glossary has a line on every column. Floats are the shortest decimals that parse to the same value. There
// is nothing but the table, so that it loads as it is.
func CSV(w io.Writer, r *Report) (*Charts, error) {
	t := &csvTable{}
	return r.write(w, pageFormat{head: t.head, step: t.step, groups: t.groupsOf, foot: t.foot})
}

// csvTable has the columns of a table; a row per step or run begins with more than those.
type csvTable struct {
	steps  []figures.Column[*analysis.StepFigures]
	groups []figures.Column[figures.GroupOf]
}

func (t *csvTable) head(p *page) {
	var flips, fates []string
	for _, k := range analysis.FlipKinds() {
		flips = append(flips, "flips/"+k.Name)
	}
	for _, f := range model.Fates() {
		fates = append(fates, f.Key()+"_groups")
	}
	if p.Per == PerGroup {
		t.groups = groupColumns()
		p.writeCSV(anyNames(t.groups)...)
		return
	}
	t.steps = append(slices.Clip(p.counts), figures.Select(figures.Steps(), slices.Concat(flips, fates)...)...)
	for _, name := range p.metricNames {
		t.steps = append(t.steps, figures.Metric(name))
	}
	first := []any{"step", "open"}
	if p.Per == PerRun {
		first = []any{"steps"}
	}
	p.writeCSV(append(first, anyNames(t.steps)...)...)
}

func (t *csvTable) step(_ *page, s *analysis.StepFigures) []byte {
	return appendCSVRow(nil, append([]any{s.Step, s.Open}, cellsOf(t.steps, s)...))
}

func (t *csvTable) groupsOf(_ *page, a *analysis.Analysis) (rows []byte) {
	for i := range a.Table {
		rows = appendCSVRow(rows, cellsOf(t.groups, figures.NewGroupOf(a, i)))
	}
	return rows
}

func (t *csvTable) foot(p *page) {
	if p.Per == PerRun {
		p.writeCSV(append([]any{p.total.complete()}, cellsOf(t.steps, p.total.summary())...)...)
	}
}

func (p *page) writeCSV(cells ...any) { _, _ = p.out.Write(appendCSVRow(nil, cells)) }

// cellsOf returns the cells of a row. Texts of the log are quoted.
func cellsOf[T any](columns []figures.Column[T], of T) []any {
	return model.Mapped(columns, func(c figures.Column[T]) any {
		number := c.Value(of)
		if number.IsText() {
			return quotedCell(fmt.Sprint(number.Cell()))
		}
		return number.Cell()
	})
}

// quotedCell is a text of the log that CSV always has in quotes.
type quotedCell string

func appendCSVRow(line []byte, cells []any) []byte {
	for k, cell := range cells {
		line = appendComma(line, k)
		switch x := cell.(type) {
		case float64:
			line = appendFloat(line, x, 64)
		case quotedCell:
			line = appendQuoted(line, csvText(string(x)))
		case string:
			line = appendCSVText(line, x)
		default:
			line = fmt.Append(line, x)
		}
	}
	return append(line, '\n')
}

// appendComma appends what stands before column k.
func appendComma(line []byte, k int) []byte {
	if k > 0 {
		line = append(line, ',')
	}
	return line
}

// appendCSVText appends text of one line, in quotes where a reader of CSV could take it for something else.
func appendCSVText(line []byte, s string) []byte {
	s = csvText(s)
	if strings.ContainsAny(s, `",`) || strings.HasPrefix(s, " ") || s == `\.` { // the last ends what PostgreSQL reads
		return appendQuoted(line, s)
	}
	return append(line, s...)
}

// appendCSVLines appends text with its line breaks.
func appendCSVLines(line []byte, s string) []byte {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = csvText(lines[i])
	}
	return appendQuoted(line, strings.Join(lines, "\n"))
}

func appendQuoted(line []byte, s string) []byte {
	return append(append(append(line, '"'), strings.ReplaceAll(s, `"`, `""`)...), '"')
}

// appendFloat appends the shortest decimal that parses to x as a float of that many bits. A whole number has
// ".0": polars and others take a column of which the first hundred rows are integers for one of integers, and
// refuse the first fraction.
func appendFloat(line []byte, x float64, bits int) []byte {
	return appendFraction(strconv.AppendFloat(line, x, 'g', -1, bits), len(line))
}

// appendFraction appends ".0" if what follows the first n bytes of line is an integer.
func appendFraction(line []byte, n int) []byte {
	for _, c := range line[n:] {
		if c != '-' && (c < '0' || c > '9') {
			return line
		}
	}
	return append(line, ".0"...)
}

// csvText returns text of a log as a cell of CSV: sanitised, and with an apostrophe before it where a
// spreadsheet would take it for a formula and run it. Numbers stay as they are.
func csvText(s string) string {
	s = sanitize.Line(s)
	if s == "" || !strings.ContainsRune("=+-@", rune(s[0])) {
		return s
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return s
	}
	return "'" + s
}

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
	line := appendCSVRow(nil, model.Mapped(s.Columns, func(name string) any { return name }))
	_, _ = out.Write(line)
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

// objects are an object per row, keys in the order of the columns.
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

// fitting returns the columns that have room in w, each behind a blank.
func fitting[T any](columns []textColumn[T], w int) []textColumn[T] {
	for rank := 4; rank > 0; rank-- {
		width := 0
		for _, c := range columns {
			width += 1 + max(c.width, -c.width)
		}
		if width <= w {
			break
		}
		columns = slices.DeleteFunc(columns, func(c textColumn[T]) bool { return c.rank == rank })
	}
	return columns
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
