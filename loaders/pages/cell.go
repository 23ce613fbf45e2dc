package pages

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/klauspost/compress/zstd"
)

// Cells reads single cells of a file, of columns that are not [Other]. It keeps the page
// that it read last of each column of each group, and the dictionary: what stands beside a
// cell is at hand then. The file's index grows by the pages that it passes.
type Cells struct {
	f     *File
	room  int
	slots map[int]*slot
	size  int
	zstd  *zstd.Decoder
}

// slot is what is kept of a column of a group.
type slot struct {
	reader *Reader
	page   Page
	first  int64 // row of the page
	buffer Buffer
	levels []byte // of a column that may hold nulls: which values are there
	values []byte
	size   int
}

// NewCells reads cells of a file. Beyond so many bytes it keeps no more than what is of one
// group.
func NewCells(f *File, room int) *Cells { return &Cells{f: f, room: room, slots: map[int]*slot{}} }

// Number returns the number, or truth value, in a row of a group; a null is none.
func (c *Cells) Number(group, column int, row int64) (x float64, ok bool, err error) {
	s, at, ok, err := c.find(group, column, row)
	if err != nil || !ok {
		return 0, false, err
	}
	x, err = s.number(at)
	return x, err == nil, err
}

// Text returns the text in a row of a group; a null is none. It is good until the next call.
func (c *Cells) Text(group, column int, row int64) (text []byte, ok bool, err error) {
	s, at, ok, err := c.find(group, column, row)
	if err != nil || !ok {
		return nil, false, err
	}
	text, err = s.text(at)
	return text, err == nil, err
}

// Size returns how many bytes of memory are kept.
func (c *Cells) Size() int { return c.size }

// Close gives back what is held beside memory.
func (c *Cells) Close() {
	if c.zstd != nil {
		c.zstd.Close()
		c.zstd = nil
	}
}

// find has the page read that a row stands in, and returns where its value stands among
// those of the page; not ok if it is a null.
func (c *Cells) find(group, column int, row int64) (s *slot, at int, ok bool, err error) {
	n := group*len(c.f.Columns) + column
	if s = c.slots[n]; s == nil {
		s = &slot{reader: c.f.Column(group, column)}
		s.reader.lean = true
	}
	delete(c.slots, n) // unless all goes well
	c.size -= s.size
	if row < s.first || row >= s.first+int64(s.page.Rows) {
		s.buffer.zstd = c.zstd
		err := s.load(row)
		c.zstd, s.buffer.zstd = s.buffer.zstd, nil
		if err != nil {
			return nil, 0, false, err
		}
	}
	if c.slots[n], c.size = s, c.size+s.size; c.size > c.room {
		c.only(group)
	}
	if at = int(row - s.first); s.levels == nil {
		return s, at, true, nil
	}
	at, ok, err = rank(s.levels, at)
	return s, at, ok, err
}

// only keeps what is of one group.
func (c *Cells) only(group int) {
	for n, s := range c.slots {
		if n/len(c.f.Columns) != group {
			delete(c.slots, n)
			c.size -= s.size
		}
	}
}

// load reads the page that a row stands in.
func (s *slot) load(row int64) error {
	r := s.reader
	r.rewind()
	first, err := r.Find(row)
	if err != nil {
		return err
	}
	p, err := r.Next()
	for ; err == nil && row >= first+int64(p.Rows); p, err = r.Next() {
		first += int64(p.Rows)
	}
	if err != nil {
		return err
	}
	s.page, s.first = p, first
	if s.levels, s.values, err = p.split(&s.buffer); err != nil {
		return err
	}
	s.size = cap(s.buffer.packed) + cap(s.buffer.plain) + r.size
	return nil
}

// rank returns how many values there are before a row, by levels that are one where there is
// one, and whether that row has one.
func rank(levels []byte, row int) (before int, there bool, err error) {
	for {
		r, rest, err := nextRun(levels, 1, row+1)
		if err != nil {
			return 0, false, err
		}
		n := min(r.count, row) // of the run, before the row
		if r.packed == nil {
			before += n * int(r.value)
			there = r.value == 1
		} else {
			for _, b := range r.packed[:n/8] {
				before += bits.OnesCount8(b)
			}
			if n%8 > 0 {
				before += bits.OnesCount8(r.packed[n/8] & (1<<(n%8) - 1))
			}
			there = n < r.count && r.packed[n/8]>>(n%8)&1 == 1
		}
		if row < r.count {
			return before, there, nil
		}
		levels, row = rest, row-r.count
	}
}

// nth returns number n of a row of small numbers of so many bits.
func nth(data []byte, width, n int) (uint32, error) {
	if width == 0 {
		return 0, nil
	}
	for {
		r, rest, err := nextRun(data, width, n+1)
		switch {
		case err != nil:
			return 0, err
		case n >= r.count:
			data, n = rest, n-r.count
			continue
		case r.packed == nil:
			return r.value, nil
		}
		var b [8]byte
		copy(b[:], r.packed[n*width/8:])
		return uint32(binary.LittleEndian.Uint64(b[:]) >> (n * width % 8) & (1<<width - 1)), nil
	}
}

// number returns a value of the page.
func (s *slot) number(at int) (float64, error) {
	switch encoding := s.page.header.encoding; {
	case encoding == dictionary || encoding == plainDictionary:
		i, err := s.entry(at, len(s.reader.numbers))
		if err != nil {
			return 0, err
		}
		return s.reader.numbers[i], nil
	case s.reader.column.Kind == Bool:
		return s.truth(at)
	case encoding != plain:
		return 0, ErrUnsupported
	}
	physical := s.reader.column.physical
	width := widthOf(physical)
	if at >= len(s.values)/width {
		return 0, errShort
	}
	one, err := numbers(make([]float64, 0, 1), s.values[at*width:], physical, 1)
	if err != nil {
		return 0, err
	}
	return one[0], nil
}

func (s *slot) truth(at int) (float64, error) {
	switch encoding := s.page.header.encoding; {
	case encoding == plain && at/8 < len(s.values):
		return float64(s.values[at/8] >> (at % 8) & 1), nil
	case encoding == runs && len(s.values) >= 4:
		x, err := nth(s.values[4:], 1, at)
		return float64(x), err
	case encoding == plain || encoding == runs:
		return 0, errShort
	}
	return 0, ErrUnsupported
}

// entry returns which entry of the dictionary a value is.
func (s *slot) entry(at, size int) (uint32, error) {
	if len(s.values) == 0 || s.values[0] > maxWidth {
		return 0, errEarly
	}
	i, err := nth(s.values[1:], int(s.values[0]), at)
	if err == nil && uint64(i) >= uint64(size) {
		err = fmt.Errorf("%w: an index beyond the dictionary", ErrBroken)
	}
	return i, err
}

// text returns a value of the page.
func (s *slot) text(at int) ([]byte, error) {
	switch s.page.header.encoding {
	case dictionary, plainDictionary:
		if s.reader.texts == nil {
			return nil, errMissing
		}
		i, err := s.entry(at, len(s.reader.texts.spans))
		if err != nil {
			return nil, err
		}
		text, _ := s.reader.texts.At(int(i))
		return text, nil
	case plain:
		rest := s.values
		for ; len(rest) >= 4; at-- {
			size := uint64(binary.LittleEndian.Uint32(rest))
			if rest = rest[4:]; size > uint64(len(rest)) {
				return nil, errShort
			}
			if at == 0 {
				return rest[:size], nil
			}
			rest = rest[size:]
		}
		return nil, errShort
	}
	return nil, ErrUnsupported
}
