// Command tables makes files of long texts to measure with that are no easier to
// compress than model text: Parquet files as pyarrow writes them for TRL, in Snappy,
// with pages of a megabyte and dictionaries of what repeats; and the same rows as JSON.
//
//	tables FILE BYTES   one file with so many bytes of text
//	tables lengths.parquet BYTES   the same, and a column with the lengths of the texts
//	tables FILE.jsonl BYTES
//	tables DIR/ FILES   so many small files, one a step, of six rows each
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

// row is a completion as TRL's log_completions has it.
type row struct {
	Step       int64   `parquet:"step,dict"`
	Prompt     string  `parquet:"prompt,dict"`
	Completion string  `parquet:"completion,plain"`
	Accuracy   float64 `parquet:"accuracy_reward,optional,dict"`
	Format     float64 `parquet:"format_reward,optional,dict"`
	Advantage  float64 `parquet:"advantage,optional"`
}

// counted is one whose length the log tells.
type counted struct {
	row
	Length int32 `parquet:"completion_length"`
}

func main() {
	path, n := os.Args[1], must(strconv.Atoi(os.Args[2]))
	random := rand.New(rand.NewPCG(1, 2))
	if strings.HasSuffix(path, ".jsonl") {
		writeLines(path, random, n)
		return
	}
	switch {
	case filepath.Base(path) == "lengths.parquet":
		write(path, random, n, func(r row) counted { return counted{r, int32(len(r.Completion))} })
		return
	case !strings.HasSuffix(path, "/"):
		write(path, random, n, func(r row) row { return r })
		return
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		panic(err)
	}
	for step := range n {
		out := must(os.Create(filepath.Join(path, fmt.Sprintf("completions_%05d.parquet", step))))
		w := parquet.NewGenericWriter[row](out, parquet.Compression(&parquet.Snappy))
		for k := range 6 {
			_ = must(w.Write([]row{made(random, 512*step+k, 100)}))
		}
		if err := errors.Join(w.Close(), out.Close()); err != nil {
			panic(err)
		}
	}
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// write writes rows with so many bytes of text.
func write[T any](path string, random *rand.Rand, n int, as func(row) T) {
	out := must(os.Create(path))
	w := parquet.NewGenericWriter[T](out, parquet.Compression(&parquet.Snappy), parquet.PageBufferSize(1<<20), parquet.MaxRowsPerRowGroup(1<<17))
	for i := 0; n > 0; i++ {
		r := made(random, i, 3000)
		n -= len(r.Prompt) + len(r.Completion)
		_ = must(w.Write([]T{as(r)}))
	}
	if err := errors.Join(w.Close(), out.Close()); err != nil {
		panic(err)
	}
}

// writeLines writes rows as lines of JSON.
func writeLines(path string, random *rand.Rand, n int) {
	out := must(os.Create(path))
	w := bufio.NewWriter(out)
	for i := 0; n > 0; i++ {
		r := made(random, i, 3000)
		n -= must(fmt.Fprintf(w, `{"step":%d,"prompt":"%s","completion":"%s","accuracy_reward":%g,"reward":%g,"advantage":%g}`+"\n",
			r.Step, r.Prompt, r.Completion, r.Accuracy, r.Accuracy, r.Advantage))
	}
	if err := errors.Join(w.Flush(), out.Close()); err != nil {
		panic(err)
	}
}

// made is row number i, sixteen of a prompt.
func made(random *rand.Rand, i, words int) row {
	return row{
		Step: int64(i / 512), Prompt: prose(rand.New(rand.NewPCG(uint64(i/16), 3)), 30),
		Completion: prose(random, words/8+random.IntN(words)), Accuracy: float64(random.IntN(2)), Format: 0.5, Advantage: random.NormFloat64(),
	}
}

// prose is a text of so many made words.
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
