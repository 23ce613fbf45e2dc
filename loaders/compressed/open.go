// Package compressed decompresses gzip and zstd files, reads the samples of torch files and tables of Arrow as text, and finds a place in their text again.
//
// Package loaders detects the [Packing] of a file and reads its text from a [Decompressor],
// which works concurrently. An [Index] keeps what makes a later [Index.TextAt] fast:
// checkpoints inside gzip files, and the text around what was read last. A zstd file is
// decompressed from its start: no trainer writes them. So is a torch file, whose samples are in a pickle.
package compressed

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"vantage/loaders/compressed/arrowfile"
	"vantage/loaders/compressed/gzipindex"
	"vantage/loaders/compressed/torchfile"
)

// Packing is how a file is packed, so that it can only be read from its start.
type Packing string

// The packings. The zero value is a plain file.
const (
	None    Packing = ""
	Gzip    Packing = "gzip"
	Zstd    Packing = "zstd"
	Parquet Packing = "parquet"
	Torch   Packing = "torch" // samples in a pickle, which are read as JSON lines
	Arrow   Packing = "arrow" // a table, whose rows are read as JSON lines
	Torn    Packing = "torn"  // too short to tell: what is there may begin any of the others
)

// SniffSize is how many bytes at the start of a file tell its packing.
const SniffSize = 4

// magics are the first bytes of each.
var magics = [...]struct {
	start   string
	packing Packing
}{
	{"\x1f\x8b", Gzip},
	{"\x28\xb5\x2f\xfd", Zstd},
	{"PAR1", Parquet},
	{"PK\x03\x04", Torch},       // of any zip file
	{"\xff\xff\xff\xff", Arrow}, // of a stream
	{"ARRO", Arrow},             // of a file, without its end
}

// Sniff returns the packing of a file by its first bytes.
func Sniff(start []byte) Packing {
	for _, m := range magics {
		if bytes.HasPrefix(start, []byte(m.start)) {
			return m.packing
		}
	}
	return None
}

// Detect returns the packing of a file, Torn if it has fewer than SniffSize bytes and they begin a packed one.
func Detect(file io.ReaderAt) (Packing, error) {
	var start [SniffSize]byte
	n, err := file.ReadAt(start[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return None, err
	}
	packing := Sniff(start[:n])
	for _, m := range magics {
		if packing == None && n > 0 && n < SniffSize && strings.HasPrefix(m.start, string(start[:n])) {
			return Torn, nil
		}
	}
	return packing, nil
}

// IsTable reports whether a file holds samples that are read as JSON lines, and no text.
func (p Packing) IsTable() bool { return p == Torch || p == Arrow }

// NewReader returns the text of a gzip or zstd file, or the lines of a table. It starts no goroutines, so it reads no
// more of the file than the text read so far needs, and need not be closed.
func NewReader(p Packing, file io.Reader) (io.Reader, error) { return newReader(p, file, 1) }

// newReader is NewReader with so many blocks of a zstd file in flight; with more than 1 it must be closed.
func newReader(p Packing, file io.Reader, blocks int) (io.ReadCloser, error) {
	text := file
	switch p {
	case Gzip:
		text = gzipindex.NewReader(file)
	case Arrow:
		text = arrowfile.NewReader(file)
	case Torch:
		text = torchfile.NewReader(file)
	case None, Zstd, Parquet, Torn:
		return newZstdReader(file, blocks)
	}
	return io.NopCloser(text), nil
}
