package loaders

import (
	"vantage/loaders/formats"
	"vantage/model"
)

// Decode reads a whole log from memory, as Source reads one from disk: the demo's, and those of tests.
// The name may tell the format and the step.
func Decode(name string, data []byte) []*model.Chunk {
	queue := newChunkQueue()
	f := newFileReader(0, name, formats.All(), queue)
	var chunks []*model.Chunk
	emit := func() {
		chunks = append(chunks, queue.next().chunk([]string{name}))
	}
	for len(data) > 0 && !f.refused {
		data = data[f.feed(data):]
		for queue.full() {
			emit()
		}
	}
	f.finish()
	if !queue.pending.empty() {
		emit()
	}
	return chunks
}
