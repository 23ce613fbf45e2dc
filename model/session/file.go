package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// version is that of the file. A file of another one is left alone: it was written by a
// program that knows more.
const version = 1

// MaxFile bounds a session's file, in bytes.
const MaxFile = 2 << 20

// sessionFile is a session as it is written: of which run, by what.
type sessionFile struct {
	Vantage int      `json:"vantage"`
	Run     []string `json:"run"`
	Session
}

// Encode writes the session of a run, which its paths name.
func Encode(run []string, s Session) ([]byte, error) {
	if err := validate(s.Marks); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(sessionFile{version, run, s}); err != nil {
		return nil, err
	}
	if b.Len() > MaxFile {
		return nil, fmt.Errorf("the marks and notes of the run have %d bytes, of at most %d", b.Len(), MaxFile)
	}
	return b.Bytes(), nil
}

// Decode reads what Encode wrote for the same run. Anything else is an error that says
// what it is instead: what is not understood must not be written over.
func Decode(data []byte, run []string) (Session, error) {
	var f sessionFile
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&f); err != nil {
		return Session{}, fmt.Errorf("it is no JSON of ours: %w", err)
	}
	switch {
	case dec.More():
		return Session{}, errors.New("something follows after its end")
	case f.Vantage != version:
		return Session{}, fmt.Errorf("it is of version %d, and this program knows %d", f.Vantage, version)
	case !slices.Equal(f.Run, run):
		return Session{}, fmt.Errorf("it is of another run: %q", f.Run)
	}
	return f.Session, validate(f.Marks)
}

// validate refuses more marks and longer texts than are kept.
func validate(marks []Mark) error {
	if len(marks) > MaxMarks {
		return fmt.Errorf("there is room for %d marks, not for %d", MaxMarks, len(marks))
	}
	for i, m := range marks {
		if len(m.Note) > MaxNote || max(len(m.Group), len(m.Prompt), len(m.Label)) > MaxText || m.Sample < 0 {
			return fmt.Errorf("mark %d is longer than any that is kept", i+1)
		}
	}
	return nil
}

// IsUnmarked reports whether data is the session of some run at which nobody left a mark or
// a note: losing it costs a person no more than a few keys.
func IsUnmarked(data []byte) bool {
	var f sessionFile
	return json.Unmarshal(data, &f) == nil && f.Vantage == version && len(f.Run) > 0 && len(f.Marks) == 0
}
