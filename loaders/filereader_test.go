package loaders

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"vantage/internal/testkit/formatstest"
	"vantage/loaders/formats"
	"vantage/model"
)

// brokenLogs returns logs with all kinds of faults.
func brokenLogs() []string {
	return []string{
		"", "\n", "{\"reward\":1}\n", "{\"reward\":1}", "\xef\xbb\xbf{\"reward\":1}\r\n{\"reward\":NaN}\n",
		"{\"reward\":1}\nbroken\n{\"reward\":2}\n\n{\"rew", "{\"prompt\":\"a\"}\n{\"prompt\":\"b\",\"reward\":0}\n",
		"{\"input\":\"q\",\"output\":\"o\",\"score\":1,\"step\":3}\nx\x00y\n{\"input\":\"q\",\"output\":\"o\",\"score\":0,\"step\":3}\n",
		"{\"step\":1,\"data\":{}}\n{\"reward\":1}\n", "[1]\n[2]\n", strings.Repeat("{\"reward\":1,\"step\":2}\n", 20),
	}
}

// A stream gives the same records and problems, whatever pieces it arrives in.
func FuzzFileReader(f *testing.F) {
	for i, s := range brokenLogs() {
		f.Add([]byte(s), uint16(i), uint16(3*i+1))
	}
	f.Add([]byte("{\n"), uint16(1), uint16(1)) // too little to detect the framing
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

// readResult is what a file reader has delivered.
type readResult struct {
	Records  []model.Record
	Problems []model.Problem
	Skipped  int
}

// readInPieces feeds data in pieces to a file reader with a low limit of lines.
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
	g.Records = append(g.Records, b.Records...)
	g.Problems = append(g.Problems, b.Problems...)
	g.Skipped += b.Skipped
}

// A followed file gives the same samples, whatever pieces it grows by.
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
		for unwritten := []byte(log); len(unwritten) > 0; {
			n := min(rapid.IntRange(1, 60).Draw(rt, "n"), len(unwritten))
			h, _ := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			_, _ = h.Write(unwritten[:n])
			_ = h.Close()
			unwritten = unwritten[n:]
			s.reading.enqueue(s.reading.files[0])
			for len(s.reading.queue) > 0 {
				s.fillChunk(t.Context())
				got.add(s.chunks.next())
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

// However the bytes of a log are cut into pieces, the samples are the same.
func TestPiecesGiveTheSameSamples(t *testing.T) {
	logs := formatstest.Logs(t, "formats/testdata")
	rapid.Check(t, func(t *rapid.T) {
		log := rapid.SampledFrom(logs).Draw(t, "log")
		out := newChunkQueue()
		f := newFileReader(0, log.Name, formats.All(), out)
		data := []byte(log.Text)
		first := min(len(data), 16) // from which the framing is detected
		cuts := []int{first}
		cuts = append(cuts, rapid.SliceOfN(rapid.IntRange(first, len(data)), 0, 6).Draw(t, "cuts")...)
		slices.Sort(cuts)
		from := 0
		for _, at := range append(cuts, len(data)) {
			for piece := bytes.Clone(data[from:at]); len(piece) > 0; {
				piece = piece[f.feed(piece):]
			}
			from = at
		}
		f.finish()
		if diff := formatstest.Diff(log.Want, formatstest.Samples(out.pending.Records)); diff != "" {
			t.Fatalf("%s cut at %v: -want +got\n%s", log.Format, cuts, diff)
		}
	})
}
