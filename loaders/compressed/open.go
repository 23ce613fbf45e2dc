package compressed

import (
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"

	"vantage/loaders/compressed/gzipindex"
)

// Packing is how a file is packed, so that it can only be read from its start.
type Packing string

// The packings. The zero value is a plain file.
const (
	None    Packing = ""
	Gzip    Packing = "gzip"
	Zstd    Packing = "zstd"
	Parquet Packing = "parquet"
)

// SniffSize is how many bytes at the start of a file tell its packing.
const SniffSize = 4

// Sniff returns the packing of a file by its first bytes.
func Sniff(start []byte) Packing {
	switch {
	case len(start) >= 2 && string(start[:2]) == "\x1f\x8b":
		return Gzip
	case len(start) < SniffSize:
		return None
	case string(start[:SniffSize]) == "\x28\xb5\x2f\xfd":
		return Zstd
	case string(start[:SniffSize]) == "PAR1":
		return Parquet
	}
	return None
}

// Detect returns the packing of a file.
func Detect(file io.ReaderAt) (Packing, error) {
	var start [SniffSize]byte
	n, err := file.ReadAt(start[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return None, err
	}
	return Sniff(start[:n]), nil
}

// maxWindow bounds the memory that a zstd file may demand.
const maxWindow = 128 << 20

// NewReader returns the text of a gzip or zstd file. It starts no goroutines, so it reads no
// more of the file than the text read so far needs, and need not be closed.
func NewReader(p Packing, file io.Reader) (io.Reader, error) {
	if p == Gzip {
		return gzipindex.NewReader(file), nil
	}
	return zstd.NewReader(file, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
}
