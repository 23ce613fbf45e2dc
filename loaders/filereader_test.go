package loaders

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"vantage/loaders/formats"
	"vantage/model"
)

// brokenLogs are logs with everything wrong in them.
func brokenLogs() []string {
	return []string{
		"", "\n", "{\"reward\":1}\n", "{\"reward\":1}", "\xef\xbb\xbf{\"reward\":1}\r\n{\"reward\":NaN}\n",
		"{\"reward\":1}\nbroken\n{\"reward\":2}\n\n{\"rew", "{\"prompt\":\"a\"}\n{\"prompt\":\"b\",\"reward\":0}\n",
		"{\"input\":\"q\",\"output\":\"o\",\"score\":1,\"step\":3}\nx\x00y\n{\"input\":\"q\",\"output\":\"o\",\"score\":0,\"step\":3}\n",
		"{\"step\":1,\"data\":{}}\n{\"reward\":1}\n", "[1]\n[2]\n", strings.Repeat("{\"reward\":1,\"step\":2}\n", 20),
	}
}

// However a stream is cut into pieces, it gives the same records and problems.
func FuzzFileReader(f *testing.F) {
	for i, s := range brokenLogs() {
		f.Add([]byte(s), uint16(i), uint16(3*i+1))
	}
	f.Add([]byte("{\n"), uint16(1), uint16(1)) // the first bytes do not tell how it is cut
	f.Fuzz(func(t *testing.T, data []byte, a, b uint16) {
		n := len(data) + 1
		first, second := int(a)%n, int(b)%n
		comparePieces(t, data, min(first, second), max(first, second))
	})
}

func comparePieces(t *testing.T, data []byte, cuts ...int) {
	t.Helper()
	whole, pieces := readInPieces(data), readInPieces(data, cuts...)
	if diff := cmp.Diff(whole, pieces, cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("cut at %v: %q: -whole +pieces\n%s", cuts, data, diff)
	}
}

// readResult is what a file reader has handed over.
type readResult struct {
	Records  []model.Record
	Problems []model.Problem
	Skipped  int
}

// readInPieces feeds data cut into pieces.
func readInPieces(data []byte, cuts ...int) readResult {
	out := newChunkQueue()
	f := newFileReader(0, "x.jsonl", formats.All(), out)
	f.splitter.Limit = 64
	var got readResult
	from := 0
	for _, to := range append(cuts, len(data)) {
		for piece := data[from:to]; len(piece) > 0 && !f.refused; {
			piece = piece[f.feed(piece):]
			for len(out.ready) > 0 {
				got.add(out.next())
			}
		}
		from = to
	}
	f.finish()
	for !out.pending.empty() || len(out.ready) > 0 {
		got.add(out.next())
	}
	return got
}

func (g *readResult) add(b *chunkBuilder) {
	g.Records = append(g.Records, b.records...)
	g.Problems = append(g.Problems, b.problems...)
	g.Skipped += b.skipped
}

// However a file grows, a source that follows it ends up with the same samples.
func TestGrowthInAnyPieces(t *testing.T) {
	t.Parallel()
	const log = "{\"input\":\"system\\nuser\\nq\",\"output\":\"o\",\"score\":1,\"step\":1}\nbad\n\n{\"input\":\"q\",\"output\":\"\\u00e9\",\"score\":NaN,\"step\":2}\r\n" +
		"{\"input\":\"漢字\",\"output\":\"o\",\"score\":0,\"step\":2}\nx\x00y\n{\"input\":\"q\",\"output\":\"o\",\"score\":0.5,\"step\":3}\n"
	want := readAtOnce([]byte(log))
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
		var got readResult
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
				got.add(s.chunks.next())
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

// readAtOnce feeds data in one piece, with the usual limit of a line.
func readAtOnce(data []byte) readResult {
	out := newChunkQueue()
	f := newFileReader(0, "1.jsonl", formats.All(), out)
	f.feed(data)
	var got readResult
	got.add(out.next())
	return got
}
