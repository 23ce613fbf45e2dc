package fast

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"vantage/internal/testkit/filetest"
	"vantage/loaders/decode"
	"vantage/model"
)

// unusualRows are rows that only a complete parser reads correctly, or refuses.
func unusualRows(tb testing.TB) []string {
	tb.Helper()
	data := filetest.Read(tb, "testdata/unusual_rows.jsonl")
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// A Reader that has learned from a row reads others as the RowDecoder does, or not at all. The third
// mostly begins as the second.
func FuzzReader(f *testing.F) {
	rows := unusualRows(f)
	first := rows[0]
	for _, row := range rows {
		f.Add([]byte(first), []byte(row), 60)
		f.Add([]byte(row), []byte(row), 60)
		f.Add([]byte(row), []byte(first), 90)
	}
	named := []byte(`{"step": 0, "group_id": "0", "prompt": "", "response": "", "reward": 0, "answer": ""}`)
	f.Add(bytes.Replace(named, []byte(`"0"`), []byte(`""`), 1), named, 0) // an empty id is none
	messages := []byte(`{"step": 7, "group_id": "g", "prompt":[{"role": "user", "content": "q"}], "response": "r", "reward": 1}`)
	f.Add(messages, bytes.Replace(messages, []byte(":["), []byte(": ["), 1), 0) // other spaces than in the first row
	trained := []byte(`{"step": 7, "prompt": "q", "response": "r", "reward": 1, "split": "train", "is_eval": false}`)
	f.Add(trained, bytes.Replace(trained, []byte("train"), []byte("eval"), 1), 0)
	f.Add(trained, bytes.Replace(trained, []byte("false"), []byte("true"), 1), 0)
	turn := []byte(`{"step": 7, "uid": "u", "traj_uid": "t1", "prompt": "q", "response": "r", "reward": 1}`)
	f.Add(turn, bytes.Replace(turn, []byte("t1"), []byte(`t\u0031`), 1), 45)
	f.Fuzz(func(t *testing.T, first, second []byte, at int) {
		if bytes.ContainsAny(first, "\x00\n") || bytes.ContainsAny(second, "\n") {
			return // the caller has checked for these
		}
		third := bytes.Clone(second)
		if 0 <= at && at < len(third) && third[at] >= '0' {
			third[at] = '7' // mostly another value
		}
		for _, fields := range []*decode.Fields{markingEvaluations(), decode.NamesWithoutTotal()} {
			r := decode.NewRowDecoder(fields, "12.jsonl")
			r.Wants = isTraining
			if learned, err := r.Decode(nil, first); err != nil || len(learned) != 1 {
				return
			}
			q := New(r)
			q.BeginBlock(model.Block{})
			q.Learn(first)
			before := r.Note()
			for _, row := range [][]byte{second, third, second, second} {
				compare(t, q, row)
			}
			if diff := cmp.Diff(before, r.Note()); diff != "" {
				t.Fatalf("the decoder learned from rows that were read fast: %s", diff)
			}
		}
	})
}

// The first row of a piece is read fast, too, although it has few bytes before its first value: a log that is followed has many pieces.
func TestFirstRowOfPiece(t *testing.T) {
	t.Parallel()
	r := decode.NewRowDecoder(decode.UsualNames(), "12.jsonl")
	row := []byte(`{"step": 1, "group_id": 7, "reward": 0.5}`)
	if _, err := r.Decode(nil, row); err != nil {
		t.Fatal(err)
	}
	q := New(r)
	q.Learn(row)
	q.BeginBlock(model.Block{})
	piece := []byte(`{"step": 2, "group_id": 8, "reward": 0.25}` + "\n" + `{"step": 2, "group_id": 9, "reward": 1}` + "\n")
	if end, n := q.ReadRows(piece, 0, len(piece), 100); end != len(piece) || n != 2 {
		t.Fatalf("%d rows read, up to byte %d of %d", n, end, len(piece))
	}
	if b := q.EndBlock(); !slices.Equal(b.Reward, []float64{0.25, 1}) || !slices.Equal(b.Step, []int64{2, 2}) || !slices.Equal(b.Groups[1:], []string{"8", "9"}) {
		t.Errorf("read as %v of steps %v and groups %q", b.Reward, b.Step, b.Groups)
	}
}

func isTraining(isEvaluation bool) bool { return !isEvaluation }

func markingEvaluations() *decode.Fields {
	return decode.UsualNames().Telling(decode.Statuses{"split": {"val": decode.Evaluated, "eval": decode.Evaluated}, "is_eval": {"true": decode.Evaluated, "1": decode.Evaluated}})
}

// compare reads a row fast and, if that succeeds, also with the RowDecoder.
func compare(t *testing.T, q *Reader, row []byte) {
	t.Helper()
	const before = "the end of the row before\n"
	line := append([]byte(before), append(row[:len(row):len(row)], '\n')...)
	switch end, n := q.ReadRows(line, len(before), len(line), 5-int64(len(before))); {
	case n == 0:
		return
	case end != len(line) || bytes.IndexByte(row, 0) >= 0:
		t.Fatalf("%q is read up to byte %d", line, end)
	}
	long, err := q.slow.Clone().Decode(nil, row)
	if err != nil || len(long) != 1 {
		t.Fatalf("%q is read fast, but: %v", row, err)
	}
	long[0].Offset = 5
	block := q.EndBlock()
	records := block.Records()
	if diff := cmp.Diff(withoutEmptyComponents(long[0]), withoutEmptyComponents(records[len(records)-1]), cmpopts.EquateNaNs(), cmpopts.EquateEmpty(), cmpopts.IgnoreFields(model.Record{}, "Line")); diff != "" {
		t.Fatalf("%q: -decoder +fast\n%s", row, diff)
	}
}

// withoutEmptyComponents returns r without components if none has a value: a block has no rows without them.
func withoutEmptyComponents(r model.Record) model.Record {
	if !slices.ContainsFunc(r.Components, func(x float64) bool { return x == x }) {
		r.Components = nil
	}
	return r
}

// BenchmarkReadRows reads small rows, 16 of a group.
func BenchmarkReadRows(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	log := bytes.NewBufferString("the end of the row before\n")
	start := log.Len()
	for n := range 50_000 {
		fmt.Fprintf(log, `{"step": 7, "group_id": %d, "prompt": "question %d", "reward": %.4f, "length": %d}`+"\n",
			n/16, n/16, random.Float64(), random.IntN(4096)+1)
	}
	r := decode.NewRowDecoder(decode.UsualNames(), "small.jsonl")
	first := bytes.Clone(log.Bytes()[start : start+bytes.IndexByte(log.Bytes()[start:], '\n')])
	if _, err := r.Decode(nil, first); err != nil {
		b.Fatal(err)
	}
	reader := New(r)
	reader.BeginBlock(model.Block{})
	reader.Learn(first)
	b.SetBytes(int64(log.Len()))
	var block model.Block
	for b.Loop() {
		reader.BeginBlock(block)
		if _, n := reader.ReadRows(log.Bytes(), start, log.Len(), 0); n != 50_000 {
			b.Fatalf("%d rows fit the template", n)
		}
		block = reader.EndBlock()
	}
}
