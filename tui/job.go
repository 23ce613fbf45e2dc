package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"
)

// job is a question to the background and its latest answer. A comparable key names all that the answer depends on, so that a
// part of the screen asks in the same way at every message: it takes the answer if the message is it, and starts what it lacks.
// An answer to another request than the latest changes nothing. What is wanted is never the zero key.
//
//	isAnswer := s.job.take(c, msg)
//	if key := …; s.job.lacks(key, behind) {
//		s.job.start(c, key, once(func(ctx context.Context) (*plan.GroupSizes, error) { … }))
//	}
type job[K comparable, V any] struct {
	key    K                  // of the latest request; zero: there is none, or it was stopped
	number int                // of the latest request
	cancel context.CancelFunc // nil: no answer is on the way

	of    K // what value and err are of
	value V // may be a part only, while the next is computed
	err   error
}

// work computes the value of a job on frozen input, in parts if that takes long: next, if it is not nil, computes the value with
// one part more.
type work[V any] func(ctx context.Context) (value V, next work[V], err error)

func once[V any](compute func(context.Context) (V, error)) work[V] {
	return func(ctx context.Context) (V, work[V], error) {
		value, err := compute(ctx)
		return value, nil, err
	}
}

// answer is the message with which a job ends, or a part of it.
type answer[K comparable, V any] struct {
	number int // of the request
	value  V
	err    error
	more   tea.Cmd // computes the next part
}

func (j *job[K, V]) busy() bool { return j.cancel != nil }

// lacks reports whether an answer is to be requested. One that is on the way is waited for if its request is only behind the one
// that is wanted: rows come faster than answers, and a log that grows would starve the screen.
func (j *job[K, V]) lacks(key K, behind func(was, wanted K) bool) bool {
	return key != j.key && (!j.busy() || !behind(j.key, key))
}

// inTurn has a job answer one request after the other.
func inTurn[K any](K, K) bool { return true }

// never has a job drop a request for any other.
func never[K any](K, K) bool { return false }

// start cancels the request before, and has c begin the work of another.
func (j *job[K, V]) start(c *commands, key K, run work[V]) {
	j.stop()
	j.key = key
	var ctx context.Context
	ctx, j.cancel = context.WithCancel(c.ctx)
	c.start(runPart[K](ctx, j.number, run))
}

func runPart[K comparable, V any](ctx context.Context, number int, run work[V]) tea.Cmd {
	return func() tea.Msg {
		value, next, err := run(ctx)
		msg := answer[K, V]{number: number, value: value, err: err}
		if next != nil && err == nil {
			msg.more = runPart[K](ctx, number, next)
		}
		return msg
	}
}

// stop cancels the request, and forgets it with all that its key keeps in memory; the value stays.
func (j *job[K, V]) stop() {
	if j.busy() {
		j.cancel()
	}
	var none K
	j.number++
	j.key, j.cancel = none, nil
}

// reset is stop that forgets the answer too.
func (j *job[K, V]) reset() {
	j.stop()
	*j = job[K, V]{number: j.number}
}

// take reports whether msg is the answer to the latest request. It keeps the answer, and has c begin the next part of the work.
func (j *job[K, V]) take(c *commands, msg tea.Msg) bool {
	x, ok := msg.(answer[K, V])
	if !ok || x.number != j.number || !j.busy() {
		return false
	}
	j.of, j.value, j.err = j.key, x.value, x.err
	if x.more == nil {
		j.cancel() // releases the context
		j.cancel = nil
	}
	c.start(x.more)
	return true
}
