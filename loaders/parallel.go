package loaders

import (
	"io"
	"runtime"
	"slices"
	"sync"
	"time"

	"vantage/loaders/decode"
	"vantage/loaders/framing"
)

// The large rest of a file of lines is read in strides, by as many workers as there are processors, up
// to maxWorkers: the node has other work.
const (
	maxWorkers       = 4
	stridesPerWorker = 16 // between two looks at the deadline
	minParallelBytes = 2 << 20
)

// readParallel reads strides until the deadline. It stops near the file's end, and at a stride from
// which a worker learned something new about the log: that is read line by line, so that all decoders
// learn it in the order of the lines.
func (s *Source) readParallel(f *file, h io.ReaderAt, size int64, deadline time.Time) error {
	lead := f.parallelDecoder()
	if lead == nil || s.options.serial || size-f.disk.Pos < minParallelBytes {
		f.workers = nil
		return nil
	}
	s.seekLineStart(f)
	for !s.chunks.full() && time.Now().Before(deadline) {
		n := min(int64(s.workerCount()*stridesPerWorker), (size-f.disk.Pos)/strideBytes)
		if n*strideBytes < minParallelBytes {
			f.workers = nil
			return nil
		}
		tasks := s.decodeStrides(f, h, lead, int(n))
		for i := range tasks {
			task := &tasks[i]
			if task.err != nil {
				return task.err
			}
			if !lead.SameNote(task.note) {
				return nil
			}
			s.merge(f, task)
		}
	}
	return nil
}

// noteDecoder is a decoder that workers can clone.
type noteDecoder interface {
	decode.Decoder
	SameNote(n decode.Note) bool
}

// parallelDecoder returns the decoder that workers clone, nil if the file must be read line by line
// now.
func (f *file) parallelDecoder() noteDecoder {
	if f.refused || f.format == nil || f.format.MayRepeatRows || f.splitter.DroppedBytes > 0 || f.splitter.Unterminated ||
		len(f.splitter.Partial) > extraRead { // a long line
		return nil
	}
	switch d := f.decoder.(type) { // not one that embeds it: text has rows of other kinds
	case *decode.RowDecoder:
		if f.splitter.Framing == (framing.Framing{}) {
			return d
		}
	case *decode.CSVDecoder:
		if d.HasHeader() {
			return d
		}
	}
	return nil
}

// seekLineStart moves the position back to the start of the partial line.
func (s *Source) seekLineStart(f *file) { s.advance(f, -f.splitter.Rewind()) }

func (s *Source) workerCount() int {
	if s.options.serial {
		return 1
	}
	return min(maxWorkers, runtime.GOMAXPROCS(0))
}

// ensureWorkers makes sure that there are n workers which know what the file's own decoder knows. They
// are kept for the next strides, since they remember prompts.
func (f *file) ensureWorkers(lead noteDecoder, n int) {
	f.workers = slices.DeleteFunc(f.workers, func(task *worker) bool { return !lead.SameNote(task.decoder.Note()) })
	for len(f.workers) < n {
		f.workers = append(f.workers, newWorker(lead))
	}
}

// decodeStrides decodes the next n strides of the file.
func (s *Source) decodeStrides(f *file, h io.ReaderAt, lead noteDecoder, n int) []strideTask {
	tasks := make([]strideTask, n)
	next := make(chan *strideTask, n)
	for i := range tasks {
		tasks[i] = strideTask{from: f.disk.Pos + int64(i)*strideBytes, size: strideBytes, first: i == 0, block: s.pool.get()}
		if _, isCSV := lead.(*decode.CSVDecoder); isCSV {
			tasks[i].endsInQuotes = make(chan bool, 1)
		}
		if i > 0 {
			tasks[i].inQuotes = tasks[i-1].endsInQuotes
		}
		next <- &tasks[i]
	}
	close(next)
	f.ensureWorkers(lead, s.workerCount())
	var wg sync.WaitGroup
	for _, worker := range f.workers {
		wg.Go(func() {
			for task := range next {
				worker.decode(h, task)
			}
		})
	}
	wg.Wait()
	return tasks
}

// merge adds the samples of a stride to the chunks, as if it had been read line by line.
func (s *Source) merge(f *file, task *strideTask) {
	base := f.splitter.Lines
	for i := range task.records {
		r := &task.records[i]
		r.File, r.Line = f.index, base+r.Line
	}
	f.noteSteps(task.records, &task.block)
	for _, p := range task.problems {
		f.skipLine(framing.Record{Number: base + p.Line}, p.Reason)
	}
	f.chunks.addUntrained(f.index, task.untrained)
	f.chunks.add(f.format, task.note, task.records)
	if task.block.Len() > 0 {
		task.block.File = f.index
		f.chunks.addBlock(f.format, task.note, task.block)
	}
	f.splitter.Lines += task.lines
	switch {
	case f.packed != nil:
		f.splitter.Offset = task.end
	case task.end > f.disk.Pos:
		s.advance(f, task.end-f.disk.Pos)
		f.splitter.Offset = task.end
	}
}
