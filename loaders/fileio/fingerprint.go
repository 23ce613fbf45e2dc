package fileio

import (
	"errors"
	"io"

	"vantage/loaders/jsonscan"
)

// fingerprint is the hash of a range of a file.
type fingerprint struct {
	offset, size int64
	hash         uint64
}

// newFingerprint hashes a range of a file. It returns the zero fingerprint if the range cannot be
// read.
func newFingerprint(h io.ReaderAt, offset, size int64) fingerprint {
	b := make([]byte, size)
	if n, err := h.ReadAt(b, offset); err == nil || errors.Is(err, io.EOF) {
		return fingerprint{offset, int64(n), jsonscan.Hash64(b[:n])}
	}
	return fingerprint{}
}

// matches reports whether the range is as it was. It returns true if the range cannot be read now,
// since then nothing says that it changed.
func (f fingerprint) matches(h io.ReaderAt) bool {
	if f.size == 0 {
		return true
	}
	now := newFingerprint(h, f.offset, f.size)
	return now == f || now == fingerprint{}
}
