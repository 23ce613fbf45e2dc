// Package gzipindex decompresses gzip files and can resume in the middle, like zran.c of
// zlib. Other readers start at the start, so the last row of a gigabyte is seconds away.
//
// A gzip file (RFC 1952) is one or more members, each a stream of blocks (RFC 1951). A
// block may refer back to the 32 KB of text before it, wherever they came from. A
// [Checkpoint] is therefore the bit at which a block begins, and those 32 KB.
package gzipindex

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"

	"github.com/klauspost/compress/s2"
)

const (
	windowSize = 32 << 10 // how far back a block may refer
	maxMatch   = 258      // bytes
	outEnd     = windowSize + 64<<10
	inSize     = 64 << 10
	slack      = 16 // bytes after the end of a buffer that may be read or written
)

// The ways in which a file is not gzip.
var (
	ErrHeader   = errors.New("no gzip file, or something else behind its end")
	ErrCorrupt  = errors.New("it is damaged")
	ErrChecksum = errors.New("it is damaged: its checksum does not hold")
)

// Reader decompresses a gzip file. Its first error stays: what is read after it is zero, and means nothing.
type Reader struct {
	OnBlock func(*Reader) // is called at the start of each block, where it may take a [Reader.Checkpoint]; nil to call nothing

	file     io.Reader
	in       []byte // read from file
	next     int    // index in in
	inOffset int64  // of in in the file
	padding  int    // zeros in in after the end of the file
	readErr  error

	bitBuffer uint64 // bits before in[next]
	bitCount  uint

	out       []byte // window and text
	n         int    // bytes in out
	delivered int    // bytes of out that Read has returned
	outOffset int64  // of out in the text

	step        func(*Reader) // reads what comes next, until out is full; another follows when it is done
	lastBlock   bool          // of its member
	storedLeft  int           // bytes of a stored block
	memberStart int64         // in the text
	crc         uint32
	crcEnd      int  // bytes of out that are in crc
	crcUnknown  bool // the member started before a checkpoint
	err         error

	symbols, distances, lengthCodes []entry
	codeLengths                     [320]byte
}

// NewReader returns a reader of the text of a gzip file.
func NewReader(file io.Reader) *Reader {
	return &Reader{file: file, out: make([]byte, outEnd+maxMatch+slack), step: (*Reader).header}
}

func (r *Reader) Read(p []byte) (int, error) {
	for r.delivered == r.n && r.err == nil {
		if r.n >= outEnd { // move the window to the start
			r.updateCRC()
			by := r.n - windowSize
			copy(r.out, r.out[by:r.n])
			r.n, r.delivered, r.crcEnd = windowSize, windowSize, windowSize
			r.outOffset += int64(by)
		}
		for r.n < outEnd && r.err == nil {
			r.step(r)
		}
	}
	n := copy(p, r.out[r.delivered:r.n])
	r.delivered += n
	if n > 0 {
		return n, nil
	}
	return 0, r.err
}

func (r *Reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *Reader) updateCRC() {
	if !r.crcUnknown {
		r.crc = crc32.Update(r.crc, crc32.IEEETable, r.out[r.crcEnd:r.n])
	}
	r.crcEnd = r.n
}

// readMore reads on in the file, and pads its end with zeros.
func (r *Reader) readMore() {
	left := copy(r.in, r.in[r.next:])
	r.inOffset += int64(r.next)
	r.in, r.next = slices.Grow(r.in[:left], inSize+slack), 0
	for r.readErr == nil && len(r.in) < left+slack {
		n, err := r.file.Read(r.in[len(r.in):cap(r.in)])
		r.in, r.readErr = r.in[:len(r.in)+n], err
	}
	if errors.Is(r.readErr, io.EOF) {
		r.in = append(r.in, make([]byte, slack)...)
		if r.padding += slack; r.padding > 4*slack {
			r.fail(io.ErrUnexpectedEOF)
		}
	} else if r.readErr != nil {
		r.fail(r.readErr)
	}
}

// need fills bitBuffer with at least n bits, at most 48.
func (r *Reader) need(n uint) {
	for r.bitCount < n && r.err == nil {
		if len(r.in)-r.next < 8 {
			r.readMore()
		}
		if r.err == nil { // add as many of the next 8 bytes as fit
			r.bitBuffer |= binary.LittleEndian.Uint64(r.in[r.next:]) << r.bitCount
			r.next += int((63 - r.bitCount) >> 3)
			r.bitCount |= 56
		}
	}
}

func (r *Reader) take(n uint) uint64 {
	x := r.bitBuffer & (1<<n - 1)
	r.bitBuffer >>= n
	r.bitCount -= n
	return x
}

// bits reads n bits, at most 48; 0 after an error.
func (r *Reader) bits(n uint) uint64 {
	if r.need(n); r.err != nil {
		return 0
	}
	x := r.take(n)
	r.checkOverrun()
	return x
}

// used returns how many bytes of in have been used, as far as they are whole.
func (r *Reader) used() int { return r.next - int(r.bitCount>>3) }

// checkOverrun fails if bits after the end of the file have been used.
func (r *Reader) checkOverrun() {
	if r.padding > 0 && len(r.in)-r.padding < r.used() {
		r.fail(io.ErrUnexpectedEOF)
	}
}

func (r *Reader) align() { r.take(r.bitCount & 7) }

// The flags of a member's header.
const (
	flagCRC     = 1 << 1
	flagExtra   = 1 << 2
	flagName    = 1 << 3
	flagComment = 1 << 4
)

const deflate = 8 // the only compression method there is

// header reads the header of a member. Like the standard library it ignores flags that have
// no meaning yet.
func (r *Reader) header() {
	if r.bits(16) != 0x8b1f {
		r.fail(ErrHeader)
	}
	method, flags := r.bits(8), r.bits(8)
	if method != deflate {
		r.fail(fmt.Errorf("%w: it is compressed in another way", ErrHeader))
	}
	r.skip(6) // time, level, system
	if flags&flagExtra != 0 {
		r.skip(r.bits(16))
	}
	for _, flag := range [...]uint64{flagName, flagComment} {
		for flags&flag != 0 && r.bits(8) != 0 { // a text ends with a zero
		}
	}
	if flags&flagCRC != 0 {
		r.skip(2)
	}
	r.step, r.lastBlock, r.memberStart = (*Reader).startBlock, false, r.Offset()
	r.crc, r.crcEnd, r.crcUnknown = 0, r.n, false
}

func (r *Reader) skip(bytes uint64) {
	for range bytes {
		r.bits(8)
	}
}

// trailer checks a member against its checksum and size, skips zero padding and goes to the next member. At the end of the
// file it fails with [io.EOF].
func (r *Reader) trailer() {
	r.align()
	r.updateCRC()
	crc, size := r.bits(32), r.bits(32)
	if !r.crcUnknown && (uint32(crc) != r.crc || uint32(size) != uint32(r.Offset()-r.memberStart)) {
		r.fail(ErrChecksum)
	}
	for r.err == nil {
		if r.need(8); r.padding > 0 && len(r.in)-r.padding <= r.used() {
			r.fail(io.EOF)
		}
		if r.bitBuffer&0xff != 0 {
			r.step = (*Reader).header
			return
		}
		r.take(8)
	}
}

// Checkpoint is a place from which decompression can resume: the start of a block.
type Checkpoint struct {
	Offset int64  // in the text
	bit    int64  // in the file
	window []byte // the text before it, compressed
}

// Size returns the bytes of memory that a checkpoint takes.
func (c Checkpoint) Size() int { return len(c.window) + 40 }

// Offset returns how many bytes of text have been decompressed.
func (r *Reader) Offset() int64 { return r.outOffset + int64(r.n) }

// Checkpoint returns a checkpoint at the block that starts. It may only be called from OnBlock.
func (r *Reader) Checkpoint() Checkpoint {
	from := max(0, r.n-windowSize)
	return Checkpoint{
		Offset: r.Offset(),
		bit:    (r.inOffset+int64(r.next))*8 - int64(r.bitCount),
		window: bytes.Clone(s2.Encode(nil, r.out[from:r.n])), // without spare capacity
	}
}

// Resume returns a reader of a gzip file that starts at a checkpoint.
func Resume(file io.ReaderAt, c Checkpoint) (*Reader, error) {
	at := c.bit / 8
	r := NewReader(io.NewSectionReader(file, at, math.MaxInt64-at))
	window, err := s2.Decode(nil, c.window)
	if err != nil {
		return nil, err
	}
	r.n = copy(r.out, window)
	r.delivered, r.outOffset = r.n, c.Offset-int64(r.n)
	r.memberStart = r.outOffset
	r.inOffset, r.step, r.crcUnknown = at, (*Reader).startBlock, true
	r.bits(uint(c.bit % 8))
	return r, r.err
}
