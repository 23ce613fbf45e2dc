package commands

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"

	"vantage/model/sanitize"
)

// Exit codes besides 0 for success.
const (
	exitFailed  = 1   // an error of input or terminal, or a negative result of match
	exitUsage   = 2   // a usage error
	exitRule    = 3   // a rule of check fails
	exitSignals = 128 // plus the number of the signal
)

// UsageError is an error in the command line.
type UsageError struct{ error }

// Usage wraps err as a UsageError.
func Usage(err error) error { return &UsageError{err} }

func (e *UsageError) Unwrap() error { return e.error }

// SignalError is the cause of a context that a signal canceled.
type SignalError struct{ Signal os.Signal }

func (s *SignalError) Error() string {
	return fmt.Sprintf("stopped (%s): the output is incomplete", s.Signal)
}

// Stopped returns the signal that canceled ctx, as an error that only sets the exit code; nil if none did. The screen
// ends with it: it has written nothing that could be taken for whole.
func Stopped(ctx context.Context) error {
	var stopped *SignalError
	if errors.As(context.Cause(ctx), &stopped) {
		return &verdictError{stopped}
	}
	return nil
}

// verdictError is a result that has been printed, or the end of the screen: it only sets the exit code.
type verdictError struct{ error }

// ExitCode returns the exit code for err.
func ExitCode(err error) int {
	var usage *UsageError
	var stopped *SignalError
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

// PrintError writes an error as a sentence, or as {"error": "…", "schema": "vantage/message@1"} if the
// arguments select JSON. It writes nothing for a closed pipe, as of head, and for a printed verdict.
func PrintError(w io.Writer, args []string, err error) {
	var verdict *verdictError
	if !errors.As(err, &verdict) && !errors.Is(err, syscall.EPIPE) {
		writeMessage(w, wantsJSON(args), "error", err.Error())
	}
}

// writeMessage writes a sentence, in which names of files and columns may stand as they are: none of
// their characters does anything to the terminal.
func writeMessage(w io.Writer, asJSON bool, key, text string) {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = sanitize.Line(lines[i])
	}
	text = strings.Join(lines, "\n")
	if !asJSON {
		_, _ = fmt.Fprintln(w, "vantage: "+text)
		return
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(map[string]string{"schema": "vantage/message@1", key: text})
}

func (e *verdictError) Unwrap() error { return e.error }

// wantsJSON reports whether the arguments, which may be invalid, select JSON.
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

// WithCause returns the cause of ctx, such as a SignalError, if err is its cancellation.
func WithCause(ctx context.Context, err error) error {
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
