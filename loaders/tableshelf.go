package loaders

import (
	"os"
	"slices"
	"sync"

	"github.com/parquet-go/parquet-go"

	"vantage/loaders/fileio"
	"vantage/loaders/pages"
)

// tables are the Parquet files of which cells were read last, as far as that has been
// opened, unpacked and found: footers, dictionaries, and the pages where the last cells stand.
type tables struct {
	mu   sync.Mutex
	all  []*opened // the newest first
	size int
}

// What tables are kept at most, in number and in bytes.
const (
	maxTables     = 8
	maxTablesSize = 64 << 20
)

// opened is an open Parquet file, but for its handle.
type opened struct {
	file   int32
	info   os.FileInfo // of the file as it was
	handle *seat
	memory *pages.Memory
	pages  *pages.File
	cells  *pages.Cells
	long   *parquet.File // for columns that are not flat
	size   int
}

// seat is where the handle is put by which a file is read now.
type seat struct{ Handle }

// open opens a table.
func (v volume) openTable(h Handle, info os.FileInfo) (*opened, error) {
	t := &opened{file: v.number, info: info, handle: &seat{h}, memory: &pages.Memory{}}
	var err error
	if t.pages, err = pages.Open(t.handle, info.Size(), t.memory); err != nil {
		return nil, err
	}
	t.pages.Use(v.index)
	t.cells = pages.NewCells(t.pages, maxTablesSize/2)
	return t, nil
}

func (t *opened) close() {
	t.cells.Close()
	t.memory.Close()
}

// borrow takes a table off the shelf, nil if it is not there as the file is now.
func (s *tables) borrow(file int32, info os.FileInfo) *opened {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.all, func(t *opened) bool { return t.file == file && fileio.Unchanged(t.info, info) })
	if i < 0 {
		return nil
	}
	t := s.all[i]
	s.all = slices.Delete(s.all, i, i+1)
	s.size -= t.size
	return t
}

// giveBack puts a table on the shelf, and takes those off that there is no room for.
func (s *tables) giveBack(t *opened) {
	t.handle.Handle = nil
	if t.size = t.cells.Size() + pages.Small; t.size > maxTablesSize {
		t.close()
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = slices.Insert(s.all, 0, t)
	s.size += t.size
	for len(s.all) > maxTables || s.size > maxTablesSize {
		last := s.all[len(s.all)-1]
		last.close()
		s.size -= last.size
		s.all = s.all[:len(s.all)-1]
	}
}
