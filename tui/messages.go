package tui

import (
	"fmt"
	"time"

	"vantage/model"
	"vantage/model/session"
)

// The messages of the program itself: each is the answer of a command. What answers a
// request carries its revision or the request, so that a late answer can be dropped.

// chunkMsg is a chunk of the source, or the error that ends reading.
type chunkMsg struct {
	chunk *model.Chunk
	at    time.Time // when it came
	err   error     // io.EOF: the source has ended
}

// secondChunkMsg is a chunk of the second run, or the error that ends reading.
type secondChunkMsg struct {
	chunk *model.Chunk
	err   error
}

// clockMsg says that the words on how fresh the log is may have to change.
type clockMsg struct{ at time.Time }

// sessionMsg is the session as it was saved with the first pending changes.
type sessionMsg struct {
	changes int // how many of them
	session session.Session
	err     error
}

// panicMsg is a panic in a command, a fault of the program.
type panicMsg struct {
	value any
	stack []byte
}

func (m panicMsg) String() string { return fmt.Sprintf("%v, in a command:\n%s", m.value, m.stack) }
