package loaders

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"

	"vantage/loaders/pages"
	"vantage/model"
)

// errTable says that a Parquet file holds no samples.
var errTable = errors.New("not read")

// tableBatch is how many rows are brought together at a time.
const tableBatch = 1024

// parquetTable reads the columns of a Parquet file that mean something, side by
// side, in batches.
type parquetTable struct {
	rows    *RowDecoder
	groups  []parquet.RowGroup
	leaves  []leaf
	row     int64 // rows so far
	skip    int64 // rows of those that are left, which have been read otherwise
	columns []*columnReader
}

// leaf is a column that is read.
type leaf struct {
	index int
	key   Value
}

// openParquet opens a Parquet file, whose footer says what it holds: one that is not
// there yet is io.ErrUnexpectedEOF.
func (s *Source) openParquet(f *file, p *pack, size int64) error {
	m := &pages.Memory{}
	p.close = m.Close
	table, err := pages.Open(p.handle, size, m)
	if err != nil {
		return err
	}
	return openTable(f, p, table, size, s.workers())
}

// openTable finds out what the columns of a Parquet file mean.
func openTable(f *file, p *pack, file *pages.File, size int64, workers int) error {
	names := make([]string, len(file.Columns))
	for i, c := range file.Columns {
		names[i] = c.Name
	}
	format := detect(f.formats, f.name, Framing{Table: true}, []byte(strings.Join(names, "\n")))
	if format == nil {
		return fmt.Errorf("%w: no column holds a reward under a usual name; its columns are %s; --reward NAME names the one that is", errTable, strings.Join(names[:min(len(names), maxKeys)], ", "))
	}
	f.format, f.decoder = format, format.Decode(f.name)
	r, ok := f.decoder.(*RowDecoder)
	if !ok {
		return errTable
	}
	if p.sheet = newSheet(r, file, workers); p.sheet != nil {
		return nil
	}
	var err error
	p.table, err = newParquetTable(r, p.handle, size, 0)
	return err
}

// newParquetTable reads a Parquet file from a row on.
func newParquetTable(r *RowDecoder, h io.ReaderAt, size, from int64) (*parquetTable, error) {
	file, err := openParquet(h, size)
	if err != nil {
		return nil, err
	}
	t := &parquetTable{rows: r, groups: file.RowGroups(), row: from, skip: from}
	for i, path := range file.Schema().Columns() {
		if name := strings.Join(path, "."); r.Wants(name) {
			t.leaves = append(t.leaves, leaf{i, Value{Kind: String, Raw: []byte(name)}})
		}
	}
	return t, nil
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

// Wants reports whether a column can play a role.
func (r *RowDecoder) Wants(name string) bool {
	if p, ok := r.Fields.Lookup([]byte(name)); ok {
		return p.Role != RoleTokens
	}
	return r.Components.Wants(name) && (!r.Components.AcceptAll || IsComponent(name) || !strings.Contains(name, "."))
}

// readTable decodes batches of rows until the deadline.
func (s *Source) readTable(f *file, deadline time.Time) (end bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("a page is broken: %v", r)
		}
	}()
	for !s.out.full() {
		if f.pack.table == nil {
			err := s.readSheet(f)
			if err != nil || !time.Now().Before(deadline) {
				return errors.Is(err, io.EOF), ignoreEOF(err)
			}
			continue
		}
		records, err := f.pack.table.next(f.scratch[:0])
		f.scratch = records[:0]
		if err != nil {
			return errors.Is(err, io.EOF), ignoreEOF(err)
		}
		for i := range records {
			f.place(&records[i])
		}
		if !f.format.MayRepeatRows || !f.repeated(relogOf(records)) {
			f.out.add(f.format, f.decoder.Note(), records)
		}
		if !time.Now().Before(deadline) {
			return false, nil
		}
	}
	return false, nil
}

// readSheet reads one block of columns. What is odd is read row by row from there on.
func (s *Source) readSheet(f *file) error {
	p := f.pack
	b, err := p.next()
	if errors.Is(err, errOdd) || errors.Is(err, pages.ErrUnsupported) {
		p.table, err = newParquetTable(p.sheet.rows, p.handle, f.disk.Size, p.sheet.row)
		p.sheet = nil
		return err
	}
	if err != nil {
		return err
	}
	b.File = f.index
	for _, step := range b.Step {
		f.reached(step)
	}
	if !f.format.MayRepeatRows || !f.repeated(relogOfBlock(&b)) {
		f.out.addBlock(f.format, f.decoder.Note(), b)
	}
	return nil
}

// next returns the next block of columns, which may have been read ahead.
func (p *pack) next() (model.Block, error) {
	switch {
	case p.ready != nil:
		b := *p.ready
		p.ready = nil
		return b, nil
	case p.sheet == nil:
		return model.Block{}, io.EOF
	}
	return p.sheet.next()
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
	f.reached(r.Step)
}

// next returns the next batch of rows, io.EOF after the last.
func (t *parquetTable) next(dst []model.Record) ([]model.Record, error) {
	if t.columns == nil {
		if len(t.groups) == 0 {
			return dst, io.EOF
		}
		if err := t.begin(); err != nil || t.columns == nil {
			return dst, err
		}
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
		t.rows.BeginRow()
		for k, c := range t.columns {
			t.rows.Pick(t.leaves[k].key, c.values[i])
		}
		var err error
		if dst, err = t.rows.FinishRow(dst); err != nil {
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

// begin opens the columns of the next group of rows, unless all of it has been read.
func (t *parquetTable) begin() error {
	group := t.groups[0]
	t.groups = t.groups[1:]
	if t.skip >= group.NumRows() {
		t.skip -= group.NumRows()
		return nil
	}
	chunks := group.ColumnChunks()
	for _, l := range t.leaves {
		c := &columnReader{pages: chunks[l.index].Pages()}
		if t.skip > 0 {
			if err := c.pages.SeekToRow(t.skip); err != nil {
				return err
			}
		}
		t.columns = append(t.columns, c)
	}
	t.skip = 0
	return nil
}

// columnReader gives the values of a column one batch at a time.
type columnReader struct {
	pages  parquet.Pages
	page   parquet.ValueReader
	buffer []parquet.Value
	values []Value
	ended  bool
}

// fill reads until there is a batch, or the row group has no more. Of a repeated
// column the first value of each row counts, and texts are put together.
func (c *columnReader) fill() error {
	if c.buffer == nil {
		c.buffer = make([]parquet.Value, tableBatch)
	}
	c.values = append([]Value(nil), c.values...)
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
	if last := &c.values[len(c.values)-1]; last.Kind == String && v.Kind() == parquet.ByteArray {
		more := columnValue(v)
		last.Raw = append(append(append([]byte(nil), last.Raw...), "\\n"...), more.Raw...)
	}
}

// columnValue is a cell as the decoders of rows know values.
func columnValue(v parquet.Value) Value {
	switch {
	case v.IsNull():
		return Value{Kind: Null}
	case v.Kind() == parquet.Boolean:
		return truthValue(v.Boolean())
	case v.Kind() == parquet.Int32:
		return FromFloat(float64(v.Int32()))
	case v.Kind() == parquet.Int64:
		return FromFloat(float64(v.Int64()))
	case v.Kind() == parquet.Float:
		return FromFloat(float64(v.Float()))
	case v.Kind() == parquet.Double:
		return FromFloat(v.Double())
	}
	return TextValue(append([]byte(nil), v.ByteArray()...))
}

func truthValue(yes bool) Value {
	return Value{Kind: Bool, Raw: strconv.AppendBool(nil, yes)}
}
