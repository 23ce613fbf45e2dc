package loaders

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"vantage/loaders/formats"
	"vantage/loaders/framing"
	"vantage/model"
)

type gotLine struct {
	Text, Reason   string
	Number, Offset int64
}

func collect(into *[]gotLine) func(framing.Line) bool {
	return func(l framing.Line) bool {
		*into = append(*into, gotLine{string(l.Text), l.Reason, l.Number, l.Offset})
		return true
	}
}

func TestLines(t *testing.T) {
	l := framing.Lines{Limit: 8}
	var got []gotLine
	data := "ab\r\n\n123456789\n12345678\nx\x00y\ntorn"
	for i := range len(data) { // byte by byte
		l.Feed([]byte(data[i:i+1]), collect(&got))
	}
	want := []gotLine{
		{"ab\r", "", 1, 0},
		{"", "", 2, 4},
		{"", "a line of 9 bytes is not read: the limit is 8", 3, 5},
		{"12345678", "", 4, 15},
		{"", "column 2: a NUL byte: the file was damaged, or not yet written there", 5, 24},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("-want +got\n" + diff)
	}
	if last := l.TakeLast(); string(last.Text) != "torn" || last.Number != 6 || last.Offset != 28 {
		t.Errorf("last %+v", last)
	}
	got = nil
	l.Feed([]byte("\nnext\n"), collect(&got))
	if diff := cmp.Diff([]gotLine{{"next", "", 7, 33}}, got); diff != "" {
		t.Error("-want +got\n" + diff)
	}
}

// A line over the limit is not held, even one of more than 2 GB.
func TestLinesHoldLittle(t *testing.T) {
	l := framing.Lines{Limit: 1 << 20}
	block := bytes.Repeat([]byte("x"), 300<<10)
	for range 8000 {
		l.Feed(block, func(framing.Line) bool { return true })
		if len(l.Partial) > l.Limit {
			t.Fatalf("%d bytes are held", len(l.Partial))
		}
	}
	var got []gotLine
	l.Feed([]byte("\nnext\n"), collect(&got))
	want := []gotLine{{"", "a line of 2457600000 bytes is not read: the limit is 1048576", 1, 0}, {"next", "", 2, 2457600001}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("-want +got\n" + diff)
	}
}

func TestUnread(t *testing.T) {
	l := framing.Lines{Limit: 100}
	l.Feed([]byte("ab\x00\x00"), func(framing.Line) bool { return true })
	if n := l.CutAtNUL(); n != 2 || string(l.Partial) != "ab" {
		t.Errorf("%d bytes back, %q held", n, l.Partial)
	}
}

// lineSeeds are logs with everything wrong in them.
func lineSeeds() []string {
	return []string{
		"", "\n", "{\"reward\":1}\n", "{\"reward\":1}", "\xef\xbb\xbf{\"reward\":1}\r\n{\"reward\":NaN}\n",
		"{\"reward\":1}\nbroken\n{\"reward\":2}\n\n{\"rew", "{\"prompt\":\"a\"}\n{\"prompt\":\"b\",\"reward\":0}\n",
		"{\"input\":\"q\",\"output\":\"o\",\"score\":1,\"step\":3}\nx\x00y\n{\"input\":\"q\",\"output\":\"o\",\"score\":0,\"step\":3}\n",
		"{\"step\":1,\"data\":{}}\n{\"reward\":1}\n", "[1]\n[2]\n", strings.Repeat("{\"reward\":1,\"step\":2}\n", 20),
	}
}

func FuzzLines(f *testing.F) {
	for i, s := range lineSeeds() {
		f.Add([]byte(s), uint16(i), uint16(3*i+1))
	}
	f.Add([]byte("{\n"), uint16(1), uint16(1)) // the first bytes do not tell how it is cut
	f.Fuzz(func(t *testing.T, data []byte, a, b uint16) {
		n := len(data) + 1
		first, second := int(a)%n, int(b)%n
		compareCuts(t, data, min(first, second), max(first, second))
	})
}

func compareCuts(t *testing.T, data []byte, cuts ...int) {
	t.Helper()
	whole, pieces := intakeOf(data), intakeOf(data, cuts...)
	if diff := cmp.Diff(whole, pieces, cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("cut at %v: %q: -whole +pieces\n%s", cuts, data, diff)
	}
}

type taken struct {
	Records  []model.Record
	Problems []model.Problem
	Skipped  int
}

// intakeOf feeds data as a stream in pieces.
func intakeOf(data []byte, cuts ...int) taken {
	out := newChunkQueue()
	f := newFileReader(0, "x.jsonl", formats.All(), out)
	f.lines.Limit = 64
	var got taken
	from := 0
	for _, to := range append(cuts, len(data)) {
		for piece := data[from:to]; len(piece) > 0 && !f.refused; {
			piece = piece[f.feed(piece):]
			for len(out.ready) > 0 {
				got.take(out.next())
			}
		}
		from = to
	}
	f.finish()
	for !out.pending.empty() || len(out.ready) > 0 {
		got.take(out.next())
	}
	return got
}

func (g *taken) take(b *chunkBuilder) {
	g.Records = append(g.Records, b.records...)
	g.Problems = append(g.Problems, b.problems...)
	g.Skipped += b.skipped
}

// However a file grows, a source that follows it ends up with the same samples.
func TestGrowthInAnyCuts(t *testing.T) {
	t.Parallel()
	const log = "{\"input\":\"system\\nuser\\nq\",\"output\":\"o\",\"score\":1,\"step\":1}\nbad\n\n{\"input\":\"q\",\"output\":\"\\u00e9\",\"score\":NaN,\"step\":2}\r\n" +
		"{\"input\":\"漢字\",\"output\":\"o\",\"score\":0,\"step\":2}\nx\x00y\n{\"input\":\"q\",\"output\":\"o\",\"score\":0.5,\"step\":3}\n"
	want := intakeWide([]byte(log))
	if len(want.Records) != 4 || want.Skipped != 2 {
		t.Fatalf("%d records, %d skipped", len(want.Records), want.Skipped)
	}
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		path := filepath.Join(dir, "1.jsonl")
		_ = os.WriteFile(path, nil, 0o644)
		s, err := Open([]string{path}, Options{Follow: true, settleTime: 1})
		if err != nil {
			rt.Fatal(err)
		}
		defer func() { _ = s.Close() }()
		var got taken
		for rest := []byte(log); ; {
			n := rapid.IntRange(1, 60).Draw(rt, "n")
			n = min(n, len(rest))
			h, _ := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			_, _ = h.Write(rest[:n])
			_ = h.Close()
			rest = rest[n:]
			s.enqueue(s.files[0])
			for len(s.queue) > 0 {
				s.fillChunk(t.Context())
				got.take(s.chunks.next())
			}
			if len(rest) == 0 {
				break
			}
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateNaNs()); diff != "" {
			rt.Error("-want +got\n" + diff)
		}
	})
}

func intakeWide(data []byte) taken {
	out := newChunkQueue()
	f := newFileReader(0, "1.jsonl", formats.All(), out)
	f.feed(data)
	var got taken
	got.take(out.next())
	return got
}
