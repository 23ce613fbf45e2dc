// Package compressed decompresses gzip and zstd files, reads the samples of torch files and tables of Arrow as text, and finds a place in their text again.
//
// Package loaders detects the [Packing] of a file and reads its text from a [Decompressor],
// which works concurrently. An [Index] keeps what makes a later [Index.TextAt] fast:
// checkpoints inside gzip files, and the text around what was read last. A zstd file is
// decompressed from its start: no trainer writes them. So is a torch file, whose samples are in a pickle.
package compressed

import (
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

// The first bytes of each.
const (
	gzipMagic    = "\x1f\x8b"
	zstdMagic    = "\x28\xb5\x2f\xfd"
	parquetMagic = "PAR1"
	torchMagic   = "PK\x03\x04"       // of any zip file
	streamMagic  = "\xff\xff\xff\xff" // of a stream of Arrow
	arrowMagic   = "ARRO"             // of a file of Arrow, without its end
)

// Sniff returns the packing of a file by its first bytes.
func Sniff(start []byte) Packing {
	switch {
	case len(start) >= 2 && string(start[:2]) == gzipMagic:
		return Gzip
	case len(start) < SniffSize:
		return None
	case string(start[:SniffSize]) == zstdMagic:
		return Zstd
	case string(start[:SniffSize]) == parquetMagic:
		return Parquet
	case string(start[:SniffSize]) == torchMagic:
		return Torch
	case string(start[:SniffSize]) == streamMagic || string(start[:SniffSize]) == arrowMagic:
		return Arrow
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
	if packing == None && n > 0 && n < SniffSize {
		for _, magic := range []string{gzipMagic, zstdMagic, parquetMagic, torchMagic, streamMagic, arrowMagic} {
			if strings.HasPrefix(magic, string(start[:n])) {
				return Torn, nil
			}
		}
	}
	return packing, nil
}

// IsTable reports whether a file holds samples that are read as JSON lines, and no text.
func (p Packing) IsTable() bool { return p == Torch || p == Arrow }

// rows returns the JSON lines of such a file.
func (p Packing) rows(file io.Reader) io.Reader {
	if p == Arrow {
		return arrowfile.NewReader(file)
	}
	return torchfile.NewReader(file)
}

// NewReader returns the text of a gzip or zstd file, or the lines of a table. It starts no goroutines, so it reads no
// more of the file than the text read so far needs, and need not be closed.
func NewReader(p Packing, file io.Reader) (io.Reader, error) {
	if p == Gzip {
		return gzipindex.NewReader(file), nil
	}
	if p.IsTable() {
		return p.rows(file), nil
	}
	return newZstdReader(file, 1)
}
