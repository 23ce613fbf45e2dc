package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"vantage/loaders/decode"
	"vantage/loaders/fileio"
	"vantage/loaders/jsonscan"
	"vantage/loaders/parquet/pages"
	"vantage/model"
	"vantage/model/fault"
)

// CellCache keeps the Parquet files from which rows were decoded last open but for their
// handles: footers, dictionaries, and the pages of the last rows. It may be used concurrently.
type CellCache struct {
	mu    sync.Mutex
	files []*cachedFile // the newest first
	size  int           // of all, in bytes
}

// The bounds of the cache.
const (
	maxCachedFiles = 8
	maxCachedBytes = 64 << 20
)

// TableFile is a Parquet file to decode a row of.
type TableFile struct {
	Number int32 // identifies the file
	Handle io.ReaderAt
	Info   os.FileInfo
	Index  pages.Index // of its pages, as far as known
}

type cachedFile struct {
	number int32
	info   os.FileInfo // of the file when it was opened
	handle *swapHandle
	pages  *pages.File
	cells  *pages.Cells
	size   int
}

// swapHandle reads through the handle that is open now.
type swapHandle struct{ io.ReaderAt }

// DecodeRow decodes one row of a file, of which it reads as little as possible.
func (c *CellCache) DecodeRow(decoder *decode.RowDecoder, f TableFile, row int64) (err error) {
	defer fault.Catch(broken(&err))
	t := c.remove(f)
	if t == nil {
		t = &cachedFile{number: f.Number, info: f.Info, handle: &swapHandle{f.Handle}}
		if t.pages, err = pages.Open(t.handle, f.Info.Size(), nil); err != nil {
			return err
		}
		t.pages.SetIndex(f.Index)
		t.cells = pages.NewCells(t.pages, maxCachedBytes/2)
	}
	t.handle.ReaderAt = f.Handle
	if err := t.decodeRow(decoder, row); err != nil {
		return err
	}
	c.add(t)
	return nil
}

// remove takes a file out of the cache, nil if it is not there or has changed.
func (c *CellCache) remove(f TableFile) *cachedFile {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.files, func(t *cachedFile) bool { return t.number == f.Number && fileio.Unchanged(t.info, f.Info) })
	if i < 0 {
		return nil
	}
	t := c.files[i]
	c.files = slices.Delete(c.files, i, i+1)
	c.size -= t.size
	return t
}

// add puts a file into the cache, and evicts the oldest beyond its bounds.
func (c *CellCache) add(t *cachedFile) {
	t.handle.ReaderAt = nil
	if t.size = t.cells.Size() + pages.MaxInMemory; t.size > maxCachedBytes {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.files = slices.Insert(c.files, 0, t)
	c.size += t.size
	for len(c.files) > maxCachedFiles || c.size > maxCachedBytes {
		last := len(c.files) - 1
		c.size -= c.files[last].size
		c.files = c.files[:last]
	}
}

func (t *cachedFile) decodeRow(decoder *decode.RowDecoder, row int64) error {
	group := 0
	for ; group < len(t.pages.Groups) && row >= t.pages.Groups[group].Rows; group++ {
		row -= t.pages.Groups[group].Rows
	}
	if group == len(t.pages.Groups) {
		return nil
	}
	cells := newCellDecoder(decoder)
	cells.begin()
	for i := range t.pages.Fields {
		n := &t.pages.Fields[i]
		v, err := t.flatCell(group, n.First, row)
		if errors.Is(err, pages.ErrUnsupported) {
			v, err = t.wholeCell(n, group, row)
		}
		if err != nil {
			return err
		}
		cells.add(nameValue(n.Name), v)
	}
	_, err := cells.finish(nil)
	return err
}

// flatCell reads a cell of a column with one value in each row, of which no more than a page is decompressed.
func (t *cachedFile) flatCell(group, column int, row int64) (jsonscan.Value, error) {
	kind := t.pages.Columns[column].Kind
	if kind == pages.Nested {
		return jsonscan.Value{}, pages.ErrUnsupported
	}
	x, text, ok, err := t.cells.Cell(group, column, row)
	if err != nil || !ok {
		return jsonscan.Value{Kind: jsonscan.Null}, err
	}
	return valueOf(kind, x, bytes.Clone(text)), nil
}

func (t *cachedFile) wholeCell(n *pages.Node, group int, row int64) (v jsonscan.Value, err error) {
	r := newFieldReader(t.pages, n)
	if err = r.open(group, row); err != nil {
		return v, err
	}
	return r.next()
}

// rowBatch is how many rows are decoded at a time.
const rowBatch = 1024

// rowReader reads a Parquet file row by row, in batches: files with nested columns, and rows whose columns change their meaning.
type rowReader struct {
	cells   *cellDecoder
	table   *pages.File
	columns []rowColumn // those that can play a role
	group   int         // number of the next one
	row     int64       // number of the next row
	left    int64       // rows left of the open group
	skip    int64       // rows to skip: the column reader has read them
	err     error       // after the rows that were returned last

	problems []model.Problem // rows of several samples that could not be read
}

type rowColumn struct {
	*fieldReader
	key jsonscan.Value
}

// newRowReader reads a Parquet file from row first on. A column that is not flat is read whole, as JSON, or else the
// parts of it that play a role of their own and have one value in each row.
func newRowReader(decoder *decode.RowDecoder, table *pages.File, first int64) *rowReader {
	r := &rowReader{cells: newCellDecoder(decoder), table: table, row: first, skip: first}
	var add func(n *pages.Node)
	add = func(n *pages.Node) {
		if len(n.Children) == 0 && n.Repetition == 0 && decoder.Fields.Uses(table.Columns[n.First].Name) {
			r.columns = append(r.columns, rowColumn{newFieldReader(table, n), nameValue(table.Columns[n.First].Name)})
		}
		for i := range n.Children {
			add(&n.Children[i])
		}
	}
	for i := range table.Fields {
		if n := &table.Fields[i]; !n.IsFlat() && decoder.Fields.UsesNested(n.Name) {
			r.columns = append(r.columns, rowColumn{newFieldReader(table, n), nameValue(n.Name)})
		} else {
			add(n)
		}
	}
	return r
}

func nameValue(name string) jsonscan.Value {
	return jsonscan.Value{Kind: jsonscan.String, Raw: []byte(name)}
}

// next appends the samples of the next batch of rows, io.EOF after the last. Their place is
// the number of the row.
func (r *rowReader) next(dst []model.Record) ([]model.Record, error) {
	switch {
	case r.err != nil:
		return dst, r.err
	case r.left > 0:
	case r.group == len(r.table.Groups):
		return dst, io.EOF
	default:
		return dst, r.openGroup()
	}
	for range min(r.left, rowBatch) {
		r.cells.begin()
		for _, c := range r.columns {
			var v jsonscan.Value
			if v, r.err = c.next(); r.err != nil {
				return dst, nil
			}
			r.cells.add(c.key, v)
		}
		r.row, r.left = r.row+1, r.left-1
		before := len(dst)
		var err error
		if dst, err = r.cells.finish(dst); err != nil && (r.cells.Layout != nil || errors.Is(err, decode.ErrNoGroup) ||
			errors.Is(err, decode.ErrNoStep)) {
			r.problems = append(r.problems, model.Problem{Line: r.row, Reason: err.Error()})
		}
		for i := before; i < len(dst); i++ {
			dst[i].Line, dst[i].Offset, dst[i].IndexInLine = r.row, r.row-1, int32(i-before)
		}
	}
	return dst, nil
}

// openGroup opens the columns of the next row group, unless all of its rows are skipped.
func (r *rowReader) openGroup() error {
	rows := r.table.Groups[r.group].Rows
	r.group++
	if r.skip >= rows {
		r.skip -= rows
		return nil
	}
	for _, c := range r.columns {
		if err := c.open(r.group-1, r.skip); err != nil {
			return err
		}
	}
	if len(r.columns) > 0 {
		r.left = rows - r.skip
	}
	r.skip = 0
	return nil
}

var errTooFewRows = fmt.Errorf("%w: a column has fewer rows than its group", pages.ErrBroken)

// cellDecoder decodes the cells of a row: as its fields, or, where it may hold several samples, as the JSON object that they
// make, which is what a [decode.Layout] reads. Its memory is reused.
type cellDecoder struct {
	*decode.RowDecoder
	add    func(name, v jsonscan.Value) // a cell
	record []byte
}

func newCellDecoder(decoder *decode.RowDecoder) *cellDecoder {
	d := &cellDecoder{RowDecoder: decoder, add: decoder.Pick}
	if d.Layout != nil {
		d.add = d.addJSON
	}
	return d
}

func (d *cellDecoder) begin() {
	d.record = append(d.record[:0], '{')
	if d.Layout == nil {
		d.BeginRow()
	}
}

func (d *cellDecoder) addJSON(name, v jsonscan.Value) {
	d.record = append(jsonscan.AppendText(d.record, name.Raw), ':')
	d.record = append(appendJSON(d.record, v), ',')
}

func (d *cellDecoder) finish(dst []model.Record) ([]model.Record, error) {
	if d.Layout == nil {
		before := len(dst)
		dst, err := d.FinishRow(dst)
		if err == nil {
			err = d.Require(dst[before:])
		}
		if err != nil {
			dst = dst[:before]
		}
		return dst, err
	}
	d.record = jsonscan.AppendEnd(d.record, '}')
	return d.Decode(dst, d.record)
}
