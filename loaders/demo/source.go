// Package demo is a synthetic training run, so that `vantage demo` needs no log. It takes a
// seed and returns chunks like a loader: its rows are written as verl's JSONL and read by the
// same decoder as real logs. The same seed gives the same rows, whatever the timing.
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

// Options of the synthetic run. `vantage demo` uses the defaults, with a seed.
type Options struct {
	Seed     uint64
	History  int           // steps available at once; 0 means 24
	Steps    int           // total; 0 means 240
	Interval time.Duration // between steps; 0 means 1.5 s
}

// The grader is out at these steps: right answers get 0 too.
const outageFrom, outageTo = 16, 18

// A step arrives in several bursts, a sixth of the interval apart, so that the screen shows
// it open.
const (
	bursts        = 4
	intervalParts = 6
)

// perChunk is how many steps of the history fit the 4096 records of a chunk.
const perChunk = 4096 / (groupsPerStep * groupSize)

// Source is a source of the synthetic run, with the methods of a loaders.Source.
type Source struct {
	options    Options
	run        run
	files      []string
	totalBytes int64

	completeSteps int
	pendingRows   [][]byte // of the open step
	openLines     int64    // decoded of the open step
	openBytes     int64
	nextBurst     time.Time
	read          readStep

	closed chan struct{}
	once   sync.Once
}

// New returns a source at its first step.
func New(o Options) *Source {
	o.History = cmp.Or(o.History, 24)
	o.Steps = max(o.History, cmp.Or(o.Steps, 240))
	o.Interval = cmp.Or(o.Interval, 1500*time.Millisecond)
	return &Source{
		options: o, run: run{seed: o.Seed, steps: o.Steps, tasks: tasks()}, closed: make(chan struct{}),
	}
}

// Next returns the next chunk: the history without delay, then one burst at a time. It
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
	if s.completeSteps < s.options.History {
		return s.historyChunk(), nil
	}
	if s.completeSteps >= s.options.Steps {
		return nil, io.EOF
	}
	if err := s.wait(ctx); err != nil {
		return nil, err
	}
	return s.burstChunk(), nil
}

// Close makes Next return.
func (s *Source) Close() error {
	s.once.Do(func() { close(s.closed) })
	return nil
}

func (s *Source) wait(ctx context.Context) error {
	timer := time.NewTimer(time.Until(s.nextBurst))
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

func (s *Source) historyChunk() *model.Chunk {
	c := &model.Chunk{}
	for range min(perChunk, s.options.History-s.completeSteps) {
		s.startStep()
		s.decodeRows(c, len(s.pendingRows))
	}
	s.nextBurst = time.Now().Add(s.options.Interval * (intervalParts - bursts + 1) / intervalParts)
	return s.withProgress(c)
}

// burstChunk returns a quarter of a step. The time of the next burst counts from now, so a
// slow caller does not get several at once.
func (s *Source) burstChunk() *model.Chunk {
	if len(s.pendingRows) == 0 {
		s.startStep()
	}
	c := &model.Chunk{}
	n := groupsPerStep * groupSize / bursts
	if len(s.pendingRows) < n+n/2 {
		n = len(s.pendingRows)
	}
	s.decodeRows(c, n)
	gap := s.options.Interval / intervalParts
	if len(s.pendingRows) == 0 {
		gap *= intervalParts - bursts + 1
	}
	s.nextBurst = time.Now().Add(gap)
	return s.withProgress(c)
}

// startStep makes the rows of the next step, which is a file of its own.
func (s *Source) startStep() {
	number := s.completeSteps + 1
	s.pendingRows = nil
	for _, r := range s.stepRows(number) {
		s.pendingRows = append(s.pendingRows, r.jsonLine(number))
	}
	s.files = append(s.files, fmt.Sprintf("%d.jsonl", number))
	s.openLines, s.openBytes = 0, 0
}

func (s *Source) stepRows(number int) []row {
	text := rand.New(rand.NewPCG(s.options.Seed+1, uint64(number)))
	all := rows(text, s.run.step(number))
	if number >= outageFrom && number <= outageTo {
		for i := range all {
			all[i].score = 0
		}
	}
	return all
}

func (s *Source) decodeRows(c *model.Chunk, n int) {
	data := bytes.Join(s.pendingRows[:n], nil)
	s.pendingRows = s.pendingRows[n:]
	file := int32(len(s.files) - 1)
	for _, part := range loaders.Decode(s.files[file], data) {
		for _, r := range part.Records {
			r.File, r.Line, r.Offset = file, r.Line+s.openLines, r.Offset+s.openBytes
			c.Records = append(c.Records, r)
		}
		c.Format, c.Framework, c.Provenance, c.LengthUnit, c.HasTruth = part.Format, part.Framework, part.Provenance, part.LengthUnit,
			part.HasTruth
	}
	s.openLines += int64(n)
	s.openBytes += int64(len(data))
	s.totalBytes += int64(len(data))
	if len(s.pendingRows) == 0 {
		s.completeSteps++
	}
}

func (s *Source) withProgress(c *model.Chunk) *model.Chunk {
	c.Files = s.files[:len(s.files):len(s.files)]
	c.Progress = model.Progress{
		Files: len(s.files), BytesRead: s.totalBytes, // a stream has no size
		CaughtUp: s.completeSteps >= s.options.History, Open: len(s.pendingRows) > 0,
		LastWrite: time.Now(), StepTime: s.options.Interval,
	}
	return c
}

// Text returns the text of the row at a place, by making its step again. It may run
// concurrently with Next.
func (s *Source) Text(ctx context.Context, place model.Place) (model.Text, error) {
	if err := ctx.Err(); err != nil {
		return model.Text{}, err
	}
	number := int(place.File) + 1
	text, found := s.read.texts(number, s.stepRows)[place.Offset]
	if !found {
		return text, fmt.Errorf("step %d of the synthetic run has no row at byte %d", number, place.Offset)
	}
	return text, nil
}

// readStep is the step of which a text was read last: mostly another one of it is read next.
type readStep struct {
	mu       sync.Mutex
	number   int
	byOffset map[int64]model.Text
}

func (s *readStep) texts(number int, rows func(int) []row) map[int64]model.Text {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.number != number {
		s.number, s.byOffset = number, map[int64]model.Text{}
		offset := int64(0)
		for _, r := range rows(number) {
			s.byOffset[offset] = r.text
			offset += int64(len(r.jsonLine(number)))
		}
	}
	return s.byOffset
}
