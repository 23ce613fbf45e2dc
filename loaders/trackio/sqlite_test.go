package trackio

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/repotest"

	"github.com/google/go-cmp/cmp"
)

// readAll returns the rows of the table logged, as write.py writes them.
func readAll(path string) (all [][]any, err error) {
	err = (&sqliteDB{path: path}).Read(func(v *sqlView) error {
		all = rowsOf(v, "logged")
		return nil
	})
	return all, err
}

func rowsOf(v *sqlView, table string) (all [][]any) {
	t := v.Table(table)
	if t == nil {
		return nil
	}
	for r := range t.Rows(math.MinInt64) {
		values := r.Values()
		row := []any{float64(r.ID)}
		for i := 1; i < len(t.Columns); i++ {
			if i >= len(values) {
				row = append(row, nil)
				continue
			}
			row = append(row, plain(r, values[i]))
		}
		all = append(all, row)
	}
	return all
}

func plain(r *sqlRow, v sqlValue) any {
	switch v.Kind {
	case sqlInteger:
		return float64(v.Integer)
	case sqlReal:
		return math.Float64frombits(uint64(v.Integer))
	case sqlText:
		return hex.EncodeToString(r.Text(v, 0, v.Size))
	default:
		return nil
	}
}

func compare(t *testing.T, folder string) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(folder, "*.db"))
	if len(files) == 0 {
		t.Fatal("no databases")
	}
	for _, path := range files {
		var want [][]any
		text, err := os.ReadFile(strings.TrimSuffix(path, ".db") + ".json")
		if err == nil {
			err = json.Unmarshal(text, &want)
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := readAll(path)
		if len(want) == 0 && len(got) == 0 && err == nil {
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v, -sqlite +got\n%.2000s", path, err, diff)
		}
	}
}

// Databases that SQLite has written are read as it reads them: with a log beside them, of which only what was committed counts.
func TestReadsAsSQLite(t *testing.T) { compare(t, "testdata/sqlite") }

// python returns a command of Python, or skips the test where there is no Python.
func python(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	if exec.Command(path, "-c", "import sqlite3").Run() != nil {
		t.Skip("python3 has no sqlite3")
	}
	return exec.Command(path, args...)
}

// So are made ones, of all sizes of pages, rows and tables.
func TestReadsMadeAsSQLite(t *testing.T) {
	repotest.OneGoroutine(t)
	t.Parallel()
	for seed := range repotest.Times(1, 3) {
		dir := t.TempDir()
		if out, err := python(t, "testdata/sqlite/write.py", dir, fmt.Sprint(seed)).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		compare(t, dir)
	}
}

// writeRows adds rows of which the third value tells whether a reader saw half of a transaction: the rows of one add up to 0.
const writeRows = `
import random, sqlite3, sys
path, journal, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
for n in range(count):
    db = sqlite3.connect(path, timeout=30)
    db.execute("PRAGMA journal_mode = " + journal)
    db.execute("PRAGMA synchronous = off")
    db.execute("CREATE TABLE IF NOT EXISTS logged (id INTEGER PRIMARY KEY AUTOINCREMENT, run, metrics, more)")
    db.commit()
    for k in range(3):
        numbers = [random.randint(-9, 9) for _ in range(random.choice([1, 5, 60]))]
        for x in numbers + [-sum(numbers)]:
            db.execute("INSERT INTO logged (run, metrics, more) VALUES (?, ?, ?)", (n, "x" * random.choice([10, 3000, 30000]), x))
        db.commit()
    db.close()
`

// While SQLite writes, a reader sees whole transactions, one after another, and leaves no trace.
func TestReadsWhileSQLiteWrites(t *testing.T) {
	t.Parallel()
	for _, journal := range []string{"wal", "delete", "persist"} {
		dir := t.TempDir()
		path := filepath.Join(dir, "made.db")
		write := python(t, "-c", writeRows, path, journal, fmt.Sprint(repotest.Times(10, 40)))
		if err := write.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- write.Wait() }()
		db, rows, reads, disturbed := &sqliteDB{path: path}, 0, 0, 0
		for done := false; !done; {
			select {
			case err := <-ended:
				if done = true; err != nil {
					t.Fatal(err)
				}
			default:
			}
			var all [][]any
			err := db.Read(func(v *sqlView) error {
				all = rowsOf(v, "logged")
				return nil
			})
			switch {
			case errors.Is(err, os.ErrNotExist) || errors.Is(err, errEmpty) || errors.Is(err, errNotDatabase):
				continue // it is not there yet
			case errors.Is(err, errDisturbed) && !done:
				disturbed++
				continue
			case err != nil:
				t.Fatalf("%s: %v", journal, err)
			case len(all) < rows:
				t.Fatalf("%s: %d rows after %d", journal, len(all), rows)
			}
			sum := 0.0
			for _, row := range all {
				sum += row[3].(float64)
			}
			if sum != 0 {
				t.Fatalf("%s: half of a transaction: %d rows, after %d", journal, len(all), rows)
			}
			rows, reads = len(all), reads+1
		}
		if rows < 40*3*2 || reads == 0 {
			t.Errorf("%s: %d rows in %d reads, %d disturbed", journal, rows, reads, disturbed)
		}
		t.Logf("%s: %d rows in %d reads, %d disturbed", journal, rows, reads, disturbed)
	}
}

// A folder that may not be written is read, and nothing in it is created or touched.
func TestLeavesNoTrace(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"log.db", "log.db-wal"} {
		data, err := os.ReadFile(filepath.Join("testdata/sqlite", name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o400)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	listing := func() (all []string) {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			info, _ := e.Info()
			all = append(all, fmt.Sprint(e.Name(), info.Size(), info.ModTime()))
		}
		return all
	}
	before := listing()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Chmod(dir, 0o700) }()
	rows, err := readAll(filepath.Join(dir, "log.db"))
	if err != nil || len(rows) == 0 {
		t.Error(len(rows), err)
	}
	if diff := cmp.Diff(before, listing()); diff != "" {
		t.Error(diff)
	}
}

// A transaction that was not finished, as its journal says, is not read by halves.
func TestHotJournal(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "small.db")
	data, err := os.ReadFile("testdata/sqlite/small.db")
	if err == nil {
		err = os.WriteFile(path, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	for start, hot := range map[string]bool{"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7": true, "\x00\x00\x00\x00\x00\x00\x00\x00": false, "": false} {
		filetest.Write(t, path+"-journal", start)
		if _, err := readAll(path); errors.Is(err, errDisturbed) != hot || err != nil != hot {
			t.Errorf("%q: %v", start, err)
		}
	}
}

// What is not a database, or of an unknown kind, is refused.
func TestRefusals(t *testing.T) {
	whole := filetest.Read(t, "testdata/sqlite/small.db")
	change := func(at int, b byte) []byte {
		data := append([]byte(nil), whole...)
		data[at] = b
		return data
	}
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"empty":         {nil, errEmpty},
		"short":         {whole[:60], errNotDatabase},
		"text":          {[]byte(strings.Repeat("x", 5000)), errNotDatabase},
		"UTF-16":        {change(59, 2), errUnsupported},
		"pages of 3":    {change(17, 3), errBroken},
		"a newer kind":  {change(19, 3), errUnsupported},
		"cut off":       {whole[:len(whole)/2], errBroken},
		"no room":       {change(20, 255), errBroken},
		"no first page": {change(100, 10), errBroken},
	} {
		path := filepath.Join(t.TempDir(), "a.db")
		filetest.Write(t, path, c.data)
		if _, err := readAll(path); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// sign makes the checksums of a log right.
func sign(log []byte) {
	if len(log) < walHeaderSize {
		return
	}
	w := wal{order: binary.LittleEndian}
	if log[3]&1 == 1 {
		w.order = binary.BigEndian
	}
	put := func(to []byte, sum [2]uint32) {
		binary.BigEndian.PutUint32(to, sum[0])
		binary.BigEndian.PutUint32(to[4:], sum[1])
	}
	sum := w.checksum([2]uint32{}, log[:24])
	put(log[24:], sum)
	size := frameHeaderSize + int(binary.BigEndian.Uint32(log[8:]))
	for frame := log[walHeaderSize:]; size%8 == 0 && len(frame) >= size; frame = frame[size:] {
		copy(frame[8:16], log[16:24])
		sum = w.checksum(w.checksum(sum, frame[:8]), frame[frameHeaderSize:size])
		put(frame[16:], sum)
	}
}

// A log that claims four billion pages, and leads from each to the next in many ways, is refused soon.
func TestLogOfManyPages(t *testing.T) {
	data := filetest.Read(t, "testdata/sqlite/log.db")
	log := filetest.Read(t, "testdata/sqlite/log.db-wal")
	size := int(binary.BigEndian.Uint32(log[8:]))
	log = log[:walHeaderSize]
	const levels, cells = 12, 20
	for level := range uint32(levels) {
		page := make([]byte, size)
		head := page
		if level == 0 {
			head = page[copy(page, data[:headerSize]):]
		}
		head[0] = innerPage
		head[4] = cells
		binary.BigEndian.PutUint32(head[8:], level+2)
		for i := range cells {
			binary.BigEndian.PutUint16(head[12+2*i:], uint16(size-5))
		}
		binary.BigEndian.PutUint32(page[size-5:], level+2)
		page[size-1] = 0x7f // up to row 127
		if level == levels-1 {
			page = make([]byte, size)
			page[0] = leafPage
		}
		frame := make([]byte, frameHeaderSize)
		binary.BigEndian.PutUint32(frame, level+1)
		binary.BigEndian.PutUint32(frame[4:], math.MaxUint32)
		log = append(append(log, frame...), page...)
	}
	sign(log)
	path := filepath.Join(t.TempDir(), "a.db")
	if err := errors.Join(os.WriteFile(path, data, 0o600), os.WriteFile(path+"-wal", log, 0o600)); err != nil {
		t.Fatal(err)
	}
	if rows, err := readAll(path); !errors.Is(err, errBroken) {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

// No bytes make a reader panic, or read for long.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"small", "log"} {
		data, err := os.ReadFile("testdata/sqlite/" + name + ".db")
		if err != nil {
			f.Fatal(err)
		}
		log, _ := os.ReadFile("testdata/sqlite/" + name + ".db-wal")
		f.Add(data, log, uint16(0), byte(0))
		f.Add(data, log, uint16(1000), byte(255))
	}
	f.Fuzz(func(t *testing.T, data, log []byte, at uint16, b byte) {
		if len(data) > int(at) {
			data[at] = b
		}
		sign(log)
		dir := t.TempDir()
		path := filepath.Join(dir, "a.db")
		old := time.Now().Add(-time.Hour)
		_, _ = os.WriteFile(path, data, 0o600), os.WriteFile(path+"-wal", log, 0o600)
		_ = os.Chtimes(path, old, old)
		start := time.Now()
		_, _ = readAll(path)
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%v for %d bytes", took, len(data))
		}
	})
}
