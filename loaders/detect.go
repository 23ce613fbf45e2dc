package loaders

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"vantage/loaders/compressed"
	"vantage/loaders/decode"
	"vantage/loaders/fileio"
	"vantage/loaders/formats"
	"vantage/loaders/framing"
	"vantage/loaders/jsonscan"
	"vantage/loaders/parquet/pages"
	"vantage/loaders/trackio"
	"vantage/model"
)

// A file whose first rows fit no format may have a scorer that starts late. So many rows or bytes are
// kept until the file is refused.
const (
	maxDetectionRows  = 50
	maxDetectionBytes = 4 << 20
	maxMetricsBytes   = 64 << 20 // of a log of metrics, whose last row is quoted
)

type detection struct {
	rows  []framing.Record // JSON objects that fit no format, the rows of held, or those that wait for others of theirs
	bytes int              // of the rows
	tried int              // lines
	noted bool             // that no format fits

	held       *heldRows       // rows of which it is not yet known whether they are samples
	isAverages bool            // they are not: rows is the last one
	waiting    *formats.Format // that of the rows, if they wait until others show how they are to be read
	needed     int             // rows, until they do
}

// heldRows are rows that fit a format, or the rows of a table, until it is known whether they are samples or averages of steps.
type heldRows struct {
	formats.Rows
	format    *formats.Format // nil if they fit none
	isTable   bool
	header    [][]byte // of a table
	separator byte
	last      []byte // the last row, as a JSON object
}

// tryFormats looks for a format that fits a row. Rows that fit none are kept, and decoded once one
// is found.
func (f *fileReader) tryFormats(record framing.Record) {
	if f.detection.waiting != nil {
		f.begin(f.detection.waiting, record)
		return
	}
	f.detection.tried++
	f.chunks.tried++
	switch {
	case f.detection.held != nil:
		f.hold(record)
		return
	case f.detection.isAverages:
		f.keepLast(record)
		return
	case f.splitter.Framing != (framing.Framing{}): // the first record decides
		f.tryFirst(formats.Detect(f.formats, f.name, f.splitter.Framing, record.Text), record)
		return
	}
	fields := 0
	err := jsonscan.ScanObject(record.Text, func(_, _ jsonscan.Value) { fields++ })
	if fields > decode.MaxFields {
		err = decode.ErrTooManyFields
	}
	if err != nil {
		f.skipLine(record, err.Error())
		if len(f.detection.rows) == 0 && f.detection.tried >= maxDetectionRows {
			f.refuse(fmt.Sprintf("not read: none of its first %d lines is a JSON object", maxDetectionRows))
		}
		return
	}
	format := formats.Detect(f.formats, f.name, framing.Framing{}, record.Text)
	if format == nil && !formats.IsMetrics(record.Text) {
		// it may be a document: a prompt with its responses, a table that came through a pipe
		format = formats.Detect(f.formats, f.name, framing.Framing{Whole: true}, record.Text)
	}
	switch {
	case format != nil && format.MayBeAverages():
		f.detection.held = &heldRows{format: format}
		f.hold(record)
		return
	case format != nil:
		f.useFormat(format, record)
		return
	}
	f.keepUnknown(record)
}

// keepUnknown keeps a row that fits no format. After many of them the file is refused.
func (f *fileReader) keepUnknown(record framing.Record) {
	f.detection.bytes += len(record.Text)
	record.Text = bytes.Clone(record.Text)
	rows := f.detection.rows
	areMetrics := formats.IsMetrics(record.Text) && (len(rows) == 0 || formats.IsMetrics(rows[0].Text))
	if areMetrics && f.detection.bytes <= maxMetricsBytes {
		f.detection.rows = []framing.Record{record} // the last one tells the state of the run
		return
	}
	f.detection.rows = append(f.detection.rows, record)
	if f.detection.tried >= maxDetectionRows || f.detection.bytes > maxDetectionBytes {
		f.noteNoFormat()
		f.refuse("")
	}
}

// tryFirst takes the first record of a file whose records are no lines, in the format that fits it; nil if none does.
func (f *fileReader) tryFirst(format *formats.Format, record framing.Record) {
	isTable := f.splitter.Framing.Quoted
	switch {
	case isTable && (format == nil || format.MayBeAverages()):
		header, separator := formats.TableHeader(bytes.Clone(record.Text))
		f.detection.held = &heldRows{format: format, isTable: true, header: header, separator: separator}
		record.Text = bytes.Clone(record.Text)
		f.detection.rows = append(f.detection.rows, record)
	case format == nil, format.MayBeAverages() && formats.IsAveragesDocument(record.Text):
		f.noteUnread(record.Text)
		f.refuse("")
	default:
		f.useFormat(format, record)
	}
}

// hold keeps a row until the rows say what they are.
func (f *fileReader) hold(record framing.Record) {
	h := f.detection.held
	record.Text = bytes.Clone(record.Text)
	f.detection.bytes += len(record.Text)
	f.detection.rows = append(f.detection.rows, record)
	row := record.Text
	if h.isTable {
		row = formats.TableRow(h.header, record.Text, h.separator)
	}
	if row != nil { // a damaged one tells nothing
		h.last = row
		h.Add(row)
	}
	isLong := len(f.detection.rows) > formats.MaxRows || f.detection.bytes > maxDetectionBytes
	if h.Verdict() != formats.Unsure || isLong {
		f.settle()
	}
}

// settle decides what held rows are, by those that there are.
func (f *fileReader) settle() {
	h := f.detection.held
	if h == nil || f.refused {
		return
	}
	f.detection.held = nil
	isAverages := h.AreAverages() && (h.format != nil || h.HaveStep())
	switch {
	case isAverages:
		f.detection.isAverages = true
		f.detection.rows = []framing.Record{{Text: h.last}}
		if h.isTable {
			f.noteNoFormat()
			f.refuse("")
		}
	case h.format == nil:
		f.noteUnread(f.detection.rows[0].Text)
		f.refuse("")
	case f.directory != nil && f.directory.leavesOut(f.name, h.format, f.chunks):
		f.refuse("")
	default:
		needed := 0
		if h.last != nil {
			needed = h.format.RowsNeeded(h.last)
		}
		if len(f.detection.rows) < needed {
			f.detection.waiting, f.detection.needed = h.format, needed
			return
		}
		f.setFormat(h.format)
	}
}

// keepLast keeps the last row of averages, which tells the state of the run.
func (f *fileReader) keepLast(record framing.Record) {
	if f.detection.bytes += len(record.Text); f.detection.bytes > maxMetricsBytes {
		f.noteNoFormat()
		f.refuse("")
		return
	}
	if jsonscan.ScanObject(record.Text, nil) == nil {
		record.Text = bytes.Clone(record.Text)
		f.detection.rows = []framing.Record{record}
	}
}

// useFormat reads the file in a format, unless its directory holds something better.
func (f *fileReader) useFormat(format *formats.Format, record framing.Record) {
	if f.directory != nil && f.directory.leavesOut(f.name, format, f.chunks) {
		f.refuse("")
		return
	}
	f.begin(format, record)
}

// begin decodes the first record that a format fits. Rows whose lists of tokens may be filled up wait for some others.
func (f *fileReader) begin(format *formats.Format, record framing.Record) {
	d := &f.detection
	if d.waiting == nil && len(d.rows) == 0 && !format.Framing.Quoted {
		if d.needed = format.RowsNeeded(record.Text); d.needed > 0 {
			d.waiting = format
		}
	}
	if d.waiting == nil {
		f.setFormat(format)
		f.decode(record)
		return
	}
	d.bytes += len(record.Text)
	record.Text = bytes.Clone(record.Text)
	d.rows = append(d.rows, record)
	if len(d.rows) >= d.needed || d.bytes > maxDetectionBytes {
		f.setFormat(d.waiting)
	}
}

func (f *fileReader) setFormat(format *formats.Format) {
	rows := f.detection.rows
	objects := objectsOf(format, rows)
	format = format.CountingSteps(objects)
	f.format, f.decoder = format, format.NewDecoder(f.stepName)
	if format.VersionFolders {
		f.chunks.runs.joinVersions(f.name)
	}
	r, ok := f.decoder.(*decode.RowDecoder)
	if ok {
		r.ReadAt(f.path)
	}
	if ok && len(rows) > 0 && format.Origin == formats.FromAnyone {
		if counts, isSure := decode.CountsCharacters(format.Fields, objects); counts && isSure {
			r.LengthUnit = model.LengthCharacters
		}
	}
	if ok && len(rows) > 0 && format.MayBePadded(rows[0].Text) {
		r.Padding = decode.PaddingOf(format.Fields, objects[:min(len(objects), decode.PaddedRows)])
	}
	f.chunks.tried -= f.detection.tried
	f.detection = detection{}
	for _, record := range rows {
		f.decode(record)
	}
}

// objectsOf returns the first rows of a file as JSON objects.
func objectsOf(format *formats.Format, rows []framing.Record) (objects [][]byte) {
	if !format.Framing.Quoted {
		return model.Mapped(rows, func(row framing.Record) []byte { return row.Text })
	}
	for i, row := range rows {
		if i == 0 {
			continue // the header
		}
		header, separator := formats.TableHeader(rows[0].Text)
		if object := formats.TableRow(header, row.Text, separator); object != nil {
			objects = append(objects, object)
		}
	}
	return objects
}

// noteNoFormat notes, once, that no row so far fits a format. Rows that wait for others do so no longer.
func (f *fileReader) noteNoFormat() {
	if f.detection.waiting != nil {
		f.setFormat(f.detection.waiting)
		return
	}
	if len(f.detection.rows) > 0 && !f.detection.noted {
		f.detection.noted = true
		row := f.detection.rows[0].Text
		if f.detection.isAverages {
			f.noteWithout(formats.AveragesRefusal(row), true)
			return
		}
		f.noteUnread(row)
	}
}

// noteUnread notes why a file with such a row is not read.
func (f *fileReader) noteUnread(row []byte) {
	if why := formats.Refusal(row); formats.HasResponse(row) {
		f.noteFile(why)
	} else {
		f.noteWithout(why, formats.IsMetrics(row))
	}
}

// noteWithout notes why a file without a response is not read. A row without one is of no log: the file may be a side file.
func (f *fileReader) noteWithout(why string, isAverages bool) {
	if f.directory == nil {
		f.noteFile(why)
		return
	}
	side := sideFile{Problem: model.Problem{File: f.name, Reason: why}, isAverages: isAverages}
	f.directory.withoutSamples = append(f.directory.withoutSamples, side)
}

// refuse ends the reading of a file that no format fits.
func (f *fileReader) refuse(why string) {
	f.refused = true
	f.detection.rows = nil
	f.splitter.Partial = nil
	if why != "" {
		f.noteFile(why)
	}
}

// knownBinaries are known files that are not read, by their first bytes.
var knownBinaries = [...]struct{ start, what, do string }{
	{"\xff\xfe\x00\x00", "is text in UTF-32", "turn it into UTF-8: iconv -f UTF-32 -t UTF-8"},
	{"\xfd7zXZ\x00", "is packed by xz", "unpack it: xz -dk; gzip, zstd and bzip2 are read as they are"},
	{
		"SQLite format 3\x00", "is a SQLite database",
		"trackio's is read from a file of this machine: copy it here, with the file -wal next to it, and give its path",
	},
}

const unpackTar = "unpack it: tar -xf, and give the folder"

func isTar(b []byte) bool {
	const magic = 257
	return len(b) > magic && bytes.HasPrefix(b[magic:], []byte("ustar"))
}

// whyUnreadable says what a file with these first bytes is and what to do. It returns "" if the file may be text.
func whyUnreadable(b []byte) (what, do string) {
	for _, m := range knownBinaries {
		if bytes.HasPrefix(b, []byte(m.start)) {
			return m.what, m.do
		}
	}
	if isTar(b) {
		return "is a tar archive", unpackTar
	}
	written := bytes.TrimRight(b, "\x00") // NFS may show zeros where data has yet to arrive
	control := bytes.Count(written, []byte{0}) * len(written)
	for _, c := range written {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' {
			control++
		}
	}
	// Text of a model has few control bytes, machine code has many.
	if control*10 > len(written) || len(b) > 0 && len(written) == 0 {
		return fmt.Sprintf("is not text: its first bytes are % x", b[:min(8, len(b))]), "give a log: `vantage list formats` lists " +
			"the formats"
	}
	return "", ""
}

// How much of a file is read to find its format: most first records are shorter than sniffSize; a
// record of several turns, or a whole document, may need more.
const (
	sniffSize    = 32 << 10
	maxSniffSize = 1 << 20
)

// ErrNoFormat is the error of a file whose first records fit no format.
var ErrNoFormat = errors.New("no format fits")

// sniffed is what the beginning of a log says of it.
type sniffed struct {
	Format *formats.Format
	Rows   int64 // samples, by the footer of a Parquet file; 0 for other files
	first  firstStep
}

// firstStep is the step of the first sample of a log.
type firstStep struct {
	known    bool // what follows is
	stepless bool // no sample tells its step
	step     int64
}

// sniff returns the format of a log by its first records, as a [Source] detects it, without reading
// further. name is the path of the file in root. It opens neither pipes nor devices, and nothing
// outside of root; its error is [ErrNoFormat] if the file is read and no log.
func sniff(disk *fileio.Disk, root *os.Root, name string) (sniffed, error) {
	d := fileio.File{Storage: disk, Path: name}
	h, info, err := d.OpenIn(root)
	if err != nil {
		return sniffed{}, err
	}
	defer func() { _ = h.Close() }()
	packing, err := compressed.Detect(h)
	switch {
	case err != nil:
		return sniffed{}, err
	case packing == compressed.Parquet:
		return sniffParquet(h, info.Size(), name)
	case packing == compressed.Torch: // its first sample takes all of it, but the name of a rollout's id is at its start
		head := make([]byte, 512)
		n, _ := h.ReadAt(head, 0)
		return sniffedIf(bytes.Contains(head[:n], []byte("rollout_id")), "slime", name)
	case packing == compressed.Torn:
		return sniffed{}, ErrNoFormat
	case filepath.Ext(name) == ".db":
		return sniffedIf(trackio.IsProject(disk, filepath.Join(root.Name(), filepath.FromSlash(name))), "trackio", name)
	}
	text := io.Reader(io.NewSectionReader(h, 0, info.Size()))
	if packing != compressed.None {
		if text, err = compressed.NewReader(packing, text); err != nil {
			return sniffed{}, err
		}
	}
	return sniffText(text, name)
}

func sniffedIf(is bool, format, name string) (sniffed, error) {
	if f, ok := formats.Find(format); ok && is {
		return sniffed{Format: &f}, nil
	}
	return sniffed{}, fmt.Errorf("%s: %w", name, ErrNoFormat)
}

func sniffParquet(h io.ReaderAt, size int64, name string) (sniffed, error) {
	table, err := pages.Open(h, size, nil)
	if err != nil {
		return sniffed{}, err
	}
	s := sniffed{Format: formats.Detect(formats.All(), name, framing.Framing{Table: true}, columnRecord(columnNames(table)))}
	if s.Format == nil {
		return s, fmt.Errorf("%s: %w", name, ErrNoFormat)
	}
	for _, g := range table.Groups {
		s.Rows += g.Rows
	}
	tellsStep := func(column string) bool {
		p, ok := s.Format.Fields.Lookup([]byte(column))
		return ok && p.Role == decode.RoleStep
	}
	names, _ := columnNames(table)
	s.first.stepless = !slices.ContainsFunc(names, tellsStep)
	s.first.known = s.first.stepless // what steps there are, only its rows tell
	return s, nil
}

// sniffText reads the beginning of a text until its first records fit a format.
func sniffText(text io.Reader, name string) (sniffed, error) {
	f := newFileReader(0, name, formats.All(), newChunkQueue())
	buf := make([]byte, sniffSize)
	for read := 0; f.format == nil && !f.refused && read < maxSniffSize; read += sniffSize {
		n, err := io.ReadFull(text, buf)
		if f.feed(buf[:n]); err != nil {
			f.finish()
			break
		}
	}
	f.noteNoFormat() // rows that wait for others do so no longer
	if f.format == nil {
		return sniffed{}, fmt.Errorf("%s: %w", name, ErrNoFormat)
	}
	s := sniffed{Format: f.format}
	if records := f.chunks.next().Records; len(records) > 0 {
		s.first = firstStep{known: true, stepless: f.decoder.Note().Stepless, step: records[0].Step}
	}
	return s, nil
}
