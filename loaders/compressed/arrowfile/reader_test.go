package arrowfile

import (
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vantage/internal/testkit/filetest"
	"vantage/loaders/fileio"
)

func tables(tb testing.TB) []string {
	tb.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", "*.arrow"))
	if err != nil || len(names) != 6 {
		tb.Fatal(names, err)
	}
	return names
}

// Streams and files of pyarrow, packed or not, are read as pyarrow reads them: make.py says what is in them.
func TestTablesOfPyarrow(t *testing.T) {
	want := values(t, string(filetest.Read(t, filepath.Join("testdata", "rows.jsonl"))))
	for _, name := range tables(t) {
		text, err := io.ReadAll(NewReader(strings.NewReader(string(filetest.Read(t, name)))))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, values(t, string(text))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func values(t *testing.T, lines string) (all []map[string]any) {
	t.Helper()
	for line := range strings.Lines(lines) {
		var row map[string]any
		if err := json.Unmarshal([]byte(strings.ReplaceAll(line, "NaN", `"NaN"`)), &row); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		all = append(all, row)
	}
	return all
}

// A table that is cut off, as while it is written, gives the batches before, and says so unless it ends between two.
func TestCutTables(t *testing.T) {
	for _, name := range tables(t) {
		whole := string(filetest.Read(t, name))
		for n := 8; n < len(whole); n += 61 {
			out, err := io.ReadAll(NewReader(strings.NewReader(whole[:n])))
			rows := strings.Count(string(out), "\n")
			if rows != 0 && rows != 5 && rows != 9 || err != nil && !errors.Is(err, io.ErrUnexpectedEOF) || err == nil && rows == 0 && n > len(whole)/2 {
				t.Errorf("%s cut at %d: %d rows, %v", name, n, rows, err)
			}
		}
	}
}

// What claims more than there is, or what is not read, is refused with a reason, at little cost.
func TestHostileTables(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(256 << 20)) // so that little is much
	whole := string(filetest.Read(t, filepath.Join("testdata", "stream_plain.arrow")))
	for name, c := range map[string]struct{ table, want string }{
		"a message of 4 GB":     {continuation + "\xfe\xff\xff\xff", "a place outside"},
		"a message of nothing":  {continuation + "\x08\x00\x00\x00" + strings.Repeat("\x00", 8), ""},
		"no schema":             {continuation + "\x00\x00\x00\x00", "that has begun"},
		"another file":          {"ARROW2 is a text", "that has begun"},
		"another column":        {strings.Replace(whole, "\x0c\x00\x00\x00\x00\x00\x00\x15", "\x0c\x00\x00\x00\x00\x00\x00\x0e", 1), ""},
		"a part of a schema":    {whole[:40], "unexpected EOF"},
		"a place far away":      {whole[:8] + "\xff\xff\xff\x7f" + whole[12:], ""},
		"a table at its offset": {whole[:8] + "\x00\x00\x00\x00" + whole[12:], ""},
	} {
		_, err := io.Copy(io.Discard, NewReader(strings.NewReader(c.table)))
		if isExplained(err) && (c.want == "" || err != nil && strings.Contains(err.Error(), c.want)) {
			continue
		}
		t.Errorf("%s: %v", name, err)
	}
}

func isExplained(err error) bool {
	return err == nil || errors.Is(err, fileio.ErrNotRead) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, errDamaged)
}

// No bytes make it panic, each error is one that the program explains, and each line is an object.
func FuzzReader(f *testing.F) {
	for _, name := range tables(f) {
		f.Add(filetest.Read(f, name))
	}
	f.Fuzz(func(t *testing.T, table []byte) {
		out, err := io.ReadAll(io.LimitReader(NewReader(strings.NewReader(string(table))), 1<<20))
		if !isExplained(err) {
			t.Error(err)
		}
		if len(out) > 0 && out[0] != '{' {
			t.Errorf("%.100q", out)
		}
	})
}
