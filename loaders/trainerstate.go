package loaders

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vantage/loaders/discover"
	"vantage/loaders/jsonscan"
)

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

// rewardFunctions are the names of the reward functions of all runs.
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
func (s *Source) readStates(d *directory, l *discover.Listing) {
	runs := map[string][]discover.StateFile{}
	for _, f := range l.States {
		runs[f.OutputDir()] = append(runs[f.OutputDir()], f)
	}
	for run, files := range runs {
		slices.SortStableFunc(files, func(a, b discover.StateFile) int { return a.Modified.Compare(b.Modified) })
		newest := files[len(files)-1]
		if d.states[run].newest == newest || !hasLogs(l, run) {
			continue
		}
		if d.states == nil {
			d.states = map[string]trainerState{}
		}
		d.states[run], s.chunks.evaluations.unjudged = s.readNewestState(d, files), true
	}
	s.takeRewardNames()
}

// hasLogs reports whether there are logs in the output directory of a run.
func hasLogs(l *discover.Listing, run string) bool {
	return run == "." || slices.ContainsFunc(l.Files, func(name string) bool { return strings.HasPrefix(name, run+string(filepath.Separator)) })
}

// maxStatesRead is how many states of a run are read if the newest has logged nothing of use.
const maxStatesRead = 3

// readNewestState reads the last of the files that has logged something.
func (s *Source) readNewestState(d *directory, files []discover.StateFile) trainerState {
	newest := files[len(files)-1]
	for _, f := range slices.Backward(files[max(0, len(files)-maxStatesRead):]) {
		state := trainerState{newest: newest, file: f, evaluated: map[int64]bool{}}
		if state.read(s.readState(d, f)); len(state.rewards)+len(state.evaluated) > 0 {
			return state
		}
	}
	return trainerState{newest: newest, file: newest}
}

// readState returns the beginning of a state's text, nil if it cannot be read now.
func (s *Source) readState(d *directory, f discover.StateFile) []byte {
	at := d.disk(f.Path)
	at.Fault = s.options.faults
	h, info, err := at.Open()
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

// read takes what is needed of a state's text. Each entry of log_history has the figures of one log
// call, and its step: {"loss": …, "rewards/correct/mean": …, "step": 4}, {"eval_reward": …, "step": 4}.
// The entries are read one by one, since the text may be cut.
func (t *trainerState) read(text []byte) {
	_, history, _ := bytes.Cut(text, []byte(`"log_history"`))
	entries := jsonscan.Scanner{Data: history}
	for _, want := range []byte(":[") {
		if entries.SkipSpace(); entries.Peek() != want {
			return
		}
		entries.Pos++
	}
	for entries.SkipSpace(); entries.Peek() == '{'; entries.SkipSpace() {
		from := entries.Pos
		if _, err := entries.Value(); err != nil {
			t.readEntry(history[from:])
			return
		}
		t.readEntry(history[from:entries.Pos])
		if entries.SkipSpace(); entries.Peek() == ',' {
			entries.Pos++
		}
	}
}

// readEntry takes an entry of log_history, or as much as there is of it.
func (t *trainerState) readEntry(entry []byte) {
	step, hasStep, evaluated := 0.0, false, false
	_ = jsonscan.ScanObject(entry, func(key, v jsonscan.Value) {
		switch name := string(key.Raw); {
		case strings.HasPrefix(name, "eval_"):
			evaluated = true
		case strings.HasPrefix(name, "rewards/"):
			t.addReward(key.Raw)
		case name == "step":
			step, hasStep = v.ToFloat()
		}
	})
	if evaluated && hasStep {
		t.evaluated[int64(step)] = true
	}
}

// addReward adds the reward function of a key, if it is rewards/NAME/mean.
func (t *trainerState) addReward(key []byte) {
	name, ok := strings.CutSuffix(strings.TrimPrefix(string(jsonscan.AppendUnescaped(nil, key)), "rewards/"), "/mean")
	if ok && name != "" && len(t.rewards) < maxRewardFunctions && !slices.Contains(t.rewards, name) {
		t.rewards = append(t.rewards, name)
	}
}

// takeRewardNames takes the names of the reward functions of all runs. The file that is named for them
// stays the same while the names do.
func (s *Source) takeRewardNames() {
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

// isOlderThan reports whether a file was written after the state, which then does not speak of it.
// File systems count time in ticks.
func (t trainerState) isOlderThan(modified time.Time) bool {
	return modified.After(t.file.Modified.Add(discover.ClockTick))
}
