package commands

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// interruptibleWriter writes until ctx ends, even if the reader blocks, as a pager does.
type interruptibleWriter struct {
	ctx context.Context
	out io.Writer
}

// stdout returns the output of a command.
func (p *Program) stdout(ctx context.Context) io.Writer { return interruptibleWriter{ctx, p.Out} }

// Write returns when ctx ends; a blocked write then still uses p.
func (o interruptibleWriter) Write(p []byte) (int, error) {
	type result struct {
		n   int
		err error
	}
	results := make(chan result, 1)
	go func() {
		n, err := o.out.Write(p)
		results <- result{n, err}
	}()
	select {
	case a := <-results:
		return a.n, a.err
	case <-o.ctx.Done():
		return 0, o.ctx.Err()
	}
}

// writeFileAtomically writes a temporary file and renames it when it is complete.
func writeFileAtomically(path string, write func(io.Writer) error) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("cannot write %s: %w", path, err)
		}
	}()
	h, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(h.Name()) }() // fails after the rename
	err = write(h)
	if closeErr := h.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Chmod(h.Name(), 0o644) // temporary files have 0600
	}
	if err == nil {
		err = os.Rename(h.Name(), path)
	}
	return err
}
