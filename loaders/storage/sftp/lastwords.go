package sftp

import (
	"strings"
	"sync"

	"vantage/model/sanitize"
)

// maxWords is how much is kept of what ssh says.
const maxWords = 8 << 10

// lastWords keeps what ssh writes to its standard error: first banners, and in the end why it ended.
type lastWords struct {
	mu   sync.Mutex
	text []byte
}

// Write implements [io.Writer].
func (w *lastWords) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, p...)
	if over := len(w.text) - maxWords; over > 0 {
		w.text = append(w.text[:0], w.text[over:]...)
	}
	return len(p), nil
}

// String returns all that is kept.
func (w *lastWords) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.text)
}

// last returns the last line that says something, fit to be shown.
func (w *lastWords) last() string {
	lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(w.String(), "\r", "\n")), "\n")
	return sanitize.Line(strings.TrimSpace(lines[len(lines)-1]))
}
