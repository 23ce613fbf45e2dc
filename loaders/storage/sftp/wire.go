package sftp

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/pkg/sftp"

	"vantage/loaders/fileio"
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

// answer is a packet that answers a request of [wire.ask], without its head. Kind 0 says that the connection ended before.
type answer struct {
	kind byte
	body []byte
}

const maxMessage = 200

// Which attributes of a file follow.
const (
	hasSize     = 1
	hasOwner    = 2
	hasMode     = 4
	hasTimes    = 8
	hasExtended = 1 << 31
)

var errMalformed = &fileio.Failure{What: "cannot be listed", Do: "its node does not answer as an sftp server does"}

// refusal is an error that the node reports. It is a [sftp.StatusError], whose words no other package can set.
type refusal struct {
	code  uint32
	words string
}

// Error quotes the words of the node, and says what its code means.
func (r *refusal) Error() string {
	return fmt.Sprintf("sftp: %q (%v)", r.words, (&sftp.StatusError{Code: r.code}).FxCode())
}

// Unwrap returns the error of package sftp.
func (r *refusal) Unwrap() error { return &sftp.StatusError{Code: r.code} }

// err returns the error that an answer reports, nil if it is another answer. That there is no more is [io.EOF].
func (a answer) err() error {
	if a.kind == 0 {
		return io.ErrUnexpectedEOF
	}
	if a.kind != kindStatus {
		return nil
	}
	f := fields{rest: a.body}
	code, words := f.number(), f.text()
	switch code {
	case uint32(sftp.ErrSSHFxOk):
		return errMalformed
	case uint32(sftp.ErrSSHFxEOF):
		return io.EOF
	case uint32(sftp.ErrSSHFxNoSuchFile):
		return fs.ErrNotExist
	case uint32(sftp.ErrSSHFxPermissionDenied):
		return fs.ErrPermission
	}
	return &refusal{code, words[:min(len(words), maxMessage)]}
}

func (a answer) handle() (string, error) {
	f := fields{rest: a.body}
	name := f.text()
	if a.kind != kindHandle || f.short {
		return "", errMalformed
	}
	return name, nil
}

// entries returns the entries of a directory. What is no name of an entry, as ../a, is left out.
func (a answer) entries(dir string) (all []fileio.Object, err error) {
	f := fields{rest: a.body}
	count := f.number()
	for range count {
		name := f.text()
		f.text() // as ls -l shows it
		o := f.attributes()
		if f.short {
			break
		}
		if name != "" && name != "." && name != ".." && !strings.ContainsAny(name, "/\x00") {
			o.Path = path.Join(dir, name)
			all = append(all, o)
		}
	}
	if a.kind != kindNames || f.short {
		return nil, errMalformed
	}
	return all, nil
}

type fields struct {
	rest  []byte
	short bool // a field was asked for that is not there
}

// take returns the next bytes, nil if there are not so many.
func (f *fields) take(n int64) []byte {
	if f.short = f.short || n > int64(len(f.rest)); f.short {
		return nil
	}
	b := f.rest[:n]
	f.rest = f.rest[n:]
	return b
}

func (f *fields) number() uint32 {
	if b := f.take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func (f *fields) text() string { return string(f.take(int64(f.number()))) }

// attributes reads the description of a file, all but its path.
func (f *fields) attributes() fileio.Object {
	var stat sftp.FileStat
	which := f.number()
	if which&hasSize != 0 {
		high, low := f.number(), f.number()
		stat.Size = uint64(high)<<32 | uint64(low)
	}
	if which&hasOwner != 0 {
		f.take(8)
	}
	if which&hasMode != 0 {
		stat.Mode = f.number()
	}
	if which&hasTimes != 0 {
		f.take(4) // of the last read
		stat.Mtime = f.number()
	}
	if which&hasExtended != 0 {
		for pairs := f.number(); pairs > 0 && !f.short; pairs-- {
			f.text()
			f.text()
		}
	}
	return object("", int64(stat.Size), stat.ModTime(), stat.FileMode())
}

const (
	longestListing  = 5 * time.Minute
	maxNames        = 64 << 20 // bytes of the names of a directory
	entriesOfAnswer = 100      // that OpenSSH's server sends at a time
	firstAsked      = 4        // requests for entries that are made together,
	mostAsked       = 16       // and of a directory that has more
)

var (
	errEndless = &fileio.Failure{What: "holds more than 200,000 files", Do: "give the directory of one run"}
	errSlow    = &fileio.Failure{What: "takes more than 5 minutes to list", Do: "give the directory of one run"}
)

// readDir lists a directory that probably has so many entries; 0 if nothing is known of it. A small one takes two round trips:
// entries are asked for several times at once, and nothing waits for the answer to the request that closes it. A node could
// list without end: that is a Failure before it fills the memory.
func (w *wire) readDir(dir string, expected int, longest time.Duration) (entries []fileio.Object, err error) {
	late := time.NewTimer(longest)
	defer late.Stop()
	answers := make(chan answer, mostAsked)
	if err := w.ask(kindOpenDir, dir, answers); err != nil {
		return nil, err
	}
	opened, err := wait(answers, late)
	if err != nil {
		return nil, err
	}
	handle, err := opened.handle() // of the node
	if err != nil {
		return nil, err
	}
	defer func() { _ = w.ask(kindClose, handle, nil) }()
	together := firstAsked
	if expected > 0 {
		together = min(expected/entriesOfAnswer+2, mostAsked) // the last is told that there are no more
	}
	for names := 0; ; together = mostAsked {
		for range together {
			if err := w.ask(kindReadDir, handle, answers); err != nil {
				return nil, err
			}
		}
		for range together {
			a, err := wait(answers, late)
			if errors.Is(err, io.EOF) {
				return entries, nil // later answers say the same
			}
			var found []fileio.Object
			if err == nil {
				found, err = a.entries(dir)
			}
			if err != nil {
				return nil, err
			}
			for _, e := range found {
				names += len(e.Path)
			}
			if entries = append(entries, found...); len(entries) > maxEntries || names > maxNames {
				return nil, errEndless
			}
		}
	}
}

func wait(answers <-chan answer, late *time.Timer) (answer, error) {
	select {
	case a := <-answers:
		return a, a.err()
	case <-late.C:
		return answer{}, errSlow
	}
}
