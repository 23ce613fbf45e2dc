package loaders

import (
	"vantage/loaders/formats"
	"vantage/model"
)

// Decode reads a log that lies in memory, by the same way as one on a disk. It
// is for logs that are made, not written; the name may tell format and step.
func Decode(name string, data []byte) []*model.Chunk {
	out := newChunkQueue()
	f := newFileReader(0, name, formats.All(), out)
	var chunks []*model.Chunk
	hand := func() {
		b := out.next()
		chunks = append(chunks, b.chunk([]string{name}))
	}
	for len(data) > 0 && !f.refused {
		data = data[f.feed(data):]
		for out.full() {
			hand()
		}
	}
	f.finish()
	if !out.pending.empty() {
		hand()
	}
	return chunks
}
