package loaders

import "vantage/model"

// Decode reads a log that lies in memory, by the same way as one on a disk. It
// is for logs that are made, not written; the name may tell format and step.
func Decode(name string, data []byte) []*model.Chunk {
	out := newOutput()
	f := newIntake(0, name, Formats(), out)
	var chunks []*model.Chunk
	hand := func() {
		b := out.take()
		chunks = append(chunks, b.chunk([]string{name}))
	}
	for len(data) > 0 && !f.refused {
		data = data[f.feed(data):]
		for out.full() {
			hand()
		}
	}
	f.finish()
	if !out.open.empty() {
		hand()
	}
	return chunks
}
