package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"vantage/loaders/parquet/pages"
)

var (
	errOutside = fmt.Errorf("%w: by the footer a column lies outside the file", pages.ErrBroken)
	errHeader  = fmt.Errorf("%w: by its header a page is larger than its column", pages.ErrBroken)
	errCounts  = fmt.Errorf("%w: by its header a page has more values than it has room for", pages.ErrBroken)
	errLevels  = fmt.Errorf("%w: repetition or definition levels longer than their page", pages.ErrBroken)
)

// checker reads column chunks before parquet-go does, which trusts their sizes: it allocates what
// a header or a run says, up to gigabytes, and does not return from broken LZ4 and from wrong
// counts of nulls. It takes footer and headers as parquet-go decodes them, so that both see the
// same pages.
type checker struct {
	file   *parquet.File
	handle io.ReaderAt
	levels []maxLevels // by column
	done   map[[2]int]bool

	buffer pages.Buffer
	page   []byte
}

type maxLevels struct{ repetition, definition int }

func newChecker(f *parquet.File, h io.ReaderAt) *checker {
	c := &checker{file: f, handle: h, done: map[[2]int]bool{}}
	c.addLevels(f.Root(), maxLevels{})
	return c
}

// addLevels adds the levels of the columns at and beneath a node.
func (c *checker) addLevels(node *parquet.Column, l maxLevels) {
	if node.Leaf() {
		c.levels = append(c.levels, l)
	}
	for _, child := range node.Columns() {
		below := l
		if child.Repeated() {
			below.repetition++
		}
		if child.Repeated() || child.Optional() {
			below.definition++
		}
		c.addLevels(child, below)
	}
}

// chunk checks a column chunk, once. What does no harm is left to parquet-go.
func (c *checker) chunk(group, column int) error {
	if c.done[[2]int{group, column}] {
		return nil
	}
	meta := &c.file.Metadata().RowGroups[group].Columns[column].MetaData
	offset := meta.DataPageOffset
	if meta.DictionaryPageOffset != 0 {
		offset = meta.DictionaryPageOffset
	}
	end := offset + meta.TotalCompressedSize
	if offset < 0 || end < offset || end > c.file.Size() {
		return errOutside
	}
	reachesData := offset == end
	for offset < end {
		reachesData = reachesData || offset == meta.DataPageOffset
		h, size, err := c.header(offset, end)
		if err != nil {
			return err
		}
		data, err := c.read(offset+size, int64(h.CompressedPageSize))
		if err != nil {
			return err
		}
		if err := c.checkPage(h, data, int(meta.Codec), c.levels[column]); err != nil {
			return err
		}
		offset += size + int64(h.CompressedPageSize)
	}
	if !reachesData {
		return errOutside
	}
	c.done[[2]int{group, column}] = true
	return nil
}

// read returns n bytes of the file, valid until the next call.
func (c *checker) read(offset, n int64) ([]byte, error) {
	if int64(cap(c.page)) < n {
		c.page = make([]byte, n)
	}
	data := c.page[:n]
	if _, err := c.handle.ReadAt(data, offset); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return data, nil
}

// header returns the header of a page as parquet-go decodes it, and its size.
func (c *checker) header(offset, end int64) (h *format.PageHeader, size int64, err error) {
	for room := int64(256); ; room *= 8 {
		room = min(room, end-offset)
		data, err := c.read(offset, room)
		if err != nil {
			return nil, 0, err
		}
		n, ok := pages.HeaderSize(data)
		if !ok && room < end-offset {
			continue
		}
		h = &format.PageHeader{}
		r := bytes.NewReader(data[:n])
		if !ok {
			return nil, 0, errHeader
		}
		decoder := thrift.NewDecoder(new(thrift.CompactProtocol).NewReader(r))
		decoder.SetStrict(true) // it loses its place in fields of other kinds
		if err := decoder.Decode(h); err != nil {
			return nil, 0, err
		}
		size = int64(n)
		if r.Len() > 0 || h.CompressedPageSize < 0 || h.UncompressedPageSize < 0 || int64(h.CompressedPageSize) > end-offset-size {
			return nil, 0, errHeader
		}
		return h, size, nil
	}
}

// pageBody is what follows a page header, or the levels of a V2 page, and what the header says of
// it.
type pageBody struct {
	page       format.PageType
	encoding   format.Encoding
	values     int
	compressed bool
	size       int // decompressed
	data       []byte
}

// checkPage decompresses a page, and compares the counts in it with those of its header.
func (c *checker) checkPage(h *format.PageHeader, data []byte, codec int, most maxLevels) error {
	p, err := bodyOf(h, data, most)
	if err != nil {
		return err
	}
	if p.values < 0 || int64(p.values) > max(1<<20, 16*c.file.Size()) {
		return errCounts
	}
	if p.compressed && len(p.data) > 0 {
		p.data, err = c.buffer.Decompress(codec, p.data, p.size)
	}
	if err == nil && p.page == format.DataPage {
		p.data, err = cutLevels(p.data, p.values, most)
	}
	switch {
	case errors.Is(err, pages.ErrUnsupported):
		return nil // parquet-go refuses it too
	case err == nil && !p.countsFit(max(freeTexts, 64*c.file.Size())):
		return errCounts
	}
	return err
}

// bodyOf checks the levels of a V2 page. It returns no body where parquet-go refuses the page.
func bodyOf(h *format.PageHeader, data []byte, most maxLevels) (pageBody, error) {
	p := pageBody{page: h.Type, compressed: true, size: int(h.UncompressedPageSize), data: data}
	switch {
	case h.Type == format.DataPage && h.DataPageHeader != nil:
		p.values, p.encoding = int(h.DataPageHeader.NumValues), h.DataPageHeader.Encoding
	case h.Type == format.DictionaryPage && h.DictionaryPageHeader != nil:
		p.values = int(h.DictionaryPageHeader.NumValues)
	case h.Type == format.DataPageV2 && h.DataPageHeaderV2 != nil:
		v2 := h.DataPageHeaderV2
		levels, err := checkLevelsV2(v2, data, most)
		if err != nil {
			return pageBody{}, err
		}
		p.values, p.encoding, p.compressed = int(v2.NumValues), v2.Encoding, v2.IsCompressed == nil || *v2.IsCompressed
		p.data, p.size = data[levels:], p.size-levels
	default:
		return pageBody{page: -1}, nil
	}
	return p, nil
}
