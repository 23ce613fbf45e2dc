package sftp

import (
	"errors"
	"io"
	"time"

	"vantage/loaders/fileio"
)

const (
	longestListing  = 5 * time.Minute
	maxNames        = 64 << 20 // bytes of the names of a directory
	entriesOfAnswer = 100      // that OpenSSH's server sends at a time
	firstAsked      = 4        // requests for entries that are made together,
	mostAsked       = 16       // and of a directory that has more
)

var (
	errEndless = &fileio.Failure{What: "holds more than 200,000 files", Do: "give the directory of one run"}
	errSlow    = &fileio.Failure{What: "takes more than 5 minutes to list", Do: "give the directory of one run"}
)

// listing is a directory that is being listed. A node could list without end: that is a Failure before it fills the memory.
type listing struct {
	wire    *wire
	dir     string
	handle  string // of the node
	answers chan answer
	late    <-chan time.Time

	entries []fileio.Object
	names   int // bytes of their names
}

// readDir lists a directory that probably has so many entries; 0 if nothing is known of it. A small one takes two round trips:
// entries are asked for several times at once, and nothing waits for the answer to the request that closes it.
func (w *wire) readDir(dir string, expected int, longest time.Duration) ([]fileio.Object, error) {
	late := time.NewTimer(longest)
	defer late.Stop()
	l := listing{wire: w, dir: dir, answers: make(chan answer, mostAsked), late: late.C}
	if err := l.open(); err != nil {
		return nil, err
	}
	defer func() { _ = w.ask(kindClose, l.handle, nil) }()
	together := firstAsked
	if expected > 0 {
		together = min(expected/entriesOfAnswer+2, mostAsked) // the last is told that there are no more
	}
	for {
		done, err := l.more(together)
		if err != nil {
			return nil, err
		}
		if done {
			return l.entries, nil
		}
		together = mostAsked
	}
}

// open opens the directory.
func (l *listing) open() error {
	if err := l.wire.ask(kindOpenDir, l.dir, l.answers); err != nil {
		return err
	}
	a, err := l.wait()
	if err != nil {
		return err
	}
	l.handle, err = a.handle()
	return err
}

// more makes so many requests for entries, and reports whether there are no more.
func (l *listing) more(together int) (done bool, err error) {
	for range together {
		if err := l.wire.ask(kindReadDir, l.handle, l.answers); err != nil {
			return false, err
		}
	}
	for range together {
		a, err := l.wait()
		switch {
		case errors.Is(err, io.EOF):
			return true, nil // later answers say the same
		case err != nil:
			return false, err
		}
		if err := l.add(a); err != nil {
			return false, err
		}
	}
	return false, nil
}

// wait waits for the next answer.
func (l *listing) wait() (answer, error) {
	select {
	case a := <-l.answers:
		return a, a.err()
	case <-l.late:
		return answer{}, errSlow
	}
}

// add adds the entries of an answer.
func (l *listing) add(a answer) error {
	found, err := a.entries(l.dir)
	for _, e := range found {
		l.names += len(e.Path)
	}
	if l.entries = append(l.entries, found...); len(l.entries) > maxEntries || l.names > maxNames {
		return errEndless
	}
	return err
}
