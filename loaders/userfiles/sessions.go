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

	"vantage/loaders"
	"vantage/loaders/fileio"
	"vantage/model/sanitize"
	"vantage/model/session"
)

// SessionFile is the session of one run in a file under the state directory, named by a hash
// of the run's paths.
type SessionFile struct {
	path string
	run  []string // absolute paths, symbolic links resolved; those of other machines as they are
	mu   sync.Mutex
}

// Session returns the session file of the run at these paths.
func (d *Files) Session(paths []string) (*SessionFile, error) {
	m := &SessionFile{}
	for _, p := range paths {
		if loaders.IsElsewhere(p) {
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
	if err := m.save(newData, oldData == nil); err != nil {
		return current, err
	}
	return next, nil
}

// TakeMarks moves the marks of an earlier release out of the session, into a text file next to it, and returns what to print of them,
// a line each; nothing if there are none.
func (m *SessionFile) TakeMarks() (lines []string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, _, err := m.read()
	if err != nil || len(s.Marks) == 0 {
		return nil, err
	}
	path := strings.TrimSuffix(m.path, ".json") + ".notes.txt"
	lines = []string{"marks and notes of an earlier release on " + sanitize.Line(strings.Join(m.run, " ")) + ":"}
	for _, mark := range s.Marks {
		lines = append(lines, sanitize.Line(mark.String()))
	}
	if err := appendLines(path, lines); err != nil {
		return nil, fmt.Errorf("cannot move the notes of the run: %w", err)
	}
	s.Marks = nil
	data, err := session.Encode(m.run, s)
	if err == nil {
		err = m.save(data, false)
	}
	return append(lines, "this release keeps none: they are now in "+path), err
}

// appendLines appends lines to a file that only the person may read.
func appendLines(path string, lines []string) error {
	h, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = h.WriteString(strings.Join(lines, "\n") + "\n")
	return errors.Join(err, h.Sync(), h.Close())
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
	return m.save(data, true)
}

// save replaces the file. With one more file, others may be pruned.
func (m *SessionFile) save(data []byte, isNew bool) error {
	dir := filepath.Dir(m.path)
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = (*fileio.Disk)(nil).Replace(m.path, 0o600, func(h *fileio.DiskFile) error {
			_, err := h.Write(data)
			return errors.Join(err, h.Sync())
		})
	}
	if err != nil {
		return fmt.Errorf("cannot save the session: %w", err)
	}
	if isNew {
		prune(dir, time.Now())
	}
	return nil
}

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

// RecentRuns returns at most limit runs with a session, those opened last first. Files that are no
// sessions are passed over; whether the runs still exist is not looked at.
func (d *Files) RecentRuns(limit int) []loaders.RecentRun {
	var runs []loaders.RecentRun
	for _, f := range savedSessions(filepath.Join(d.dir, "runs")) {
		if len(runs) == limit {
			break
		}
		data, err := readPlain(f.path, session.MaxFile)
		if err != nil {
			continue
		}
		if paths := session.RunOf(data); len(paths) > 0 {
			runs = append(runs, loaders.RecentRun{Paths: paths, Opened: f.opened})
		}
	}
	return runs
}

type savedSession struct {
	path   string
	opened time.Time
	size   int64
}

// savedSessions returns the files of sessions in dir, those opened last first.
func savedSessions(dir string) (all []savedSession) {
	names, _ := filepath.Glob(filepath.Join(dir, "*.json")) // none for a directory whose name is no pattern
	for _, name := range names {
		if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() {
			all = append(all, savedSession{name, info.ModTime(), info.Size()})
		}
	}
	slices.SortFunc(all, func(a, b savedSession) int { return b.opened.Compare(a.opened) })
	return all
}

// What is kept: the views of the runs opened last.
const (
	maxSessions    = 500
	keepSessionFor = 90 * 24 * time.Hour // since the run was opened last
	keepPartFor    = time.Hour           // a temporary file that a killed program left
)

// prune deletes the session files in dir that are kept no longer, and forgotten temporary files. It ignores
// errors, and files that are no sessions: a file that it cannot read or remove stays until the
// next time. One with marks stays until they are printed.
func prune(dir string, now time.Time) {
	parts, _ := filepath.Glob(filepath.Join(dir, fileio.PartPrefix+"*"))
	for _, name := range parts { // no program can still be writing an old one
		if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() && now.Sub(info.ModTime()) > keepPartFor {
			_ = os.Remove(name)
		}
	}
	kept := 0
	for _, f := range savedSessions(dir) {
		if f.size > session.MaxFile {
			continue
		}
		data, err := os.ReadFile(f.path)
		if err != nil || !session.IsSession(data) || session.HasMarks(data) {
			continue
		}
		if kept++; kept > maxSessions || now.Sub(f.opened) > keepSessionFor {
			_ = os.Remove(f.path)
		}
	}
}
