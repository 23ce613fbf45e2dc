package loaders

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vantage/loaders/discover"
	"vantage/loaders/fileio"
	"vantage/loaders/formats"
	"vantage/loaders/jsonscan"
	"vantage/loaders/scalars"
	"vantage/loaders/trackio"
	"vantage/model"
	"vantage/model/units"
)

// directory is a directory that is read, and what has been noted about it.
type directory struct {
	discover.Directory
	shown           string          // its path as a person gave it
	identity        identity        // as last seen
	ownFormat       *formats.Format // a trainer's own, which a file in it has; nil if there is none
	leftOut         []string        // formats of the files that were left out for that
	twins           twins
	copies          [][]*file // files whose names are those of copies
	steps           stepFolders
	withoutSamples  []sideFile // that have not been noted yet
	notedNames      []string   // file names of those that have
	lastNotes       []string   // on what was not looked into
	truncationNoted bool
	states          map[string]trainerState // of the runs in it, by their output directories, which are relative
}

// sideFile is a file without samples.
type sideFile struct {
	model.Problem
	isAverages bool // of steps: what ails the run is told by them too, so that they are not left out where there are samples
}

func (s *fileSet) addListed(d *directory, l *discover.Listing) {
	s.watch(d, l.Dirs)
	s.pollResized(d, l)
	s.noteSkipped(d, l)
	s.readStates(d, l)
	if slices.Equal(l.Files, d.Listed) {
		return
	}
	d.Listed, s.reading.schedule.lastNews = l.Files, time.Now()
	d.twins.list(s.formats, d, l.Files)
	s.leaveOut(d)
	chosen, notes := discover.Choose(l.Files, s.options.Split)
	s.chunks.addNotes(notes)
	keep := setOf(chosen)
	for _, f := range s.reading.files { // better ones were added
		if f.disk != nil && f.directory == d && !keep[f.disk.Path] && !f.refused && slices.Contains(d.Listed, f.disk.Path) {
			s.reading.restart(f)
			f.refused = true
		}
	}
	if !l.Truncated {
		s.noteGone(d, l)
	}
	s.findStepFolders(d, chosen)
	for _, rel := range chosen {
		if s.byPath[d.key(rel)] != nil {
			continue
		}
		f := s.addFile(d.file(rel), joinName(d.Prefix, rel))
		f.directory, f.stepName = d, d.steps.name(d.Prefix, rel)
		if f.stepName != f.name {
			s.chunks.runs.joinVersions(f.name)
		}
		if info := l.Infos[rel]; info != nil {
			f.disk.Size = info.Size()
		}
		s.reading.bytes.total += f.disk.Size
	}
	s.watchCopies(d)
	if l.Truncated && !d.truncationNoted {
		d.truncationNoted = true
		why := fmt.Sprintf("not all of it is read: at most %d files, %d directories deep; give the directory of one run",
			s.options.MaxFiles, discover.MaxDepth)
		s.chunks.addProblem(model.Problem{File: d.shown, Reason: why})
	}
}

// findStepFolders finds folders of steps on this machine. Files in them that were read before tell another step now.
func (s *fileSet) findStepFolders(d *directory, files []string) {
	disk, here := d.onDisk()
	if !here || len(s.formats) == 1 {
		return
	}
	if d.steps == nil {
		d.steps = stepFolders{}
	}
	if len(d.steps.find(disk, d.Path, files)) == 0 {
		return
	}
	for _, f := range s.reading.files {
		if f.directory != d || f.disk == nil {
			continue
		}
		if name := d.steps.name(d.Prefix, f.disk.Path); name != f.stepName {
			f.stepName = name
			s.chunks.runs.joinVersions(f.name)
			s.reading.restart(f)
			s.reading.enqueue(f)
		}
	}
}

// onDisk returns the disk of the directory, if it is on this machine.
func (d *directory) onDisk() (disk *fileio.Disk, here bool) {
	disk, here = d.Storage.(*fileio.Disk)
	return disk, here
}

func (d *directory) file(rel string) fileio.File {
	return fileio.File{Storage: d.Storage, Root: d.Path, Path: rel}
}

func (d *directory) key(rel string) string {
	f := d.file(rel)
	return f.Key()
}

// watch watches the directories of a listing, with empty ones, to which files may be added. A new one is listed once more: what was added
// to it before it was watched is in no event.
func (s *fileSet) watch(d *directory, dirs []string) {
	wasListed := len(d.Dirs) > 0
	d.Dirs = dirs
	if !fileio.IsHere(d.Storage) {
		return
	}
	for _, dir := range dirs {
		if s.reading.schedule.watcher.add(filepath.Join(d.Path, dir)) && wasListed {
			s.reading.schedule.list.soon()
		}
	}
}

// pollResized polls the files of a listing that have another size than when they were read, before it
// is their turn. Files elsewhere are queued by what the listing says of them: to ask for each is a request.
func (s *fileSet) pollResized(d *directory, l *discover.Listing) {
	for _, rel := range l.Files {
		f, info := s.byPath[d.key(rel)], l.Infos[rel]
		switch {
		case f == nil || f.disk.Info == nil || info == nil:
		case f.disk.IsHere():
			if f.disk.Size != info.Size() {
				s.reading.pollFile(f)
			}
		case !f.queued && f.disk.Differs(info) && !time.Now().Before(f.retryAt):
			s.reading.schedule.lastNews = time.Now()
			s.reading.enqueue(f)
		}
	}
}

// noteSkipped notes, once, what in a directory is not looked into, and which other files are in one
// without logs.
func (s *fileSet) noteSkipped(d *directory, l *discover.Listing) {
	notes := l.Skipped()
	if len(l.Files) == 0 {
		unread := l.KnownUnread()
		if kinds := otherKinds(l); len(unread) == 0 && kinds != "" {
			unread = []string{"files that are not logs (" + kinds + ")"}
		}
		notes = append(notes, unread...)
	}
	if !slices.Equal(notes, d.lastNotes) {
		d.lastNotes = notes
		s.chunks.addNotes(notes)
	}
}

// noteGone notes which files that were read are not there any more.
func (s *fileSet) noteGone(d *directory, l *discover.Listing) {
	listed := setOf(l.Files)
	for _, f := range s.reading.files {
		if f.directory != d || f.gone != listed[f.disk.Path] {
			continue
		}
		f.gone, s.attempts.changed = !f.gone, true
		if !f.gone {
			s.gone = slices.DeleteFunc(s.gone, func(g *file) bool { return g == f })
			f.failures, f.retryAt = 0, time.Time{} // it is back
			s.reading.pollFile(f)
			continue
		}
		s.gone = append(s.gone, f)
		s.dropIfRenamed(f, listed)
		s.takeCopiesOf(f)
	}
}

func setOf(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

// otherKinds returns the first extensions of the files of a listing that are no logs.
func otherKinds(l *discover.Listing) string {
	kinds := slices.Sorted(maps.Keys(l.Other))
	return strings.Join(kinds[:min(5, len(kinds))], " ")
}

// directoryHint says what a directory holds instead of logs, and how to make trainers write them.
func directoryHint(d *directory, l *discover.Listing) string {
	if trackio.Is(d.Storage) {
		return trackio.HowWritten
	}
	notes := l.Skipped()
	if kinds := otherKinds(l); kinds != "" {
		n := 0
		for _, count := range l.Other {
			n += count
		}
		notes = append(notes, fmt.Sprintf("it has %s (%s)", units.Plural(n, "other files"), kinds))
	}
	const usual = "verl writes them with trainer.rollout_data_dir=DIR, TRL with log_completions=True, ms-swift " +
		"with --log_completions true; `vantage list formats` lists them all"
	return strings.Join(append(append(notes, l.KnownUnread()...), cmp.Or(whereSamplesAre(d, l), usual)), "; ")
}

// TensorBoard's and W&B's files hold averages under the trainer's own names, not packed. These say whose run it is, and so
// where its samples are.

// metricsHead is how much of such a file is searched: W&B puts the configuration of the run before its first averages.
const metricsHead = 256 << 10

// tensorBoardMark is near the start of TensorBoard's event files, wandbMark at the start of W&B's run files.
const (
	tensorBoardMark = "brain.Event:"
	wandbMark       = ":W&B"
)

// whyMetrics is whyUnreadable for a file of metrics with these first bytes. what is "" if it is none.
func whyMetrics(first []byte, file io.ReaderAt) (what, do string) {
	switch {
	case bytes.HasPrefix(first, []byte(wandbMark)):
		what = "is a W&B run file, which holds averages of steps"
		do = "tables of samples are in the folder files/media/table next to it: open that, if it is there"
	case bytes.Contains(first[:min(len(first), 40)], []byte(tensorBoardMark)):
		what = "is a TensorBoard file, which holds averages of steps"
		do = "`vantage list formats` lists how each trainer writes its samples"
	default:
		return "", ""
	}
	return what, cmp.Or(samplesBeside(file), do)
}

func samplesBeside(averages io.ReaderAt) string {
	head := make([]byte, metricsHead)
	n, _ := averages.ReadAt(head, 0)
	return formats.WhereSamplesAre(head[:n])
}

// whereSamplesAre says where the samples are of whose averages a directory has, "" if nothing in it tells.
func whereSamplesAre(d *directory, l *discover.Listing) string {
	for _, rel := range l.Averages {
		f := d.file(rel)
		h, _, err := f.Open()
		if err != nil {
			continue
		}
		where := samplesBeside(h)
		_ = h.Close()
		if where != "" {
			return where
		}
	}
	if len(l.States) > 0 {
		return discover.StateName + " holds averages of steps; " + formats.WhereSamplesOfStateAre()
	}
	return ""
}

// TRL's completions hold a column per reward function, and beside them whatever log_extra adds; and an
// evaluation is written over the training rows of its step. Which are which says trainer_state.json: the
// mean of each reward function is logged as rewards/NAME/mean, and figures of an evaluation as eval_*.
// It is read if it lies within the opened directory.

// trainerState is what the newest trainer_state.json of a run says. transformers writes one into each
// checkpoint, with the figures of all steps so far.
type trainerState struct {
	newest    discover.StateFile // when it was read
	file      discover.StateFile // that was read: an early checkpoint may have logged nothing
	rewards   []string           // names of the reward functions
	evaluated map[int64]bool     // steps with eval_* figures
}

type rewardFunctions struct {
	names []string
	from  string // the first file that told names
}

// The bounds of what is read of trainer_state.json: 20,000 steps have 32 MB. Of a larger one the
// beginning counts.
const (
	maxStateBytes      = 32 << 20
	maxRewardFunctions = 64
)

// readStates reads the newest trainer_state.json of each run of a directory, unless it was read before.
// One that is being written is read again when it has changed.
func (s *fileSet) readStates(d *directory, l *discover.Listing) {
	runs := map[string][]discover.StateFile{}
	for _, f := range l.States {
		runs[f.OutputDir()] = append(runs[f.OutputDir()], f)
	}
	for run, files := range runs {
		slices.SortStableFunc(files, func(a, b discover.StateFile) int { return a.Modified.Compare(b.Modified) })
		newest := files[len(files)-1]
		isIn := func(name string) bool { return strings.HasPrefix(name, run+string(filepath.Separator)) }
		if d.states[run].newest == newest || run != "." && !slices.ContainsFunc(l.Files, isIn) {
			continue // nothing new, or no logs in the output directory
		}
		if d.states == nil {
			d.states = map[string]trainerState{}
		}
		s.chunks.evaluations.Changed = true
		d.states[run] = trainerState{newest: newest, file: newest}
		for _, f := range slices.Backward(files[max(0, len(files)-maxStatesRead):]) { // the last that has logged something
			state := trainerState{newest: newest, file: f, evaluated: map[int64]bool{}}
			if scalars.EachLogged(s.readState(d, f), state.readEntry); len(state.rewards)+len(state.evaluated) > 0 {
				d.states[run] = state
				break
			}
		}
	}
	s.takeRewardNames()
}

// maxStatesRead is how many states of a run are read if the newest has logged nothing of use.
const maxStatesRead = 3

func (s *fileSet) readState(d *directory, state discover.StateFile) []byte {
	f := d.file(state.Path)
	f.Fault = s.options.faults
	h, info, err := f.Open()
	if err != nil {
		return nil
	}
	defer func() { _ = h.Close() }()
	text := make([]byte, min(info.Size(), maxStateBytes))
	n, err := h.ReadAt(text, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil
	}
	return text[:n]
}

// readEntry takes what is needed of an entry of log_history, or of as much as there is of it: the figures of one log call, and its step,
// {"loss": …, "rewards/correct/mean": …, "step": 4} or {"eval_reward": …, "step": 4}.
func (t *trainerState) readEntry(entry []byte) {
	step, hasStep, evaluated := 0.0, false, false
	_ = jsonscan.ScanObject(entry, func(key, v jsonscan.Value) {
		switch name := string(key.Raw); {
		case strings.HasPrefix(name, "eval_"):
			evaluated = true
		case strings.HasPrefix(name, "rewards/"): // rewards/NAME/mean
			reward, ok := strings.CutSuffix(strings.TrimPrefix(string(jsonscan.AppendUnescaped(nil, key.Raw)), "rewards/"), "/mean")
			if ok && reward != "" && len(t.rewards) < maxRewardFunctions && !slices.Contains(t.rewards, reward) {
				t.rewards = append(t.rewards, reward)
			}
		case name == "step":
			step, hasStep = v.ToFloat()
		}
	})
	if evaluated && hasStep {
		t.evaluated[int64(step)] = true
	}
}

// takeRewardNames takes the names of the reward functions of all runs. The file that is named for them
// stays the same while the names do.
func (s *fileSet) takeRewardNames() {
	var all rewardFunctions
	for _, d := range s.directories {
		for _, run := range slices.Sorted(maps.Keys(d.states)) {
			state := d.states[run]
			if len(state.rewards) > 0 {
				all.from = cmp.Or(all.from, joinName(d.Prefix, state.file.Path))
			}
			for _, name := range state.rewards {
				if len(all.names) < maxRewardFunctions && !slices.Contains(all.names, name) {
					all.names = append(all.names, name)
				}
			}
		}
	}
	if !slices.Equal(all.names, s.rewards.names) {
		s.rewards = all
	}
}

// trainerStateOf returns what trainer_state.json says of the run of a file: TRL keeps its completions in a
// folder of the run's. Nothing outside of the opened directory is looked at.
func trainerStateOf(f *file) (trainerState, bool) {
	if f.disk == nil || f.directory == nil {
		return trainerState{}, false
	}
	dir := filepath.Dir(f.disk.Path)
	for _, run := range []string{dir, filepath.Dir(dir)} {
		if state, ok := f.directory.states[run]; ok {
			return state, true
		}
	}
	return trainerState{}, false
}
