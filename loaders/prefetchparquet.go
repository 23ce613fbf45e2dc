package loaders

import (
	"errors"
	"os"
	"sync"
	"time"

	"vantage/loaders/decode"
	"vantage/loaders/formats"
	"vantage/loaders/framing"
	"vantage/loaders/parquet"
	"vantage/loaders/parquet/pages"
	"vantage/model"
)

// maxPrefetched is how many Parquet files are opened at a time.
const maxPrefetched = 128

// isUnopenedTable reports whether a file has the name of a Parquet file and was never opened.
func isUnopenedTable(f *file) bool {
	return f.disk != nil && f.disk.Info == nil && f.packed == nil && framing.Extension(f.name) == ".parquet"
}

// prefetchTables opens the Parquet files that are next in the queue on all workers, and reads
// the small ones: TRL writes one per step, and opening them is most of the work. A file that
// fails is opened again, and reported, when it is its turn.
func (s *Source) prefetchTables() {
	next := make(chan *file, maxPrefetched)
	for _, f := range s.queue {
		if len(next) == maxPrefetched || !isUnopenedTable(f) || f.disk.Root != s.queue[0].disk.Root || f.disk.Storage != s.queue[0].disk.Storage {
			break
		}
		next <- f
	}
	close(next)
	if len(next) < 2 || s.workerCount() < 2 {
		return
	}
	var root *os.Root
	if first := s.queue[0].disk; first.Storage == nil {
		var err error
		if root, err = os.OpenRoot(first.Root); err != nil {
			return
		}
		defer func() { _ = root.Close() }()
	}
	for len(s.prefetchers) < s.workerCount() {
		s.prefetchers = append(s.prefetchers, &parquetPrefetcher{workers: s.workerCount(), memory: &pages.Memory{}})
	}
	var wg sync.WaitGroup
	until := time.Now().Add(budget) // a slow server must not hold up what has been read
	for _, p := range s.prefetchers {
		wg.Go(func() {
			p.root = root
			for f := range next {
				if time.Now().After(until) {
					break
				}
				p.prefetch(f)
			}
			p.memory.Close()
		})
	}
	wg.Wait()
}

// parquetPrefetcher opens Parquet files one after the other. The files of a run are alike, so
// the next one reuses the memory and the reader of the last.
type parquetPrefetcher struct {
	root    *os.Root // nil for files of a storage
	workers int
	memory  *pages.Memory
	format  *formats.Format
	reader  *parquet.Reader // of the last file, if that was read to its end
}

// prefetch opens a file, and leaves it unopened if anything is wrong with it.
func (o *parquetPrefetcher) prefetch(f *file) {
	h, info, err := f.disk.OpenIn(o.root)
	if err != nil {
		return
	}
	f.packed = &packedFile{handle: h, info: info}
	if !o.read(f) {
		_ = h.Close()
		f.format, f.decoder, f.packed = nil, nil, nil
		o.reader, o.memory = nil, &pages.Memory{}
	}
}

// read reads the footer of a file, and its rows if it is small.
func (o *parquetPrefetcher) read(f *file) (ok bool) {
	defer func() { ok = ok && recover() == nil }()
	p := f.packed
	table, err := pages.Open(p.handle, p.info.Size(), o.memory)
	switch {
	case err != nil:
		return false
	case o.reader.Fits(table):
		o.reader.Reset(f.name, table)
		f.format, p.reader = o.format, o.reader
	case openTable(f, p, table, o.workers) != nil:
		return false
	}
	if p.reader.ByColumns() && table.InMemory() {
		b, err := p.reader.NextBlock()
		if err != nil {
			return false
		}
		p.prefetched, p.responseHash = &b, p.reader.ResponseHash()
		if p.reader.AtEOF() {
			o.format, o.reader = f.format, p.reader
			f.decoder, p.reader = finishedDecoder(o.reader.Decoder.Note()), nil
			o.memory.Reset()
			return true
		}
		f.decoder = p.reader.Decoder
	}
	p.releaseMemory = o.memory.Close // the rest of the file needs it
	o.reader, o.memory = nil, &pages.Memory{}
	return true
}

// finishedDecoder is the decoder of a file that has been read.
type finishedDecoder decode.Note

// Decode implements [Decoder].
func (finishedDecoder) Decode(dst []model.Record, _ []byte) ([]model.Record, error) {
	return dst, errors.ErrUnsupported
}

// Note implements [Decoder].
func (d finishedDecoder) Note() decode.Note { return decode.Note(d) }
