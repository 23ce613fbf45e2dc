package loaders

import (
	"context"

	"vantage/model"
)

// ahead makes the next chunk while the receiver is at work on the last: both take
// their time while a large log is read.
type ahead struct {
	answer chan *answer // nil if nothing is under way
}

type answer struct {
	chunk *model.Chunk
	err   error
}

// idle reports whether nothing is under way.
func (a *ahead) idle() bool { return a.answer == nil }

func (a *ahead) start(next func() (*model.Chunk, error)) {
	a.answer = make(chan *answer, 1)
	go func(to chan<- *answer) {
		chunk, err := next()
		to <- &answer{chunk, err}
	}(a.answer)
}

// take waits for what is under way, nil if nothing is.
func (a *ahead) take(ctx context.Context) *answer {
	if a.answer == nil {
		return nil
	}
	select {
	case got := <-a.answer:
		a.answer = nil
		return got
	case <-ctx.Done():
		return &answer{err: ctx.Err()}
	}
}
