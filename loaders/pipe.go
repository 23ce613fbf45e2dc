package loaders

import (
	"bufio"
	"io"
	"os"
	"sync"

	"vantage/loaders/compressed"
)

// pipe is a stream: it is read once, as it comes, by a goroutine of its own,
// since a read of standard input cannot be called off.
type pipe struct {
	pieces chan []byte
	rest   []byte  // of a piece, not yet read
	err    error   // set before pieces is closed
	held   *memory // a Parquet file that came; set before pieces is closed
	ended  bool
	closed chan struct{}
	once   sync.Once
	mu     sync.Mutex
	source io.Reader
}

// newPipe reads from what open returns; opening a named pipe may block too.
func newPipe(open func() (io.Reader, error)) *pipe {
	p := &pipe{pieces: make(chan []byte), closed: make(chan struct{})}
	go p.run(open)
	return p
}

func (p *pipe) run(open func() (io.Reader, error)) {
	defer close(p.pieces)
	r, err := open()
	if err != nil {
		p.err = err
		return
	}
	p.mu.Lock()
	p.source = r
	p.mu.Unlock()
	b, err := unwrapped(r)
	if err != nil {
		p.err = err
		return
	}
	if start, _ := b.Peek(compressed.SniffSize); compressed.Sniff(start) == compressed.Parquet {
		m, err := hold(b)
		p.held, p.err = &m, err
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
			case p.pieces <- piece[:n]:
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

// unwrapped reads what is compressed as what it holds.
func unwrapped(r io.Reader) (*bufio.Reader, error) {
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
func (p *pipe) close() {
	p.once.Do(func() {
		close(p.closed)
		p.mu.Lock()
		defer p.mu.Unlock()
		if c, ok := p.source.(io.Closer); ok {
			_ = c.Close()
		}
	})
}

func openPipe(path string) func() (io.Reader, error) {
	return func() (io.Reader, error) { return os.Open(path) }
}
