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

// The exit codes; 0 means that all went well, 128 and more that a signal ended it.
const (
	exitFailed  = 1 // it could not be done: the input, the terminal; or a rule fails
	exitUsage   = 2 // it was asked for wrongly
	exitSignals = 128
)

// UsageError is a mistake in the command line.
type UsageError struct{ error }

// Usage makes an error a matter of how the program was called.
func Usage(err error) error { return &UsageError{err} }

func (e *UsageError) Unwrap() error { return e.error }

// SignalError is the cause of a context that a signal ended.
type SignalError struct{ Signal os.Signal }

func (s *SignalError) Error() string {
	return fmt.Sprintf("stopped (%s): what was written until then is not whole", s.Signal)
}

// verdictError is an answer that has been printed: only its exit code is left to say.
type verdictError struct{ error }

// ExitCode is what the program ends with after err, which is nil if all went well.
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
	case errors.Is(err, syscall.EPIPE):
		return exitSignals + int(syscall.SIGPIPE)
	}
	return exitFailed
}

// noteConfig says what was made of --config, where what is printed has no place for it.
func (p *Program) noteConfig(format string) {
	if p.ConfigSummary != "" {
		p.note(format, p.ConfigSummary)
	}
}

// note says beside the output what a person should know of it, as a sentence or as
// {"note": "…"} where the output is JSON.
func (p *Program) note(format, text string) {
	text = sanitize.Line(text)
	if format != "json" && format != "jsonl" {
		_, _ = fmt.Fprintln(p.ErrOut, "vantage: "+text)
		return
	}
	enc := json.NewEncoder(p.ErrOut)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(map[string]string{"note": text})
}

// PrintError writes an error as a sentence, or as {"error": "…"} where the arguments ask for
// JSON. It is silent where nobody wants to hear it: a reader that has had enough, as
// head, and a verdict that has been printed.
func PrintError(w io.Writer, args []string, err error) {
	var verdict *verdictError
	switch {
	case errors.As(err, &verdict), errors.Is(err, syscall.EPIPE):
	case !wantsJSON(args):
		_, _ = fmt.Fprintln(w, "vantage: "+err.Error())
	default:
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(map[string]string{"error": err.Error()})
	}
}

func (e *verdictError) Unwrap() error { return e.error }

// wantsJSON reports whether the arguments ask for JSON: they may be wrong otherwise.
func wantsJSON(args []string) bool {
	for i, arg := range args {
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

// WithCause gives the error of a context its cause: the signal that ended it.
func WithCause(ctx context.Context, err error) error {
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
