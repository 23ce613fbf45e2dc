package loaders

import (
	"vantage/model"
)

// blockPool are blocks that nobody needs any more. New memory costs more than what is
// written to it: a page that a process touches first takes microseconds.
type blockPool []model.Block

// maxPooledBlocks is how many blocks are kept: those of two chunks, which are in the making
// and with the receiver.
const maxPooledBlocks = 2 * stridesPerWorker * maxWorkers

func (s *blockPool) put(blocks []model.Block) {
	*s = append(*s, blocks[:min(len(blocks), maxPooledBlocks-len(*s))]...)
}

// get returns the one that was used last, or one without memory.
func (s *blockPool) get() model.Block {
	last := len(*s) - 1
	if last < 0 {
		return model.Block{}
	}
	block := (*s)[last]
	*s = (*s)[:last]
	return block
}
