// Command packedlogs makes logs of long texts that are as hard to compress as model text, as
// Parquet or JSON lines. The Parquet files are as pyarrow writes them for TRL: Snappy, pages of
// a megabyte, and dictionaries for columns that repeat.
//
//	packedlogs FILE BYTES              one Parquet file with so many bytes of text
//	packedlogs lengths.parquet BYTES   the same with a column of the lengths of the texts
//	packedlogs FILE.jsonl BYTES        the same rows as JSON lines
//	packedlogs DIR/ FILES              so many small Parquet files, one per step, of six rows
package main

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// row is a completion as log_completions of TRL writes it.
type row struct {
	Step       int64   `parquet:"step,dict"`
	Prompt     string  `parquet:"prompt,dict"`
	Completion string  `parquet:"completion,plain"`
	Accuracy   float64 `parquet:"accuracy_reward,optional,dict"`
	Format     float64 `parquet:"format_reward,optional,dict"`
	Advantage  float64 `parquet:"advantage,optional"`
}

type rowWithLength struct {
	row
	Length int32 `parquet:"completion_length"`
}

func main() {
	path, n := os.Args[1], must(strconv.Atoi(os.Args[2]))
	random := rand.New(rand.NewPCG(1, 2))
	switch {
	case strings.HasSuffix(path, ".jsonl"):
		writeLines(path, random, n)
	case filepath.Base(path) == "lengths.parquet":
		writeFile(path, random, n, func(r row) rowWithLength { return rowWithLength{r, int32(len(r.Completion))} })
	case strings.HasSuffix(path, "/"):
		writeSmallFiles(path, random, n)
	default:
		writeFile(path, random, n, func(r row) row { return r })
	}
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// writeFile writes rows with at least n bytes of text.
func writeFile[T any](path string, random *rand.Rand, n int, convert func(row) T) {
	out := must(os.Create(path))
	w := parquet.NewGenericWriter[T](out, parquet.Compression(&parquet.Snappy), parquet.PageBufferSize(1<<20),
		parquet.MaxRowsPerRowGroup(1<<17))
	for i := 0; n > 0; i++ {
		r := newRow(random, i, 3000)
		n -= len(r.Prompt) + len(r.Completion)
		_ = must(w.Write([]T{convert(r)}))
	}
	if err := errors.Join(w.Close(), out.Close()); err != nil {
		panic(err)
	}
}

func writeSmallFiles(dir string, random *rand.Rand, files int) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		panic(err)
	}
	for step := range files {
		out := must(os.Create(filepath.Join(dir, fmt.Sprintf("completions_%05d.parquet", step))))
		w := parquet.NewGenericWriter[row](out, parquet.Compression(&parquet.Snappy))
		for k := range 6 {
			_ = must(w.Write([]row{newRow(random, 512*step+k, 100)}))
		}
		if err := errors.Join(w.Close(), out.Close()); err != nil {
			panic(err)
		}
	}
}

// writeLines writes at least n bytes of JSON lines.
func writeLines(path string, random *rand.Rand, n int) {
	out := must(os.Create(path))
	w := bufio.NewWriter(out)
	for i := 0; n > 0; i++ {
		r := newRow(random, i, 3000)
		n -= must(fmt.Fprintf(w, `{"step":%d,"prompt":"%s","completion":"%s","accuracy_reward":%g,"reward":%g,"advantage":%g}`+"\n",
			r.Step, r.Prompt, r.Completion, r.Accuracy, r.Accuracy, r.Advantage))
	}
	if err := errors.Join(w.Flush(), out.Close()); err != nil {
		panic(err)
	}
}

// newRow returns row i with at most words·9/8 words; a prompt has 16 rows.
func newRow(random *rand.Rand, i, words int) row {
	return row{
		Step: int64(i / 512), Prompt: prose(rand.New(rand.NewPCG(uint64(i/16), 3)), 30),
		Completion: prose(random, words/8+random.IntN(words)), Accuracy: float64(random.IntN(2)), Format: 0.5, Advantage: random.NormFloat64(),
	}
}

// prose returns random words.
func prose(random *rand.Rand, words int) string {
	var b strings.Builder
	for range words {
		for range 2 + random.IntN(7) {
			b.WriteByte("etaoinshrdluetaoneth"[random.IntN(20)])
		}
		b.WriteByte(' ')
	}
	return b.String()
}
