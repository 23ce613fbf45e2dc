package fast

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"vantage/loaders/decode"
	"vantage/model"
)

// BenchmarkReader reads small rows, 16 of a group, from memory.
func BenchmarkReader(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	log := bytes.NewBufferString("the end of the row before\n")
	start := log.Len()
	for n := range 50_000 {
		fmt.Fprintf(log, `{"step": 7, "group_id": %d, "prompt": "question %d", "reward": %.4f, "length": %d}`+"\n",
			n/16, n/16, random.Float64(), random.IntN(4096)+1)
	}
	decoder := decode.NewRowDecoder(decode.OnlyNames(decode.Synonyms()), "small.jsonl")
	first := bytes.Clone(log.Bytes()[start : start+bytes.IndexByte(log.Bytes()[start:], '\n')])
	if _, err := decoder.Decode(nil, first); err != nil {
		b.Fatal(err)
	}
	r := New(decoder)
	r.BeginBlock(model.Block{})
	r.Learn(first)
	b.SetBytes(int64(log.Len()))
	var block model.Block
	for b.Loop() {
		r.BeginBlock(block)
		if _, n := r.ReadRows(log.Bytes(), start, log.Len(), 0); n != 50_000 {
			b.Fatalf("%d rows are read quickly", n)
		}
		block = r.EndBlock()
	}
}
