package commands

import (
	"errors"
	"slices"

	"vantage/loaders/fileio"
	"vantage/loaders/userfiles"
	"vantage/model/session"
	"vantage/tui"
)

// home is what the program keeps in the person's home directory.
type home struct {
	config  userfiles.Config
	files   *userfiles.Files // nil: there is no home directory, and nothing is saved
	store   tui.SessionStore // of the run; nil for standard input
	session session.Session
	marks   []string // of an earlier release, to be printed, since they are kept no more
	errs    []error  // what could not be read
}

// openHomeOf is openHome as long as its disk is waited for.
func openHomeOf(paths []string) home {
	h, answers := fileio.Within(fileio.HomePatience, func() home { return openHome(paths) })
	if !answers {
		h.errs = []error{errors.New("the disk of your home directory does not answer: your settings and views are neither read nor saved")}
	}
	return h
}

func openHome(paths []string) (h home) {
	note := func(err error) {
		if err != nil {
			h.errs = append(h.errs, err)
		}
	}
	var err error
	h.config, err = userfiles.LoadConfig()
	note(err)
	if h.files, err = userfiles.Open(); err != nil || len(paths) == 0 || slices.Contains(paths, "-") {
		return h
	}
	m, err := h.files.Session(paths)
	if err == nil {
		h.store = m
		h.session, err = m.Load()
		if err == nil {
			h.marks, err = m.TakeMarks()
		}
	}
	note(err)
	return h
}
