// Package arrowfile reads tables of Arrow, as datasets, pyarrow and polars save them, as JSON lines.
//
// In: the bytes of an Arrow IPC stream or file. Out: a line of JSON for each row. Package compressed calls [NewReader].
//
// A table is read from its start, a batch of rows at a time, so that it also comes through a pipe: the list of batches at the end of a
// file is not needed. What it claims of sizes is not believed: no more is kept than there are bytes, and each place in them is checked.
// Bytes that are no text, as those of images, are null.
package arrowfile

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"runtime/debug"

	"vantage/loaders/fileio"
	"vantage/loaders/jsonscan"
)

// reader is the JSON lines of a table.
type reader struct {
	in           *bufio.Reader
	fields       []field
	hasSchema    bool
	dictionaries map[int64]*column

	columns  []*column // of the batch that is read
	row      int       // of it, that is next
	rows     int
	line     []byte // not yet returned
	json     []byte
	metadata []byte
	err      error
}

// NewReader returns the rows of a table as JSON lines. Its errors are [fileio.ErrNotRead], with the reason, and [io.ErrUnexpectedEOF] if
// the file ends early.
func NewReader(file io.Reader) io.Reader {
	return &reader{in: bufio.NewReaderSize(file, 64<<10), dictionaries: map[int64]*column{}}
}

func (r *reader) Read(p []byte) (int, error) {
	for len(r.line) == 0 && r.err == nil {
		if r.row < r.rows {
			r.writeRow()
		} else {
			r.err = r.nextMessage()
		}
	}
	if len(r.line) == 0 {
		return 0, r.err
	}
	n := copy(p, r.line)
	r.line = r.line[n:]
	return n, nil
}

func (r *reader) writeRow() {
	w := writer{json: append(r.json[:0], '{')}
	for i, c := range r.columns {
		w.json = append(jsonscan.AppendText(w.json, r.fields[i].name), ':')
		w.value(c, r.row)
		w.json = append(w.json, ',')
	}
	r.row++
	r.json = append(jsonscan.AppendEnd(w.json, '}'), '\n')
	if r.line = r.json; len(r.json) > maxLine {
		r.line, r.err = nil, errDamaged
	}
}

// The bounds of a table. A batch has a thousand rows mostly, or all that were in memory.
const (
	maxLine     = 64 << 20 // bytes of a row as JSON
	maxMetadata = 64 << 20 // bytes of what a message says of its body
	maxFields   = 10_000
	maxDepth    = 64 // types in one another
)

// maxBody is how many bytes of a batch are kept: a quarter of what the program may take, and 1 GB at most.
func maxBody() int64 { return min(max(64<<20, debug.SetMemoryLimit(-1)/4), 1<<30) }

var errDamaged = errors.New("it is damaged: it names a place outside of it")

const (
	fileMark     = "ARROW1\x00\x00"
	continuation = "\xff\xff\xff\xff" // begins a message
)

// Messages, by the numbers of the format.
const (
	isSchema          = 1
	isDictionaryBatch = 2
	isRecordBatch     = 3
)

// nextMessage reads a message: the schema, a dictionary, or the next rows. It returns io.EOF after the last.
func (r *reader) nextMessage() error {
	size, err := r.metadataSize()
	if err != nil {
		return err
	}
	if r.metadata, err = readAll(r.in, size, r.metadata[:0]); err != nil {
		return err
	}
	message := root(r.metadata)
	length := message.int64(3)
	if length < 0 || length > maxBody() {
		return fileio.NotRead("it has a batch of rows with %d MB, more than is read at a time: save it in smaller ones", uint64(length)>>20)
	}
	body, err := readAll(r.in, length, nil)
	if err != nil {
		return err
	}
	return r.take(int(message.byte(1)), message.table(2), body)
}

// metadataSize reads how long is what the next message says of its body. A stream ends with a length of 0 or with the file, a file with
// its list of batches.
func (r *reader) metadataSize() (int64, error) {
	if start, _ := r.in.Peek(len(fileMark)); !r.hasSchema && string(start) == fileMark {
		_, _ = r.in.Discard(len(fileMark))
	}
	var head [8]byte
	n, err := io.ReadFull(r.in, head[:])
	size := int64(binary.LittleEndian.Uint32(head[4:]))
	isOther := n >= len(continuation) && string(head[:len(continuation)]) != continuation
	isEnd := n == 0 || isOther || n == len(head) && size == 0
	isBroken := err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF)
	switch {
	case isEnd && r.hasSchema && !isBroken:
		return 0, io.EOF
	case err != nil:
		return 0, endsEarly(err)
	case isEnd:
		return 0, fileio.NotRead("it is not a table of Arrow that has begun")
	case size > maxMetadata:
		return 0, errDamaged
	}
	return size, nil
}

func (r *reader) take(kind int, header table, body []byte) error {
	switch kind {
	case isSchema:
		if header.int16(0) != 0 {
			return fileio.NotRead("its numbers are those of a machine that writes the high byte first: save it again on another one")
		}
		r.hasSchema = true
		left := maxFields
		var err error
		r.fields, err = fieldsOf(header.vector(1), &left, 0)
		return err
	case isDictionaryBatch:
		return r.takeDictionary(header, body)
	case isRecordBatch:
		b, err := newBatch(header, body, r.dictionaries)
		if err != nil {
			return err
		}
		r.columns = r.columns[:0]
		for i := range r.fields {
			c, err := b.column(&r.fields[i])
			if err == nil && c.n != b.rows {
				err = errDamaged
			}
			if err != nil {
				return err
			}
			r.columns = append(r.columns, c)
		}
		r.row, r.rows = 0, b.rows
	}
	return nil
}

// takeDictionary keeps the values of a column that has the numbers of them. They replace those before, or follow them.
func (r *reader) takeDictionary(header table, body []byte) error {
	id := header.int64(0)
	of := findDictionary(r.fields, id)
	if of == nil {
		return nil
	}
	b, err := newBatch(header.table(1), body, r.dictionaries)
	if err != nil {
		return err
	}
	values := *of
	values.index = nil
	c, err := b.column(&values)
	if err != nil {
		return err
	}
	if before := r.dictionaries[id]; header.byte(2) != 0 && before != nil {
		c.before = before
	}
	r.dictionaries[id] = c
	return nil
}

// readAll appends so many bytes, and takes memory as they come.
func readAll(in io.Reader, size int64, dst []byte) ([]byte, error) {
	buffer := bytes.NewBuffer(dst)
	if _, err := io.CopyN(buffer, in, size); err != nil {
		return nil, endsEarly(err)
	}
	return buffer.Bytes(), nil
}

// endsEarly makes the end of the file an error: it may still be written.
func endsEarly(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// kind is what a field holds, by the numbers of the format.
type kind byte

const (
	kindNull       kind = 1
	kindInt        kind = 2
	kindFloat      kind = 3
	kindBinary     kind = 4
	kindText       kind = 5
	kindBool       kind = 6
	kindDecimal    kind = 7
	kindDate       kind = 8
	kindTime       kind = 9
	kindTimestamp  kind = 10
	kindList       kind = 12
	kindStruct     kind = 13
	kindFixedBytes kind = 15
	kindFixedList  kind = 16
	kindMap        kind = 17
	kindDuration   kind = 18
	kindLongBinary kind = 19
	kindLongText   kind = 20
	kindLongList   kind = 21
	kindBinaryView kind = 23
	kindTextView   kind = 24
)

// field is a column of the schema, or what is in one.
type field struct {
	name     string
	kind     kind
	width    int  // in bytes, of numbers and of bytes of one length; elements of a list of one length
	signed   bool // of whole numbers
	scale    int  // of decimals
	children []field
	id       int64  // of its dictionary
	index    *field // the numbers of the values, if there is a dictionary
}

// fieldsOf reads fields of a schema, so many at most.
func fieldsOf(v vector, left *int, depth int) ([]field, error) {
	if *left -= v.n; *left < 0 || depth > maxDepth {
		return nil, fileio.NotRead("it has more than %d columns and parts of columns: it is damaged", maxFields)
	}
	fields := make([]field, v.n)
	for i := range fields {
		t, f := v.table(i), &fields[i]
		f.name, f.kind = t.text(0), kind(t.byte(2))
		if !f.setType(t.table(3)) {
			return nil, fileio.NotRead("its column %q has type %d of Arrow, which is not read: save it as Parquet, or without that column", f.name, f.kind)
		}
		var err error
		if f.children, err = fieldsOf(t.vector(5), left, depth+1); err != nil {
			return nil, err
		}
		if d := t.table(4); d.isThere() {
			f.id, f.index = d.int64(0), &field{kind: kindInt, width: 4, signed: true}
			if index := d.table(1); index.isThere() {
				f.index.setType(index)
			}
		}
	}
	return fields, nil
}

// setType reads how values are laid out. It returns false for a type that is not read.
func (f *field) setType(t table) bool {
	switch f.kind {
	case kindInt:
		f.width, f.signed = int(t.int32(0))/8, t.byte(1) != 0
		return f.width == 1 || f.width == 2 || f.width == 4 || f.width == 8
	case kindFloat:
		f.width = 2 << min(uint16(t.int16(0)), 2)
	case kindDate: // days, or milliseconds if nothing is said
		f.kind, f.signed, f.width = kindInt, true, 8
		if t.has(0) && t.int16(0) == 0 {
			f.width = 4
		}
	case kindTime:
		f.kind, f.signed, f.width = kindInt, true, 4
		if t.int32(1) == 64 {
			f.width = 8
		}
	case kindTimestamp, kindDuration:
		f.kind, f.signed, f.width = kindInt, true, 8
	case kindDecimal:
		f.width, f.scale = 16, int(t.int32(1))
		return !t.has(2) || t.int32(2) == 128
	case kindFixedBytes, kindFixedList:
		f.width = int(t.int32(0))
		return f.width >= 0
	case kindNull, kindBinary, kindText, kindBool, kindList, kindStruct, kindMap, kindLongBinary, kindLongText, kindLongList,
		kindBinaryView, kindTextView:
	default:
		return false
	}
	return true
}

func findDictionary(fields []field, id int64) *field {
	for i := range fields {
		if f := &fields[i]; f.index != nil && f.id == id {
			return f
		}
		if f := findDictionary(fields[i].children, id); f != nil {
			return f
		}
	}
	return nil
}
