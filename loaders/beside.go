package loaders

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"vantage/loaders/fileio"
	"vantage/loaders/logprobs"
	"vantage/loaders/scalars"
	"vantage/model"
	"vantage/model/offpolicy"
)

// beside is what was found of the trainer's own scalars.
type beside struct {
	mu    sync.Mutex
	asked time.Time // zero before
	found *scalars.Found
	err   error
}

// besidePause is how seldom scalars of a storage are read again: each time is a file over the network.
const besidePause = time.Minute

// errManyPaths is why no scalars are read: which are of whose samples nothing shows.
var errManyPaths = errors.New("the trainer's own metrics are read next to one path, and several were given")

// Scalars reads what the trainer logged of each step, if one path was opened and that lies beside it: see [scalars.Beside].
func (s *Source) Scalars() (*scalars.Found, error) {
	s.mu.Lock()
	first := s.files.first
	s.mu.Unlock()
	b := &s.beside
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case s.files.manyPaths:
		return nil, errManyPaths
	case first == nil:
		return nil, scalars.ErrNone
	case fileio.IsHere(first.storage):
		return scalars.Beside(first.storage, first.path)
	case b.asked.IsZero() || time.Since(b.asked) >= besidePause:
		b.found, b.err = scalars.Beside(first.storage, first.path)
		b.asked = time.Now()
	}
	return b.found, b.err
}

// logProbs is what was found of log-probs of tokens.
type logProbs struct {
	mu    sync.Mutex
	asked time.Time // zero before
	took  time.Duration
	study *offpolicy.Study
	err   error
}

// logProbsPause is how many times as long as reading log-probs took nothing is read again: a log that grows is read once in a while.
const logProbsPause = 20

// LogProbs reads the log-probs of the tokens, if one path was opened that is a file or folder of this machine and has them; else the error
// is [logprobs.ErrNone]. still is that no weights change: see [offpolicy.Asked].
func (s *Source) LogProbs(still bool) (*offpolicy.Study, error) {
	s.mu.Lock()
	first := s.files.first
	s.mu.Unlock()
	if s.files.manyPaths || first == nil || !fileio.IsHere(first.storage) {
		return nil, logprobs.ErrNone
	}
	p := &s.logProbs
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.asked.IsZero() && time.Since(p.asked) < logProbsPause*p.took {
		return p.study, p.err
	}
	began := time.Now()
	p.study, p.err = nil, logprobs.ErrNone
	if logprobs.Has(s.options.Disk, first.path) {
		p.study = offpolicy.NewOfRun(offpolicy.Asked{Still: still})
		p.err = logprobs.Read(s.options.Disk, first.path, func(x logprobs.Sample) error {
			p.study.Add(x.OfStudy())
			return nil
		})
		p.study.Finish()
	}
	p.asked, p.took = time.Now(), time.Since(began)
	return p.study, p.err
}

// Judge reads the log-probs of the tokens again, and asks the off-policy rule that settings name about the samples of a snapshot. The error is
// one sentence: where the log has not what the rule reads, it says which option of its trainer writes that.
func (s *Source) Judge(ctx context.Context, snap model.Snapshot, set model.Settings) (*model.Judged, error) {
	judge, err := offpolicy.NewJudge(set)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	first := s.files.first
	s.mu.Unlock()
	if s.files.table != nil || s.files.manyPaths || first == nil || !fileio.IsHere(first.storage) {
		return nil, fmt.Errorf("%s: log-probs are read of one file or folder of this machine alone", set.OffPolicy)
	}
	places, err := s.placesByLine(ctx, snap)
	if err != nil {
		return nil, err
	}
	err = logprobs.Read(s.options.Disk, first.path, func(x logprobs.Sample) error {
		if at, found := places[x.At]; found {
			judge.Add(x.OfStudy(), at)
		}
		return ctx.Err()
	})
	judged, lacks := judge.Finish()
	if errors.Is(err, logprobs.ErrNone) {
		err = nil
	}
	switch {
	case err != nil:
		return nil, err
	case lacks != "":
		return nil, fmt.Errorf("%s needs %s, which the log lacks: %s", set.OffPolicy, lacks, logprobs.Writers(snap.Run.Framework))
	}
	return judged, nil
}

// placesByLine are the places of all samples of a snapshot, by where their rows are in files.
func (s *Source) placesByLine(ctx context.Context, snap model.Snapshot) (map[logprobs.At]model.Place, error) {
	all, paths := make(map[logprobs.At]model.Place, snap.Rows), map[int32]string{}
	for i := range snap.Steps {
		step := &snap.Steps[i]
		places := make([]model.Place, 0, len(step.Rewards))
		for row := range step.Rewards {
			if at := step.Place(row); at.IndexInLine >= 0 {
				places = append(places, at)
			}
		}
		lines, err := s.Lines(ctx, places)
		if err != nil {
			return nil, err
		}
		for k, at := range places {
			path, known := paths[at.File]
			if !known {
				path = s.texts.pathOf(at.File)
				paths[at.File] = path
			}
			all[logprobs.At{Path: path, Line: lines[k], Nth: at.IndexInLine}] = at
		}
	}
	return all, nil
}

// pathOf is the absolute path of a file; "" of a stream.
func (x *textIndex) pathOf(number int32) string {
	f, found := x.get(number)
	if !found {
		return ""
	}
	path, err := filepath.Abs(filepath.Join(f.disk.Root, f.disk.Path))
	if err != nil {
		return ""
	}
	return path
}
