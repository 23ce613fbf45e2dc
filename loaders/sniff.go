package loaders

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"vantage/loaders/compressed"
	"vantage/loaders/fileio"
	"vantage/loaders/formats"
	"vantage/loaders/framing"
	"vantage/loaders/parquet/pages"
	"vantage/loaders/trackio"
)

// How much of a file is read to find its format: most first records are shorter than sniffSize; a
// record of several turns, or a whole document, may need more.
const (
	sniffSize    = 32 << 10
	maxSniffSize = 1 << 20
	maxSniffRows = 20
)

// ErrNoFormat is the error of a file whose first records fit no format.
var ErrNoFormat = errors.New("no format fits")

// Sniffed is what the beginning of a log says of it.
type Sniffed struct {
	Format *formats.Format
	Rows   int64 // samples, by the footer of a Parquet file; 0 for other files
}

// Sniff returns the format of a log by its first records, as a [Source] detects it, without reading
// further. name is the path of the file in root. It opens neither pipes nor devices, and nothing
// outside of root; its error is [ErrNoFormat] if the file is read and no log.
func Sniff(root *os.Root, name string) (Sniffed, error) {
	d := fileio.File{Path: name}
	h, info, err := d.OpenIn(root)
	if err != nil {
		return Sniffed{}, err
	}
	defer func() { _ = h.Close() }()
	packing, err := compressed.Detect(h)
	switch {
	case err != nil:
		return Sniffed{}, err
	case packing == compressed.Parquet:
		return sniffParquet(h, info.Size(), name)
	case packing == compressed.Torch:
		return sniffTorch(h, name)
	case packing == compressed.Torn:
		return Sniffed{}, ErrNoFormat
	case filepath.Ext(name) == ".db":
		return sniffDatabase(root, name)
	}
	text := io.Reader(io.NewSectionReader(h, 0, info.Size()))
	if packing != compressed.None {
		if text, err = compressed.NewReader(packing, text); err != nil {
			return Sniffed{}, err
		}
	}
	return sniffText(text, name)
}

// sniffTorch looks for the name of a rollout's id at the start of a pickle: to read its first sample takes all of it.
func sniffTorch(h io.ReaderAt, name string) (Sniffed, error) {
	head := make([]byte, 512)
	n, _ := h.ReadAt(head, 0)
	if f, ok := formats.Find("slime"); ok && bytes.Contains(head[:n], []byte("rollout_id")) {
		return Sniffed{Format: &f}, nil
	}
	return Sniffed{}, fmt.Errorf("%s: %w", name, ErrNoFormat)
}

// sniffDatabase looks for the tables of trackio.
func sniffDatabase(root *os.Root, name string) (Sniffed, error) {
	if f, ok := formats.Find("trackio"); ok && trackio.IsProject(filepath.Join(root.Name(), filepath.FromSlash(name))) {
		return Sniffed{Format: &f}, nil
	}
	return Sniffed{}, fmt.Errorf("%s: %w", name, ErrNoFormat)
}

func sniffParquet(h io.ReaderAt, size int64, name string) (Sniffed, error) {
	m := &pages.Memory{}
	defer m.Close()
	table, err := pages.Open(h, size, m)
	if err != nil {
		return Sniffed{}, err
	}
	s := Sniffed{Format: formats.Detect(formats.All(), name, framing.Framing{Table: true}, columnRecord(columnNames(table)))}
	if s.Format == nil {
		return s, fmt.Errorf("%s: %w", name, ErrNoFormat)
	}
	for _, g := range table.Groups {
		s.Rows += g.Rows
	}
	return s, nil
}

// sniffText reads the beginning of a text until its first records fit a format.
func sniffText(text io.Reader, name string) (Sniffed, error) {
	all := formats.All()
	var head []byte
	for size := sniffSize; size <= maxSniffSize; size *= maxSniffSize / sniffSize {
		more, err := io.ReadAll(io.LimitReader(text, int64(size-len(head))))
		head = append(head, more...)
		complete := err != nil || len(head) < size
		if format, decided := formatOfHead(all, name, head, complete); format != nil {
			return Sniffed{Format: format}, nil
		} else if decided {
			break
		}
	}
	return Sniffed{}, fmt.Errorf("%s: %w", name, ErrNoFormat)
}

// formatOfHead returns the format of a file with these first bytes, nil if none fits. complete says
// that there are no others. It has not decided while more bytes may help.
func formatOfHead(all []formats.Format, name string, head []byte, complete bool) (format *formats.Format, decided bool) {
	cut := formats.DetectFraming(all, name, head)
	splitter := framing.Splitter{Framing: cut, Limit: framing.MaxLine}
	rows := 0
	accept := func(r framing.Record) bool {
		if cut == (framing.Framing{}) {
			format = formatOfLine(all, name, r.Text)
		} else {
			format = formats.Detect(all, name, cut, r.Text)
		}
		rows++
		return format == nil && rows < maxSniffRows
	}
	_ = splitter.Feed(head, accept)
	if complete && format == nil && rows < maxSniffRows {
		splitter.Flush(accept)
	}
	return format, format != nil || complete || rows >= maxSniffRows
}
