package loaders

import (
	"bufio"
	"io"
	"os"
	"sync"

	"vantage/loaders/compressed"
	"vantage/loaders/fileio"
)

// stream is a stream: it is read once, as it comes, by a goroutine of its own,
// since a read of standard input cannot be called off.
type stream struct {
	buffers  chan []byte
	rest     []byte           // of a piece, not yet read
	err      error            // set before pieces is closed
	inMemory *fileio.InMemory // a Parquet file that came; set before pieces is closed
	ended    bool
	closed   chan struct{}
	once     sync.Once
	mu       sync.Mutex
	source   io.Reader
}

// newStream reads from what open returns; opening a named pipe may block too.
func newStream(open func() (io.Reader, error)) *stream {
	p := &stream{buffers: make(chan []byte), closed: make(chan struct{})}
	go p.run(open)
	return p
}

func (p *stream) run(open func() (io.Reader, error)) {
	defer close(p.buffers)
	r, err := open()
	if err != nil {
		p.err = err
		return
	}
	p.mu.Lock()
	p.source = r
	p.mu.Unlock()
	b, err := decompressed(r)
	if err != nil {
		p.err = err
		return
	}
	if start, _ := b.Peek(compressed.SniffSize); compressed.Sniff(start) == compressed.Parquet {
		m, err := fileio.ReadAll(b)
		p.inMemory, p.err = &m, err
		return
	}
	for {
		select {
		case <-p.closed:
			return
		default:
		}
		piece := make([]byte, 64<<10)
		n, err := b.Read(piece)
		if n > 0 {
			select {
			case p.buffers <- piece[:n]:
			case <-p.closed:
				return
			}
		}
		if err != nil {
			if err != io.EOF {
				p.err = err
			}
			return
		}
	}
}

// decompressed reads what is compressed as what it holds.
func decompressed(r io.Reader) (*bufio.Reader, error) {
	b := bufio.NewReader(r)
	start, _ := b.Peek(compressed.SniffSize)
	packing := compressed.Sniff(start)
	if packing != compressed.Gzip && packing != compressed.Zstd {
		return b, nil
	}
	text, err := compressed.NewReader(packing, b)
	if err != nil {
		return nil, err
	}
	return bufio.NewReader(text), nil
}

// close ends the stream. A reader that can be closed is, to wake the goroutine.
func (p *stream) close() {
	p.once.Do(func() {
		close(p.closed)
		p.mu.Lock()
		defer p.mu.Unlock()
		if c, ok := p.source.(io.Closer); ok {
			_ = c.Close()
		}
	})
}

func openNamedPipe(path string) func() (io.Reader, error) {
	return func() (io.Reader, error) { return os.Open(path) }
}
