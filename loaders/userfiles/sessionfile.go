package userfiles

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"vantage/model/session"
)

// SessionFile keeps what a person leaves behind at one run, in a file of its own under the
// state directory, named after where the run stands.
type SessionFile struct {
	path string
	run  []string // absolute paths of the run, links followed
	mu   sync.Mutex
}

// Session is the one of the run at some paths.
func (d *Files) Session(paths []string) (*SessionFile, error) {
	m := &SessionFile{}
	for _, p := range paths {
		whole, err := filepath.Abs(p)
		if err != nil {
			return nil, fmt.Errorf("where %s stands cannot be told: %w", p, err)
		}
		// a link that is named latest is another run tomorrow
		if real, err := filepath.EvalSymlinks(whole); err == nil {
			whole = real
		}
		m.run = append(m.run, whole)
	}
	slices.Sort(m.run)
	name := sha256.Sum256([]byte(strings.Join(m.run, "\n")))
	m.path = filepath.Join(d.dir, "runs", hex.EncodeToString(name[:12])+".json")
	return m, nil
}

// Load returns what was left behind; nothing if the run was never opened. What
// cannot be read is an error to tell the person, never a reason to stop.
func (m *SessionFile) Load() (session.Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, _, err := m.read()
	return s, err
}

// Update applies a change to what is kept and returns what is kept then. It reads
// the file anew, so that two programs that are open on a run take nothing from each
// other. A file that cannot be read stays as it is: the error says so.
func (m *SessionFile) Update(change func(session.Session) session.Session) (session.Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	was, before, err := m.read()
	if err != nil {
		return was, err
	}
	next := change(was)
	after, err := session.Encode(m.run, next)
	switch {
	case err != nil:
		return was, err
	case bytes.Equal(before, after):
		return next, nil
	case before == nil && next.View == nil && len(next.Marks) == 0:
		return next, nil // nothing to remember: no file
	}
	if err := m.write(after); err != nil {
		return was, fmt.Errorf("nothing can be kept: %w", err)
	}
	if before == nil {
		prune(filepath.Dir(m.path), maxUnmarkedSessions)
	}
	return next, nil
}

// read returns the session and the bytes that it was read from, nil if there is no
// file.
func (m *SessionFile) read() (session.Session, []byte, error) {
	h, err := os.Open(m.path)
	if errors.Is(err, fs.ErrNotExist) {
		return session.Session{}, nil, nil
	}
	if err != nil {
		return session.Session{}, nil, fmt.Errorf("what was kept of the run cannot be read: %w", err)
	}
	defer func() { _ = h.Close() }()
	data, err := io.ReadAll(io.LimitReader(h, session.MaxFile+1))
	if err == nil && len(data) > session.MaxFile {
		err = fmt.Errorf("it is larger than %d bytes", session.MaxFile)
	}
	var s session.Session
	if err == nil {
		s, err = session.Decode(data, m.run)
	}
	if err != nil {
		return session.Session{}, nil, fmt.Errorf("%s is left as it is, and nothing is kept until you move it away: %w", m.path, err)
	}
	return s, data, nil
}

// write puts data in the place of the file in one step: who reads meanwhile, or after
// a crash, finds the old one whole or the new one whole.
func (m *SessionFile) write(data []byte) error {
	dir := filepath.Dir(m.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	h, err := os.CreateTemp(dir, ".part-*")
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
