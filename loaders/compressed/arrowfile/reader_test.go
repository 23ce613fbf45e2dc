package arrowfile

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vantage/internal/testkit/filetest"
	"vantage/loaders/fileio"
)

func kept(tb testing.TB, name string) []byte {
	tb.Helper()
	return filetest.Read(tb, "testdata/"+name)
}

// unfit are numbers that JSON lacks.
var unfit = regexp.MustCompile(`([:\[,])(NaN|-?Infinity)`)

// rows parses JSON lines.
func rows(t *testing.T, text string) (all []map[string]any) {
	t.Helper()
	text = strings.NewReplacer("NaN", "nan", "Infinity", "inf").Replace(unfit.ReplaceAllString(text, `$1"$2"`))
	for line := range strings.Lines(text) {
		d := json.NewDecoder(strings.NewReader(line))
		d.UseNumber()
		var row map[string]any
		if err := d.Decode(&row); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		for k, v := range row {
			row[k] = normal(v)
		}
		all = append(all, row)
	}
	return all
}

// normal makes equal numbers equal: integers stay exact.
func normal(v any) any {
	switch v := v.(type) {
	case json.Number:
		if f, err := v.Float64(); err == nil && strings.ContainsAny(v.String(), ".eE") {
			return f
		}
		if f, err := v.Float64(); err == nil && f < 1e15 && f > -1e15 {
			return f
		}
		return v.String()
	case []any:
		for i := range v {
			v[i] = normal(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = normal(v[k])
		}
	}
	return v
}

// What datasets and pyarrow have written is read as they read it.
func TestReadsAsPyarrow(t *testing.T) {
	for _, name := range []string{"samples", "types"} {
		got, err := io.ReadAll(NewReader(bytes.NewReader(kept(t, name+".arrow"))))
		if err != nil {
			t.Fatal(name, err)
		}
		if diff := cmp.Diff(rows(t, string(kept(t, name+".jsonl"))), rows(t, string(got))); diff != "" {
			t.Errorf("%s: -pyarrow +got\n%s", name, diff)
		}
	}
}

// A table that is cut off ends so; one that is compressed, or none, is refused.
func TestRefusals(t *testing.T) {
	whole := kept(t, "samples.arrow")
	for n := range len(whole) - 8 {
		text, err := io.ReadAll(NewReader(bytes.NewReader(whole[:n])))
		if err == nil && len(text) > 0 || err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("the first %d bytes: %q, %v", n, text, err)
		}
	}
	for name, data := range map[string][]byte{"packed": kept(t, "packed.arrow"), "text": []byte(strings.Repeat("\xff", 4) + "\x09\x00\x00\x00 some text"), "no table": []byte("ARROW of time, reward\n1, 2\n")} {
		if _, err := io.ReadAll(NewReader(bytes.NewReader(data))); !errors.Is(err, fileio.ErrNotRead) && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := io.ReadAll(NewReader(bytes.NewReader(kept(t, "packed.arrow"))))
	if err == nil || err.Error() != "not read: it is compressed: write it without compression, as save_to_disk does" {
		t.Error(err)
	}
}

// A row is not longer than any log has it, and rows without columns count as values.
func TestBoundsOfRows(t *testing.T) {
	texts := &array{
		column: &column{layout: layouts[20], dictionary: noDictionary}, length: 1, data: make([]byte, maxText+1),
		offsets: binary.LittleEndian.AppendUint64(make([]byte, 8), maxText+1),
	}
	r := reader{work: 10}
	if r.writeRow([]*array{texts}, 0); !errors.Is(r.err, fileio.ErrNotRead) || cap(r.out) > maxText {
		t.Errorf("%v, %d bytes", r.err, cap(r.out))
	}
	r = reader{work: 10}
	for range 11 {
		r.writeRow(nil, 0)
	}
	if !errors.Is(r.err, fileio.ErrNotRead) {
		t.Error(r.err)
	}
}

// No bytes make a reader panic, take long, or write far more than they hold.
func FuzzReader(f *testing.F) {
	for _, name := range []string{"samples", "types", "packed"} {
		data := kept(f, name+".arrow")
		f.Add(data, uint16(0), byte(0))
		f.Add(data, uint16(300), byte(255))
	}
	f.Fuzz(func(t *testing.T, data []byte, at uint16, b byte) {
		if int(at) < len(data) {
			data[at] = b
		}
		start := time.Now()
		n, _ := io.Copy(io.Discard, NewReader(bytes.NewReader(data)))
		if took := time.Since(start); took > 10*time.Second || n > 64<<20+int64(len(data))<<14 {
			t.Errorf("%d bytes of %d in %v", n, len(data), took)
		}
	})
}
