package loaders

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// strip is the text around the sample that was read last from a zstd file, in which marks
// are far apart: the samples beside it are at hand then.
type strip struct {
	mu   sync.Mutex
	file int32
	info os.FileInfo // of the file as it was
	from int64
	text []byte
}

// What is kept before and behind the sample.
const (
	behind = 2 << 20
	onward = 512 << 10
)

// at returns the text from an offset on, as far as it is kept.
func (s *strip) at(file int32, info os.FileInfo, offset int64) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.info == nil || s.file != file || !same(s.info, info) || offset < s.from || offset >= s.from+int64(len(s.text)) {
		return nil
	}
	return s.text[offset-s.from:]
}

// keep takes over what is around an offset.
func (s *strip) keep(file int32, info os.FileInfo, from int64, text []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.file, s.info, s.from, s.text = file, info, from, text
}

// same reports whether a file has not changed.
func same(a, b os.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// around reads the text around an offset from a reader that stands at begin, and returns
// where it begins. The text before is unpacked and thrown away, unless that takes so long
// that nobody waits for it.
func around(ctx context.Context, in io.Reader, begin, offset int64) (from int64, text []byte, err error) {
	from = max(begin, offset-behind)
	if err := pass(ctx, in, from-begin); err != nil {
		return 0, nil, err
	}
	var b bytes.Buffer
	_, err = io.CopyN(&b, in, offset-from+onward)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return from, b.Bytes(), err
}

// pass throws so much text away.
func pass(ctx context.Context, in io.Reader, left int64) error {
	for left > 0 {
		n, err := io.CopyN(io.Discard, in, min(left, 1<<20))
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		left -= n
	}
	return nil
}

// later unpacks a zstd file from a place on, when something of that is wanted.
type later struct {
	open func(from int64) (d *zstd.Decoder, begin int64, err error)
	from int64
	d    *zstd.Decoder
}

// Read implements [io.Reader].
func (l *later) Read(b []byte) (int, error) {
	if l.d == nil {
		d, begin, err := l.open(l.from)
		if err != nil {
			return 0, err
		}
		l.d = d
		if err := pass(context.Background(), d, l.from-begin); err != nil {
			return 0, err
		}
	}
	return l.d.Read(b)
}

func (l *later) close() {
	if l.d != nil {
		l.d.Close()
	}
}
