package pages

import "github.com/klauspost/compress/zstd"

// Cells reads single cells of columns that are not [Nested]. Of each column chunk it keeps the
// dictionary and the page that was read last, which serve the neighbours of a cell. The file's
// index grows by the pages that it passes.
type Cells struct {
	f       *File
	maxSize int
	chunks  map[int]*openChunk // by row group and column
	size    int
	zstd    *zstd.Decoder
}

// openChunk is what is kept of a column of a row group.
type openChunk struct {
	reader   *Reader
	page     Page
	firstRow int64 // of the page, in the group
	buffer   Buffer
	numbers  []float64 // of the page
	valid    []int32   // parallel to numbers, as [Page.Numbers] has it
	texts    Texts     // of the page
	size     int
}

// NewCells reads cells of a file. Beyond maxSize bytes it keeps only the row group read last.
func NewCells(f *File, maxSize int) *Cells {
	return &Cells{f: f, maxSize: maxSize, chunks: map[int]*openChunk{}}
}

// Number returns a number, or a bool as 0 or 1; false for a null. The row counts within the group.
func (c *Cells) Number(group, column int, row int64) (x float64, ok bool, err error) {
	k, err := c.find(group, column, row)
	if err != nil {
		return 0, false, err
	}
	at := row - k.firstRow
	return k.numbers[at], k.valid == nil || k.valid[at] != 0, nil
}

// Text returns a text, false for a null. It is valid until the next call.
func (c *Cells) Text(group, column int, row int64) (text []byte, ok bool, err error) {
	k, err := c.find(group, column, row)
	if err != nil {
		return nil, false, err
	}
	text, ok = k.texts.At(int(row - k.firstRow))
	return text, ok, nil
}

// Size returns how many bytes c keeps.
func (c *Cells) Size() int { return c.size }

// Close stops the goroutines of the decompressor.
func (c *Cells) Close() {
	if c.zstd != nil {
		c.zstd.Close()
		c.zstd = nil
	}
}

func (c *Cells) find(group, column int, row int64) (*openChunk, error) {
	n := group*len(c.f.Columns) + column
	k := c.chunks[n]
	if k == nil {
		k = &openChunk{reader: c.f.Column(group, column)}
		k.reader.longLived = true
	}
	delete(c.chunks, n) // it is put back if all goes well
	c.size -= k.size
	if row < k.firstRow || row >= k.firstRow+int64(k.page.Rows) {
		k.buffer.zstd = c.zstd
		err := k.readPage(row)
		c.zstd, k.buffer.zstd = k.buffer.zstd, nil
		if err != nil {
			return nil, err
		}
	}
	if c.chunks[n], c.size = k, c.size+k.size; c.size <= c.maxSize {
		return k, nil
	}
	for n, k := range c.chunks {
		if n/len(c.f.Columns) != group {
			delete(c.chunks, n)
			c.size -= k.size
		}
	}
	return k, nil
}

func (k *openChunk) readPage(row int64) error {
	r := k.reader
	r.offset, r.rowsLeft = r.firstPage, r.rows
	first, err := r.SeekPage(row)
	if err != nil {
		return err
	}
	p, err := r.Next()
	for ; err == nil && row >= first+int64(p.Rows); p, err = r.Next() {
		first += int64(p.Rows)
	}
	switch {
	case err != nil:
	case !r.f.HasRoom(p.Rows):
		err = errManyValues
	case r.column.Kind == Text:
		k.texts, err = p.Texts(&k.buffer)
	default:
		k.numbers, k.valid, err = p.Numbers(&k.buffer)
	}
	k.page, k.firstRow = p, first
	b := &k.buffer
	k.size = cap(b.compressed) + cap(b.data) + 8*cap(k.numbers) + 4*cap(b.levels) + 4*cap(b.indexes) + 8*cap(b.spans) + r.size
	return err
}
