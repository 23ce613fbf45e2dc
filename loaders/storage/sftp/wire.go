package sftp

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"sync"
)

// Kinds of packets, of draft-ietf-secsh-filexfer-02.
const (
	kindVersion = 2
	kindClose   = 4
	kindOpenDir = 11
	kindReadDir = 12
	kindStatus  = 101
	kindHandle  = 102
	kindNames   = 104
)

const (
	headSize  = 9         // of a packet: its length, its kind, and the number of its request
	maxPacket = 256 << 10 // of an answer; OpenSSH sends no larger ones
	ownNumber = 1 << 31   // requests from this number on are not of the client of package sftp, which counts from 1
)

var errLongPacket = errors.New("an answer of sftp is too long")

// wire is the pipe to the node. The client of package sftp, which reads and writes it, lists a directory by one request after
// another; through wire such requests are made together.
type wire struct {
	in  io.WriteCloser
	out *bufio.Reader

	rest int64 // of the packet that the client is reading, what it has not read

	writing sync.Mutex

	mu     sync.Mutex
	number uint32
	asked  map[uint32]chan<- answer // requests without an answer; nil after the end
}

func newWire(in io.WriteCloser, out io.Reader) *wire {
	return &wire{in: in, out: bufio.NewReaderSize(out, 64<<10), asked: map[uint32]chan<- answer{}}
}

// Write implements [io.Writer] for the client, whose packets come whole.
func (w *wire) Write(p []byte) (int, error) {
	w.writing.Lock()
	defer w.writing.Unlock()
	return w.in.Write(p)
}

// Close implements [io.Closer] for the client, which closes when it reads no more.
func (w *wire) Close() error {
	w.end()
	return w.in.Close()
}

// Read implements [io.Reader] for the client. Answers to requests of [wire.ask] are no part of what it reads.
func (w *wire) Read(p []byte) (n int, err error) {
	for w.rest == 0 && err == nil {
		err = w.nextPacket()
	}
	if err == nil {
		n, err = w.out.Read(p[:min(int64(len(p)), w.rest)])
		w.rest -= int64(n)
	}
	if err != nil {
		w.end()
	}
	return n, err
}

// nextPacket looks at the next packet, and hands it over if it is not for the client.
func (w *wire) nextPacket() error {
	head, err := w.out.Peek(headSize)
	if err != nil {
		return err
	}
	size, kind, number := int64(binary.BigEndian.Uint32(head))+4, head[4], binary.BigEndian.Uint32(head[5:])
	if kind == kindVersion || number < ownNumber {
		w.rest = size
		return nil
	}
	if size > maxPacket || size < headSize {
		return errLongPacket
	}
	packet := make([]byte, size)
	if _, err := io.ReadFull(w.out, packet); err != nil {
		return err
	}
	w.mu.Lock()
	to := w.asked[number]
	delete(w.asked, number)
	w.mu.Unlock()
	if to != nil {
		to <- answer{kind, packet[headSize:]}
	}
	return nil
}

// ask makes a request, whose fields are texts, and sends its answer to a channel that has room for it; nil if nobody wants it.
func (w *wire) ask(kind byte, text string, to chan<- answer) error {
	w.mu.Lock()
	if w.asked == nil {
		w.mu.Unlock()
		return io.ErrUnexpectedEOF
	}
	w.number = (w.number + 1) | ownNumber
	number := w.number
	if to != nil {
		w.asked[number] = to
	}
	w.mu.Unlock()
	packet := binary.BigEndian.AppendUint32(nil, uint32(headSize+len(text)))
	packet = binary.BigEndian.AppendUint32(append(packet, kind), number)
	packet = append(binary.BigEndian.AppendUint32(packet, uint32(len(text))), text...)
	_, err := w.Write(packet)
	return err
}

// end answers all requests that will have no answer.
func (w *wire) end() {
	w.mu.Lock()
	asked := w.asked
	w.asked = nil
	w.mu.Unlock()
	for _, to := range asked {
		to <- answer{}
	}
}
