package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"

	"vantage/model/sanitize"
)

// interruptibleWriter writes until ctx ends, even if the reader blocks, as a pager does.
type interruptibleWriter struct {
	ctx context.Context
	out io.Writer
}

// stdout returns the output of a command.
func (p *Program) stdout(ctx context.Context) io.Writer { return interruptibleWriter{ctx, p.Out} }

// output returns stdout for a format: JSON goes through [sanitize.JSON].
func (p *Program) output(ctx context.Context, format string) io.Writer {
	return safeOutput(p.stdout(ctx), format)
}

func safeOutput(w io.Writer, format string) io.Writer {
	if format == "json" || format == "jsonl" {
		return sanitize.JSON(w)
	}
	return w
}

// writeOutput writes to the file at path, or to standard output if that is "".
func (p *Program) writeOutput(ctx context.Context, path, format string, write func(io.Writer) error) error {
	if path == "" {
		return write(p.output(ctx, format))
	}
	return writeFile(path, func(w io.Writer) error { return write(safeOutput(w, format)) })
}

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

// writeFile writes the file of an option. A plain file is replaced once the new one is complete, also
// one behind a symbolic link, which remains. What is no plain file, as a device or a pipe, is never
// replaced: the text is written into it.
func writeFile(path string, write func(io.Writer) error) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("cannot write %s: %w", path, err)
		}
	}()
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		target, err = path, nil
	}
	if err != nil {
		return err
	}
	mode := fs.FileMode(0)
	switch info, err := os.Lstat(target); { // a dangling link is one still
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case info.Mode().IsRegular():
		mode = info.Mode().Perm()
	case info.IsDir():
		return errors.New("it is a directory: name a file in it")
	default:
		return writeInto(target, write)
	}
	return replaceFile(target, mode, write)
}

// writeInto writes into a device, a pipe, or where a dangling link points.
func writeInto(path string, write func(io.Writer) error) error {
	h, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|syscall.O_NONBLOCK, 0o666)
	if errors.Is(err, syscall.ENXIO) {
		return errors.New("nothing reads from this pipe: start its reader first")
	}
	if err != nil {
		return err
	}
	return errors.Join(write(h), h.Close())
}

// replaceFile writes a temporary file beside path and renames it when it is complete. mode is that
// of the file which is replaced, 0 if there is none.
func replaceFile(path string, mode fs.FileMode, write func(io.Writer) error) error {
	temporary := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s-%d-%x", filepath.Base(path), os.Getpid(), rand.Uint32()))
	h, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return unwritableFolder(filepath.Dir(path), err)
	}
	err = write(h)
	if mode != 0 {
		err = errors.Join(err, h.Chmod(mode))
	}
	if err = errors.Join(err, h.Close()); err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		_ = os.Remove(temporary)
	}
	return err
}

// unwritableFolder says why no file can be made in a folder. The error of the temporary file names one that nobody asked for.
func unwritableFolder(folder string, err error) error {
	var failed *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no folder %s: make it, or name another file", folder)
	case errors.As(err, &failed):
		return fmt.Errorf("no file can be made in %s: %w", folder, failed.Err)
	}
	return err
}
