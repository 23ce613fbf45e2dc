package loaders

import "vantage/model"

// blockPool holds blocks whose memory can be reused. New memory costs more than writing to it: the
// first access to a page takes microseconds.
type blockPool []model.Block

// maxPooledBlocks is about how many blocks two chunks of short rows have: the one that the caller has, and
// the one that is being read.
const maxPooledBlocks = 128

func (p *blockPool) put(blocks []model.Block) {
	*p = append(*p, blocks[:min(len(blocks), maxPooledBlocks-len(*p))]...)
}

// get returns the block that was used last, or one without memory.
func (p *blockPool) get() model.Block {
	last := len(*p) - 1
	if last < 0 {
		return model.Block{}
	}
	block := (*p)[last]
	*p = (*p)[:last]
	return block
}
