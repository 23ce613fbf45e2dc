package loaders

import (
	"errors"
	"sync"
	"time"

	"vantage/loaders/fileio"
	"vantage/loaders/logprobs"
	"vantage/loaders/scalars"
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
