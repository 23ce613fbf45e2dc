package pages

import (
	"slices"
	"sort"
)

// Index is where the pages passed so far begin. With it a row is found without reading the
// headers before it.
type Index [][]pageStart // by row group and column

// pageStart is the first row of a page, in its group, and the offset of its header.
type pageStart struct{ row, offset int64 }

// Index returns the index so far. Reading does not change it.
func (f *File) Index() Index { return append(Index(nil), f.index...) }

// SetIndex gives f the index of an earlier reading of the same file. f does not change it.
func (f *File) SetIndex(i Index) {
	if len(i) != len(f.Groups)*len(f.Columns) {
		return
	}
	f.index = make(Index, len(i))
	for n, starts := range i {
		f.index[n] = slices.Clip(starts)
	}
}

// recordPageStart adds the page with the header at offset to the index.
func (r *Reader) recordPageStart(offset int64) {
	if _, inMemory := r.f.r.(memoryReader); inMemory {
		return
	}
	if r.f.index == nil {
		r.f.index = make(Index, len(r.f.Groups)*len(r.f.Columns))
	}
	starts := &r.f.index[r.chunk]
	row := r.rows - r.rowsLeft
	if n := len(*starts); n == 0 || (*starts)[n-1].row < row {
		*starts = append(*starts, pageStart{row, offset})
	}
}

// SeekPage moves to the page of a row, or to the last known page before it, and returns the
// first row of that page.
func (r *Reader) SeekPage(row int64) (first int64, err error) {
	if r.f.index == nil {
		return 0, nil
	}
	starts := r.f.index[r.chunk]
	i := sort.Search(len(starts), func(i int) bool { return starts[i].row > row }) - 1
	if i <= 0 {
		return 0, nil
	}
	if starts[0].offset > r.offset { // the dictionary comes before the first page
		if _, err := r.Next(); err != nil {
			return 0, err
		}
	}
	r.offset, r.rowsLeft = starts[i].offset, r.rows-starts[i].row
	return starts[i].row, nil
}
