package logprobs

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vantage/internal/testkit/filetest"
	"vantage/loaders/fileio"
)

// The strides of a text have each of its lines once, in order, with the byte at which it begins, whatever their size.
func TestStridesHaveEachLineOnce(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "\n", "a", "a\n", "\na", "a\nb\n", "a\nb", strings.Repeat("0123456789\n", 9) + "\n\n" + strings.Repeat("x", 50) + "\nend", " a \r\n\x00\nb",
	} {
		var want []string
		eachLine([]byte(text), func(line []byte, at int64) bool {
			want = append(want, fmt.Sprint(at, string(line)))
			return true
		})
		for size := int64(1); size < 40; size++ {
			var got []string
			for at := int64(0); at < int64(len(text)); at += size {
				part := stride{from: at, to: at + size, begins: at == 0}
				lines, begin, err := part.text(strings.NewReader(text), nil)
				if err != nil {
					t.Fatal(err)
				}
				eachLine(lines, func(line []byte, at int64) bool {
					got = append(got, fmt.Sprint(begin+at, string(line)))
					return true
				})
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%q in strides of %d: %q, want %q", text, size, got, want)
			}
		}
	}
}

// A log of several strides has its rows in the order of its lines, with their numbers, though several goroutines read them.
func TestRowsOfManyStridesAreInOrder(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	random := rand.New(rand.NewPCG(1, 53))
	for line := 1; text.Len() < 3*ofOneRound*strideBytes; line++ {
		numbers := strings.Repeat("-0.5, ", random.IntN(20_000))
		fmt.Fprintf(&text, `{"id": %d, "rollout_log_probs": [%s-1], "old_log_probs": [%[2]s-1], "step": 1}`+"\n", line, numbers)
	}
	path := filepath.Join(t.TempDir(), "rows.jsonl")
	filetest.Write(t, path, text.String())
	line := int64(0)
	err := Read(&fileio.Disk{}, path, func(s Sample) error {
		line++
		at := int64(strings.Index(text.String()[s.Where.At:], `"id": `+strconv.FormatInt(line, 10)+","))
		if s.Line != line || s.ID != strconv.FormatInt(line, 10) || at != 1 {
			t.Fatalf("row %q at line %d and byte %d is the %dth", s.ID, s.Line, s.Where.At, line)
		}
		return nil
	})
	if err != nil || line != int64(strings.Count(text.String(), "\n")) {
		t.Errorf("%d rows, %v", line, err)
	}
}

// nemoLine is a row of NeMo-RL of 1,280 tokens, of which about half train.
func nemoLine(random *rand.Rand, step int) string {
	var mask, sampler, trainer []string
	length := 384 + random.IntN(896)
	for t := range 1280 {
		m, r, o := "0", 0.0, 0.0
		if t >= 128 && t < length {
			m, r = "1", float64(float32(-0.4*random.ExpFloat64()))
			o = float64(float32(min(0, r+0.02*random.NormFloat64())))
		}
		mask, sampler = append(mask, m), append(sampler, strconv.FormatFloat(r, 'g', -1, 64))
		trainer = append(trainer, strconv.FormatFloat(o, 'g', -1, 64))
	}
	list := func(all []string) string { return strings.Join(all, ", ") }
	return fmt.Sprintf(`{"content": [["?", "%s"]], "rewards": [1.0], "token_ids": [[%s]], "token_loss_mask": [[%[3]s]], "sample_loss_mask": [1.0], `+
		`"advantages": [[%[2]s]], "generation_logprobs": [[%[4]s]], "prev_logprobs": [[%[5]s]], "idx": %d}`+"\n",
		strings.Repeat("word ", 2*length/3), strings.Repeat("12345, ", 1279)+"7", list(mask), list(sampler), list(trainer), step)
}

// BenchmarkLines reads a log of NeMo-RL, and makes nothing of its rows.
func BenchmarkLines(b *testing.B) {
	var text bytes.Buffer
	random := rand.New(rand.NewPCG(1, 53))
	for text.Len() < 16<<20 {
		text.WriteString(nemoLine(random, 1))
	}
	path := filepath.Join(b.TempDir(), "train_data_step1.jsonl")
	filetest.Write(b, path, text.Bytes())
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if err := Reduce(&fileio.Disk{}, path, func(Sample) func(int64) error { return func(int64) error { return nil } }); err != nil {
			b.Fatal(err)
		}
	}
}
