package model

import (
	"fmt"
	"runtime"
	"testing"
)

// BenchmarkMemory measures the bytes per sample of a store without interned strings: steps of 8,192
// samples in groups of 8, from one file.
func BenchmarkMemory(b *testing.B) {
	for _, samples := range []int{10_000_000, 100_000_000} {
		b.Run(fmt.Sprint(samples), func(b *testing.B) {
			for b.Loop() {
				before := heapSize()
				s := NewStore()
				for at := 0; at < samples; at += 8192 {
					s.Append(&Chunk{Files: []string{"a"}, Blocks: []Block{stepBlock(int64(at/8192), int64(at)*100)}})
				}
				b.ReportMetric(float64(heapSize()-before)/float64(samples), "B/sample")
				runtime.KeepAlive(s)
			}
		})
	}
}

func heapSize() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// stepBlock is a step of 1,024 groups, which are the same in every step.
func stepBlock(number, offset int64) Block {
	b := Block{Prompts: []Prompt{{}}, Groups: []string{""}}
	for i := range 8192 {
		b.Step, b.Offset = append(b.Step, number), append(b.Offset, offset+int64(i)*100)
		b.Reward, b.Length = append(b.Reward, float64(i%2)), append(b.Length, int32(i))
		if i%8 == 0 {
			b.Prompts, b.Groups = append(b.Prompts, Prompt{Hash: uint64(i + 1)}), append(b.Groups, fmt.Sprint(i))
		}
		b.Prompt, b.Group = append(b.Prompt, int32(i/8+1)), append(b.Group, int32(i/8+1))
	}
	return b
}
