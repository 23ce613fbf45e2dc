package sftp

import (
	"errors"
	"io"
	"os"
	"sync"
)

// handle is a use of a file.
type handle struct {
	file   *file
	mu     sync.Mutex
	offset int64 // of Read
	once   sync.Once
}

// ReadAt implements [io.ReaderAt].
func (h *handle) ReadAt(p []byte, offset int64) (int, error) { return h.file.readAt(p, offset) }

// Read implements [io.Reader].
func (h *handle) Read(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	n, err := h.file.readAt(p, h.offset)
	h.offset += int64(n)
	if n > 0 && errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

// Stat returns what the file was when it was opened.
func (h *handle) Stat() (os.FileInfo, error) { return h.file.info, nil }

// Close ends the use.
func (h *handle) Close() error {
	h.once.Do(func() { h.file.storage.files.release(h.file) })
	return nil
}
