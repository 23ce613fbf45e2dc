package userfiles

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"vantage/loaders/storage"
	"vantage/model/session"
)

// SessionFile is the session of one run in a file under the state directory, named by a hash
// of the run's paths.
type SessionFile struct {
	path string
	run  []string // absolute paths, symbolic links resolved; those of other machines as they are
	mu   sync.Mutex
}

// partPrefix begins the names of session files that are not complete.
const partPrefix = ".part-"

// Session returns the session file of the run at these paths.
func (d *Files) Session(paths []string) (*SessionFile, error) {
	m := &SessionFile{}
	for _, p := range paths {
		if storage.IsElsewhere(p) {
			m.run = append(m.run, p)
			continue
		}
		absolute, err := filepath.Abs(p)
		if err != nil {
			return nil, fmt.Errorf("cannot resolve %s: %w", p, err)
		}
		// a link such as latest may point to another run tomorrow
		if resolved, err := filepath.EvalSymlinks(absolute); err == nil {
			absolute = resolved
		}
		m.run = append(m.run, absolute)
	}
	slices.Sort(m.run)
	name := sha256.Sum256([]byte(strings.Join(m.run, "\n")))
	m.path = filepath.Join(d.dir, "runs", hex.EncodeToString(name[:12])+".json")
	return m, nil
}

// Load returns the saved session, an empty one if there is no file. Callers show an error
// and continue. The file's time becomes that of the last opening.
func (m *SessionFile) Load() (session.Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, data, err := m.read()
	if data != nil {
		now := time.Now()
		_ = os.Chtimes(m.path, now, now) // else it is pruned earlier, at worst
	}
	return s, err
}

// Update applies a change to the saved session and returns the result. It reads the file
// again, so that two programs on the same run keep each other's changes. It does not
// overwrite a file that it cannot read.
func (m *SessionFile) Update(change func(session.Session) session.Session) (session.Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	current, oldData, err := m.read()
	if err != nil {
		return current, err
	}
	next := change(current)
	newData, err := session.Encode(m.run, next)
	switch {
	case err != nil:
		return current, err
	case bytes.Equal(oldData, newData):
		return next, nil
	case oldData == nil && next.View == nil && len(next.Marks) == 0:
		return next, nil // empty: create no file
	}
	if err := m.write(newData); err != nil {
		return current, fmt.Errorf("cannot save the session: %w", err)
	}
	if oldData == nil {
		prune(filepath.Dir(m.path), time.Now())
	}
	return next, nil
}

// Remember creates an empty session file if there is none, so that the run is among
// [Files.RecentRuns].
func (m *SessionFile) Remember() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, data, err := m.read()
	if err != nil || data != nil {
		return err
	}
	if data, err = session.Encode(m.run, session.Session{}); err != nil {
		return err
	}
	if err := m.write(data); err != nil {
		return fmt.Errorf("cannot save the session: %w", err)
	}
	prune(filepath.Dir(m.path), time.Now())
	return nil
}

// read returns the session and the bytes of the file, nil if there is no file.
func (m *SessionFile) read() (session.Session, []byte, error) {
	data, err := readPlain(m.path, session.MaxFile+1)
	if errors.Is(err, fs.ErrNotExist) {
		return session.Session{}, nil, nil
	}
	if err != nil {
		return session.Session{}, nil, fmt.Errorf("cannot read the session: %w", err)
	}
	if len(data) > session.MaxFile {
		err = fmt.Errorf("larger than %d bytes", session.MaxFile)
	}
	var s session.Session
	if err == nil {
		s, err = session.Decode(data, m.run)
	}
	if err != nil {
		return session.Session{}, nil, fmt.Errorf("%s is not overwritten, and nothing is saved until you move it away: %w", m.path, err)
	}
	return s, data, nil
}

// write replaces the file atomically.
func (m *SessionFile) write(data []byte) error {
	dir := filepath.Dir(m.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	h, err := os.CreateTemp(dir, partPrefix+"*")
	if err != nil {
		return err
	}
	_, err = h.Write(data)
	err = errors.Join(err, h.Sync(), h.Close())
	if err == nil {
		err = os.Rename(h.Name(), m.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(h.Name()))
	}
	return nil
}
