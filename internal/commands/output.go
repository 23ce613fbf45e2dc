package commands

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"vantage/loaders/fileio"
	"vantage/loaders/userfiles"
	"vantage/model/fault"
	"vantage/model/sanitize"
)

// Exit codes besides 0 for success.
const (
	exitFailed  = 1   // an error of input or terminal, or a negative result of match
	exitUsage   = 2   // a usage error
	exitRule    = 3   // a rule of check fails
	exitSignals = 128 // plus the number of the signal
)

// usageError is an error in the command line.
type usageError struct{ error }

// usage wraps err as a usageError.
func usage(err error) error { return &usageError{err} }

func (e *usageError) Unwrap() error { return e.error }

// signalError is the cause of a context that a signal canceled.
type signalError struct{ Signal os.Signal }

func (s *signalError) Error() string {
	return fmt.Sprintf("stopped (%s): the output is incomplete", s.Signal)
}

// stopped returns the signal that canceled ctx, as an error that only sets the exit code; nil if none did. The screen
// ends with it: it has written nothing that could be taken for whole.
func stopped(ctx context.Context) error {
	var stopped *signalError
	if errors.As(context.Cause(ctx), &stopped) {
		return &verdictError{stopped}
	}
	return nil
}

// verdictError is a result that has been printed, or the end of the screen: it only sets the exit code.
type verdictError struct{ error }

// exitCode returns the exit code for err.
func exitCode(err error) int {
	var usage *usageError
	var stopped *signalError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &stopped):
		if number, ok := stopped.Signal.(syscall.Signal); ok {
			return exitSignals + int(number)
		}
	case errors.Is(err, errRuleFailed):
		return exitRule
	case errors.Is(err, syscall.EPIPE):
		return exitSignals + int(syscall.SIGPIPE)
	}
	return exitFailed
}

// printError writes an error as a sentence, or as {"error": "…", "schema": "vantage/message@1"} if the
// arguments select JSON. It writes nothing for a closed pipe, as of head, and for a printed verdict.
func printError(w io.Writer, args []string, err error) {
	var verdict *verdictError
	if !errors.As(err, &verdict) && !errors.Is(err, syscall.EPIPE) {
		text := err.Error()
		for _, arg := range args { // in which a line break is shown as one
			text = strings.ReplaceAll(text, arg, sanitize.Line(arg))
		}
		writeMessage(w, wantsJSON(args), "error", text)
	}
}

// writeMessage writes a sentence, in which names of files and columns may stand as they are: none of
// their characters does anything to the terminal.
func writeMessage(w io.Writer, asJSON bool, key, text string) {
	text = sanitize.Line(strings.ReplaceAll(text, "\n", "; ")) // of two errors, or in the name of a column
	if !asJSON {
		_, _ = fmt.Fprintln(w, "vantage: "+text)
		return
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(map[string]string{"schema": "vantage/message@1", key: text})
}

func (e *verdictError) Unwrap() error { return e.error }

func wantsJSON(args []string) bool {
	for i, arg := range args {
		if arg == "--json" {
			return true
		}
		value, found := strings.CutPrefix(arg, "--format=")
		if arg == "--format" && i+1 < len(args) {
			value, found = args[i+1], true
		}
		if arg == "--" {
			return false
		}
		if found {
			return slices.Contains([]string{"json", "jsonl"}, value)
		}
	}
	return false
}

// withCause returns the cause of ctx, such as a signalError, if err is its cancellation, or that of ssh, which a typed ^C ends too.
func withCause(ctx context.Context, err error) error {
	if ctx.Err() != nil && (errors.Is(err, context.Canceled) || fileio.IsLost(err)) {
		return context.Cause(ctx)
	}
	return err
}

// interruptibleWriter writes until ctx ends, even if the reader blocks, as a pager does.
type interruptibleWriter struct {
	ctx context.Context
	out io.Writer
}

// output returns the output of a command for a format: JSON goes through [sanitize.JSON].
func (p *program) output(ctx context.Context, format string) io.Writer {
	return safeOutput(interruptibleWriter{ctx: ctx, out: p.out}, format)
}

func safeOutput(w io.Writer, format string) io.Writer {
	if format == "json" || format == "jsonl" {
		return sanitize.JSON(w)
	}
	return w
}

// writeOutput writes to the file at path, or to standard output if that is "".
func (p *program) writeOutput(ctx context.Context, path, format string, write func(io.Writer) error) error {
	if path == "" {
		return write(p.output(ctx, format))
	}
	return writeFile(p.disk, path, func(w io.Writer) error { return write(safeOutput(w, format)) })
}

// Write returns when ctx ends; a blocked write then still uses p.
func (o interruptibleWriter) Write(p []byte) (int, error) {
	type result struct {
		n   int
		err error
	}
	results := fault.Later(func() result {
		n, err := o.out.Write(p)
		return result{n: n, err: err}
	})
	select {
	case outcome := <-results:
		a := outcome.Get()
		return a.n, a.err
	case <-o.ctx.Done():
		return 0, o.ctx.Err()
	}
}

// writeFile writes the file of an option. A plain file is replaced once the new one is complete, also
// one behind a symbolic link, which remains. What is no plain file, as a device or a pipe, is never
// replaced: the text is written into it.
func writeFile(disk *fileio.Disk, path string, write func(io.Writer) error) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("cannot write %s: %w", path, err)
		}
	}()
	target, err := disk.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		target, err = path, nil
	}
	if err != nil {
		return err
	}
	info, err := disk.Lstat(target) // a dangling link is one still
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case info.IsDir():
		return errors.New("it is a directory: name a file in it")
	case !info.Mode().IsRegular():
		return writeInto(disk, target, write)
	}
	return disk.Replace(target, 0o666, func(h *fileio.DiskFile) error {
		err := write(h)
		if info != nil {
			err = errors.Join(err, h.Chmod(info.Mode().Perm()))
		}
		return err
	})
}

// refuseOntoLog is an error if the file of an option is a file of the log, or would be in its folder, where the next look would take it for
// one. A new file next to a log that is named itself is the person's choice.
func refuseOntoLog(disk *fileio.Disk, option, file string, logs []string) error {
	if file == "" {
		return nil
	}
	target, _ := disk.Stat(file)
	var folders []string
	for _, log := range logs {
		switch info, err := disk.Stat(log); {
		case err != nil: // it is not on this machine
		case info.IsDir():
			folders = append(folders, log)
		case target != nil && os.SameFile(info, target):
			return usage(fmt.Errorf("%s %s is the log itself, which is never written to: give another file", option, file))
		}
	}
	dir, err := folderOf(disk, file)
	if log := userfiles.LogNextTo(folders, dir); err == nil && log != "" {
		return usage(fmt.Errorf("%s %s would be among the files of the log %s: give a file in another folder", option, file, log))
	}
	return nil
}

// folderOf is the folder in which a file is or would be made, without symbolic links.
func folderOf(disk *fileio.Disk, file string) (string, error) {
	if target, err := disk.EvalSymlinks(file); err == nil { // else it is new
		file = target
	}
	dir, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return "", err
	}
	return disk.EvalSymlinks(dir)
}

// writeInto writes into a device, a pipe, or where a dangling link points.
func writeInto(disk *fileio.Disk, path string, write func(io.Writer) error) error {
	h, err := disk.OpenFile(path, os.O_WRONLY|os.O_CREATE|syscall.O_NONBLOCK, 0o666)
	if errors.Is(err, syscall.ENXIO) {
		return errors.New("nothing reads from this pipe: start its reader first")
	}
	if err != nil {
		return err
	}
	return errors.Join(write(h.File), h.Close()) // it is no disk that waits
}

const pipeTimeout = 10 * time.Second

// parseFile reads the file of an option, no larger than maxBytes, and parses it. what says
// what the file should be.
func parseFile[T any](
	disk *fileio.Disk, option, path string, maxBytes int, what string, parse func([]byte) (T, error),
) (parsed T, err error) {
	text, err := readSmallFile(disk, option, path, maxBytes, what)
	if err != nil {
		return parsed, err
	}
	if parsed, err = parse(text); err != nil {
		return parsed, fmt.Errorf("%s %s: %w", option, path, err)
	}
	return parsed, nil
}

// readSmallFile reads the file of an option. A file larger than maxBytes is an error that
// says it is no what. A pipe, as of --config <(…), is read too, but an open one without
// data is an error instead of a silent wait.
func readSmallFile(disk *fileio.Disk, option, path string, maxBytes int, what string) ([]byte, error) {
	h, err := disk.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %s does not exist: check the path", option, path)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", option, err)
	}
	defer func() { _ = h.Close() }()
	info, err := h.Stat()
	if err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s: %s is a directory: name a file in it", option, path)
	}
	var from io.Reader = h
	if err == nil && !info.Mode().IsRegular() {
		from = h.File // it is no disk that waits
		_ = h.SetReadDeadline(time.Now().Add(pipeTimeout))
	}
	text, err := io.ReadAll(io.LimitReader(from, int64(maxBytes)+1))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded), err == nil && len(text) == 0 && info.Mode()&fs.ModeNamedPipe != 0:
		return nil, fmt.Errorf("%s: no data from the pipe %s: name a file, or start its writer first", option, path)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", option, err)
	case len(text) > maxBytes:
		return nil, fmt.Errorf("%s %s is larger than %d bytes: it is not a %s", option, path, maxBytes, what)
	}
	return text, nil
}
