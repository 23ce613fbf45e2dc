package parquet

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"sync"

	"vantage/loaders/decode"
	"vantage/loaders/fileio"
	"vantage/loaders/jsonscan"
	"vantage/loaders/parquet/pages"
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

// cachedFile is an open Parquet file.
type cachedFile struct {
	number int32
	info   os.FileInfo // of the file when it was opened
	handle *swapHandle
	memory *pages.Memory
	pages  *pages.File
	cells  *pages.Cells
	size   int
}

// swapHandle reads through the handle that is open now.
type swapHandle struct{ io.ReaderAt }

// DecodeRow decodes one row of a file, of which it reads as little as possible.
func (c *CellCache) DecodeRow(decoder *decode.RowDecoder, f TableFile, row int64) (err error) {
	defer caught(&err)
	t := c.remove(f)
	if t == nil {
		t = &cachedFile{number: f.Number, info: f.Info, handle: &swapHandle{f.Handle}, memory: &pages.Memory{}}
		if t.pages, err = pages.Open(t.handle, f.Info.Size(), t.memory); err != nil {
			return err
		}
		t.pages.SetIndex(f.Index)
		t.cells = pages.NewCells(t.pages, maxCachedBytes/2)
	}
	t.handle.ReaderAt = f.Handle
	if err := t.decodeRow(decoder, row); err != nil {
		t.close()
		return err
	}
	c.add(t)
	return nil
}

func (t *cachedFile) close() {
	t.cells.Close()
	t.memory.Close()
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
		t.close()
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.files = slices.Insert(c.files, 0, t)
	c.size += t.size
	for len(c.files) > maxCachedFiles || c.size > maxCachedBytes {
		last := c.files[len(c.files)-1]
		last.close()
		c.size -= last.size
		c.files = c.files[:len(c.files)-1]
	}
}

// decodeRow decodes a row of the file, if there is one of that number.
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
	switch kind := t.pages.Columns[column].Kind; kind {
	case pages.Nested:
		return jsonscan.Value{}, pages.ErrUnsupported
	case pages.Text:
		text, ok, err := t.cells.Text(group, column, row)
		if err != nil || !ok {
			return jsonscan.Value{Kind: jsonscan.Null}, err
		}
		return jsonscan.FromText(bytes.Clone(text)), nil
	default:
		x, ok, err := t.cells.Number(group, column, row)
		if err != nil || !ok {
			return jsonscan.Value{Kind: jsonscan.Null}, err
		}
		return valueOf(kind, x, nil), nil
	}
}

func (t *cachedFile) wholeCell(n *pages.Node, group int, row int64) (v jsonscan.Value, err error) {
	r := newFieldReader(t.pages, n)
	for i := range r.leaves {
		r.leaves[i].buffer = &pages.Buffer{}
		defer r.leaves[i].buffer.Close()
	}
	if err = r.open(group, row); err != nil {
		return v, err
	}
	ready, err := r.fill()
	if err == nil && ready == 0 {
		err = errTooFewRows
	}
	if err != nil {
		return v, err
	}
	return r.next(), nil
}
