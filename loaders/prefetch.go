package loaders

import (
	"context"

	"vantage/model"
)

// prefetch makes the next chunk while the receiver is at work on the last: both take
// their time while a large log is read.
type prefetch struct {
	result chan *chunkResult // nil if nothing is under way
}

type chunkResult struct {
	chunk *model.Chunk
	err   error
}

// idle reports whether nothing is under way.
func (a *prefetch) idle() bool { return a.result == nil }

func (a *prefetch) start(next func() (*model.Chunk, error)) {
	a.result = make(chan *chunkResult, 1)
	go func(to chan<- *chunkResult) {
		chunk, err := next()
		to <- &chunkResult{chunk, err}
	}(a.result)
}

// wait waits for what is under way, nil if nothing is.
func (a *prefetch) wait(ctx context.Context) *chunkResult {
	if a.result == nil {
		return nil
	}
	select {
	case got := <-a.result:
		a.result = nil
		return got
	case <-ctx.Done():
		return &chunkResult{err: ctx.Err()}
	}
}
