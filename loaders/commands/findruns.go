package commands

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"vantage/loaders/runfinder"
	"vantage/loaders/userfiles"
	"vantage/model/runlist"
)

// What FindRuns takes of the sessions, and how long it looks if a person asks for more.
const (
	maxRecentRuns = 40
	longLook      = 5 * time.Second
)

// FindRuns returns a finder of the logs under the current directory and of recent runs, longer for
// one that looks longer.
func FindRuns(longer bool) *runfinder.Finder {
	o := runfinder.Options{Dir: "."}
	if longer {
		o.Time = longLook
	}
	o.Home, _ = os.UserHomeDir() // without one, paths are shown in full
	if dir, err := filepath.Abs(trackioFolder(o.Home)); err == nil {
		o.Also = []string{dir}
	}
	if d, err := userfiles.Open(); err == nil {
		for _, r := range d.RecentRuns(maxRecentRuns) {
			o.Recent = append(o.Recent, runfinder.Recent{Paths: r.Paths, Opened: r.Opened})
		}
	}
	return runfinder.New(o)
}

// trackioFolder returns the folder in which trackio keeps the databases of a person.
// trackio 0.43.0 trackio/utils.py, _get_trackio_dir; huggingface_hub 2.4.0 huggingface_hub/constants.py, HF_HOME.
func trackioFolder(home string) string {
	if dir := os.Getenv("TRACKIO_DIR"); dir != "" {
		return dir
	}
	if dir := os.Getenv("HF_HOME"); dir != "" {
		return filepath.Join(dir, "trackio")
	}
	if dir := os.Getenv("XDG_CACHE_HOME"); dir != "" {
		return filepath.Join(dir, "huggingface", "trackio")
	}
	return filepath.Join(home, ".cache", "huggingface", "trackio")
}

// CurrentDir returns the current directory as a person reads it.
func CurrentDir() string {
	dir, err := os.Getwd()
	if err != nil {
		return "."
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return dir
	}
	if rel, err := filepath.Rel(home, dir); err == nil && filepath.IsLocal(rel) {
		return filepath.Join("~", rel)
	}
	return dir
}

// ListRuns writes the runs that FindRuns finds as a table of text; nothing if there are none.
func ListRuns(ctx context.Context, out io.Writer) error {
	finder := FindRuns(false)
	var list runlist.List
	for {
		runs, err := finder.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return WithCause(ctx, err)
		}
		list = list.Add(runs...)
	}
	if len(list.Runs()) == 0 {
		return nil
	}
	return list.Write(out, time.Now())
}

// RememberRuns makes runs recent ones. Where nothing can be saved they are not.
func RememberRuns(runs [][]string) {
	d, err := userfiles.Open()
	if err != nil {
		return
	}
	for _, paths := range runs {
		if slices.Contains(paths, "-") {
			return
		}
		if m, err := d.Session(paths); err == nil {
			_ = m.Remember()
		}
	}
}

// IsPiped reports whether something is sent to the program through a pipe or from a file.
func IsPiped(in io.Reader) bool {
	f, ok := in.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && (info.Mode()&fs.ModeNamedPipe != 0 || info.Mode().IsRegular())
}
