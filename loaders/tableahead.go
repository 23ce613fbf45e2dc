package loaders

import "sync"

// maxAhead is how many tables are opened at a time.
const maxAhead = 64

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
		if len(next) == maxAhead || !isTable(f) {
			break
		}
		next <- f
	}
	close(next)
	if len(next) < 2 || s.workers() < 2 {
		return
	}
	var wg sync.WaitGroup
	for range s.workers() {
		wg.Go(func() {
			for f := range next {
				f.pack = openEarly(f, s.workers())
			}
		})
	}
	wg.Wait()
}

// openEarly opens a table before its turn, nil if that cannot be.
func openEarly(f *file, workers int) *pack {
	h, info, err := f.disk.open()
	if err != nil {
		return nil
	}
	p := &pack{handle: h, info: info, close: func() {}}
	if openTable(f, p, info.Size(), workers) != nil || p.sheet != nil && !p.sheet.readSmall() {
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
