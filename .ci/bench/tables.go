// Command tables makes Parquet files to measure with, as pyarrow writes them for
// TRL: Snappy, pages of a megabyte, dictionaries of what repeats.
//
//	tables FILE BYTES   one file with so many bytes of text
//	tables DIR/ FILES   so many small files, one a step, of six rows each
package main

import (
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

func main() {
	path, n := os.Args[1], must(strconv.Atoi(os.Args[2]))
	random := rand.New(rand.NewPCG(1, 2))
	if !strings.HasSuffix(path, "/") {
		write(path, func(rows *parquet.GenericWriter[row]) {
			for i := 0; n > 0; i += 64 {
				n -= batch(rows, random, i, 64, 3000)
			}
		})
		return
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		panic(err)
	}
	for step := range n {
		write(filepath.Join(path, fmt.Sprintf("completions_%05d.parquet", step)), func(rows *parquet.GenericWriter[row]) {
			batch(rows, random, 512*step, 6, 100)
		})
	}
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

func write(path string, fill func(*parquet.GenericWriter[row])) {
	out := must(os.Create(path))
	w := parquet.NewGenericWriter[row](out, parquet.Compression(&parquet.Snappy), parquet.PageBufferSize(1<<20), parquet.MaxRowsPerRowGroup(1<<17))
	fill(w)
	if err := w.Close(); err != nil {
		panic(err)
	}
	if err := out.Close(); err != nil {
		panic(err)
	}
}

// batch writes rows from number i on, sixteen of a prompt, and returns how many bytes
// of text they have.
func batch(w *parquet.GenericWriter[row], random *rand.Rand, i, rows, words int) (bytes int) {
	all := make([]row, rows)
	for k := range all {
		right := float64(random.IntN(2))
		all[k] = row{
			Step: int64(i / 512), Prompt: prose(rand.New(rand.NewPCG(uint64((i+k)/16), 3)), 30),
			Completion: prose(random, words/8+random.IntN(words)), Accuracy: right, Format: 0.5, Advantage: random.NormFloat64(),
		}
		bytes += len(all[k].Prompt) + len(all[k].Completion)
	}
	_ = must(w.Write(all))
	return bytes
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
