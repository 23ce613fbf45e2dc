package commands

import (
	"os"
	"sync/atomic"

	"vantage/loaders/fileio"
	"vantage/model/fault"
)

// Run does what the command line asks for, and returns the exit code.
func Run(args []string) int {
	end := newEnding()
	out := &standardOutput{File: os.Stdout}
	p := &explorer{program: program{in: os.Stdin, out: out, errOut: os.Stderr, disk: &fileio.Disk{}}, end: end}
	var err error
	if p.memoryLimit, err = limitMemory(); err != nil {
		printError(os.Stderr, args, err)
		return exitCode(err)
	}
	var opened atomic.Pointer[[]string]
	p.opening = func(paths []string) { opened.Store(&paths) }
	done := fault.Later(func() error { return p.start(args) })
	var failed *fault.Fault
	select {
	case outcome := <-done:
		if err, failed = outcome.Result(); failed != nil {
			break
		}
		if err == nil && out.err != nil {
			err = out.err
			printError(os.Stderr, args, err)
		}
		return exitCode(err)
	case err := <-end.overdue:
		end.leave(func() {
			if err != nil {
				printError(os.Stderr, args, err)
			}
		})
		return exitCode(err)
	case failed = <-fault.Unheard():
	}
	end.leave(func() {
		var log []string
		if paths := opened.Load(); paths != nil {
			log = *paths
		}
		printFault(os.Stderr, args, log, failed)
	})
	return 1
}

// standardOutput remembers that a write failed: --help and version do not say so themselves.
type standardOutput struct {
	*os.File
	err error
}

func (o *standardOutput) Write(p []byte) (int, error) {
	n, err := o.File.Write(p)
	if err != nil && o.err == nil {
		o.err = err
	}
	return n, err
}

func (o *standardOutput) WriteString(s string) (int, error) { return o.Write([]byte(s)) }

// start does what the command line asks for, and says what went wrong.
func (p *explorer) start(args []string) error {
	ctx := p.end.ctx
	fault.Go(func() { p.sayWhenSilent(ctx, args, func() bool { return p.end.screen.Load() != nil }) })
	root := p.root()
	root.SetArgs(joinSwitches(args))
	root.SetIn(p.in)
	root.SetOut(p.out)
	root.SetErr(p.errOut)
	p.checkWords(root)
	root.SetHelpFunc(p.help)
	root.Version, root.SilenceUsage, root.SilenceErrors = readBuildInfo().Version, true, true
	err := withCause(ctx, root.ExecuteContext(ctx))
	if err != nil {
		printError(p.errOut, args, err)
	}
	return err
}
