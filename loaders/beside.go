package loaders

import (
	"errors"
	"sync"
	"time"

	"vantage/loaders/fileio"
	"vantage/loaders/scalars"
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
