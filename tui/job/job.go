// Package job is work in the background: a question with a key, and its latest answer. Views ask, the program runs what they ask.
package job

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
)

// Queue are those that the message starts that is being handled.
type Queue struct {
	Ctx     context.Context // ends with the program; theirs derive from it
	Started []tea.Cmd
}

// Start has a command run after the message that is being handled.
func (c *Queue) Start(cmd tea.Cmd) {
	if cmd != nil {
		c.Started = append(slices.Clip(c.Started), cmd)
	}
}

// Job is a question to the background and its latest answer. A comparable key names all that the answer depends on, so that a
// part of the screen asks in the same way at every message: it takes the answer if the message is it, and starts what it lacks.
// An answer to another request than the latest changes nothing. What is wanted is never the zero key.
//
//	isAnswer := s.Job.Take(c, msg)
//	if key := …; s.Job.Lacks(key, job.InTurn) {
//		s.Job.Start(c, key, job.Once(func(ctx context.Context) (*plan.GroupSizes, error) { … }))
//	}
type Job[K comparable, V any] struct {
	Key    K                  // of the latest request; zero: there is none, or it was stopped
	Number int                // of the latest request
	Cancel context.CancelFunc // nil: no answer is on the way

	Of    K // what value and err are of
	Value V // may be a part only, while the next is computed
	Err   error
}

// Work computes the value of a job on frozen input, in parts if that takes long: next, if it is not nil, computes the value with
// one part more.
type Work[V any] func(ctx context.Context) (value V, next Work[V], err error)

// Once is work that is done in one part.
func Once[V any](compute func(context.Context) (V, error)) Work[V] {
	return func(ctx context.Context) (V, Work[V], error) {
		value, err := compute(ctx)
		return value, nil, err
	}
}

// restTimes is how many times as long as work on a log took it is not done again while the log only grows: the node that trains has other
// work.
const restTimes = 9

// Again returns from when on work may be done again that began then and has ended now.
func Again(began time.Time) time.Time {
	now := time.Now()
	return now.Add(restTimes * now.Sub(began))
}

// Rest waits until work may be done again, see [Again]; the zero time is long ago. The error is that of a context which ends meanwhile.
func Rest(ctx context.Context, again time.Time) error {
	select {
	case <-time.After(time.Until(again)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Answer is the message with which a job ends, or a part of it.
type Answer[K comparable, V any] struct {
	Number int // of the request
	Value  V
	Err    error
	more   tea.Cmd // computes the next part
}

// Busy reports whether an answer is on the way.
func (j *Job[K, V]) Busy() bool { return j.Cancel != nil }

// Lacks reports whether an answer is to be requested. One that is on the way is waited for if its request is only behind the one
// that is wanted: rows come faster than answers, and a log that grows would starve the screen.
func (j *Job[K, V]) Lacks(key K, behind func(was, wanted K) bool) bool {
	return key != j.Key && (!j.Busy() || !behind(j.Key, key))
}

// InTurn has a job answer one request after the other.
func InTurn[K any](K, K) bool { return true }

// Never has a job drop a request for any other.
func Never[K any](K, K) bool { return false }

// Start cancels the request before, and has c begin the work of another.
func (j *Job[K, V]) Start(c *Queue, key K, run Work[V]) {
	j.Stop()
	j.Key = key
	var ctx context.Context
	ctx, j.Cancel = context.WithCancel(c.Ctx)
	c.Start(runPart[K](ctx, j.Number, run))
}

func runPart[K comparable, V any](ctx context.Context, number int, run Work[V]) tea.Cmd {
	return func() tea.Msg {
		value, next, err := run(ctx)
		msg := Answer[K, V]{Number: number, Value: value, Err: err}
		if next != nil && err == nil {
			msg.more = runPart[K](ctx, number, next)
		}
		return msg
	}
}

// Stop cancels the request, and forgets it with all that its key keeps in memory; the value stays.
func (j *Job[K, V]) Stop() {
	if j.Busy() {
		j.Cancel()
	}
	var none K
	j.Number++
	j.Key, j.Cancel = none, nil
}

// Reset is stop that forgets the answer too.
func (j *Job[K, V]) Reset() {
	j.Stop()
	*j = Job[K, V]{Number: j.Number}
}

// Take reports whether msg is the answer to the latest request. It keeps the answer, and has c begin the next part of the work.
func (j *Job[K, V]) Take(c *Queue, msg tea.Msg) bool {
	x, ok := msg.(Answer[K, V])
	if !ok || x.Number != j.Number || !j.Busy() {
		return false
	}
	j.Of, j.Value, j.Err = j.Key, x.Value, x.Err
	if x.more == nil {
		j.Cancel() // releases the context
		j.Cancel = nil
	}
	c.Start(x.more)
	return true
}
