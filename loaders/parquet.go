package loaders

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"vantage/loaders/decode"
	"vantage/loaders/fileio"
	"vantage/loaders/formats"
	"vantage/loaders/framing"
	"vantage/loaders/parquet"
	"vantage/loaders/parquet/pages"
	"vantage/loaders/runs"
	"vantage/model"
	"vantage/model/fault"
)

// openParquet opens a Parquet file. One whose footer is not written yet is
// io.ErrUnexpectedEOF.
func openParquet(f *file, p *packedFile, size int64, workers int) error {
	table, err := pages.Open(p.handle, size, nil)
	if err != nil {
		return err
	}
	return openTable(f, p, table, workers)
}

func openTable(f *file, p *packedFile, table *pages.File, workers int) error {
	names, leaves := columnNames(table)
	format := formats.Detect(f.formats, f.name, framing.Framing{Table: true}, columnRecord(names, leaves))
	if format == nil {
		return fmt.Errorf("%w: no column holds a reward under a usual name; its columns are %s; --reward NAME names the one that is",
			fileio.ErrNotRead, strings.Join(names[:min(len(names), formats.MaxKeys)], ", "))
	}
	format = countingSteps(format, table, names)
	decoder, ok := format.NewDecoder(f.stepName).(*decode.RowDecoder)
	if !ok {
		return fileio.ErrNotRead
	}
	if countsCharacters(format, table, names) {
		decoder.LengthUnit = model.LengthCharacters
	}
	f.useReader(p, format, parquet.NewReader(decoder, table, workers))
	return nil
}

// countingSteps returns the format with the step from the column that counts it in the first rows of a table, if several may.
func countingSteps(format *formats.Format, table *pages.File, names []string) *formats.Format {
	steps := namesOf(format, names, decode.RoleStep)
	if len(steps) < 2 {
		return format
	}
	return format.CountingSteps(firstRows(table, append(steps, namesOf(format, names, decode.RolePrompt)...), decode.StepRows))
}

// countsCharacters reports whether the column of lengths of a table has those of the texts next to it in characters. Trainers' own formats
// have tokens there.
func countsCharacters(format *formats.Format, table *pages.File, names []string) bool {
	lengths, responses := namesOf(format, names, decode.RoleLength), namesOf(format, names, decode.RoleResponse)
	if len(lengths) == 0 || len(responses) == 0 || format.Origin != formats.FromAnyone {
		return false
	}
	ok, isSure := decode.CountsCharacters(format.Fields, firstRows(table, append(lengths, responses...), decode.PaddedRows))
	return ok && isSure
}

// namesOf returns the columns that may play a role.
func namesOf(format *formats.Format, names []string, role decode.Role) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		p, ok := format.Fields.Lookup([]byte(name))
		return !ok || p.Role != role
	})
}

// firstRows returns so many rows of a table, as objects of some columns. What cannot be read is told when the table is.
func firstRows(table *pages.File, names []string, n int) (rows [][]byte) {
	defer fault.Catch(func(*fault.Fault) { rows = nil })
	_ = parquet.EachRow(table, names, func(_ int64, object []byte) error {
		if rows = append(rows, bytes.Clone(object)); len(rows) < n {
			return nil
		}
		return io.EOF
	})
	return rows
}

// useReader has a Parquet file read by a reader, in the format of the reader's rows.
func (f *file) useReader(p *packedFile, format *formats.Format, reader *parquet.Reader) {
	f.format, f.decoder, p.reader = format, reader.Decoder, reader
}

// columnNames returns the names of the columns of a table, and the paths of what is in those that are
// not flat: prompt, and prompt.list.element.role.
func columnNames(table *pages.File) (names, leaves []string) {
	for _, c := range table.Columns {
		if len(names) == 0 || names[len(names)-1] != c.Field {
			names = append(names, c.Field)
		}
		if c.Name != c.Field {
			leaves = append(leaves, c.Name)
		}
	}
	return names, leaves
}

// columnRecord returns what [formats.Detect] takes for the record of a table: its columns, one a line.
func columnRecord(names, leaves []string) []byte {
	return []byte(strings.Join(append(slices.Clip(names), leaves...), "\n"))
}

// readTable reads blocks or batches of rows until the deadline.
func (r *reading) readTable(f *file, deadline time.Time) (end bool, err error) {
	for !r.chunks.full() {
		block, records, err := f.packed.nextSamples(f.scratch[:0])
		f.scratch = records[:0]
		if f.packed.reader != nil {
			for _, p := range f.packed.reader.TakeProblems() {
				f.skipLine(framing.Record{Number: p.Line}, p.Reason)
			}
		}
		if err != nil {
			return errors.Is(err, io.EOF), ignoreEOF(err)
		}
		f.chunks.addPassedOver(f.index, takePassedOver(f.decoder))
		if block.Len() > 0 {
			f.addBlock(&block)
		} else {
			f.addRecords(records)
		}
		if !time.Now().Before(deadline) {
			return false, nil
		}
	}
	return false, nil
}

func (p *packedFile) nextSamples(records []model.Record) (model.Block, []model.Record, error) {
	switch {
	case p.prefetched != nil:
		b := *p.prefetched
		p.prefetched = nil
		return b, records, nil
	case p.reader == nil:
		return model.Block{}, records, io.EOF
	}
	return p.reader.Next(records)
}

func (f *file) addBlock(b *model.Block) {
	b.File = f.index
	f.noteSteps(nil, b)
	isRepeat := f.format.MayRepeatRows && f.isRepeat(f.tableID(columnsID(b)))
	first, last := b.Step[0], b.Step[b.Len()-1]
	if f.wantsTable(first, last, isRepeat, func(t *runs.Table) { t.AddBlock(b) }) && !isRepeat {
		f.chunks.addBlock(f.format, f.decoder.Note(), *b)
	}
}

func (f *file) addRecords(records []model.Record) {
	for i := range records {
		records[i].File = f.index
		f.noteStep(records[i].Step, records[i].Offset, 1)
	}
	if f.format.Layout != nil {
		f.nameGroups(records)
	}
	isRepeat := f.format.MayRepeatRows && f.isRepeat(f.tableID(recordsID(records)))
	if len(records) == 0 {
		return
	}
	first, last := records[0].Step, records[len(records)-1].Step
	if f.wantsTable(first, last, isRepeat, func(t *runs.Table) { t.AddRecords(records) }) && !isRepeat {
		f.chunks.add(f.format, f.decoder.Note(), records)
	}
}

// wantsTable takes rows of a Parquet file into account, and reports whether they are to be read as far
// as is known: whether they are those of an evaluation may be found later.
func (f *file) wantsTable(first, last int64, isRepeat bool, add func(*runs.Table)) bool {
	if f.format.Evaluation != formats.OverTrainingRows || !f.mayHoldEvaluation() {
		return true
	}
	e := &f.chunks.evaluations
	if known := e.Of(f.index); known.FirstSeen.IsZero() && f.disk != nil {
		known.FirstSeen = f.disk.Modified()
	}
	f.hasStep = e.AddRows(f.index, first, last, isRepeat, add)
	return f.hasStep
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// maxPrefetched is how many Parquet files are opened at a time.
const maxPrefetched = 128

// isUnopenedTable reports whether a file that is to be read has the name of a Parquet file and was never opened.
func isUnopenedTable(f *file) bool {
	wasOpened := f.disk == nil || f.disk.Info != nil || f.packed != nil
	return !wasOpened && !f.refused && framing.Extension(f.name) == ".parquet"
}

// prefetchTables opens the Parquet files that are next in the queue on all workers, and reads
// the small ones: TRL writes one per step, and opening them is most of the work. A file that
// fails is opened again, and reported, when it is its turn.
func (r *reading) prefetchTables() {
	next := make(chan *file, maxPrefetched)
	for _, f := range r.queue {
		if len(next) == maxPrefetched || !isUnopenedTable(f) || f.disk.Root != r.queue[0].disk.Root ||
			f.disk.Storage != r.queue[0].disk.Storage {
			break
		}
		next <- f
	}
	close(next)
	if len(next) < 2 || r.workerCount() < 2 {
		return
	}
	var root *os.Root
	if first := r.queue[0].disk; first.IsHere() {
		var err error
		if root, err = r.options.Disk.OpenRoot(first.Root); err != nil {
			return
		}
		defer func() { _ = root.Close() }()
	}
	for len(r.prefetchers) < r.workerCount() {
		r.prefetchers = append(r.prefetchers, &parquetPrefetcher{workers: r.workerCount(), memory: &pages.Memory{}})
	}
	var all fault.Group
	until := time.Now().Add(budget) // a slow server must not hold up what has been read
	for _, p := range r.prefetchers {
		all.Go(func() {
			p.root = root
			for f := range next {
				if time.Now().After(until) {
					break
				}
				p.prefetch(f)
			}
		})
	}
	all.Wait()
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
	defer fault.Catch(func(*fault.Fault) { ok = false }) // when it is its turn it is told
	fault.Plant("prefetch", f.name)
	p := f.packed
	table, err := pages.Open(p.handle, p.info.Size(), o.memory)
	switch {
	case err != nil:
		return false
	case o.reader.Fits(table):
		o.reader.Reset(f.stepName, table)
		f.useReader(p, o.format, o.reader)
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
	}
	o.reader, o.memory = nil, &pages.Memory{} // the rest of the file needs the other
	return true
}

type finishedDecoder decode.Note

func (finishedDecoder) Decode(dst []model.Record, _ []byte) ([]model.Record, error) {
	return dst, errors.ErrUnsupported
}

func (d finishedDecoder) Note() decode.Note { return decode.Note(d) }
