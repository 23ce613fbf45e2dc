package frames

import (
	"context"
	"errors"
	"hash/crc32"
	"io"
	"math"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// Reader unpacks pieces of zstd files, one after the other. What it needs of memory it keeps.
type Reader struct {
	decoder *zstd.Decoder
	window  []byte
}

// NewReader returns a reader of files whose windows are no larger than that.
func NewReader(maxWindow uint64) (*Reader, error) {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	return &Reader{decoder: d}, err
}

// Text unpacks the text of a file between two places, of which the first is not before the
// mark; less, if that ends before. The zero Mark is the begin of any file.
func (r *Reader) Text(ctx context.Context, h io.ReaderAt, m Mark, from, to int64) ([]byte, error) {
	if err := r.begin(h, m); err != nil {
		return nil, err
	}
	s := &span{ctx: ctx, at: m.Text - m.primed(), begin: m.Text, sums: m.sums, from: from, text: make([]byte, 0, to-from)}
	if _, err := r.decoder.WriteTo(s); err != nil && !errors.Is(err, errFull) {
		return nil, err
	}
	return s.text, nil
}

// begin brings the unpacker to a mark.
func (r *Reader) begin(h io.ReaderAt, m Mark) (err error) {
	if m.primer == nil { // a frame begins
		return r.decoder.Reset(io.NewSectionReader(h, m.at, math.MaxInt64-m.at))
	}
	if r.window, err = s2.Decode(r.window[:cap(r.window)], m.window); err != nil {
		return err
	}
	all := append(m.begin(h), raws(r.window, m.room())...)
	return r.decoder.Reset(io.MultiReader(append(all, &rest{h: h, at: m.at, summed: m.frame.summed})...))
}

// Close gives back what a reader holds beside memory.
func (r *Reader) Close() { r.decoder.Close() }

// span takes text from a place on, as much as there is room for. What comes behind the
// begin is checked, block by block, as far as there are sums.
type span struct {
	ctx   context.Context
	at    int64 // where the next text is from
	begin int64
	sums  []uint32
	from  int64
	text  []byte
}

var (
	errFull = errors.New("no more text is wanted")

	// ErrChanged says that a file does not hold what it held when a mark was made.
	ErrChanged = errors.New("it has changed since it was read")
)

// Write implements [io.Writer].
func (s *span) Write(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	if s.at >= s.begin && len(s.sums) > 0 {
		if crc32.Checksum(p, sums) != s.sums[0] {
			return 0, ErrChanged
		}
		s.sums = s.sums[1:]
	}
	if skip := max(0, s.from-s.at); skip < int64(len(p)) {
		wanted := p[skip:]
		s.text = append(s.text, wanted[:min(len(wanted), cap(s.text)-len(s.text))]...)
	}
	s.at += int64(len(p))
	if len(s.text) == cap(s.text) {
		return 0, errFull
	}
	return len(p), nil
}

// rest is a file from a block on. It leaves out the checksum of the frame, which is not
// that of what an unpacker has been given, and goes on with the frames that follow.
type rest struct {
	h      io.ReaderAt
	at     int64
	left   int64 // of the block at hand
	last   bool  // it is
	summed bool
	over   bool // with the frame
}

// Read implements [io.Reader].
func (r *rest) Read(p []byte) (int, error) {
	if !r.over && r.left == 0 {
		if err := r.next(); err != nil {
			return 0, err
		}
	}
	if !r.over {
		p = p[:min(int64(len(p)), r.left)]
	}
	n, err := r.h.ReadAt(p, r.at)
	r.at += int64(n)
	if !r.over {
		r.left -= int64(n)
	}
	return n, err
}

// next goes to the next block, or out of the frame.
func (r *rest) next() error {
	if r.last {
		r.over = true
		if r.summed {
			r.at += sumSize
		}
		return nil
	}
	b, err := blockAt(r.h, r.at)
	if err != nil {
		return err
	}
	r.left, r.last = b.size, b.last
	return nil
}
