package loaders

import (
	"os"
	"sync"
	"time"

	"vantage/loaders/pages"
)

// maxAhead is how many tables are opened at a time.
const maxAhead = 128

// isTable reports whether a file is called like a Parquet file and has not been opened.
func isTable(f *file) bool {
	return f.disk != nil && f.disk.info == nil && f.pack == nil && kindOfName(f.name) == ".parquet"
}

// openAhead opens the Parquet files that are the next to be read side by side, and
// reads those that are small: TRL writes one a step, and of those opening is most of
// the work. What goes wrong is left to the file's turn.
func (s *Source) openAhead() {
	next := make(chan *file, maxAhead)
	for _, f := range s.queue {
		if len(next) == maxAhead || !isTable(f) || f.disk.root != s.queue[0].disk.root {
			break
		}
		next <- f
	}
	close(next)
	if len(next) < 2 || s.workers() < 2 {
		return
	}
	root, err := os.OpenRoot(s.queue[0].disk.root)
	if err != nil {
		return
	}
	defer func() { _ = root.Close() }()
	var wg sync.WaitGroup
	until := time.Now().Add(budget) // a slow server is not asked for all at once
	for range s.workers() {
		wg.Go(func() {
			m := &pages.Memory{}
			for f := range next {
				if time.Now().After(until) {
					break
				}
				f.pack = openEarly(f, root, s.workers(), m)
				if f.pack != nil && !f.pack.sheet.over() {
					m = &pages.Memory{} // what is left of the file needs the other
				}
				m.Reset()
			}
			m.Close()
		})
	}
	wg.Wait()
}

// openEarly opens a table before its turn, nil if that cannot be.
func openEarly(f *file, root *os.Root, workers int, m *pages.Memory) *pack {
	h, info, err := f.disk.openIn(root)
	if err != nil {
		return nil
	}
	p := &pack{handle: h, info: info, close: m.Close}
	if openTable(f, p, info.Size(), workers, m) != nil || p.sheet != nil && !p.sheet.readSmall() {
		_ = h.Close()
		f.format, f.decoder = nil, nil
		return nil
	}
	return p
}

// readSmall reads the first rows of a file that is in memory already.
func (s *sheet) readSmall() (ok bool) {
	defer func() { ok = ok && recover() == nil }()
	if !s.file.Small() {
		return true
	}
	b, err := s.next()
	s.ready = &b
	return err == nil
}

// over reports whether nothing is left to be read of a file.
func (s *sheet) over() bool { return s != nil && s.left == 0 && s.group == len(s.file.Groups) }
