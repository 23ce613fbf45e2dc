package loaders

import (
	"bytes"
	"errors"
	"io"
	"os"
	"time"

	"vantage/loaders/compressed"
	"vantage/loaders/fileio"
	"vantage/loaders/parquet"
	"vantage/loaders/parquet/pages"
	"vantage/model"
)

// packedFile is a compressed file or a Parquet file. It is read from its start to its end with
// one handle, and from its start again when it changes.
type packedFile struct {
	handle fileio.Handle
	info   os.FileInfo // of a file that was prefetched, until it is read
	unread []byte      // text not yet decoded

	decompressor *compressed.Decompressor // of a compressed file
	prefetched   *model.Block             // the first rows of a Parquet file
	responseHash uint64                   // of prefetched
	reader       *parquet.Reader          // of a Parquet file; nil once all is prefetched
	index        pages.Index              // of a Parquet file that has been read
	done         bool
	unreadable   string // why the file cannot be read, until that is noted
}

func (p *packedFile) close() {
	if !p.done {
		p.done = true
		if p.reader != nil {
			p.index = p.reader.Index()
		}
		if p.decompressor != nil {
			p.decompressor.Stop()
		}
		_ = p.handle.Close()
		p.unread, p.prefetched, p.reader = nil, nil, nil
	}
}

// readPacked reads on in a packed file until the deadline. It reports whether it is done with
// it.
func (r *reading) readPacked(f *file, deadline time.Time) bool {
	if f.packed == nil {
		if done := r.openPacked(f); done {
			return true
		}
	}
	var end bool
	var err error
	if f.packed.decompressor == nil {
		end, err = r.readTable(f, deadline)
	} else {
		end, err = r.readText(f, deadline)
	}
	switch {
	case err != nil && isTransient(err):
		r.restart(f)
		return r.readFailed(f, err)
	case err != nil:
		f.noteFile(unreadableReason(err))
	case !end:
		return false
	}
	if r.recovered(f) {
		return false
	}
	r.advance(f, f.disk.Size-f.disk.Pos)
	r.keepFingerprint(f, f.packed.handle)
	isTable := f.packed.decompressor == nil
	f.packed.close()
	if end {
		r.atEnd(f)
	}
	if isTable && f.decoder != nil { // it is read from its start if it changes; its decoder holds much
		f.decoder, f.scratch = finishedDecoder(f.decoder.Note()), nil
	}
	return true
}

// openPacked opens a packed file. It reports whether it is done with it: the file cannot be
// read, or not yet.
func (r *reading) openPacked(f *file) (done bool) {
	h, info, err := f.disk.Open()
	if err != nil {
		return r.readFailed(f, err)
	}
	r.noteStat(f, info)
	p, err := r.openPacking(f, h, info.Size())
	if err != nil && isTransient(err) {
		_ = h.Close()
		return r.readFailed(f, err)
	}
	if err != nil {
		r.advance(f, info.Size()-f.disk.Pos)
		r.keepFingerprint(f, h)
		_ = h.Close()
		f.packed = &packedFile{done: true, unreadable: unreadableReason(err)}
		if !r.options.Follow {
			f.noteUnreadable()
		}
		r.schedule.activate(f)
		return true
	}
	f.packed = p
	return false
}

func (r *reading) openPacking(f *file, h fileio.Handle, size int64) (*packedFile, error) {
	packing, err := compressed.Detect(h)
	if err != nil {
		return nil, err
	}
	if packing == compressed.Parquet {
		p := &packedFile{handle: h}
		return p, openParquet(f, p, size, r.workerCount())
	}
	table, err := tableIn(packing, h)
	if err != nil {
		return nil, err
	}
	if table == nil {
		d, err := compressed.Decompress(packing, h)
		return &packedFile{handle: h, decompressor: d}, err
	}
	m, err := fileio.ReadAll(table)
	if err != nil {
		return nil, err
	}
	p, err := f.openHeld(m)
	if err == nil {
		_ = h.Close()
	}
	return p, err
}

// noteUnreadable notes, once, why a packed file cannot be read.
func (f *file) noteUnreadable() {
	if f.packed != nil && f.packed.unreadable != "" {
		f.noteFile(f.packed.unreadable)
		f.packed.unreadable = ""
	}
}

// keepFingerprint takes the fingerprint that shows when a followed file has been rewritten.
func (r *reading) keepFingerprint(f *file, h io.ReaderAt) {
	if r.options.Follow {
		f.disk.Remember(h)
	}
}

func unreadableReason(err error) string {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "it ends early: it is still being written, or was cut off; try again when it is complete, or copy it again"
	case errors.Is(err, compressed.ErrBomb), errors.Is(err, compressed.ErrWindow),
		errors.Is(err, fileio.ErrNotRead), errors.Is(err, pages.ErrUnsupported):
		return err.Error()
	case errors.Is(err, pages.ErrBroken):
		return err.Error() + "; copy it again, or leave it out if the run was stopped while it was written"
	}
	return "it cannot be unpacked: " + err.Error() + "; copy it again: everything before that place has been read"
}

// decodeWholeLines decodes the whole lines of the unread text with a worker. It leaves text
// from which the worker learned something new to be read line by line, as
// [reading.readParallel] does.
func (r *reading) decodeWholeLines(f *file) {
	p := f.packed
	lead, size := f.parallelDecoder(), bytes.LastIndexByte(p.unread, '\n')+1
	if lead == nil || f.splitter.Framing.Quoted || size == 0 || r.options.serial || r.chunks.full() {
		return
	}
	if f.appender == nil || !lead.SameNote(f.appender.decoder.Note()) {
		f.appender = newWorker(lead)
	}
	w := strideTask{from: f.splitter.Offset, block: r.buffers.blocks.get()}
	first := bytes.IndexByte(p.unread, '\n') + 1
	f.appender.beginBlock(&w)
	f.appender.decodeText(&w, append(f.splitter.Partial, p.unread[:first]...))
	f.appender.decodeText(&w, p.unread[first:size])
	f.appender.endBlock(&w)
	if lead.SameNote(w.note) {
		r.merge(f, &w)
		f.splitter.Partial, p.unread = nil, p.unread[size:]
	}
}

func (w *worker) decodeText(task *strideTask, text []byte) {
	w.buf, task.size = text, len(text)
	w.decodeLines(nil, task, 0)
	w.buf, task.from = nil, task.end
}

func (r *reading) readText(f *file, deadline time.Time) (end bool, err error) {
	p := f.packed
	for !r.chunks.full() {
		if f.refused {
			return true, nil
		}
		if len(p.unread) == 0 {
			text, consumed, err := p.decompressor.Next()
			if err != nil {
				return errors.Is(err, io.EOF), ignoreEOF(err)
			}
			r.advance(f, consumed-f.disk.Pos)
			p.unread = text
			r.decodeWholeLines(f)
		}
		p.unread = p.unread[f.feed(p.unread):]
		if !time.Now().Before(deadline) {
			return false, nil
		}
	}
	return false, nil
}
