package loaders

import "vantage/model"

// spent are blocks that nobody needs any more. New memory costs more than what is
// written to it: a page that a process touches first takes microseconds.
type spent []model.Block

// maxSpent is how many blocks are kept: those of two chunks, which are in the making
// and with the receiver.
const maxSpent = 2 * perWorker * maxWorkers

func (s *spent) put(blocks []model.Block) {
	*s = append(*s, blocks[:min(len(blocks), maxSpent-len(*s))]...)
}

// take returns the one that was used last, or one without memory.
func (s *spent) take() model.Block {
	last := len(*s) - 1
	if last < 0 {
		return model.Block{}
	}
	block := (*s)[last]
	*s = (*s)[:last]
	return block
}
