package loaders

import (
	"encoding/json"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"vantage/loaders/discover"
	"vantage/loaders/fileio"
)

// TRL's completions hold a column per reward function, and beside them whatever log_extra adds. Which
// are which says trainer_state.json: the mean of each reward function is logged as rewards/NAME/mean.
// It is read if it lies within the opened directory.

// rewardFunctions are the names of the reward functions of all runs.
type rewardFunctions struct {
	names []string
	from  string // the first file that told names
}

// The bounds of what is read of trainer_state.json. A run repeats the names in each entry.
const (
	maxStateBytes      = 1 << 20
	maxRewardFunctions = 64
)

// readStates reads one trainer_state.json of each run of a directory that has not been read yet: the
// first is that of the output directory, or else of a checkpoint.
func (s *Source) readStates(d *directory, l *discover.Listing) {
	for _, rel := range l.States {
		run := runOfState(rel)
		if slices.Contains(d.runsWithState, run) || !slices.ContainsFunc(l.Files, func(name string) bool { return run == "." || strings.HasPrefix(name, run+string(filepath.Separator)) }) {
			continue
		}
		names := s.readRewardNames(d, rel)
		if len(names) == 0 {
			continue // an early checkpoint may have logged nothing
		}
		d.runsWithState = append(d.runsWithState, run)
		if s.rewards.from == "" {
			s.rewards.from = filepath.Join(d.Prefix, rel)
		}
		for _, name := range names {
			if len(s.rewards.names) < maxRewardFunctions && !slices.Contains(s.rewards.names, name) {
				s.rewards.names = append(s.rewards.names, name)
			}
		}
	}
}

// runOfState returns the output directory that a trainer_state.json is of.
func runOfState(rel string) string {
	dir := filepath.Dir(rel)
	if strings.HasPrefix(filepath.Base(dir), "checkpoint-") {
		dir = filepath.Dir(dir)
	}
	return dir
}

// rewardMean matches the key of the mean of a reward function. The file is searched rather than parsed:
// only its beginning is read, and Python writes NaN into it.
var rewardMean = regexp.MustCompile(`"rewards/((?:[^"\\]|\\.)+)/mean"\s*:`)

// readRewardNames returns the names of the reward functions in a trainer_state.json, none if it cannot
// be read.
func (s *Source) readRewardNames(d *directory, rel string) []string {
	f := fileio.File{Root: d.Path, Path: rel, Fault: s.options.faults}
	h, _, err := f.Open()
	if err != nil {
		return nil
	}
	defer func() { _ = h.Close() }()
	text, err := io.ReadAll(io.LimitReader(h, maxStateBytes))
	if err != nil {
		return nil
	}
	var names []string
	for _, found := range rewardMean.FindAllSubmatch(text, -1) {
		var name string
		if json.Unmarshal([]byte(`"`+string(found[1])+`"`), &name) == nil && !slices.Contains(names, name) {
			names = append(names, name)
		}
		if len(names) == maxRewardFunctions {
			break
		}
	}
	return names
}
