package commands

import (
	"fmt"
	"io"
	"runtime"
	"time"

	"vantage/loaders/fileio"
	"vantage/loaders/userfiles"
	"vantage/model/fault"
)

// printFault writes a panic as a sentence, which names the log that was open, if one was, and the file that has the details.
func printFault(w io.Writer, args, opened []string, failed *fault.Fault) {
	doing, of := failed.During("running the command").Doing, ""
	if len(opened) > 0 {
		of = " for " + titleOf(opened)
	}
	writeMessage(w, wantsJSON(args), "error", fmt.Sprintf("a fault of vantage while %s%s: %s; %s", doing, of, failed.Reason(),
		keepFault(failed)))
}

// keepFault writes the details of a panic to a file of the state directory, and says where they are.
func keepFault(failed *fault.Fault) (where string) {
	build := readBuildInfo()
	text := fmt.Sprintf("%s\nvantage %s, %s %s/%s\nwhile %s: %v\n\n%s", time.Now().UTC().Format(time.RFC3339),
		build.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH, failed.Doing, failed.Cause, failed.Stack)
	type kept struct {
		path string
		err  error
	}
	at, answers := fileio.Within(fileio.HomePatience, func() (at kept) {
		files, err := userfiles.Open()
		if err != nil {
			return kept{err: err}
		}
		at.path, at.err = files.SaveFault([]byte(text))
		return at
	})
	switch {
	case !answers:
		return "its details could not be saved: the disk of your home directory does not answer"
	case at.err != nil:
		return fmt.Sprintf("its details could not be saved: %v", at.err)
	}
	return fmt.Sprintf("the details are in %s, please report them", at.path)
}
