package demo

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"sync"
	"time"

	"vantage/loaders"
	"vantage/model"
)

// Options shape the made run. The zero value is the one that people see.
type Options struct {
	Seed     uint64
	History  int           // steps that are there at once; 0 means 24
	Steps    int           // steps in all; 0 means 240
	Interval time.Duration // between two steps; 0 means 1.5 s
}

// A step arrives in so many bursts, a sixth of the interval apart, so that it is
// seen while it is written.
const (
	bursts = 4
	parts  = 6
)

// perChunk is how many steps of the history are handed over at a time: within
// the 4096 records of a chunk.
const perChunk = 4096 / (groups * size)

// Source hands over the made run as a loader hands over a real one.
type Source struct {
	o     Options
	run   run
	names []string
	bytes int64

	given int      // complete steps
	rest  [][]byte // rows of the open step that have not come yet
	line  int64    // of the open step, so far
	at    int64
	due   time.Time // of the next burst

	closed chan struct{}
	once   sync.Once
}

// New returns a source of a made run.
func New(o Options) *Source {
	o.History = cmp.Or(o.History, 24)
	o.Steps = max(o.History, cmp.Or(o.Steps, 240))
	o.Interval = cmp.Or(o.Interval, 1500*time.Millisecond)
	return &Source{
		o: o, run: run{seed: o.Seed, steps: o.Steps, tasks: tasks()}, closed: make(chan struct{}),
	}
}

// Next returns the next chunk: the history at once, then a burst at a time. It
// returns [io.EOF] after the last step, [os.ErrClosed] after Close.
func (s *Source) Next(ctx context.Context) (*model.Chunk, error) {
	select {
	case <-s.closed:
		return nil, os.ErrClosed
	default:
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.given < s.o.History {
		return s.history(), nil
	}
	if s.given >= s.o.Steps {
		return nil, io.EOF
	}
	if err := s.wait(ctx); err != nil {
		return nil, err
	}
	return s.burst(), nil
}

// Close ends the run.
func (s *Source) Close() error {
	s.once.Do(func() { close(s.closed) })
	return nil
}

func (s *Source) wait(ctx context.Context) error {
	timer := time.NewTimer(time.Until(s.due))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.closed:
		return os.ErrClosed
	case <-timer.C:
		return nil
	}
}

func (s *Source) history() *model.Chunk {
	c := &model.Chunk{}
	for range min(perChunk, s.o.History-s.given) {
		s.begin()
		s.hand(c, len(s.rest))
	}
	s.due = time.Now().Add(s.o.Interval * (parts - bursts + 1) / parts)
	return s.describe(c)
}

// burst hands over a quarter of a step. Who fetches late does not get all that
// was missed at once: the next burst counts from now.
func (s *Source) burst() *model.Chunk {
	if len(s.rest) == 0 {
		s.begin()
	}
	c := &model.Chunk{}
	n := groups * size / bursts
	if len(s.rest) < n+n/2 {
		n = len(s.rest)
	}
	s.hand(c, n)
	gap := s.o.Interval / parts
	if len(s.rest) == 0 {
		gap *= parts - bursts + 1
	}
	s.due = time.Now().Add(gap)
	return s.describe(c)
}

// begin makes the rows of the next step, as a file of its own.
func (s *Source) begin() {
	number := s.given + 1
	s.rest = nil
	for _, r := range s.made(number) {
		s.rest = append(s.rest, r.line(number))
	}
	s.names = append(s.names, fmt.Sprintf("%d.jsonl", number))
	s.line, s.at = 0, 0
}

// made is the rows of a step, the same whenever they are made.
func (s *Source) made(number int) []row {
	text := rand.New(rand.NewPCG(s.o.Seed+1, uint64(number)))
	return rows(text, s.run.step(number))
}

// hand decodes the next n rows into c.
func (s *Source) hand(c *model.Chunk, n int) {
	data := bytes.Join(s.rest[:n], nil)
	s.rest = s.rest[n:]
	file := int32(len(s.names) - 1)
	for _, part := range loaders.Decode(s.names[file], data) {
		for _, r := range part.Records {
			r.File, r.Line, r.Offset = file, r.Line+s.line, r.Offset+s.at
			c.Records = append(c.Records, r)
		}
		c.Format, c.How, c.LengthUnit, c.HasTruth = part.Format, part.How, part.LengthUnit, part.HasTruth
	}
	s.line += int64(n)
	s.at += int64(len(data))
	s.bytes += int64(len(data))
	if len(s.rest) == 0 {
		s.given++
	}
}

func (s *Source) describe(c *model.Chunk) *model.Chunk {
	c.Files = s.names[:len(s.names):len(s.names)]
	c.Progress = model.Progress{
		Files: len(s.names), BytesRead: s.bytes, // of no size: it does not wait in files
		CaughtUp: s.given >= s.o.History, Open: len(s.rest) > 0,
	}
	return c
}
