package pages

import (
	"slices"
	"sort"
)

// Index says where pages begin, as far as they have been passed: with it a row is
// found without passing the pages before it once more.
type Index [][]start // by group and column

// start is where a page stands, and its first row in the group.
type start struct{ row, at int64 }

// Index returns what has been passed so far. It may be used while reading goes on.
func (f *File) Index() Index { return append(Index(nil), f.index...) }

// Use lets readers look pages up in an index that was made of the same file. What they pass
// is added to a copy.
func (f *File) Use(i Index) {
	if len(i) != len(f.Groups)*len(f.Columns) {
		return
	}
	f.index = make(Index, len(i))
	for n, starts := range i {
		f.index[n] = slices.Clip(starts)
	}
}

// note remembers where the page begins whose header comes next.
func (r *Reader) note(at int64) {
	if _, small := r.f.r.(memoryReader); small {
		return
	}
	if r.f.index == nil {
		r.f.index = make(Index, len(r.f.Groups)*len(r.f.Columns))
	}
	starts := &r.f.index[r.slot]
	row := r.rows - r.left
	if n := len(*starts); n == 0 || (*starts)[n-1].row < row {
		*starts = append(*starts, start{row, at})
	}
}

// Find goes to the page that holds a row of the group, or as near before it as is
// known, and returns the page's first row.
func (r *Reader) Find(row int64) (first int64, err error) {
	if r.f.index == nil {
		return 0, nil
	}
	starts := r.f.index[r.slot]
	i := sort.Search(len(starts), func(i int) bool { return starts[i].row > row }) - 1
	if i <= 0 {
		return 0, nil
	}
	if starts[0].at > r.at { // the dictionary stands before the first page
		if _, err := r.Next(); err != nil {
			return 0, err
		}
	}
	r.at, r.left = starts[i].at, r.rows-starts[i].row
	return starts[i].row, nil
}
