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

// Reader decompresses a gzip file.
type Reader struct {
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

	state       state
	lastBlock   bool  // of its member
	storedLeft  int   // bytes of a stored block
	memberStart int64 // in the text
	crc         uint32
	crcEnd      int  // bytes of out that are in crc
	crcUnknown  bool // the member started before a checkpoint
	err         error

	symbols, distances, lengthCodes []entry
	codeLengths                     [320]byte

	onBlock func(*Reader)
}

type state int

const (
	atHeader state = iota
	atBlock
	inStored
	inCompressed
	atTrailer
)

// NewReader returns a reader of the text of a gzip file.
func NewReader(file io.Reader) *Reader {
	return &Reader{file: file, out: make([]byte, outEnd+maxMatch+slack)}
}

// Read implements [io.Reader].
func (r *Reader) Read(p []byte) (int, error) {
	for r.delivered == r.n && r.err == nil {
		r.slide()
		r.err = r.fill()
	}
	n := copy(p, r.out[r.delivered:r.n])
	r.delivered += n
	if n > 0 {
		return n, nil
	}
	return 0, r.err
}

// slide moves the window to the start of a full out.
func (r *Reader) slide() {
	if r.n < outEnd {
		return
	}
	r.updateCRC()
	by := r.n - windowSize
	copy(r.out, r.out[by:r.n])
	r.n, r.delivered, r.crcEnd = windowSize, windowSize, windowSize
	r.outOffset += int64(by)
}

// updateCRC adds the new text in out to the checksum.
func (r *Reader) updateCRC() {
	if !r.crcUnknown {
		r.crc = crc32.Update(r.crc, crc32.IEEETable, r.out[r.crcEnd:r.n])
	}
	r.crcEnd = r.n
}

// fill decompresses until out is full or the text ends.
func (r *Reader) fill() error {
	for r.n < outEnd {
		var err error
		switch r.state {
		case atHeader:
			err = r.header()
		case atBlock:
			err = r.startBlock()
		case inStored:
			err = r.copyStored()
		case inCompressed:
			err = r.decode()
		case atTrailer:
			err = r.trailer()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readMore reads on in the file, and pads its end with zeros.
func (r *Reader) readMore() error {
	left := copy(r.in, r.in[r.next:])
	r.inOffset += int64(r.next)
	r.in, r.next = slices.Grow(r.in[:left], inSize+slack), 0
	for r.readErr == nil && len(r.in) < left+slack {
		n, err := r.file.Read(r.in[len(r.in):cap(r.in)])
		r.in, r.readErr = r.in[:len(r.in)+n], err
	}
	if r.readErr != nil && !errors.Is(r.readErr, io.EOF) {
		return r.readErr
	}
	if r.readErr != nil {
		r.in = append(r.in, make([]byte, slack)...)
		r.padding += slack
	}
	if r.padding > 4*slack {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// need fills bitBuffer with at least n bits, at most 48.
func (r *Reader) need(n uint) error {
	for r.bitCount < n {
		if len(r.in)-r.next < 8 {
			if err := r.readMore(); err != nil {
				return err
			}
		}
		r.refill()
	}
	return nil
}

// refill adds as many of the next 8 bytes as fit to bitBuffer.
func (r *Reader) refill() {
	r.bitBuffer |= binary.LittleEndian.Uint64(r.in[r.next:]) << r.bitCount
	r.next += int((63 - r.bitCount) >> 3)
	r.bitCount |= 56
}

// take removes n bits from bitBuffer.
func (r *Reader) take(n uint) uint64 {
	x := r.bitBuffer & (1<<n - 1)
	r.bitBuffer >>= n
	r.bitCount -= n
	return x
}

// bits reads n bits, at most 48.
func (r *Reader) bits(n uint) (uint64, error) {
	if err := r.need(n); err != nil {
		return 0, err
	}
	return r.take(n), r.checkOverrun()
}

// checkOverrun returns an error if bits after the end of the file have been used.
func (r *Reader) checkOverrun() error {
	if r.padding > 0 && len(r.in)-r.padding < r.next-int(r.bitCount>>3) {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// align skips to the start of a byte.
func (r *Reader) align() { r.take(r.bitCount & 7) }

// atEOF reports whether all bytes of the file have been used.
func (r *Reader) atEOF() (bool, error) {
	if err := r.need(8); err != nil {
		return false, err
	}
	return r.padding > 0 && len(r.in)-r.padding <= r.next-int(r.bitCount>>3), nil
}

// decode decompresses until the block ends or out is full. Near the end of the file it checks
// for overrun after every code.
func (r *Reader) decode() error {
	for r.n < outEnd {
		if len(r.in)-r.next < slack {
			if err := r.readMore(); err != nil {
				return err
			}
		}
		before, until := r.n, outEnd
		if r.padding > 0 {
			until = before + 1
		}
		ended, err := r.decodeUntil(until)
		if overrun := r.checkOverrun(); overrun != nil {
			r.n = before
			return overrun
		}
		if err != nil {
			return err
		}
		if ended {
			r.state = atBlock
			return nil
		}
	}
	return nil
}

// decodeUntil decompresses until n reaches until, the block ends or in is used up. All the
// time is spent here, so it works on local copies of the reader's state. 56 bits are enough
// for two literals without subtable and a length; a distance may need more.
func (r *Reader) decodeUntil(until int) (ended bool, err error) {
	in, out := r.in, r.out
	buf, count, next, n := r.bitBuffer, r.bitCount, r.next, r.n
	symbols, distances := r.symbols, r.distances
	memberStart := int(max(0, r.memberStart-r.outOffset)) // in out
	for n < until && next+slack <= len(in) {
		buf |= binary.LittleEndian.Uint64(in[next:]) << (count & 63)
		next, count = next+int((63-count)>>3), count|56
		e := symbols[buf&(1<<symbolBits-1)]
		for range 2 {
			if e.kind() != literal {
				break
			}
			buf, count = buf>>(e.size()&63), count-e.size()
			out[n] = byte(e >> 16)
			n++
			e = symbols[buf&(1<<symbolBits-1)]
		}
		if e.kind() == subtable {
			buf, count = buf>>symbolBits, count-symbolBits
			e = symbols[e.value()+int(buf&(1<<(maxCodeBits-symbolBits)-1))]
		}
		buf, count = buf>>(e.size()&63), count-e.size()
		if e.kind() == literal {
			out[n] = byte(e >> 16)
			n++
			continue
		}
		if e.kind() != match {
			ended = e.kind() == endOfBlock
			break
		}
		length := e.value() + int(buf&(1<<e.extra()-1))
		buf, count = buf>>(e.extra()&63), count-e.extra()
		if count < maxDistanceBits {
			buf |= binary.LittleEndian.Uint64(in[next:]) << (count & 63)
			next, count = next+int((63-count)>>3), count|56
		}
		e = distances[buf&(1<<distanceBits-1)]
		if e.kind() == subtable {
			buf, count = buf>>distanceBits, count-distanceBits
			e = distances[e.value()+int(buf&(1<<(maxCodeBits-distanceBits)-1))]
		}
		buf, count = buf>>(e.size()&63), count-e.size()
		distance := e.value() + int(buf&(1<<e.extra()-1))
		buf, count = buf>>(e.extra()&63), count-e.extra()
		if e.kind() != match || n-distance < memberStart {
			err = errDistance
			break
		}
		copyMatch(out, n-distance, n, length)
		n += length
	}
	if !ended && err == nil && n < until && next+slack <= len(in) {
		err = errNoCode
	}
	r.bitBuffer, r.bitCount, r.next, r.n = buf, count, next, n
	return ended, err
}

// maxDistanceBits is the most that a distance takes: its code and extra bits.
const maxDistanceBits = maxCodeBits + 13

var (
	errDistance = fmt.Errorf("%w: a distance beyond its begin", ErrCorrupt)
	errNoCode   = fmt.Errorf("%w: a code that means nothing", ErrCorrupt)
)

// copyMatch copies text that may overlap its copy.
func copyMatch(out []byte, from, to, length int) {
	if to-from >= length {
		copy(out[to:to+length], out[from:from+length])
		return
	}
	for i := range length {
		out[to+i] = out[from+i]
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

// OnBlock sets a function to call at the start of each block, where it may take a
// [Reader.Checkpoint].
func (r *Reader) OnBlock(f func(*Reader)) { r.onBlock = f }

// Offset returns how many bytes of text have been decompressed.
func (r *Reader) Offset() int64 { return r.outOffset + int64(r.n) }

// Checkpoint returns a checkpoint at the block that starts. It may only be called from the
// function given to [Reader.OnBlock].
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
	r.inOffset, r.state, r.crcUnknown = at, atBlock, true
	_, err = r.bits(uint(c.bit % 8))
	return r, err
}

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
func (r *Reader) header() error {
	magic, err := r.bits(16)
	if err != nil {
		return err
	}
	if magic != 0x8b1f {
		return ErrHeader
	}
	x, err := r.bits(16)
	if err != nil {
		return err
	}
	if x&0xff != deflate {
		return fmt.Errorf("%w: it is compressed in another way", ErrHeader)
	}
	if err := r.skipFields(x >> 8); err != nil {
		return err
	}
	r.state, r.lastBlock, r.memberStart = atBlock, false, r.Offset()
	r.crc, r.crcEnd, r.crcUnknown = 0, r.n, false
	return nil
}

// skipFields skips the fields of a header after its flags.
func (r *Reader) skipFields(flags uint64) error {
	if err := r.skip(6); err != nil { // time, level, system
		return err
	}
	if flags&flagExtra != 0 {
		n, err := r.bits(16)
		if err == nil {
			err = r.skip(int(n))
		}
		if err != nil {
			return err
		}
	}
	for _, flag := range [...]uint64{flagName, flagComment} {
		if flags&flag != 0 {
			if err := r.skipString(); err != nil {
				return err
			}
		}
	}
	if flags&flagCRC != 0 {
		return r.skip(2)
	}
	return nil
}

func (r *Reader) skip(n int) error {
	for range n {
		if _, err := r.bits(8); err != nil {
			return err
		}
	}
	return nil
}

// skipString skips to the byte after the next zero.
func (r *Reader) skipString() error {
	for {
		if x, err := r.bits(8); err != nil || x == 0 {
			return err
		}
	}
}

// trailer checks a member against its checksum and size, and goes to the next member.
func (r *Reader) trailer() error {
	r.align()
	r.updateCRC()
	crc, err := r.bits(32)
	if err != nil {
		return err
	}
	size, err := r.bits(32)
	if err != nil {
		return err
	}
	if !r.crcUnknown && (uint32(crc) != r.crc || uint32(size) != uint32(r.Offset()-r.memberStart)) {
		return ErrChecksum
	}
	return r.nextMember()
}

// nextMember skips zero padding. At the end of the file it returns [io.EOF].
func (r *Reader) nextMember() error {
	for {
		end, err := r.atEOF()
		if err != nil {
			return err
		}
		if end {
			return io.EOF
		}
		if r.bitBuffer&0xff != 0 {
			r.state = atHeader
			return nil
		}
		r.take(8)
	}
}
