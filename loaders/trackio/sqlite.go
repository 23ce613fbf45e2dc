package trackio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"strings"
	"time"
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
	path string
	log  *wal // as far as it was read
}

// newSQLite returns the database at a path. It opens nothing.
func newSQLite(path string) *sqliteDB { return &sqliteDB{path: path} }

// A database begins so, with a header of this size.
const (
	magic      = "SQLite format 3\x00"
	headerSize = 100
)

// isSQLite reports whether a file that begins so is a database.
func isSQLite(start []byte) bool { return bytes.HasPrefix(start, []byte(magic)) }

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
		disturbed, err = d.try(read)
		if !disturbed {
			return err
		}
		time.Sleep(pause << n)
	}
	return errors.Join(errDisturbed, err)
}

// try is Read without trying again.
func (d *sqliteDB) try(read func(*sqlView) error) (disturbed bool, err error) {
	before := d.stamp()
	if before.err != nil {
		return false, before.err
	}
	if age := time.Since(before.modified); age >= 0 && age < tick {
		time.Sleep(tick - age) // what is written from now on has another time
	}
	v, err := d.open()
	if err != nil {
		return !before.same(d.stamp()), err
	}
	defer v.close()
	if v.journal && before.journal {
		return true, nil
	}
	err = read(v)
	after := d.stamp()
	return !before.same(after) || !v.logIsSame(), err
}

// stamp is what tells that a database was written.
type stamp struct {
	err      error
	info     fs.FileInfo
	modified time.Time
	size     int64
	journal  bool // a transaction is being written, or was not finished
}

func (d *sqliteDB) stamp() (s stamp) {
	if s.info, s.err = os.Stat(d.path); s.err == nil {
		s.modified, s.size = s.info.ModTime(), s.info.Size()
	}
	s.journal = isHot(d.path + "-journal")
	return s
}

func (s stamp) same(t stamp) bool {
	return s.err == nil && t.err == nil && os.SameFile(s.info, t.info) && s.modified.Equal(t.modified) && s.size == t.size && s.journal == t.journal
}

// isHot reports whether a rollback journal is in use: one that is not has no header, or only zeros.
func isHot(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	var start [8]byte
	_, err = io.ReadFull(f, start[:])
	return err == nil && start != [8]byte{}
}

// sqlView is a database at one moment.
type sqlView struct {
	file, logFile *os.File
	log           *wal // nil without one
	journal       bool // a rollback journal counts
	pageSize      int
	usable        int // bytes of a page
	pages         uint32
	page          map[uint32][]byte // of inner pages, and the last leaf
}

// open opens the files and reads their headers.
func (d *sqliteDB) open() (v *sqlView, err error) {
	v = &sqlView{page: map[uint32][]byte{}}
	defer func() {
		if err != nil {
			v.close()
		}
	}()
	if v.file, err = os.Open(d.path); err != nil {
		return v, err
	}
	var header [headerSize]byte
	switch n, err := io.ReadFull(v.file, header[:]); {
	case n == 0 && errors.Is(err, io.EOF):
		return v, errEmpty
	case err != nil || !isSQLite(header[:]):
		return v, errors.Join(errNotDatabase, ignoreEOF(err))
	}
	if v.pageSize = int(binary.BigEndian.Uint16(header[16:])); v.pageSize == 1 {
		v.pageSize = 1 << 16
	}
	v.usable = v.pageSize - int(header[20])
	if v.pageSize < 512 || v.pageSize&(v.pageSize-1) != 0 || v.usable < 480 {
		return v, fmt.Errorf("%w: pages of %d bytes", errBroken, v.pageSize)
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

// openLog reads the log of a database that has one.
func (d *sqliteDB) openLog(v *sqlView) (err error) {
	if v.logFile, err = os.Open(d.path + "-wal"); err != nil {
		d.log = nil
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	if v.log, err = readWAL(v.logFile, v.pageSize, d.log); err != nil {
		d.log = nil
		return err
	}
	if d.log = v.log; v.log != nil {
		v.pages = uint32(min(int64(v.log.pages), int64(v.pages)+int64(len(v.log.frames)))) // no more than there are
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
	for _, f := range []*os.File{v.file, v.logFile} {
		if f != nil {
			_ = f.Close()
		}
	}
}

// readPage reads a page into buffer.
func (v *sqlView) readPage(number uint32, buffer []byte) error {
	if number == 0 || number > v.pages {
		return fmt.Errorf("%w: page %d of %d", errBroken, number, v.pages)
	}
	file, at := v.file, int64(number-1)*int64(v.pageSize)
	if v.log != nil {
		if offset, ok := v.log.frames[number]; ok {
			file, at = v.logFile, offset
		}
	}
	_, err := file.ReadAt(buffer, at)
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: page %d is not there", errBroken, number)
	}
	return err
}

// Why a database cannot be read.
var (
	errEmpty       = errors.New("it has no tables yet")
	errNotDatabase = errors.New("it is no SQLite database")
	errUnsupported = errors.New("its pages are of a kind that is not read: encrypted, or text in UTF-16")
	errBroken      = errors.New("it is broken, or cut off")
	errDisturbed   = errors.New("it is being written") // again and again; the same call may succeed later
)

// sqlTable is a table of a view.
type sqlTable struct {
	Columns []string // as in a row; that of its id too, whose values are null
	view    *sqlView
	root    uint32
}

// maxSchema bounds the text of a table's definition.
const maxSchema = 1 << 20

// sqlTable returns the table of a name, nil if there is none.
func (v *sqlView) Table(name string) (found *sqlTable, err error) {
	schema := sqlTable{view: v, root: 1}
	err2 := schema.Each(-1<<63, func(r *sqlRow) bool {
		var values []sqlValue
		if values, err = r.Values(); err != nil || len(values) < 5 {
			return err == nil
		}
		texts := make([]string, 5)
		for i, value := range values[:5] {
			var text []byte
			if value.Kind != sqlText {
				continue
			}
			if text, err = r.Text(value, 0, min(value.Size, maxSchema)); err != nil {
				return false
			}
			texts[i] = string(text)
		}
		if texts[0] == "table" && strings.EqualFold(texts[1], name) && values[3].Kind == sqlInteger {
			found = &sqlTable{columnNames(texts[4]), v, uint32(values[3].Integer)}
		}
		return found == nil
	})
	if err == nil {
		err = err2
	}
	if err != nil {
		return nil, err
	}
	return found, nil
}

// IsEmpty reports whether the database has no tables yet.
func (v *sqlView) IsEmpty() (bool, error) {
	empty := true
	schema := sqlTable{view: v, root: 1}
	err := schema.Each(-1<<63, func(*sqlRow) bool {
		empty = false
		return false
	})
	return empty, err
}

// Column returns the number of a column, -1 if there is none of that name.
func (t *sqlTable) Column(name string) int {
	for i, c := range t.Columns {
		if strings.EqualFold(c, name) {
			return i
		}
	}
	return -1
}

// columnNames returns the names of the columns in CREATE TABLE name (column type …, constraint …).
func columnNames(sql string) (names []string) {
	_, body, ok := strings.Cut(sql, "(")
	for ok && body != "" {
		name, rest := firstWord(body)
		body = afterComma(rest)
		switch strings.ToUpper(name) {
		case "":
		case "CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN":
			return names // the columns come first
		default:
			names = append(names, name)
		}
	}
	return names
}

// quotes are what begins a quoted name, and what ends it.
var quotes = map[byte]byte{'"': '"', '\'': '\'', '`': '`', '[': ']'}

// firstWord returns the name that a definition begins with.
func firstWord(s string) (name, rest string) {
	s = skipSpace(s)
	if s == "" {
		return "", ""
	}
	if end, ok := quotes[s[0]]; ok {
		if i := strings.IndexByte(s[1:], end); i >= 0 {
			return s[1 : 1+i], s[2+i:]
		}
		return "", ""
	}
	i := strings.IndexAny(s, " \t\r\n,()")
	if i < 0 {
		i = len(s)
	}
	return s[:i], s[i:]
}

// skipSpace cuts space and comments.
func skipSpace(s string) string {
	for {
		s = strings.TrimLeft(s, " \t\r\n")
		switch {
		case strings.HasPrefix(s, "--"):
			_, s, _ = strings.Cut(s, "\n")
		case strings.HasPrefix(s, "/*"):
			_, s, _ = strings.Cut(s, "*/")
		default:
			return s
		}
	}
}

// afterComma returns what follows the comma after a definition, "" if it is the last one.
func afterComma(s string) string {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\'' || c == '"' || c == '`':
			end := strings.IndexByte(s[i+1:], c)
			if end < 0 {
				return ""
			}
			i += end + 1
		case strings.HasPrefix(s[i:], "--"):
			end := strings.IndexByte(s[i:], '\n')
			if end < 0 {
				return ""
			}
			i += end
		case c == '(':
			depth++
		case c == ')' && depth == 0:
			return ""
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			return s[i+1:]
		}
	}
	return ""
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

// readWAL reads on in the log where before ended, or from its start if it is another log; nil if there is nothing in it.
func readWAL(file *os.File, pageSize int, before *wal) (*wal, error) {
	if file == nil {
		return nil, nil
	}
	var header [walHeaderSize]byte
	if _, err := file.ReadAt(header[:], 0); err != nil {
		return nil, ignoreEOF(err)
	}
	w := before
	if w == nil || w.header != header {
		if w = newWAL(header, pageSize); w == nil {
			return nil, nil
		}
	}
	if err := w.readOn(file, pageSize); err != nil {
		return nil, err
	}
	if w.next == walHeaderSize {
		return nil, nil // nothing was committed
	}
	return w, nil
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
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
	if w.order == binary.LittleEndian {
		return checksumLittle(sum, data)
	}
	for ; len(data) >= 8; data = data[8:] {
		sum[0] += binary.BigEndian.Uint32(data) + sum[1]
		sum[1] += binary.BigEndian.Uint32(data[4:]) + sum[0]
	}
	return sum
}

func checksumLittle(sum [2]uint32, data []byte) [2]uint32 {
	for ; len(data) >= 8; data = data[8:] {
		sum[0] += binary.LittleEndian.Uint32(data) + sum[1]
		sum[1] += binary.LittleEndian.Uint32(data[4:]) + sum[0]
	}
	return sum
}

// readOn reads the transactions that were committed since.
func (w *wal) readOn(file *os.File, pageSize int) error {
	frame := make([]byte, frameHeaderSize+pageSize)
	pending := map[uint32]int64{}
	sum := w.sum
	for at := w.next; ; at += int64(len(frame)) {
		if _, err := file.ReadAt(frame, at); err != nil {
			return ignoreEOF(err)
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
