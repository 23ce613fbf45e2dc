package tui

import "context"

// readJob is the latest request of texts from the log. Answers to earlier ones have a lower number and are dropped.
type readJob[R comparable] struct {
	request R
	number  int
	cancel  context.CancelFunc
}

// begin cancels the request before and returns the job of another, and the context that it is read under.
func (j readJob[R]) begin(parent context.Context, request R) (readJob[R], context.Context) {
	j = j.stop()
	ctx, cancel := context.WithCancel(parent)
	return readJob[R]{request: request, number: j.number + 1, cancel: cancel}, ctx
}

// stop cancels the request, if there is one.
func (j readJob[R]) stop() readJob[R] {
	if j.cancel == nil {
		return j
	}
	j.cancel()
	return readJob[R]{number: j.number + 1}
}
