package loaders

import (
	"io"
	"os"
	"sync"
)

// unpacker unpacks a compressed file beside those who read its text, and one who watches
// it then: all take their time.
type unpacker struct {
	taken  *countedReader
	watch  watcher
	at     *piece // that is not handed over yet
	pieces chan *piece
	seen   chan *piece // by those who read, and not by the watcher
	free   chan *piece
	closed chan struct{}
	done   sync.WaitGroup // unpacking
	idle   sync.WaitGroup // watching
}

// watcher watches what writes its text block by block.
type watcher interface {
	Block(text []byte, taken int64) // taken are the bytes of the file that it took to get there
	End()
}

// piece is some text, and what had been taken of the file when it was there.
type piece struct {
	text   []byte
	taken  int64
	err    error // behind the text
	blocks []blockEnd
}

// blockEnd is where a block ends: in a piece, and in the file.
type blockEnd struct {
	text  int
	taken int64
}

// maxPieces is how many pieces there are. With half as many those who read and watch hold
// unpacking up now and then, by five parts in a hundred.
const maxPieces = 16

// startUnpacker unpacks text from r, which takes its bytes from the file through taken.
// There may be no watcher.
func startUnpacker(r io.Reader, taken *countedReader, watch watcher) *unpacker {
	u := &unpacker{
		taken: taken, watch: watch, closed: make(chan struct{}),
		pieces: make(chan *piece, maxPieces/2), seen: make(chan *piece, maxPieces), free: make(chan *piece, maxPieces),
	}
	for range cap(u.free) {
		u.free <- &piece{}
	}
	u.done.Go(func() {
		defer close(u.pieces)
		err := u.run(r)
		if err == nil {
			err = io.EOF
		}
		if u.room(0) == nil { // for what came behind the text
			_ = u.send(err)
		}
	})
	if watch != nil {
		u.idle.Go(u.look)
	}
	return u
}

func (u *unpacker) run(r io.Reader) error {
	if w, ok := r.(io.WriterTo); ok && u.watch != nil {
		_, err := w.WriteTo(u)
		return err
	}
	for {
		if err := u.room(1); err != nil {
			return err
		}
		p := u.at
		n, err := r.Read(p.text[len(p.text):cap(p.text)])
		p.text = p.text[:len(p.text)+n]
		if err != nil {
			return err
		}
	}
}

// Write implements [io.Writer]. It takes one block at a time.
func (u *unpacker) Write(b []byte) (n int, err error) {
	if err := u.room(len(b)); err != nil {
		return 0, err
	}
	p := u.at
	p.text = append(p.text, b...)
	p.blocks = append(p.blocks, blockEnd{len(p.text), u.taken.n})
	return len(b), nil
}

// room makes room for so much text behind what there is, or in memory that has become free.
func (u *unpacker) room(size int) error {
	if u.at != nil && len(u.at.text)+size > blockSize {
		if err := u.send(nil); err != nil {
			return err
		}
	}
	if u.at != nil {
		return nil
	}
	select {
	case u.at = <-u.free:
	case <-u.closed:
		return os.ErrClosed
	}
	if u.at.text == nil {
		u.at.text = make([]byte, 0, blockSize)
	}
	return nil
}

// send hands the text over, and what came behind it.
func (u *unpacker) send(end error) error {
	u.at.taken, u.at.err = u.taken.n, end
	select {
	case u.pieces <- u.at:
		u.at = nil
		return nil
	case <-u.closed:
		return os.ErrClosed
	}
}

// back takes a piece that has been read.
func (u *unpacker) back(p *piece) {
	if u.watch != nil {
		u.seen <- p
		return
	}
	u.reuse(p)
}

func (u *unpacker) reuse(p *piece) {
	*p = piece{text: p.text[:0], blocks: p.blocks[:0]}
	u.free <- p
}

// look watches the pieces that have been read.
func (u *unpacker) look() {
	for p := range u.seen {
		from := 0
		for _, b := range p.blocks {
			u.watch.Block(p.text[from:b.text], b.taken)
			from = b.text
		}
		u.reuse(p)
	}
	u.watch.End()
}

// end stops unpacking, and waits until that and watching are over.
func (u *unpacker) end() {
	close(u.closed)
	u.done.Wait()
	close(u.seen)
	u.idle.Wait()
}
