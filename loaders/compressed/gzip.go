package compressed

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
)

// gzipReader is the text of a gzip file (RFC 1952): that of all its members, behind the last of which zeros may follow.
type gzipReader struct {
	file   *bufio.Reader
	member gzip.Reader
	inside bool // a member has begun and not ended
}

func newGzipReader(file io.Reader) *gzipReader {
	return &gzipReader{file: bufio.NewReaderSize(file, 64<<10)}
}

func (g *gzipReader) Read(p []byte) (int, error) {
	for {
		if !g.inside {
			if err := g.begin(); err != nil {
				return 0, inWords(err)
			}
		}
		n, err := g.member.Read(p)
		if errors.Is(err, io.EOF) {
			g.inside, err = false, nil
		}
		if n > 0 || err != nil {
			return n, inWords(err)
		}
	}
}

// begin reads the header of the next member. The error is [io.EOF] where none follows.
func (g *gzipReader) begin() error {
	for {
		start, err := g.file.Peek(1)
		if err != nil {
			return err
		}
		if start[0] != 0 {
			break
		}
		_, _ = g.file.Discard(1)
	}
	err := g.member.Reset(g.file)
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	g.member.Multistream(false)
	g.inside = true
	return err
}

// The ways in which a file is not gzip.
var (
	errHeader   = errors.New("no gzip file, or something else behind its end")
	errChecksum = fmt.Errorf("%w: its checksum does not hold", errDamaged)
)

// inWords returns an error of a gzip file in the words of this package.
func inWords(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, gzip.ErrHeader):
		return errHeader
	case errors.Is(err, gzip.ErrChecksum):
		return errChecksum
	case errors.As(err, &corrupt):
		return errDamaged
	}
	return err
}
