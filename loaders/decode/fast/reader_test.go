package fast

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
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
	f.Add(turn, bytes.Replace(turn, []byte("t1"), nil, 1), 45) // an empty id is none here, too
	part := []byte(`{"step": 7, "prompt": "q", "correct": true, "response": "r", "format": 1, "reward": 1, "completion_tokens": 7}`)
	f.Add(part, bytes.Replace(part, []byte("true"), []byte("false"), 1), 60)
	f.Add(part, bytes.Replace(part, []byte(`"reward": 1`), []byte(`"reward": null`), 1), 60)
	f.Add(part, bytes.Replace(part, []byte("7}"), []byte("[7, 8]}"), 1), 60)
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
			for _, rows := range [][][]byte{{second}, {third}, {second, second}, {second, third, second}} {
				compare(t, q, rows)
			}
			if diff := learnedBetween(before, r.Note()); diff != "" {
				t.Fatalf("the decoder learned from rows that were read fast: %s", diff)
			}
		}
	})
}

// A decimal is the float that strconv reads, to the last bit: also halfway between two, and next to that.
func TestDecimalsAreRoundedCorrectly(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 1))
	check := func(text string) {
		x, end := readDecimal([]byte(text+`, "length": 1}`), 0)
		if want, err := strconv.ParseFloat(text, 64); err != nil || end != len(text) || math.Float64bits(x) != math.Float64bits(want) {
			t.Fatalf("%s is read as %v up to byte %d, not %v", text, x, end, want)
		}
	}
	for range 20_000 {
		digits := strconv.FormatUint(1+random.Uint64N(powers[1+random.IntN(maxDigits)]-1), 10)
		if point := random.IntN(len(digits)); point > 0 {
			digits = digits[:point] + "." + digits[point:]
		} else if random.IntN(2) == 0 && len(digits) < maxDigits {
			digits = "0." + digits
		}
		check(digits)
		check("-" + digits)
		check(strconv.FormatFloat(0.01+random.Float64(), 'f', -1, 64)) // as Python writes it
		half := 1<<53 + 2*random.Uint64N(1<<52) + 1                    // between two floats
		for _, n := range []uint64{half - 1, half, half + 1} {
			check(strconv.FormatUint(n, 10))
			check(strconv.FormatUint(n, 10) + ".0")
			check(strconv.FormatUint(n*64, 10))
		}
	}
	for _, text := range []string{"0.5000000000000000", "-0.000000000000000000", "9999999999999999999", "0.999999999999999999", "1.000000000000000000"} {
		check(text)
	}
}

// Numbers after what a group shares are those that the RowDecoder reads, however they are written and wherever rows end that are read at once.
func TestNumbersAreThoseOfTheDecoder(t *testing.T) {
	t.Parallel()
	written := []string{
		"0", "1", "-1", "0.5", "-0.0", "-0", "12", "4096", "0.8363", "1.0", "12.0", "-0.25", "0.00000001", "123456789", "99999999.5",
		"12345678901234", "123456789012345", "1234567890123456", "0.1234567890123", "0.12345678901234", "0.8333333333333334", "1e-05", "1E5",
		"01", "-01", "00.5", "5.", ".5", "-", "+1", "--1", "1.2.3", "2147483647", "2147483648", "4294967297", "NaN", "null", "Infinity", "-Infinity", "true", `"1"`, "1 ", " 1", "",
	}
	const row = `{"step": 7, "group_id": 12, "reward": %s, "length": %s, "an_unusually_long_name": %s, "format_reward": %s}`
	random := rand.New(rand.NewPCG(7, 8))
	atOnce := 0
	for range 3_000 {
		r := decode.NewRowDecoder(decode.UsualNames(), "12.jsonl")
		first := fmt.Appendf(nil, row, "1", "1", "1", "1")
		if _, err := r.Decode(nil, first); err != nil {
			t.Fatal(err)
		}
		q := New(r)
		q.Learn(first)
		q.BeginBlock(model.Block{})
		rows := make([][]byte, 1+random.IntN(12))
		for i := range rows {
			numbers := []any{"0.5", "17", "3", "-1"}
			if i > 0 {
				numbers[random.IntN(4)] = written[random.IntN(len(written))]
			}
			rows[i] = fmt.Appendf(nil, row, numbers...)
		}
		compare(t, q, rows)
		atOnce += max(0, q.block.n-1)
	}
	if atOnce < 1_000 {
		t.Errorf("%d rows were read after the first of a group: there is nothing to compare", atOnce)
	}
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

// compare reads rows fast, and those that succeed also with the RowDecoder. Other rows are before and after them.
func compare(t *testing.T, q *Reader, rows [][]byte) {
	t.Helper()
	const before, after = "the end of the row before\n", "and the rows after: bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes"
	lines := append([]byte(before), append(bytes.Join(rows, []byte("\n")), '\n')...)
	end, n := q.ReadRows(append(lines, after...), len(before), len(lines), 5-int64(len(before)))
	if want := len(before) + len(bytes.Join(rows[:n], []byte("\n"))) + min(n, 1); end != want {
		t.Fatalf("%d rows of %q are read, up to byte %d, not %d", n, rows, end, want)
	}
	block := q.EndBlock()
	records := block.Records()
	records = records[len(records)-n:]
	offset := int64(5)
	for i, row := range rows[:n] {
		long, err := q.slow.Clone().Decode(nil, row)
		if err != nil || len(long) != 1 || bytes.IndexByte(row, 0) >= 0 {
			t.Fatalf("%q is read fast, but: %v", row, err)
		}
		long[0].Offset = offset
		offset += int64(len(row)) + 1
		if diff := cmp.Diff(withoutEmptyComponents(long[0]), withoutEmptyComponents(records[i]), cmpopts.EquateNaNs(), cmpopts.EquateEmpty(), cmpopts.IgnoreFields(model.Record{}, "Line")); diff != "" {
			t.Fatalf("%q: -decoder +fast\n%s", row, diff)
		}
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
