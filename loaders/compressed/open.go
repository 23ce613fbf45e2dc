// Package compressed reads the text of gzip, zstd and bzip2 files and of those in UTF-16, reads the samples of torch files and the rows
// of Arrow as text, and finds a place in their text again.
//
// Package loaders detects the [Packing] of a file and reads its text from a [Decompressor],
// which works concurrently. An [Index] reads text again from the start of its file, and keeps
// what makes a later [Index.TextAt] fast: the text around what was read last.
package compressed

import (
	"bytes"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"

	"vantage/loaders/compressed/arrowfile"
	"vantage/loaders/compressed/torchfile"
	"vantage/model/fault"
)

// Packing is how a file is packed, so that it can only be read from its start.
type Packing string

// The packings. The zero value is a plain file.
const (
	None    Packing = ""
	Gzip    Packing = "gzip"
	Zstd    Packing = "zstd"
	Bzip2   Packing = "bzip2"
	UTF16   Packing = "utf-16"
	Parquet Packing = "parquet"
	Torch   Packing = "torch" // samples in a pickle, which are read as JSON lines
	Arrow   Packing = "arrow" // a table, whose rows are read as JSON lines
	Torn    Packing = "torn"  // too short to tell: what is there may begin any of the others
)

// SniffSize is how many bytes at the start of a file tell its packing.
const SniffSize = 6

var magics = [...]struct {
	start   string
	packing Packing
}{
	{"\x1f\x8b", Gzip},
	{"\x28\xb5\x2f\xfd", Zstd},
	{"BZh", Bzip2},
	{"\xff\xfe\x00\x00", None}, // UTF-32
	{"\xff\xfe", UTF16},
	{"\xfe\xff", UTF16},
	{"PAR1", Parquet},
	{"PK\x03\x04", Torch}, // of any zip file
	{"ARROW1", Arrow},
	{"\xff\xff\xff\xff", Arrow}, // a stream, as datasets saves it
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

// IsText reports whether a file so packed has text, which a [NewReader] returns.
func (p Packing) IsText() bool {
	return p == Gzip || p == Zstd || p == Bzip2 || p == UTF16 || p == Arrow
}

// NewReader returns the text of a packed file, or the lines of a torch file or a table. It starts no goroutines, so it reads no
// more of the file than the text read so far needs, and need not be closed.
func NewReader(p Packing, file io.Reader) (io.Reader, error) { return newReader(p, file, 1) }

// newReader is NewReader with so many blocks of a zstd file in flight; with more than 1 it must be closed.
func newReader(p Packing, file io.Reader, blocks int) (io.ReadCloser, error) {
	text := file
	switch p {
	case Gzip:
		text = newGzipReader(file)
	case Bzip2:
		text = bzip2.NewReader(file)
	case UTF16:
		text = newUTF16Reader(file)
	case Torch:
		text = torchfile.NewReader(file)
	case Arrow:
		text = arrowfile.NewReader(file)
	case None, Zstd, Parquet, Torn:
		return newZstdReader(file, blocks)
	}
	return io.NopCloser(text), nil
}

// Decompressor decompresses a file in its own goroutine, concurrently with the decoding of
// records.
type Decompressor struct {
	file    *countingReader
	text    io.ReadCloser
	filled  chan *buffer
	free    chan *buffer
	stopped chan struct{}
	running fault.Group

	current *buffer // that Next returned last
	err     error   // after its text
	size    int64   // of the text so far
}

// buffer is a piece of text, how many bytes of the file have been read for it, and the error
// after it.
type buffer struct {
	text     []byte
	consumed int64
	err      error
}

// With half as many buffers the decompressor waits for the decoder now and then, which
// costs 5 %.
const (
	maxBuffers = 8
	bufferSize = 256 << 10
)

// Beyond the first gigabyte of text more than maxRatio times the file's size is a bomb,
// not a log.
const (
	maxRatio  = 200
	freeBytes = 1 << 30
)

// ErrBomb says that a file decompresses to too much text.
var ErrBomb = fmt.Errorf("it unpacks to more than %d times its size: the rest is not read", maxRatio)

var errDamaged = errors.New("it is damaged")

// Decompress starts to decompress a packed file, or to read a torch file or a table.
func Decompress(p Packing, file io.Reader) (*Decompressor, error) {
	counted := &countingReader{r: file}
	r, err := newReader(p, counted, zstdBlocks)
	if err != nil {
		return nil, err
	}
	return startDecompressor(r, counted), nil
}

// startDecompressor decompresses text, which reads file, perhaps in goroutines of its own.
func startDecompressor(text io.ReadCloser, file *countingReader) *Decompressor {
	d := &Decompressor{
		file: file, text: text, stopped: make(chan struct{}),
		filled: make(chan *buffer, maxBuffers), free: make(chan *buffer, maxBuffers),
	}
	for range maxBuffers {
		d.free <- &buffer{}
	}
	d.running.Go(d.run)
	return d
}

func (d *Decompressor) run() {
	defer close(d.filled)
	for {
		select {
		case <-d.stopped:
			return
		case b := <-d.free:
			d.fill(b)
			d.filled <- b
			if b.err != nil {
				return
			}
		}
	}
}

// fill turns a panic, which a damaged file might cause, into the file's error.
func (d *Decompressor) fill(b *buffer) {
	defer fault.Catch(func(f *fault.Fault) { b.err = fmt.Errorf("%w: %v", errDamaged, f.Cause) })
	if b.text == nil {
		b.text = make([]byte, bufferSize)
	}
	b.text = b.text[:0]
	for len(b.text) < cap(b.text) && b.err == nil {
		var n int
		n, b.err = d.text.Read(b.text[len(b.text):cap(b.text)])
		b.text = b.text[:len(b.text)+n]
	}
	b.consumed = d.file.n.Load()
}

// Next returns the next text and how many bytes of the file have been read so far. The text
// is valid until the next call. The error is [io.EOF] at the end of the text, [ErrBomb] if
// there is too much of it, and [os.ErrClosed] after [Decompressor.Stop].
func (d *Decompressor) Next() (text []byte, consumed int64, err error) {
	if d.err != nil {
		return nil, 0, d.err
	}
	if d.current != nil {
		d.free <- d.current
		d.current = nil
	}
	b, ok := <-d.filled
	if !ok {
		return nil, 0, os.ErrClosed
	}
	d.current, d.err = b, b.err
	d.size += int64(len(b.text))
	switch {
	case len(b.text) == 0:
		return nil, b.consumed, b.err
	case d.size > freeBytes && d.size/maxRatio > b.consumed:
		return nil, b.consumed, ErrBomb
	}
	return b.text, b.consumed, nil
}

// Stop ends the goroutine, and those of the text.
func (d *Decompressor) Stop() {
	close(d.stopped)
	d.running.Wait()
	_ = d.text.Close()
}

type countingReader struct {
	r io.Reader
	n atomic.Int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// zstdReader is the text of a zstd file. A reader with blocks in flight decompresses them in
// goroutines of its own, until its file ends or it is closed.
type zstdReader struct {
	io.ReadCloser
	maxWindow int64
}

// zstdBlocks is how many blocks are in flight where a whole file is decompressed: while one is put
// together from its parts, those after it are decoded. With two it takes a fifth more time.
const zstdBlocks = 4

// newZstdReader returns a reader with so many blocks in flight; with 1 it starts no goroutines.
func newZstdReader(file io.Reader, blocks int) (*zstdReader, error) {
	maxWindow := maxZstdWindow(debug.SetMemoryLimit(-1))
	d, err := zstd.NewReader(file, zstd.WithDecoderConcurrency(blocks), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(uint64(maxWindow)))
	return &zstdReader{d.IOReadCloser(), maxWindow}, err
}

// maxZstdWindow bounds the memory that a zstd file may demand by the memory that the program may
// take. Every zstd has to read windows of 8 MB; those of 128 MB are the largest that it reads unasked.
func maxZstdWindow(memory int64) int64 { return min(max(8<<20, memory/8), 128<<20) }

// ErrWindow says that to unpack a file takes too much memory.
var ErrWindow = errors.New("it was packed with zstd --long")

func (z *zstdReader) Read(p []byte) (int, error) {
	n, err := z.ReadCloser.Read(p)
	if errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded) {
		err = fmt.Errorf("%w, and to unpack it takes more than %d MB of memory, too much here: unpack it with zstd -d --long=31", ErrWindow,
			z.maxWindow>>20)
	}
	return n, err
}
