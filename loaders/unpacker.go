package loaders

import (
	"io"
	"sync"
)

// unpacker unpacks a compressed file beside those who read its text: both take their
// time.
type unpacker struct {
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
func startUnpacker(r io.Reader, taken *countedReader) *unpacker {
	u := &unpacker{pieces: make(chan piece, 2), free: make(chan []byte, 4), closed: make(chan struct{})}
	for range cap(u.free) {
		u.free <- make([]byte, blockSize)
	}
	u.done.Go(func() { u.run(r, taken) })
	return u
}

func (u *unpacker) run(r io.Reader, taken *countedReader) {
	defer close(u.pieces)
	for {
		var buf []byte
		select {
		case buf = <-u.free:
		case <-u.closed:
			return
		}
		n := 0
		var err error
		for n < blockSize && err == nil {
			var more int
			more, err = r.Read(buf[n:blockSize])
			n += more
		}
		select {
		case u.pieces <- piece{buf[:n], taken.n, err}:
		case <-u.closed:
			return
		}
		if err != nil {
			return
		}
	}
}

// end stops unpacking, and waits until it has.
func (u *unpacker) end() {
	close(u.closed)
	u.done.Wait()
}
