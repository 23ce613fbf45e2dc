package loaders

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"vantage/loaders/decode"
	"vantage/loaders/decode/fast"
	"vantage/model"
)

// BenchmarkQuick reads small rows, 16 of a group, that lie in memory.
func BenchmarkQuick(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	log := bytes.NewBufferString("the end of the row before\n")
	begin := log.Len()
	for n := range 50_000 {
		fmt.Fprintf(log, `{"step": 7, "group_id": %d, "prompt": "question %d", "reward": %.4f, "length": %d}`+"\n",
			n/16, n/16, random.Float64(), random.IntN(4096)+1)
	}
	r := decode.NewRowDecoder(decode.OnlyNames(decode.Synonyms()), "small.jsonl")
	first := bytes.Clone(log.Bytes()[begin : begin+bytes.IndexByte(log.Bytes()[begin:], '\n')])
	if _, err := r.Decode(nil, first); err != nil {
		b.Fatal(err)
	}
	q := fast.New(r)
	q.BeginBlock(model.Block{})
	q.Learn(first)
	b.SetBytes(int64(log.Len()))
	var block model.Block
	for b.Loop() {
		q.BeginBlock(block)
		if _, n := q.ReadRows(log.Bytes(), begin, log.Len(), 0); n != 50_000 {
			b.Fatalf("%d rows are read quickly", n)
		}
		block = q.EndBlock()
	}
}
