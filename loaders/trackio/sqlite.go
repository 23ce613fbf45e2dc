package trackio

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"math/bits"
	"os"
	"slices"
	"strings"
	"time"

	"vantage/loaders/fileio"
)

// What follows reads the tables of SQLite databases that others write meanwhile. It locks nothing and writes nothing: neither the
// database nor the files -wal and -shm beside it are changed or created.
//
// A writer is not asked to wait, so a reader must notice that it was disturbed: [sqliteDB.Read] compares what tells a change before and
// after, and reads again. A transaction is in the log (-wal) that lies beside the database, or in the database: of the log only what was
// committed counts, as its checksums say. While a rollback journal lies beside the database its pages may be half of one
// transaction and half of another: then nothing is read.
//
// Numbers of pages, sizes and counts of a broken file are not believed. No SQL is run, and no index is used.
//
// Source: https://www.sqlite.org/fileformat2.html, the version of 2024.

// sqliteDB is a database at a path. It is used by one goroutine at a time, and holds no file open between two calls of Read.
type sqliteDB struct {
	disk *fileio.Disk
	path string
	log  *wal // as far as it was read
}

// A database begins so, with a header of this size.
const (
	magic      = "SQLite format 3\x00"
	headerSize = 100
)

func isSQLite(start []byte) bool { return bytes.HasPrefix(start, []byte(magic)) }

// Why a database cannot be read.
var (
	errNotDatabase = errors.New("it is not a SQLite database")
	errBroken      = errors.New("it is broken, or cut off")

	errEmpty       = &fileio.Failure{What: "is empty", Do: "wait until trackio has logged something, or follow it", Lost: true}
	errUnsupported = &fileio.Failure{
		What: "cannot be read: its pages are of a kind that is not read: encrypted, or text in UTF-16",
		Do:   "give the database as trackio writes it",
	}
	errDisturbed = &fileio.Failure{
		What: "is being written, again and again, or its writer was stopped while it wrote", Do: "try again, or open it once with " +
			"sqlite3, which completes or undoes that", Lost: true,
	}
)

// How often, and how long after one another, a disturbed database is read again, and for how long a filesystem may give two changes the
// same time.
const (
	attempts = 6
	pause    = 5 * time.Millisecond
	tick     = 20 * time.Millisecond
)

// Read calls read with the database as it was at one moment, and again if a writer disturbed it: what read returns then is
// forgotten, and so must be what it kept.
func (d *sqliteDB) Read(read func(*sqlView) error) error {
	var err error
	for n := range attempts {
		var disturbed bool
		if disturbed, err = d.try(read); !disturbed {
			return err
		}
		time.Sleep(pause << n)
	}
	return errors.Join(errDisturbed, err)
}

func (d *sqliteDB) try(read func(*sqlView) error) (disturbed bool, err error) {
	before := d.stamp()
	if before.err != nil {
		return false, before.err
	}
	if age := time.Since(before.info.ModTime()); age >= 0 && age < tick {
		time.Sleep(tick - age) // what is written from now on has another time
	}
	v, err := d.open()
	defer v.close()
	switch {
	case err != nil:
		return !before.same(d.stamp()), err
	case v.journal && before.journal:
		return true, nil
	}
	err = read(v)
	return !before.same(d.stamp()) || !v.logIsSame(), cmp.Or(v.err, err)
}

// stamp is what tells that a database was written.
type stamp struct {
	info    fs.FileInfo
	err     error
	journal bool // a transaction is being written, or was not finished: a rollback journal that is not in use has no header, or only zeros
}

func (d *sqliteDB) stamp() (s stamp) {
	s.info, s.err = d.disk.Stat(d.path)
	if f, err := d.disk.Open(d.path + "-journal"); err == nil {
		var start [8]byte
		_, err = io.ReadFull(f, start[:])
		s.journal = err == nil && start != [8]byte{}
		_ = f.Close()
	}
	return s
}

func (s stamp) same(t stamp) bool {
	if s.err != nil || t.err != nil || s.journal != t.journal {
		return false
	}
	isSameAge := s.info.ModTime().Equal(t.info.ModTime())
	return os.SameFile(s.info, t.info) && isSameAge && s.info.Size() == t.info.Size()
}

// sqlView is a database at one moment. Its first error stays, and is that of the Read: what is read after it is nil or zero.
type sqlView struct {
	file, logFile fileio.Handle
	log           *wal // nil without one
	journal       bool // a rollback journal counts
	pageSize      int
	usable        int // bytes of a page
	pages         uint32
	page          map[uint32][]byte // of inner pages, and the last leaf
	err           error
}

func (v *sqlView) fail(err error) {
	if v.err == nil {
		v.err = err
	}
}

func (v *sqlView) broken(how string, args ...any) {
	v.fail(&fileio.Failure{
		What: fmt.Sprintf("cannot be read: %v: "+how, append([]any{errBroken}, args...)...), Do: "copy it again, together with the " +
			"file -wal next to it", Err: errBroken,
	})
}

// open opens the files and reads their headers. The view must be closed, also after an error.
func (d *sqliteDB) open() (v *sqlView, err error) {
	v = &sqlView{page: map[uint32][]byte{}}
	if v.file, err = d.disk.Open(d.path); err != nil {
		return v, err
	}
	var header [headerSize]byte
	switch n, err := io.ReadFull(v.file, header[:]); {
	case n == 0 && errors.Is(err, io.EOF):
		return v, errEmpty
	case err != nil || !isSQLite(header[:]):
		return v, errors.Join(errNotDatabase, fileio.IgnoreEnd(err))
	}
	if v.pageSize = int(binary.BigEndian.Uint16(header[16:])); v.pageSize == 1 {
		v.pageSize = 1 << 16
	}
	v.usable = v.pageSize - int(header[20])
	if v.pageSize < 512 || v.pageSize&(v.pageSize-1) != 0 || v.usable < 480 {
		v.broken("pages of %d bytes", v.pageSize)
		return v, v.err
	}
	if encoding := binary.BigEndian.Uint32(header[56:]); header[18] > 2 || header[19] > 2 || encoding > 1 {
		return v, errUnsupported
	}
	info, err := v.file.Stat()
	if err != nil {
		return v, err
	}
	v.pages = uint32(min(info.Size()/int64(v.pageSize), 1<<32-2))
	if v.journal = header[19] != 2; v.journal {
		return v, nil
	}
	return v, d.openLog(v)
}

// openLog reads on in the log of a database, or reads it from its start if it is another one.
func (d *sqliteDB) openLog(v *sqlView) (err error) {
	w := d.log
	d.log = nil
	if v.logFile, err = d.disk.Open(d.path + "-wal"); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	var header [walHeaderSize]byte
	if _, err := v.logFile.ReadAt(header[:], 0); err != nil {
		return fileio.IgnoreEnd(err)
	}
	if w == nil || w.header != header {
		if w = newWAL(header, v.pageSize); w == nil {
			return nil
		}
	}
	if err := w.readOn(v.logFile, v.pageSize); err != nil {
		return err
	}
	if w.next > walHeaderSize { // something was committed
		d.log, v.log = w, w
		v.pages = uint32(min(int64(w.pages), int64(v.pages)+int64(len(w.frames)))) // no more than there are
	}
	return nil
}

// logIsSame reports whether the log has not been begun anew: pages of it were what they should be.
func (v *sqlView) logIsSame() bool {
	if v.log == nil {
		return true
	}
	var header [walHeaderSize]byte
	_, err := v.logFile.ReadAt(header[:], 0)
	return err == nil && header == v.log.header
}

func (v *sqlView) close() {
	for _, f := range []fileio.Handle{v.file, v.logFile} {
		if f != nil {
			_ = f.Close()
		}
	}
}

func (v *sqlView) readPage(number uint32, buffer []byte) {
	if number == 0 || number > v.pages {
		v.broken("page %d of %d", number, v.pages)
	}
	if v.err != nil {
		return
	}
	file, at := v.file, int64(number-1)*int64(v.pageSize)
	if v.log != nil {
		if offset, ok := v.log.frames[number]; ok {
			file, at = v.logFile, offset
		}
	}
	if _, err := file.ReadAt(buffer, at); errors.Is(err, io.EOF) {
		v.broken("page %d is not there", number)
	} else if err != nil {
		v.fail(err)
	}
}

type sqlTable struct {
	Columns []string // as in a row; that of its id too, whose values are null
	view    *sqlView
	root    uint32
}

// schema returns the table that lists all others.
func (v *sqlView) schema() *sqlTable { return &sqlTable{view: v, root: 1} }

const maxSchema = 1 << 20

// Table returns the table of a name, nil if there is none.
func (v *sqlView) Table(name string) *sqlTable {
	for r := range v.schema().Rows(math.MinInt64) {
		values := r.Values()
		if len(values) < 5 {
			continue
		}
		text := func(column int) string { return string(r.TextStart(values[column], maxSchema)) }
		if text(0) == "table" && strings.EqualFold(text(1), name) && values[3].Kind == sqlInteger {
			return &sqlTable{columnNames(text(4)), v, uint32(values[3].Integer)}
		}
	}
	return nil
}

// IsEmpty reports whether the database has no tables yet.
func (v *sqlView) IsEmpty() bool {
	for range v.schema().Rows(math.MinInt64) {
		return false
	}
	return true
}

// Column returns the number of a column, -1 if there is none of that name.
func (t *sqlTable) Column(name string) int {
	return slices.IndexFunc(t.Columns, func(c string) bool { return strings.EqualFold(c, name) })
}

// columnNames returns the names of the columns in CREATE TABLE name (column type …, constraint …): the first word of each definition.
func columnNames(sql string) (names []string) {
	depth, isFirst := 0, false
	for sql != "" {
		var word string
		var isQuoted bool
		word, isQuoted, sql = nextWord(sql)
		switch {
		case !isQuoted && (word == "(" || word == ","):
			if word == "(" {
				depth++
			}
			isFirst = depth == 1
		case !isQuoted && word == ")":
			if depth--; depth == 0 {
				return names
			}
		case isFirst && (word != "" || isQuoted):
			if !isQuoted && slices.Contains([]string{"CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"}, strings.ToUpper(word)) {
				return names // the columns come first
			}
			names, isFirst = append(names, word), false
		}
	}
	return names
}

// quotes are what begins a quoted name, and what ends it.
var quotes = map[byte]string{'"': `"`, '\'': "'", '`': "`", '[': "]"}

// nextWord cuts a word or a mark off SQL that is not empty; "" for space or a comment.
func nextWord(sql string) (word string, isQuoted bool, rest string) {
	end, isQuoted := quotes[sql[0]]
	switch {
	case isQuoted:
		word, rest, _ = strings.Cut(sql[1:], end)
	case strings.HasPrefix(sql, "--"):
		_, rest, _ = strings.Cut(sql, "\n")
	case strings.HasPrefix(sql, "/*"):
		_, rest, _ = strings.Cut(sql, "*/")
	default:
		n := max(1, strings.IndexAny(sql+",", " \t\r\n,()-/\"'`["))
		word, rest = strings.TrimSpace(sql[:n]), sql[n:]
	}
	return word, isQuoted, rest
}

// Sizes of the headers of a log.
const (
	walHeaderSize   = 32
	frameHeaderSize = 24
)

// wal is the log beside a database, as far as it has been read: where the newest committed copy of each page is.
type wal struct {
	header [walHeaderSize]byte
	order  binary.ByteOrder // of checksums
	frames map[uint32]int64 // offsets of pages, by their numbers
	next   int64            // offset of the first frame that is not committed
	sum    [2]uint32        // checksum before next
	pages  uint32           // of the database after the last transaction
}

// newWAL returns a log of which the header was read, nil if that is not valid: SQLite takes such a log as empty.
func newWAL(header [walHeaderSize]byte, pageSize int) *wal {
	w := &wal{header: header, order: binary.LittleEndian, frames: map[uint32]int64{}, next: walHeaderSize}
	magic := binary.BigEndian.Uint32(header[:])
	if magic&1 == 1 {
		w.order = binary.BigEndian
	}
	w.sum = w.checksum([2]uint32{}, header[:24])
	if magic&^1 != 0x377f0682 || binary.BigEndian.Uint32(header[4:]) != 3007000 || int(binary.BigEndian.Uint32(header[8:])) != pageSize ||
		w.sum != [2]uint32{binary.BigEndian.Uint32(header[24:]), binary.BigEndian.Uint32(header[28:])} {
		return nil
	}
	return w
}

// checksum continues a checksum over data, whose size is a multiple of 8.
func (w *wal) checksum(sum [2]uint32, data []byte) [2]uint32 {
	swap := w.order == binary.BigEndian
	for ; len(data) >= 8; data = data[8:] {
		a, b := binary.LittleEndian.Uint32(data), binary.LittleEndian.Uint32(data[4:])
		if swap {
			a, b = bits.ReverseBytes32(a), bits.ReverseBytes32(b)
		}
		sum[0] += a + sum[1]
		sum[1] += b + sum[0]
	}
	return sum
}

func (w *wal) readOn(file io.ReaderAt, pageSize int) error {
	frame := make([]byte, frameHeaderSize+pageSize)
	pending := map[uint32]int64{}
	sum := w.sum
	for at := w.next; ; at += int64(len(frame)) {
		if _, err := file.ReadAt(frame, at); err != nil {
			return fileio.IgnoreEnd(err)
		}
		if [8]byte(frame[8:16]) != [8]byte(w.header[16:24]) {
			return nil // a frame of an earlier log
		}
		sum = w.checksum(w.checksum(sum, frame[:8]), frame[frameHeaderSize:])
		if sum != [2]uint32{binary.BigEndian.Uint32(frame[16:]), binary.BigEndian.Uint32(frame[20:])} {
			return nil
		}
		pending[binary.BigEndian.Uint32(frame)] = at + frameHeaderSize
		if pages := binary.BigEndian.Uint32(frame[4:]); pages != 0 { // a transaction ends here
			maps.Copy(w.frames, pending)
			clear(pending)
			w.pages, w.sum, w.next = pages, sum, at+int64(len(frame))
		}
	}
}
