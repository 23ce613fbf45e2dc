package loaders

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"

	"vantage/model"
)

// errTable says that a Parquet file holds no samples.
var errTable = errors.New("not read")

// tableBatch is how many rows are brought together at a time.
const tableBatch = 1024

// parquetTable reads the columns of a Parquet file that mean something, side by
// side, in batches.
type parquetTable struct {
	rows    *rows
	groups  []parquet.RowGroup
	leaves  []leaf
	row     int64 // rows so far
	columns []*columnReader
}

// leaf is a column that is read.
type leaf struct {
	index int
	key   value
}

// openTable opens a Parquet file, whose footer says what it holds: one that is not
// there yet is io.ErrUnexpectedEOF.
func (s *Source) openTable(f *file, p *pack, size int64) error {
	var tail [8]byte // the footer's length, and the mark of the end
	if _, err := p.handle.ReadAt(tail[:], size-int64(len(tail))); err != nil || string(tail[4:]) != "PAR1" {
		return io.ErrUnexpectedEOF
	}
	if n := int64(binary.LittleEndian.Uint32(tail[:])); n > size-int64(len(tail)) {
		return fmt.Errorf("%w: its footer is said to be larger than the file", errTable) // the library would make room for it
	}
	file, err := openParquet(p.handle, size)
	if err != nil {
		return err
	}
	var names []string
	for _, column := range file.Schema().Columns() {
		names = append(names, strings.Join(column, "."))
	}
	header := []byte(strings.Join(names, "\n"))
	format := detect(f.formats, f.name, cut{table: true}, header)
	if format == nil {
		return fmt.Errorf("%w: no column holds a reward under a usual name; its columns are %s", errTable, strings.Join(names[:min(len(names), maxKeys)], ", "))
	}
	f.format, f.decoder = format, format.Decode(f.name)
	r, ok := f.decoder.(*rows)
	if !ok {
		return errTable
	}
	p.table = &parquetTable{rows: r, groups: file.RowGroups()}
	for i, name := range names {
		if r.wants(name) {
			p.table.leaves = append(p.table.leaves, leaf{i, value{kind: text, raw: []byte(name)}})
		}
	}
	return nil
}

// openParquet keeps a broken footer from being more than an error: the library
// panics on some.
func openParquet(h io.ReaderAt, size int64) (f *parquet.File, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("its footer is broken: %v", r)
		}
	}()
	return parquet.OpenFile(h, size, parquet.SkipBloomFilters(true), parquet.SkipPageIndex(true))
}

// wants reports whether a column can play a role.
func (r *rows) wants(name string) bool {
	if p, ok := r.fields.place([]byte(name)); ok {
		return p.role != roleTokens
	}
	return r.parts.wants(name) && (!r.parts.open || isComponent(name) || !strings.Contains(name, "."))
}

// readTable decodes batches of rows until the deadline.
func (s *Source) readTable(f *file, deadline time.Time) (end bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("a page is broken: %v", r)
		}
	}()
	t := f.pack.table
	for !s.out.full() {
		records, err := t.next(f.scratch[:0])
		f.scratch = records[:0]
		if err != nil {
			return errors.Is(err, io.EOF), ignoreEOF(err)
		}
		for i := range records {
			f.place(&records[i])
		}
		if !f.repeated(records) {
			f.out.add(f.format, f.decoder.Note(), records)
		}
		if !time.Now().Before(deadline) {
			return false, nil
		}
	}
	return false, nil
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// place notes where a row of a table stands: its number is line and offset.
func (f *file) place(r *model.Record) {
	r.File = f.index
	if !f.any || r.Step > f.newest {
		f.newest, f.any = r.Step, true
	}
}

// next returns the next batch of rows, io.EOF after the last.
func (t *parquetTable) next(dst []model.Record) ([]model.Record, error) {
	if t.columns == nil {
		if len(t.groups) == 0 {
			return dst, io.EOF
		}
		chunks := t.groups[0].ColumnChunks()
		for _, l := range t.leaves {
			t.columns = append(t.columns, &columnReader{pages: chunks[l.index].Pages()})
		}
		t.groups = t.groups[1:]
	}
	n := 0
	for i, c := range t.columns {
		if err := c.fill(); err != nil {
			return dst, err
		}
		if i == 0 || len(c.values) < n {
			n = len(c.values)
		}
	}
	if n == 0 {
		for _, c := range t.columns {
			_ = c.pages.Close()
		}
		t.columns = nil
		return dst, nil
	}
	for i := range n {
		t.rows.begin()
		for k, c := range t.columns {
			t.rows.pick(t.leaves[k].key, c.values[i])
		}
		var err error
		if dst, err = t.rows.finish(dst); err != nil {
			t.row++
			continue
		}
		t.row++
		last := &dst[len(dst)-1]
		last.Line, last.Offset = t.row, t.row-1
	}
	for _, c := range t.columns {
		c.values = c.values[n:]
	}
	return dst, nil
}

// columnReader gives the values of a column one batch at a time.
type columnReader struct {
	pages  parquet.Pages
	page   parquet.ValueReader
	buffer []parquet.Value
	values []value
	ended  bool
}

// fill reads until there is a batch, or the row group has no more. Of a repeated
// column the first value of each row counts, and texts are put together.
func (c *columnReader) fill() error {
	if c.buffer == nil {
		c.buffer = make([]parquet.Value, tableBatch)
	}
	c.values = append([]value(nil), c.values...)
	for len(c.values) < tableBatch && !c.ended {
		if c.page == nil {
			page, err := c.pages.ReadPage()
			if errors.Is(err, io.EOF) {
				c.ended = true
				break
			}
			if err != nil {
				return err
			}
			c.page = page.Values()
		}
		n, err := c.page.ReadValues(c.buffer)
		for _, v := range c.buffer[:n] {
			c.add(v)
		}
		switch {
		case errors.Is(err, io.EOF), n == 0 && err == nil:
			c.page = nil
		case err != nil:
			return err
		}
	}
	return nil
}

func (c *columnReader) add(v parquet.Value) {
	if v.RepetitionLevel() == 0 || len(c.values) == 0 {
		c.values = append(c.values, columnValue(v))
		return
	}
	if last := &c.values[len(c.values)-1]; last.kind == text && v.Kind() == parquet.ByteArray {
		more := columnValue(v)
		last.raw = append(append(append([]byte(nil), last.raw...), "\\n"...), more.raw...)
	}
}

// columnValue is a cell as the decoders of rows know values.
func columnValue(v parquet.Value) value {
	switch {
	case v.IsNull():
		return value{kind: null}
	case v.Kind() == parquet.Boolean && v.Boolean():
		return value{kind: boolean, raw: []byte("true")}
	case v.Kind() == parquet.Boolean:
		return value{kind: boolean, raw: []byte("false")}
	case v.Kind() == parquet.Int32:
		return floatValue(float64(v.Int32()))
	case v.Kind() == parquet.Int64:
		return floatValue(float64(v.Int64()))
	case v.Kind() == parquet.Float:
		return floatValue(float64(v.Float()))
	case v.Kind() == parquet.Double:
		return floatValue(v.Double())
	}
	return textValue(append([]byte(nil), v.ByteArray()...))
}
