package scalars

import (
	"bytes"
	"iter"
	"path"
	"slices"
	"strings"

	"vantage/loaders/formats"
	"vantage/loaders/jsonscan"
	"vantage/loaders/parquet/pages"
	"vantage/model/scalars"
	"vantage/model/units"
)

// columns are those of a CSV table of averages, a row for each step.
type columns struct {
	header    [][]byte // what each is called in the log; "" of one that is left out
	separator byte
	isUnnamed bool   // of TensorBoard's charts
	chart     string // whose chart it is, "" of a table that somebody wrote
	runs      []string
}

// The charts that people export.
const (
	wandbChart       = "W&B"
	tensorBoardChart = "TensorBoard"
)

// columnsOf reads a header. ok is false if it is none.
func columnsOf(line []byte, file string) (c columns, ok bool) {
	c.header, c.separator = formats.TableHeader(line)
	for _, name := range c.header {
		name = bytes.TrimSpace(name)
		_, isNumber := jsonscan.Value{Kind: jsonscan.String, Raw: name}.ToFloat()
		if isNumber || bytes.ContainsAny(name, "{}\"\x00\x1b") {
			return c, false
		}
	}
	c.nameValue(file)
	c.nameRuns()
	return c, len(c.header) > 1
}

// nameValue names the column Value of a chart that TensorBoard exports, whose tag is in the name of the file, as
// run-a-tag-train_reward.csv.
func (c *columns) nameValue(file string) {
	if len(c.header) != 3 || !strings.EqualFold(string(bytes.Join(c.header, []byte{' '})), "Wall time Step Value") {
		return
	}
	c.chart, c.header[0] = tensorBoardChart, nil
	base := path.Base(file)
	if _, tag, ok := strings.Cut(strings.TrimSuffix(base, path.Ext(base)), "-tag-"); ok {
		if asPath := strings.Replace(tag, "_", "/", 1); scalars.Known(asPath) {
			tag = asPath
		}
		c.header[2] = []byte(tag)
		return
	}
	stem := strings.TrimSuffix(base, path.Ext(base))
	if c.isUnnamed = !scalars.Known(stem); !c.isUnnamed {
		c.header[2] = []byte(stem)
	}
}

// nameRuns names the columns of a chart that W&B exports, as "run - train/reward" with its extremes in two more: those of the first run by
// the metric alone.
func (c *columns) nameRuns() {
	const between, least, most = " - ", "__MIN", "__MAX"
	isChart := slices.ContainsFunc(c.header, func(name []byte) bool {
		return bytes.Contains(name, []byte(between)) && (bytes.HasSuffix(name, []byte(least)) || bytes.HasSuffix(name, []byte(most)))
	})
	if !isChart {
		return
	}
	c.chart = wandbChart
	for i, name := range c.header {
		at := bytes.LastIndex(name, []byte(between))
		if at < 0 {
			continue
		}
		run, metric := string(name[:at]), name[at+len(between):]
		if !slices.Contains(c.runs, run) {
			c.runs = append(c.runs, run)
		}
		switch {
		case bytes.HasSuffix(metric, []byte(least)), bytes.HasSuffix(metric, []byte(most)), formats.StepRank(string(metric)) > 0:
			c.header[i] = nil
		case run == c.runs[0]:
			c.header[i] = metric
		}
	}
}

// row returns the figures of a row.
func (c *columns) row(object []byte) (r row) {
	r.run = formats.RunOf(object)
	_ = jsonscan.ScanObject(formats.Widened(object), func(key, v jsonscan.Value) {
		if name := string(key.Text()); name != "" {
			r.add(name, v)
		}
	})
	return r
}

// readTable reads a CSV or TSV table of averages, or a chart. One that is cut has its header where the file begins.
func readTable(t *table, in *input) error {
	header, _, _ := bytes.Cut(in.head, []byte{'\n'})
	c, ok := columnsOf(header, in.name)
	if !ok {
		return nil
	}
	if c.isUnnamed {
		t.notes = append(t.notes, "the chart does not name its metric: TensorBoard's file does, as run-NAME-tag-train_reward.csv")
	}
	if len(c.runs) > 1 {
		t.notes = append(t.notes, "the chart has several runs: read is the first, "+c.runs[0])
	}
	isFirst, damaged := true, 0
	err := eachLine(in.text, func(line []byte) {
		switch object := formats.TableRow(c.header, line, c.separator); {
		case isFirst || len(line) == 0: // the header, or a part of a line
		case object == nil:
			damaged++
		default:
			t.add(c.row(object))
		}
		isFirst = false
	})
	if damaged > 0 {
		t.notes = append(t.notes, units.Plural(damaged, "rows")+" with another number of cells than the header: not read")
	}
	return err
}

// isTable reports whether a text is a table of averages, whose columns a comma, a semicolon or a tab separates.
func isTable(in *input) bool {
	var rows formats.Rows
	var c columns
	ok := false
	for line := range in.wholeLines() {
		if !ok {
			if c, ok = columnsOf(line, in.name); !ok {
				return false
			}
			continue
		}
		object := formats.TableRow(c.header, line, c.separator)
		if object == nil {
			return false
		}
		if rows.Add(object); isSettled(&rows) {
			break
		}
	}
	return areAverages(&rows) && rows.HaveStep()
}

// isChartOf reports whether a text is a chart that a service exports.
func isChartOf(service string) func(in *input) bool {
	return func(in *input) bool {
		header, _, _ := bytes.Cut(in.head, []byte{'\n'})
		c, ok := columnsOf(header, in.name)
		return ok && c.chart == service && isTable(in)
	}
}

// maxCells bounds what is read of a Parquet table.
const maxCells = 4_000_000

// parquetRows visits the rows of a Parquet table of numbers, as JSON objects; of texts only short ones.
func parquetRows(in *input) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if in.file == nil || !bytes.HasPrefix(in.head, []byte("PAR1")) {
			return
		}
		file, err := pages.Open(in.file, in.size, &pages.Memory{})
		if err != nil || len(file.Columns) == 0 {
			return
		}
		cells := pages.NewCells(file, maxRecord)
		left := maxCells / len(file.Columns)
		for g := range file.Groups {
			for i := int64(0); i < file.Groups[g].Rows && left > 0; i++ {
				left--
				row, err := parquetRow(file, cells, g, i)
				if err != nil || !yield(row) {
					return
				}
			}
		}
	}
}

func parquetRow(file *pages.File, cells *pages.Cells, group int, at int64) ([]byte, error) {
	row := []byte{'{'}
	for k, column := range file.Columns {
		if column.Kind == pages.Nested { // a list: that is no average
			row = append(jsonscan.AppendText(row, column.Name), ":[],"...)
			continue
		}
		x, text, ok, err := cells.Cell(group, k, at)
		if err != nil {
			return nil, err
		}
		switch row = append(jsonscan.AppendText(row, column.Name), ':'); {
		case !ok:
			row = append(row, "null"...)
		case column.Kind == pages.Text:
			row = jsonscan.AppendText(row, text)
		default:
			row = jsonscan.AppendNumber(row, x)
		}
		row = append(row, ',')
	}
	return jsonscan.AppendEnd(row, '}'), nil
}

func readParquet(t *table, in *input) error {
	for row := range parquetRows(in) {
		t.addRecord(row)
	}
	return nil
}

func isParquet(in *input) bool {
	var rows formats.Rows
	for row := range parquetRows(in) {
		if rows.Add(row); isSettled(&rows) {
			break
		}
	}
	return areAverages(&rows) && rows.HaveStep()
}
