package loaders

import (
	"io"
	"os"
	"sync"
)

// unpacker unpacks a compressed file beside those who read its text: both take their
// time.
type unpacker struct {
	taken  *countedReader
	watch  func(text []byte, end int64)
	text   []byte // that is not handed over yet
	pieces chan piece
	free   chan []byte
	closed chan struct{}
	done   sync.WaitGroup
}

// piece is some text, and what had been taken of the file when it was there.
type piece struct {
	text  []byte
	taken int64
	err   error // behind the text
}

// startUnpacker unpacks text from r, which takes its bytes from the file through taken.
// What writes its text block by block is watched: each comes with the bytes of the file
// that have been taken when it is there.
func startUnpacker(r io.Reader, taken *countedReader, watch func(text []byte, end int64)) *unpacker {
	u := &unpacker{taken: taken, watch: watch, pieces: make(chan piece, 2), free: make(chan []byte, 4), closed: make(chan struct{})}
	for range cap(u.free) {
		u.free <- make([]byte, blockSize)
	}
	u.done.Go(func() {
		defer close(u.pieces)
		err := u.run(r)
		if err == nil {
			err = io.EOF
		}
		_ = u.send(err)
	})
	return u
}

func (u *unpacker) run(r io.Reader) error {
	if w, ok := r.(io.WriterTo); ok && u.watch != nil {
		_, err := w.WriteTo(u)
		return err
	}
	for {
		room, err := u.room()
		if err != nil {
			return err
		}
		n, err := r.Read(room)
		u.text = u.text[:len(u.text)+n]
		if err != nil {
			return err
		}
	}
}

// Write implements [io.Writer].
func (u *unpacker) Write(p []byte) (n int, err error) {
	u.watch(p, u.taken.n)
	for n < len(p) {
		room, err := u.room()
		if err != nil {
			return n, err
		}
		k := copy(room, p[n:])
		u.text = u.text[:len(u.text)+k]
		n += k
	}
	return n, nil
}

// room is where the next text goes: behind what there is, or in memory that has become free.
func (u *unpacker) room() ([]byte, error) {
	if len(u.text) == blockSize {
		if err := u.send(nil); err != nil {
			return nil, err
		}
	}
	if u.text == nil {
		select {
		case u.text = <-u.free:
			u.text = u.text[:0]
		case <-u.closed:
			return nil, os.ErrClosed
		}
	}
	return u.text[len(u.text):blockSize], nil
}

// send hands the text over, and what came behind it.
func (u *unpacker) send(end error) error {
	select {
	case u.pieces <- piece{u.text, u.taken.n, end}:
		u.text = nil
		return nil
	case <-u.closed:
		return os.ErrClosed
	}
}

// end stops unpacking, and waits until it has.
func (u *unpacker) end() {
	close(u.closed)
	u.done.Wait()
}
