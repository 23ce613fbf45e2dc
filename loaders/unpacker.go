package loaders

import (
	"io"
	"os"
	"sync"
)

// unpacker decompresses a file in its own goroutine, concurrently with the decoding of
// records.
type unpacker struct {
	file    *countedReader
	text    io.Reader
	filled  chan *buffer
	free    chan *buffer
	stopped chan struct{}
	running sync.WaitGroup

	current *buffer // returned last by next
	err     error   // after it
}

// buffer is text of a file that has been read up to consumed, and the error after the text.
type buffer struct {
	text     []byte
	consumed int64
	err      error
}

// maxBuffers is how many buffers there are. With half as many the decompressor waits for the
// decoder now and then, which costs 5 %.
const maxBuffers = 8

// startUnpacker reads text, which decompresses file.
func startUnpacker(text io.Reader, file *countedReader) *unpacker {
	u := &unpacker{
		file: file, text: text, stopped: make(chan struct{}),
		filled: make(chan *buffer, maxBuffers), free: make(chan *buffer, maxBuffers),
	}
	for range maxBuffers {
		u.free <- &buffer{}
	}
	u.running.Go(u.run)
	return u
}

func (u *unpacker) run() {
	defer close(u.filled)
	for {
		select {
		case <-u.stopped:
			return
		case b := <-u.free:
			u.fill(b)
			u.filled <- b
			if b.err != nil {
				return
			}
		}
	}
}

func (u *unpacker) fill(b *buffer) {
	if b.text == nil {
		b.text = make([]byte, blockSize)
	}
	b.text = b.text[:0]
	for len(b.text) < cap(b.text) && b.err == nil {
		var n int
		n, b.err = u.text.Read(b.text[len(b.text):cap(b.text)])
		b.text = b.text[:len(b.text)+n]
	}
	b.consumed = u.file.n
}

// next returns the next text and how much of the file has been read for it. The text is valid
// until the next call. At the end of the text the error is [io.EOF].
func (u *unpacker) next() (text []byte, consumed int64, err error) {
	if u.err != nil {
		return nil, 0, u.err
	}
	if u.current != nil {
		u.free <- u.current
	}
	b, ok := <-u.filled
	if !ok {
		return nil, 0, os.ErrClosed
	}
	u.current, u.err = b, b.err
	if len(b.text) == 0 {
		return nil, b.consumed, b.err
	}
	return b.text, b.consumed, nil
}

// stop ends the goroutine.
func (u *unpacker) stop() {
	close(u.stopped)
	u.running.Wait()
}
