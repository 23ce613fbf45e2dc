package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vantage/loaders"
	"vantage/loaders/discover"
	"vantage/loaders/fileio"
	"vantage/loaders/userfiles"
	"vantage/model"
	"vantage/model/diagnosis"
	"vantage/model/match"
	"vantage/model/runlist"
)

// What findRuns takes of the sessions, and how long it looks if a person asks for more.
const (
	maxRecentRuns = 40
	longLook      = 5 * time.Second
)

// findRuns returns a finder of the logs under a folder, or of those under the current directory and of recent runs if that is "", longer
// for one that looks longer.
func (p *program) findRuns(folder string, longer bool) *loaders.Finder {
	o := loaders.FinderOptions{Dir: cmp.Or(folder, ".")}
	if longer {
		o.Time = longLook
	}
	if folder != "" {
		o.Disk = p.disk // what is looked at without being asked for may hang
		return loaders.NewFinder(o)
	}
	o.Home, _ = os.UserHomeDir() // without one, paths are shown in full
	if dir, err := filepath.Abs(trackioFolder(o.Home)); err == nil {
		o.Also = []string{dir}
	}
	if d, err := userfiles.Open(); err == nil {
		o.Recent, _ = fileio.Within(fileio.HomePatience, func() []loaders.RecentRun { return d.RecentRuns(maxRecentRuns) })
	}
	return loaders.NewFinder(o)
}

// maxExamined is how large a log may be, in bytes, that is read for the list of runs.
const maxExamined = 32 << 20

// examine reads a run of the list and says what it holds and what ails it: the judgement that the run itself shows when it is opened. It
// says nothing of a run that is large or on another machine, or cannot be read.
func (p *program) examine(ctx context.Context, set model.Settings, r runlist.Run) (c runlist.Contents) {
	paths := strings.Split(r.ID, "\n")
	if r.Size > maxExamined || slices.ContainsFunc(paths, loaders.IsElsewhere) {
		return c
	}
	source, err := p.open(paths, false)
	if err != nil {
		return c
	}
	defer source.Close()
	snap, err := readToEnd(ctx, source, maxExamined)
	if err != nil {
		return c
	}
	set, _ = match.ChooseRewards(ctx, snap, set, p.given())
	look, err := lookAt(ctx, source, snap, set, diagnosis.Reading{}, nil)
	if err != nil || snap.Rows == 0 {
		return c
	}
	word := look.Diagnosis.Health()
	return runlist.Contents{
		Steps: len(snap.Steps), Samples: int64(snap.Rows), Size: snap.Run.Progress.BytesAll, Newest: look.Dated,
		Health: look.Diagnosis.HealthText(), Ill: look.Diagnosis.Alarms() > 0,
		Watched: word == diagnosis.Watched, Healthy: word == diagnosis.Healthy,
	}
}

// runsBelow returns the runs in several folders below one of this machine, each with its path, the one written last first; nil if there is
// one run. Files side by side are one, and validation counts only where there is nothing else. The second result says how far it looked.
func (p *program) runsBelow(ctx context.Context, folder string, longer bool) ([]runlist.Run, runlist.Looked) {
	if loaders.IsElsewhere(folder) {
		return nil, runlist.Looked{}
	}
	if info, err := p.disk.Stat(folder); err != nil || !info.IsDir() {
		return nil, runlist.Looked{}
	}
	list, looked, err := p.lookBelow(ctx, folder, longer)
	if err != nil {
		return nil, looked
	}
	runs := slices.DeleteFunc(slices.Clone(list.Runs()), func(r runlist.Run) bool { return discover.IsValidation(r.Name) })
	if len(runs) == 0 {
		runs = slices.Clone(list.Runs())
	}
	names := model.Mapped(runs, func(r runlist.Run) string { return r.Name })
	runs = slices.DeleteFunc(runs, func(r runlist.Run) bool { return discover.IsOfTests(r.Name, names) })
	folders := map[string]int{}
	for i := range runs {
		r := &runs[i]
		r.Paths = []string{filepath.Join(folder, r.Name)}
		name := r.Name
		if l, err := discover.List(p.disk, r.Paths[0], 1); err == nil && len(l.Files) > 0 { // of a folder
			name = filepath.Join(name, l.Files[0])
		}
		folders[loaders.RunFolder(name)]++
	}
	// Several files in the folder itself have no path of their own.
	if len(folders) < 2 || folders[""] > 1 || slices.ContainsFunc(runs, func(r runlist.Run) bool { return r.Name == "." }) {
		return nil, looked
	}
	slices.SortStableFunc(runs, func(x, y runlist.Run) int { return y.LastWrite.Compare(x.LastWrite) })
	return runs, looked
}

// lookBelow looks for the runs below a folder: once more when a disk answers again that had not for half of the time.
func (p *program) lookBelow(ctx context.Context, folder string, longer bool) (runlist.List, runlist.Looked, error) {
	for {
		finder := p.findRuns(folder, longer)
		list, err := findAll(ctx, finder)
		looked := finder.Looked()
		isSilent := func() bool {
			_, waits := p.disk.Waits()
			return waits > looked.Limit/2 && ctx.Err() == nil
		}
		if err != nil || !looked.Timeout || !isSilent() {
			return list, looked, err
		}
		for isSilent() {
			time.Sleep(10 * time.Millisecond)
		}
	}
}

// oneRun returns the paths, each that is of a folder with several runs as that of the one written last, which it says: runs are read as one
// only with --merge.
func (p *program) oneRun(ctx context.Context, paths []string) []string {
	if p.merge {
		return paths
	}
	return model.Mapped(paths, func(path string) string {
		label := ""
		if _, err := p.disk.Stat(path); err != nil {
			label, path = cutLabel(path)
		}
		runs, looked := p.runsBelow(ctx, path, true)
		switch {
		case len(runs) == 0 && looked.Partial():
			p.note(p.outputFormat, fmt.Sprintf("%s may hold more runs than were found: %s", titleOf([]string{path}), looked.Text()))
			return label + path
		case len(runs) == 0:
			return label + path
		}
		several := fmt.Sprintf("%d runs, and this is the one written last", len(runs))
		if looked.Partial() {
			several = fmt.Sprintf("%d runs or more (%s), and this is the one of them written last", len(runs), looked.Text())
		}
		others := runs[1].Paths[0]
		if more := len(runs) - 2; more > 0 {
			others += fmt.Sprintf(" and %d more", more)
		}
		p.note(p.outputFormat, fmt.Sprintf("%s holds %s, %s; give the path of another, %s, or --merge to read all as one",
			titleOf([]string{path}), several, titleOf(runs[0].Paths), others))
		return label + runs[0].Paths[0]
	})
}

func findAll(ctx context.Context, finder *loaders.Finder) (list runlist.List, err error) {
	for {
		runs, err := finder.Next(ctx)
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return list, err
		}
		list = list.Add(runs...)
	}
}

// trackioFolder returns the folder in which trackio keeps the databases of a person.
// trackio 0.43.0 trackio/utils.py, _get_trackio_dir; huggingface_hub 2.4.0 huggingface_hub/constants.py, HF_HOME.
func trackioFolder(home string) string {
	caches := cmp.Or(os.Getenv("XDG_CACHE_HOME"), filepath.Join(home, ".cache"))
	huggingFace := cmp.Or(os.Getenv("HF_HOME"), filepath.Join(caches, "huggingface"))
	return cmp.Or(os.Getenv("TRACKIO_DIR"), filepath.Join(huggingFace, "trackio"))
}

// currentDir returns the current directory as a person reads it.
func (p *program) currentDir() string {
	defer p.disk.During(cmp.Or(os.Getenv("PWD"), "."))()
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

// listRuns writes the runs that findRuns finds as a table of text; nothing if there are none.
func (p *program) listRuns(ctx context.Context) error {
	list, err := findAll(ctx, p.findRuns("", false))
	if err != nil {
		return withCause(ctx, err)
	}
	if len(list.Runs()) == 0 {
		return nil
	}
	return list.Write(p.out, time.Now())
}

// rememberRuns makes runs recent ones, up to one that is in no file: standard input, or the demo, which has no paths. Where nothing can be
// saved they are not.
func rememberRuns(runs [][]string) {
	d, err := userfiles.Open()
	if err != nil {
		return
	}
	for _, paths := range runs {
		if len(paths) == 0 || slices.Contains(paths, "-") {
			return
		}
		if m, err := d.Session(paths); err == nil {
			_ = m.Remember()
		}
	}
}

// isPiped reports whether something is sent to the program through a pipe or from a file.
func isPiped(in io.Reader) bool {
	f, ok := in.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && (info.Mode()&fs.ModeNamedPipe != 0 || info.Mode().IsRegular())
}
