package loaders

import (
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vantage/loaders/discover"
	"vantage/loaders/fileio"
	"vantage/loaders/jsonscan"
)

// maxStateBytes bounds a trainer_state.json that is read: 50,000 steps have 50 MB.
const maxStateBytes = 128 << 20

// trainerState is what the newest trainer_state.json of a run says. transformers writes one into each
// checkpoint, with the figures of all steps so far.
type trainerState struct {
	file      discover.StateFile
	evaluated map[int64]bool // steps with eval_* figures
}

// readTrainerStates reads the newest trainer_state.json of each run of a listing, unless it was read
// before. One that is being written is read when it has changed.
func (s *Source) readTrainerStates(d *directory, l *discover.Listing) {
	newest := map[string]discover.StateFile{}
	for _, f := range l.States {
		if old, ok := newest[f.OutputDir()]; !ok || f.Modified.After(old.Modified) {
			newest[f.OutputDir()] = f
		}
	}
	for run, f := range newest {
		run = filepath.Join(d.Path, run)
		if old, ok := s.states[run]; ok && old.file == f {
			continue
		}
		state := trainerState{file: f}
		if text := readState(d.Path, f.Path); text != nil {
			state.read(text)
		}
		if s.states == nil {
			s.states = map[string]trainerState{}
		}
		s.states[run], s.chunks.evaluations.unjudged = state, true
	}
}

// readState returns the text of a state, nil if it is too large or cannot be read now.
func readState(root, name string) []byte {
	h, info, err := (&fileio.File{Root: root, Path: name}).Open()
	if err != nil {
		return nil
	}
	defer func() { _ = h.Close() }()
	if info.Size() > maxStateBytes {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(h, maxStateBytes))
	if err != nil {
		return nil
	}
	return text
}

// read takes what is needed of a state's text. Each entry of log_history has the figures of one log
// call, and its step: {"loss": …, "reward": …, "step": 4}, {"eval_reward": …, "step": 4}.
func (t *trainerState) read(text []byte) {
	t.evaluated = map[int64]bool{}
	_ = jsonscan.ScanObject(jsonscan.TrimByteOrderMark(text), func(key, v jsonscan.Value) {
		if string(key.Raw) == "log_history" {
			v.EachElement(t.addEntry)
		}
	})
}

// addEntry takes an entry of log_history.
func (t *trainerState) addEntry(entry jsonscan.Value) {
	step, evaluated := 0.0, false
	entry.EachField(func(key, v jsonscan.Value) {
		switch name := string(key.Raw); {
		case name == "step":
			step, _ = v.ToFloat()
		case strings.HasPrefix(name, "eval_"):
			evaluated = true
		}
	})
	if evaluated {
		t.evaluated[int64(step)] = true
	}
}

// stateOf returns what trainer_state.json says of the run of a file: TRL keeps its completions in a
// folder of the run's. Nothing outside of the opened directory is looked at.
func (s *Source) stateOf(f *file) (trainerState, bool) {
	if f.disk == nil || f.directory == nil {
		return trainerState{}, false
	}
	dir := filepath.Dir(filepath.Join(f.disk.Root, f.disk.Path))
	for _, run := range slices.Compact([]string{dir, filepath.Dir(dir)}) {
		if state, ok := s.states[run]; ok {
			return state, true
		}
	}
	return trainerState{}, false
}

// isOlderThan reports whether a file was written after the state, which then does not speak of it.
// File systems count time in ticks.
func (t trainerState) isOlderThan(modified time.Time) bool {
	return modified.After(t.file.Modified.Add(discover.ClockTick))
}
