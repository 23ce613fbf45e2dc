package loaders

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

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
	rows  []framing.Record // JSON objects that fit no format
	bytes int              // of the rows
	tried int              // lines
	noted bool             // that no format fits
}

// tryFormats looks for a format that fits a row. Rows that fit none are kept, and decoded once one
// is found.
func (f *fileReader) tryFormats(record framing.Record) {
	f.detection.tried++
	f.chunks.tried++
	if f.splitter.Framing != (framing.Framing{}) { // the first record decides
		if format := formats.Detect(f.formats, f.name, f.splitter.Framing, record.Text); format != nil {
			f.useFormat(format, record)
			return
		}
		f.noteUnread(record.Text)
		f.refuse("")
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
	if format == nil && !formats.IsMetrics(record.Text) { // it may be a document: a prompt with its responses, a table that came through a pipe
		format = formats.Detect(f.formats, f.name, framing.Framing{Whole: true}, record.Text)
	}
	if format != nil {
		f.useFormat(format, record)
		return
	}
	f.detection.bytes += len(record.Text)
	record.Text = bytes.Clone(record.Text)
	if rows := f.detection.rows; formats.IsMetrics(record.Text) && (len(rows) == 0 || formats.IsMetrics(rows[0].Text)) && f.detection.bytes <= maxMetricsBytes {
		f.detection.rows = []framing.Record{record} // the last one tells the state of the run
		return
	}
	f.detection.rows = append(f.detection.rows, record)
	if f.detection.tried >= maxDetectionRows || f.detection.bytes > maxDetectionBytes {
		f.noteNoFormat()
		f.refuse("")
	}
}

// useFormat reads the file in a format, unless its directory holds something better.
func (f *fileReader) useFormat(format *formats.Format, record framing.Record) {
	if f.directory != nil && f.directory.leavesOut(f.name, format, f.chunks) {
		f.refuse("")
		return
	}
	f.setFormat(format)
	f.decode(record)
}

func (f *fileReader) setFormat(format *formats.Format) {
	f.format, f.decoder = format, format.NewDecoder(f.name)
	rows := f.detection.rows
	f.chunks.tried -= f.detection.tried
	f.detection = detection{}
	for _, record := range rows {
		f.decode(record)
	}
}

// noteNoFormat notes, once, that no row so far fits a format.
func (f *fileReader) noteNoFormat() {
	if len(f.detection.rows) > 0 && !f.detection.noted {
		f.detection.noted = true
		f.noteUnread(f.detection.rows[0].Text)
	}
}

// noteUnread notes why a file with such a row is not read. A row without a response is of no log: the
// file may be a side file.
func (f *fileReader) noteUnread(row []byte) {
	if why := formats.Refusal(row); f.directory == nil || formats.HasResponse(row) {
		f.noteFile(why)
	} else {
		f.directory.withoutSamples = append(f.directory.withoutSamples, model.Problem{File: f.name, Reason: why})
	}
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
	{"\xff\xfe", "is text in UTF-16", "turn it into UTF-8: iconv -f UTF-16 -t UTF-8"},
	{"\xfe\xff", "is text in UTF-16", "turn it into UTF-8: iconv -f UTF-16 -t UTF-8"},
	{"\xfd7zXZ\x00", "is packed by xz", "unpack it: xz -dk; gzip and zstd are read as they are"},
	{"BZh", "is packed by bzip2", "unpack it: bzip2 -dk; gzip and zstd are read as they are"},
	{"ARROW1\x00", "is a table of Arrow, which is not read", arrowAsLines},
	{"\xff\xff\xff\xff", "is a table of Arrow, which is not read", arrowAsLines},
	{"SQLite format 3\x00", "is a SQLite database", "trackio's is read from a file of this machine: copy it here, with the file -wal next to it, and give its path"},
}

const arrowAsLines = `Dataset.to_json("samples.jsonl") of datasets writes JSON lines, which are`

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
		return fmt.Sprintf("is not text: its first bytes are % x", b[:min(8, len(b))]), "give a log: `vantage formats` lists the formats"
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
}

// sniff returns the format of a log by its first records, as a [Source] detects it, without reading
// further. name is the path of the file in root. It opens neither pipes nor devices, and nothing
// outside of root; its error is [ErrNoFormat] if the file is read and no log.
func sniff(disk *fileio.Disk, root *os.Root, name string) (sniffed, error) {
	d := fileio.File{Disk: disk, Path: name}
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
	table, err := pages.Open(h, size, &pages.Memory{})
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
	if f.format == nil {
		return sniffed{}, fmt.Errorf("%s: %w", name, ErrNoFormat)
	}
	return sniffed{Format: f.format}, nil
}
