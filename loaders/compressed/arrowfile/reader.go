// Package arrowfile reads tables of Apache Arrow as JSON lines: those that save_to_disk of Hugging Face's datasets writes, which are
// streams, and files of the IPC format.
//
// In: the bytes. Out: a line of JSON for each row, with its columns in their order. Package compressed calls [NewReader].
//
// A message after the other is read, each with a batch of rows; the footer of a file is not needed. Texts, numbers, bools, lists,
// structs, maps and dictionaries are read; bytes, decimals and intervals become null. What is compressed, unions, views and runs are refused. What a
// file claims of sizes and counts is not believed.
//
// Source: https://arrow.apache.org/docs/format/Columnar.html, version 1.5, and its format/Message.fbs and format/Schema.fbs.
package arrowfile

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
)

// ErrRefused starts the reason why a table is not read.
var ErrRefused = errors.New("not read")

var errBroken = fmt.Errorf("%w: it is no table of Arrow, or damaged: write it again", ErrRefused)

func refused(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrRefused}, args...)...)
}

// The bounds of what is read at a time: datasets writes batches of 1,000 rows.
const (
	maxHead = 64 << 20 // bytes of what describes a message
	maxRows = 1 << 31  // of a batch, and elements of a list in it
	maxText = 64 << 20 // bytes of a row
)

// Each byte of a file may give so many values, since nulls take no space, and any file a few.
const (
	valuesPerByte = 16
	freeValues    = 1 << 20
)

// maxBody is how many bytes a batch has at most: a quarter of what the program may take, and 1 GB at most.
func maxBody() int64 { return min(max(64<<20, debug.SetMemoryLimit(-1)/4), 1<<30) }

// fileMagic begins a file of the IPC format, in which a stream follows.
const fileMagic = "ARROW1\x00\x00"

// Kinds of messages.
const (
	messageSchema     = 1
	messageDictionary = 2
	messageBatch      = 3
)

// reader is the JSON lines of a table.
type reader struct {
	in      *bufio.Reader
	started bool
	columns []*column
	arrays  []*array // of the open batch
	row     int
	rows    int
	line    []byte // not yet returned
	w       writer
	sizes   map[int64]int64 // of the bodies of dictionaries
	kept    int64           // of all of them
	err     error
}

// NewReader returns the rows of a table as JSON lines. Its errors are [ErrRefused], with the reason, and [io.ErrUnexpectedEOF] if the
// table ends early.
func NewReader(file io.Reader) io.Reader {
	return &reader{in: bufio.NewReaderSize(file, 64<<10), w: writer{dictionaries: map[int64]*array{}, work: freeValues}, sizes: map[int64]int64{}}
}

// Read implements [io.Reader].
func (r *reader) Read(p []byte) (int, error) {
	for len(r.line) == 0 && r.err == nil {
		if r.row < r.rows {
			r.w.row(r.columns, r.arrays, r.row)
			r.row++
			if r.line, r.err = r.w.out, r.w.err; r.err != nil {
				r.line = nil
			}
			continue
		}
		r.err = r.next()
	}
	if len(r.line) == 0 {
		return 0, r.err
	}
	n := copy(p, r.line)
	r.line = r.line[n:]
	return n, nil
}

// next reads a message. A stream ends with an empty one, or without.
func (r *reader) next() error {
	if !r.started {
		r.started = true
		if start, _ := r.in.Peek(len(fileMagic)); string(start) == fileMagic {
			_, _ = r.in.Discard(len(fileMagic))
		}
	}
	head, err := r.head()
	if err != nil {
		return err
	}
	message := root(head)
	size := message.integer(3, 8, 0)
	if size < 0 || size > maxBody() {
		return refused("a batch of it has more than %d MB: write it in smaller ones, as with save_to_disk", maxBody()>>20)
	}
	body, err := io.ReadAll(io.LimitReader(r.in, size))
	if err != nil {
		return err
	}
	if int64(len(body)) < size {
		return io.ErrUnexpectedEOF
	}
	return r.take(message, body)
}

// head reads what describes a message; io.EOF at the end of the stream.
func (r *reader) head() ([]byte, error) {
	var start [8]byte
	switch _, err := io.ReadFull(r.in, start[:]); {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, io.ErrUnexpectedEOF
	case err != nil:
		return nil, err
	}
	size := binary.LittleEndian.Uint32(start[4:])
	switch {
	case binary.LittleEndian.Uint32(start[:]) != 0xffffffff:
		return nil, errBroken
	case size == 0:
		return nil, io.EOF
	case size > maxHead:
		return nil, errBroken
	}
	head, err := io.ReadAll(io.LimitReader(r.in, int64(size)))
	if err == nil && len(head) < int(size) {
		err = io.ErrUnexpectedEOF
	}
	return head, err
}

// take takes a message.
func (r *reader) take(message table, body []byte) error {
	r.w.work += valuesPerByte * (len(message.data) + len(body))
	switch t := message.table(2); message.integer(1, 1, 0) {
	case messageSchema:
		if r.columns != nil {
			return errBroken
		}
		columns, err := readSchema(t)
		r.columns = columns
		return err
	case messageDictionary:
		return r.takeDictionary(t, body)
	case messageBatch:
		b := newBatch(t, body)
		r.arrays, r.row, r.rows = nil, 0, int(t.integer(0, 8, 0))
		for _, c := range r.columns {
			r.arrays = append(r.arrays, b.array(c))
		}
		if b.err == nil && (r.rows < 0 || r.rows > r.w.work) {
			b.err = errBroken
		}
		return b.err
	}
	return nil
}

// takeDictionary keeps the values of a dictionary; another of its number replaces it.
func (r *reader) takeDictionary(t table, body []byte) error {
	id := t.integer(0, 8, 0)
	values := dictionaryColumn(r.columns, id)
	if values == nil {
		return nil
	}
	if t.integer(2, 1, 0) != 0 {
		return refused("its dictionaries grow from batch to batch: write it anew without dictionaries")
	}
	r.kept += int64(len(body)) - r.sizes[id]
	if r.sizes[id] = int64(len(body)); r.kept > maxBody() {
		return refused("its dictionaries have more than %d MB: write it anew without dictionaries", maxBody()>>20)
	}
	b := newBatch(t.table(1), body)
	r.w.dictionaries[id] = b.array(values)
	return b.err
}

// dictionaryColumn returns the values of the dictionary of that number.
func dictionaryColumn(columns []*column, id int64) *column {
	for _, c := range columns {
		if c.dictionary == id && c.values != nil {
			return c.values
		}
		if found := dictionaryColumn(c.children, id); found != nil {
			return found
		}
		if c.values != nil {
			if found := dictionaryColumn(c.values.children, id); found != nil {
				return found
			}
		}
	}
	return nil
}

// table is a table of a flatbuffer: where it begins, and where its fields are said to be. Reading one that is broken gives zeros.
type table struct {
	data []byte
	at   int // 0 if there is none
}

// uint returns n bytes as a number, 0 outside of the data.
func uintAt(data []byte, at, n int) uint64 {
	if at < 0 || at+n > len(data) {
		return 0
	}
	switch n {
	case 1:
		return uint64(data[at])
	case 2:
		return uint64(binary.LittleEndian.Uint16(data[at:]))
	case 4:
		return uint64(binary.LittleEndian.Uint32(data[at:]))
	}
	return binary.LittleEndian.Uint64(data[at:])
}

// root returns the table that a flatbuffer begins with.
func root(data []byte) table { return table{data, int(uintAt(data, 0, 4))} }

// field returns where a field is, 0 if it is not there.
func (t table) field(n int) int {
	if t.at <= 0 || t.at >= len(t.data) {
		return 0
	}
	names := t.at - int(int32(uintAt(t.data, t.at, 4)))
	if names < 0 || 4+2*n+2 > int(uintAt(t.data, names, 2)) {
		return 0
	}
	if offset := int(uintAt(t.data, names+4+2*n, 2)); offset != 0 {
		return t.at + offset
	}
	return 0
}

// integer returns a field of that many bytes, missing if it is not there.
func (t table) integer(n, size int, missing int64) int64 {
	at := t.field(n)
	if at == 0 {
		return missing
	}
	x := uintAt(t.data, at, size)
	shift := 64 - 8*size
	return int64(x<<shift) >> shift
}

// follow returns where the offset in a field leads.
func (t table) follow(n int) int {
	at := t.field(n)
	if at == 0 {
		return 0
	}
	return at + int(uintAt(t.data, at, 4))
}

// table returns the table in a field.
func (t table) table(n int) table { return table{t.data, t.follow(n)} }

// vector returns where the elements of a list in a field are, and how many; none if they do not fit into the data.
func (t table) vector(n, size int) (at, count int) {
	if at = t.follow(n); at == 0 {
		return 0, 0
	}
	count = int(uintAt(t.data, at, 4))
	if at += 4; at > len(t.data) || count > (len(t.data)-at)/size {
		return 0, 0
	}
	return at, count
}

// text returns the text in a field, of at most so many bytes.
func (t table) text(n, most int) string {
	at, count := t.vector(n, 1)
	return string(t.data[at : at+min(count, most)])
}

// tables returns the tables of a list in a field, at most so many.
func (t table) tables(n, most int) (all []table) {
	at, count := t.vector(n, 4)
	for i := range min(count, most) {
		all = append(all, table{t.data, at + 4*i + int(uintAt(t.data, at+4*i, 4))})
	}
	return all
}
