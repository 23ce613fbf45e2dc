package sqlite

import "errors"

// Why a database cannot be read.
var (
	ErrEmpty       = errors.New("it has no tables yet")
	ErrNotDatabase = errors.New("it is no SQLite database")
	ErrUnsupported = errors.New("its pages are of a kind that is not read: encrypted, or text in UTF-16")
	ErrBroken      = errors.New("it is broken, or cut off")
	ErrDisturbed   = errors.New("it is being written") // again and again; the same call may succeed later
)
