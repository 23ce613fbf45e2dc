package inflate

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
)

const (
	window  = 32 << 10 // how far back a block may refer
	ahead   = 64 << 10 // text that is unpacked at a time
	longest = 258      // bytes of text that one code stands for
	chunk   = 64 << 10 // bytes of the file that are read at a time
	slack   = 16       // bytes that may be looked at beyond the end
)

// The ways in which a file is not gzip.
var (
	ErrHeader   = errors.New("no gzip file, or something else behind its end")
	ErrCorrupt  = errors.New("it is damaged")
	ErrChecksum = errors.New("it is damaged: its checksum does not hold")
)

// Reader unpacks a gzip file.
type Reader struct {
	r    io.Reader
	in   []byte // what has been read of it
	at   int    // of the next byte in in
	base int64  // where in begins in the file
	past int    // bytes beyond the end of the file that stand in in
	err  error  // of reading

	hold  uint64 // bits that have been taken from in and not used
	count uint   // how many

	out   []byte // window and text
	n     int    // of out
	given int    // of out that has been handed over
	text  int64  // bytes of text before out

	state    state
	last     bool // the block at hand is the last of its member
	stored   int  // bytes left of a block that is not compressed
	member   int64
	sum      uint32
	summed   int  // of out
	unsummed bool // the member began before a mark: its sum is not known

	symbols, distances, codes []entry
	lengths                   [320]byte
	broken                    error

	mark func(*Reader) // called where a block begins
}

type state int

const (
	head state = iota
	block
	inStored
	inCodes
	tail
)

// NewReader returns a reader of a gzip file from its begin.
func NewReader(r io.Reader) *Reader {
	return &Reader{r: r, out: make([]byte, window+ahead+longest+slack)}
}

// Read implements [io.Reader].
func (d *Reader) Read(p []byte) (int, error) {
	for d.given == d.n && d.broken == nil {
		d.slide()
		d.broken = d.fill()
	}
	n := copy(p, d.out[d.given:d.n])
	d.given += n
	if n > 0 {
		return n, nil
	}
	return 0, d.broken
}

// slide makes room behind the window.
func (d *Reader) slide() {
	if d.n < window+ahead {
		return
	}
	d.check()
	by := d.n - window
	copy(d.out, d.out[by:d.n])
	d.n, d.given, d.summed = window, window, window
	d.text += int64(by)
}

// check adds the text since the last time to the checksum.
func (d *Reader) check() {
	if !d.unsummed {
		d.sum = crc32.Update(d.sum, crc32.IEEETable, d.out[d.summed:d.n])
	}
	d.summed = d.n
}

// fill unpacks until there is no room, or the end.
func (d *Reader) fill() error {
	for d.n < window+ahead {
		var err error
		switch d.state {
		case head:
			err = d.header()
		case block:
			err = d.begin()
		case inStored:
			err = d.copyStored()
		case inCodes:
			err = d.decode()
		case tail:
			err = d.trailer()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// more reads on in the file. At its end zeros follow, which past counts.
func (d *Reader) more() error {
	rest := copy(d.in, d.in[d.at:])
	d.base += int64(d.at)
	d.in, d.at = slices.Grow(d.in[:rest], chunk+slack), 0
	for d.err == nil && len(d.in) < rest+slack {
		n, err := d.r.Read(d.in[len(d.in):cap(d.in)])
		d.in, d.err = d.in[:len(d.in)+n], err
	}
	if d.err != nil && !errors.Is(d.err, io.EOF) {
		return d.err
	}
	if d.err != nil {
		d.in = append(d.in, make([]byte, slack)...)
		d.past += slack
	}
	if d.past > 4*slack {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// need sees to it that n bits are held, at most 48.
func (d *Reader) need(n uint) error {
	for d.count < n {
		if len(d.in)-d.at < 8 {
			if err := d.more(); err != nil {
				return err
			}
		}
		d.refill()
	}
	return nil
}

// refill takes as many whole bytes as fit; there are 8.
func (d *Reader) refill() {
	d.hold |= binary.LittleEndian.Uint64(d.in[d.at:]) << d.count
	d.at += int((63 - d.count) >> 3)
	d.count |= 56
}

// take uses n bits that are held.
func (d *Reader) take(n uint) uint64 {
	x := d.hold & (1<<n - 1)
	d.hold >>= n
	d.count -= n
	return x
}

// bits takes n bits.
func (d *Reader) bits(n uint) (uint64, error) {
	if err := d.need(n); err != nil {
		return 0, err
	}
	return d.take(n), d.short()
}

// short reports whether more has been used than the file has.
func (d *Reader) short() error {
	if d.past > 0 && len(d.in)-d.past < d.at-int(d.count>>3) {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// align goes to the begin of the next byte.
func (d *Reader) align() { d.take(d.count & 7) }

// over reports whether the file ends here, at a byte.
func (d *Reader) over() (bool, error) {
	if err := d.need(8); err != nil {
		return false, err
	}
	return d.past > 0 && len(d.in)-d.past <= d.at-int(d.count>>3), nil
}

// decode unpacks until the block ends or there is no room.
func (d *Reader) decode() error {
	for d.n < window+ahead {
		if len(d.in)-d.at < slack {
			if err := d.more(); err != nil {
				return err
			}
		}
		before, until := d.n, window+ahead
		if d.past > 0 { // near the end of the file every code is held against it
			until = before + 1
		}
		ended, err := d.run(until)
		if short := d.short(); short != nil {
			d.n = before
			return short
		}
		if err != nil {
			return err
		}
		if ended {
			d.state = block
			return nil
		}
	}
	return nil
}

// run is decode up to some place in out, as long as there is input at hand. What it needs it keeps beside the
// reader: this is where all the time goes. 56 bits are enough for two literals of the
// first table and a length; a distance may need more.
func (d *Reader) run(until int) (ended bool, err error) {
	in, out := d.in, d.out
	hold, count, at, n := d.hold, d.count, d.at, d.n
	symbols, distances := d.symbols, d.distances
	least := int(max(0, d.member-d.text)) // where the member begins in out
	for n < until && at+slack <= len(in) {
		hold |= binary.LittleEndian.Uint64(in[at:]) << (count & 63)
		at, count = at+int((63-count)>>3), count|56
		e := symbols[hold&(1<<symbolBits-1)]
		for range 2 {
			if e.kind() != literal {
				break
			}
			hold, count = hold>>(e.size()&63), count-e.size()
			out[n] = byte(e >> 16)
			n++
			e = symbols[hold&(1<<symbolBits-1)]
		}
		if e.kind() == link {
			hold, count = hold>>symbolBits, count-symbolBits
			e = symbols[e.value()+int(hold&(1<<(maxCode-symbolBits)-1))]
		}
		hold, count = hold>>(e.size()&63), count-e.size()
		if e.kind() == literal {
			out[n] = byte(e >> 16)
			n++
			continue
		}
		if e.kind() != pair {
			ended = e.kind() == end
			break
		}
		length := e.value() + int(hold&(1<<e.extra()-1))
		hold, count = hold>>(e.extra()&63), count-e.extra()
		if count < maxDistance {
			hold |= binary.LittleEndian.Uint64(in[at:]) << (count & 63)
			at, count = at+int((63-count)>>3), count|56
		}
		e = distances[hold&(1<<distanceBits-1)]
		if e.kind() == link {
			hold, count = hold>>distanceBits, count-distanceBits
			e = distances[e.value()+int(hold&(1<<(maxCode-distanceBits)-1))]
		}
		hold, count = hold>>(e.size()&63), count-e.size()
		back := e.value() + int(hold&(1<<e.extra()-1))
		hold, count = hold>>(e.extra()&63), count-e.extra()
		if e.kind() != pair || n-back < least {
			err = errReach
			break
		}
		again(out, n-back, n, length)
		n += length
	}
	if !ended && err == nil && n < until && at+slack <= len(in) {
		err = errMeaning
	}
	d.hold, d.count, d.at, d.n = hold, count, at, n
	return ended, err
}

// maxDistance is how many bits a distance takes at most, code and extra bits.
const maxDistance = maxCode + 13

var (
	errReach   = fmt.Errorf("%w: a distance beyond its begin", ErrCorrupt)
	errMeaning = fmt.Errorf("%w: a code that means nothing", ErrCorrupt)
)

// again repeats text that may reach into itself.
func again(out []byte, from, n, length int) {
	if n-from >= length {
		copy(out[n:n+length], out[from:from+length])
		return
	}
	for i := range length {
		out[n+i] = out[from+i]
	}
}
