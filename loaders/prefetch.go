package loaders

import (
	"context"

	"vantage/model"
)

// prefetch reads the next chunk while the caller works on the last one.
type prefetch struct {
	result chan *chunkResult // nil if no chunk is being read
}

type chunkResult struct {
	chunk *model.Chunk
	err   error
}

// idle reports whether no chunk is being read.
func (p *prefetch) idle() bool { return p.result == nil }

func (p *prefetch) start(next func() (*model.Chunk, error)) {
	p.result = make(chan *chunkResult, 1)
	go func(to chan<- *chunkResult) {
		chunk, err := next()
		to <- &chunkResult{chunk, err}
	}(p.result)
}

// wait returns the chunk that is being read, nil if none is.
func (p *prefetch) wait(ctx context.Context) *chunkResult {
	if p.result == nil {
		return nil
	}
	select {
	case got := <-p.result:
		p.result = nil
		return got
	case <-ctx.Done():
		return &chunkResult{err: ctx.Err()}
	}
}
