package commands

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
)

func TestExitCodes(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(&signalError{os.Interrupt})
	for _, c := range []struct {
		err  error
		code int
		said string
	}{
		{nil, 0, ""},
		{errors.New("no such file"), 1, "vantage: no such file\n"},
		{usage(errors.New("no such flag")), 2, "vantage: no such flag\n"},
		{fmt.Errorf("--rules: %w", usage(errors.New("none"))), 2, "vantage: --rules: none\n"},
		{errors.Join(errors.New("cannot write a"), errors.New("cannot write b")), 1, "vantage: cannot write a; cannot write b\n"},
		{&verdictError{errRuleFailed}, 3, ""},
		{fmt.Errorf("write: %w", syscall.EPIPE), 141, ""},
		{withCause(ctx, fmt.Errorf("reading: %w", context.Canceled)), 130, "vantage: stopped (interrupt): the output is incomplete\n"},
		{withCause(context.Background(), context.Canceled), 1, "vantage: context canceled\n"},
	} {
		var stderr strings.Builder
		if c.err != nil {
			printError(&stderr, nil, c.err)
		}
		if code := exitCode(c.err); code != c.code || stderr.String() != c.said {
			t.Errorf("%v: exit code %d, %q; want %d, %q", c.err, code, stderr.String(), c.code, c.said)
		}
	}
}

func TestWantsJSON(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]bool{
		"report x --format json": true, "report x --format=json": true, "export --format jsonl x": true,
		"report x": false, "report --format csv x": false, "report -- --format json": false, "report --format": false,
	} {
		if got := wantsJSON(strings.Fields(args)); got != want {
			t.Errorf("%s: %t", args, got)
		}
	}
}
