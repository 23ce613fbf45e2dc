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
	"io"
	"math"
	"runtime/debug"
	"strconv"

	"vantage/loaders/fileio"
	"vantage/loaders/jsonscan"
)

var errBroken = fileio.NotRead("it is not an Arrow table, or damaged: write it again")

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

// reader is the JSON lines of a table. Its first error stays, and what is read after it means nothing.
type reader struct {
	in      *bufio.Reader
	started bool
	columns []*column
	count   int      // of columns
	arrays  []*array // of the open batch
	row     int
	rows    int
	line    []byte // not yet returned
	out     []byte // of the row that is written
	work    int    // values that may still be written
	err     error

	values       map[int64]*column // of dictionaries, by their ids
	dictionaries map[int64]*array
	sizes        map[int64]int64 // of their bodies
	kept         int64           // of all of them
}

// NewReader returns the rows of a table as JSON lines. Its errors are [fileio.ErrNotRead], with the reason, and [io.ErrUnexpectedEOF] if the
// table ends early.
func NewReader(file io.Reader) io.Reader {
	return &reader{
		in: bufio.NewReaderSize(file, 64<<10), work: freeValues,
		values: map[int64]*column{}, dictionaries: map[int64]*array{}, sizes: map[int64]int64{},
	}
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// check fails if the table is broken.
func (r *reader) check(ok bool) {
	if !ok {
		r.fail(errBroken)
	}
}

func (r *reader) Read(p []byte) (int, error) {
	for len(r.line) == 0 && r.err == nil {
		if r.row == r.rows {
			r.next()
		} else if r.writeRow(r.arrays, r.row); r.err == nil {
			r.line = r.out
			r.row++
		}
	}
	if len(r.line) == 0 {
		return 0, r.err
	}
	n := copy(p, r.line)
	r.line = r.line[n:]
	return n, nil
}

// next reads a message. A stream ends with an empty one, or without.
func (r *reader) next() {
	if !r.started {
		r.started = true
		if start, _ := r.in.Peek(len(fileMagic)); string(start) == fileMagic {
			_, _ = r.in.Discard(len(fileMagic))
		}
	}
	var start [8]byte
	if _, err := io.ReadFull(r.in, start[:]); err != nil {
		r.fail(err)
		return
	}
	headSize := int64(binary.LittleEndian.Uint32(start[4:]))
	if r.check(binary.LittleEndian.Uint32(start[:]) == 0xffffffff && headSize <= maxHead); headSize == 0 {
		r.fail(io.EOF)
	}
	head := r.claimed(headSize)
	message := table{head, int(uintAt(head, 0, 4))}
	size := message.integer(3, 8, 0)
	if size < 0 || size > maxBody() {
		r.fail(fileio.NotRead("a batch of it has more than %d MB: write it in smaller ones, as with save_to_disk", maxBody()>>20))
	}
	body := r.claimed(size)
	if r.err != nil {
		return
	}
	r.work += valuesPerByte * (len(head) + len(body))
	switch t := message.table(2); message.integer(1, 1, 0) {
	case messageSchema:
		if r.check(r.columns == nil); t.integer(0, 2, 0) != 0 {
			r.fail(fileio.NotRead("its numbers are big-endian: write it on the machine that reads it"))
		}
		for _, f := range t.tables(1, maxColumns+1) {
			r.columns = append(r.columns, r.column(f, 0))
		}
	case messageDictionary:
		r.takeDictionary(t, body)
	case messageBatch:
		b := r.batch(t, body)
		r.arrays, r.row, r.rows = nil, 0, int(t.integer(0, 8, 0))
		for _, c := range r.columns {
			r.arrays = append(r.arrays, b.array(c))
		}
		r.check(r.rows >= 0 && r.rows <= r.work)
	}
}

// claimed reads so many bytes, which are only claimed: what is taken for them grows with what is there.
func (r *reader) claimed(size int64) []byte {
	if r.err != nil {
		return nil
	}
	b, err := io.ReadAll(io.LimitReader(r.in, size))
	if err == nil && int64(len(b)) < size {
		err = io.ErrUnexpectedEOF
	}
	r.err = err
	return b
}

// takeDictionary keeps the values of a dictionary; another of its number replaces it.
func (r *reader) takeDictionary(t table, body []byte) {
	id := t.integer(0, 8, 0)
	values := r.values[id]
	if values == nil {
		return
	}
	if t.integer(2, 1, 0) != 0 {
		r.fail(fileio.NotRead("its dictionaries grow from batch to batch: write it anew without dictionaries"))
	}
	r.kept += int64(len(body)) - r.sizes[id]
	if r.sizes[id] = int64(len(body)); r.kept > maxBody() {
		r.fail(fileio.NotRead("its dictionaries have more than %d MB: write it anew without dictionaries", maxBody()>>20))
	}
	r.dictionaries[id] = r.batch(t.table(1), body).array(values)
}

// table is a table of a flatbuffer: where it begins, and where its fields are said to be. Reading one that is broken gives zeros.
type table struct {
	data []byte
	at   int // 0 if there is none
}

// uintAt returns n bytes as a number, 0 outside of the data.
func uintAt(data []byte, at, n int) (x uint64) {
	if at < 0 || at+n > len(data) {
		return 0
	}
	for i := n - 1; i >= 0; i-- {
		x = x<<8 | uint64(data[at+i])
	}
	return x
}

func intAt(data []byte, at, n int) int64 {
	shift := 64 - 8*n
	return int64(uintAt(data, at, n)<<shift) >> shift
}

// field returns where a field is, 0 if it is not there.
func (t table) field(n int) int {
	if t.at <= 0 || t.at >= len(t.data) {
		return 0
	}
	names := t.at - int(intAt(t.data, t.at, 4))
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
	if at := t.field(n); at != 0 {
		return intAt(t.data, at, size)
	}
	return missing
}

// table returns the table to which the offset in a field leads.
func (t table) table(n int) table {
	at := t.field(n)
	if at != 0 {
		at += int(uintAt(t.data, at, 4))
	}
	return table{t.data, at}
}

// vector returns where the elements of a list in a field are, and how many; none if they do not fit into the data.
func (t table) vector(n, size int) (at, count int) {
	if at = t.table(n).at; at == 0 {
		return 0, 0
	}
	count = int(uintAt(t.data, at, 4))
	if at += 4; at > len(t.data) || count > (len(t.data)-at)/size {
		return 0, 0
	}
	return at, count
}

// tables returns the tables of a list in a field, at most so many.
func (t table) tables(n, most int) (all []table) {
	at, count := t.vector(n, 4)
	for i := range min(count, most) {
		all = append(all, table{t.data, at + 4*i + int(uintAt(t.data, at+4*i, 4))})
	}
	return all
}

// writeRow writes a row of a batch as a line of JSON, with NaN and Infinity as they are.
func (r *reader) writeRow(arrays []*array, i int) {
	r.spend()
	r.out = append(r.out[:0], '{')
	for _, a := range arrays {
		r.field(a.column.name, a, i, 0)
	}
	r.out = append(jsonscan.AppendEnd(r.out, '}'), '\n')
}

func (r *reader) field(name string, a *array, i, depth int) {
	r.out = append(jsonscan.AppendText(r.out, name), ':')
	r.value(a, int64(i), depth)
	r.out = append(r.out, ',')
}

func (r *reader) spend() {
	if r.work--; r.work < 0 {
		r.fail(fileio.NotRead("it holds more values than it has room for: it is damaged"))
	}
}

// checkSize fails if a row with so many more bytes is too long.
func (r *reader) checkSize(more int64) {
	if int64(len(r.out))+more > maxText {
		r.fail(fileio.NotRead("it holds a row of more than %d MB: it is damaged", maxText>>20))
	}
}

func (r *reader) value(a *array, at int64, depth int) {
	r.spend()
	r.checkSize(0)
	i := int(at)
	switch {
	case r.err != nil:
	case at > maxRows || depth > 2*maxDepth || a.isNull(i):
		r.out = append(r.out, "null"...)
	case a.column.dictionary == noDictionary:
		r.content(a, i, depth)
	case r.dictionaries[a.column.dictionary] == nil:
		r.err = errBroken
	default:
		r.value(r.dictionaries[a.column.dictionary], a.integer(i), depth+1)
	}
}

// content writes a value that is not null. A struct has no fields that are null, since it has the fields of all others.
func (r *reader) content(a *array, i, depth int) {
	switch c := a.column; c.form {
	case asInteger:
		if c.signed {
			r.out = strconv.AppendInt(r.out, a.integer(i), 10)
		} else {
			r.out = strconv.AppendUint(r.out, uint64(a.integer(i)), 10)
		}
	case asFloat:
		bits := uint64(a.integer(i))
		switch c.bits {
		case 16:
			r.out = jsonscan.AppendNumber(r.out, jsonscan.Float16(uint16(bits)))
		case 32:
			r.out = jsonscan.AppendNumber(r.out, float64(math.Float32frombits(uint32(bits))))
		default:
			r.out = jsonscan.AppendNumber(r.out, math.Float64frombits(bits))
		}
	case asBool:
		r.out = strconv.AppendBool(r.out, a.data[i/8]>>(i%8)&1 == 1)
	case asText:
		from, to, ok := a.span(i, len(a.data))
		r.check(ok)
		if r.checkSize(to - from); r.err == nil {
			r.out = jsonscan.AppendText(r.out, a.data[from:to])
		}
	case asList, asMap:
		r.elements(a, i, depth)
	case asObject:
		r.out = append(r.out, '{')
		for k, child := range a.children {
			if !child.isNull(i) {
				r.field(c.children[k].name, child, i, depth+1)
			}
		}
		r.out = jsonscan.AppendEnd(r.out, '}')
	default:
		r.out = append(r.out, "null"...)
	}
}

// elements writes a list, or a map: a list of structs of a key and a value.
func (r *reader) elements(a *array, i, depth int) {
	of, isMap, brackets := a.children[0], a.column.form == asMap, "[]"
	from, to, ok := a.span(i, of.length)
	if r.check(ok && (!isMap || len(of.children) == 2)); r.err != nil {
		return
	}
	if isMap {
		brackets = "{}"
	}
	r.out = append(r.out, brackets[0])
	for k := from; k < to && r.err == nil; k++ {
		if !isMap {
			r.value(of, k, depth+1)
		} else {
			start := len(r.out)
			r.value(of.children[0], k, depth+1)
			if len(r.out) == start || r.out[start] != '"' { // keys of JSON are texts
				r.out = append(append(append(r.out[:start:start], '"'), r.out[start:]...), '"')
			}
			r.out = append(r.out, ':')
			r.value(of.children[1], k, depth+1)
		}
		r.out = append(r.out, ',')
	}
	r.out = jsonscan.AppendEnd(r.out, brackets[1])
}
