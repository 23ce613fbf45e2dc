package loaders

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"vantage/loaders/decode"
	"vantage/loaders/discover"
	"vantage/loaders/fileio"
)

// Folders that are only a number are mostly runs of a sweep. They are the steps of one run if their samples are: 7/rollouts.jsonl,
// 8/rollouts.jsonl.

// stepFolders are the folders of a directory that are parted into steps, by their paths, with how many parts they had when that was found
// out.
type stepFolders map[string]stepFolder

type stepFolder struct {
	parts    int
	areSteps bool
}

// find looks at folders with parts that are new, and returns those of which it turns out that they are steps.
func (all stepFolders) find(disk *fileio.Disk, path string, files []string) (found []string) {
	parts := map[string][]string{} // the first file of each part
	for _, rel := range files {
		dir := filepath.Dir(rel)
		above := filepath.Dir(dir)
		isNew := len(parts[above]) == 0 || filepath.Dir(parts[above][len(parts[above])-1]) != dir
		if decode.IsDigits(filepath.Base(dir)) && isNew {
			parts[above] = append(parts[above], rel)
		}
	}
	for above, firsts := range parts {
		before := all[above]
		if before.areSteps || before.parts == len(firsts) {
			continue
		}
		root, err := disk.OpenRoot(path)
		if err != nil {
			return found
		}
		are := areSteps(disk, root, firsts)
		_ = root.Close()
		if all[above] = (stepFolder{len(firsts), are}); are {
			found = append(found, above)
		}
	}
	return found
}

// name returns the name of a file for whoever reads its step there.
func (all stepFolders) name(prefix, rel string) string {
	dir, base := filepath.Split(rel)
	dir = filepath.Clean(dir)
	if above := filepath.Dir(dir); decode.IsDigits(filepath.Base(dir)) && all[above].areSteps {
		rel = filepath.Join(above, "step_"+filepath.Base(dir), base)
	}
	return joinName(prefix, rel)
}

// areSteps reports whether folders, of each a log, are steps of one run: the first steps in some of them are as far apart as their numbers,
// or no sample tells its step and the numbers are even. Formats with folders of versions read these themselves.
func areSteps(disk *fileio.Disk, root *os.Root, logs []string) bool {
	slices.SortFunc(logs, discover.CompareNatural)
	var numbers []int64
	for _, log := range logs {
		n, err := strconv.ParseInt(filepath.Base(filepath.Dir(log)), 10, 64)
		if err != nil {
			return false
		}
		numbers = append(numbers, n)
	}
	if len(numbers) < 2 {
		return false
	}
	var apart []int64
	stepless := 0
	looked := slices.Compact([]int{0, len(numbers) / 2, len(numbers) - 1})
	for _, i := range looked {
		s, err := sniff(disk, root, filepath.ToSlash(logs[i]))
		switch {
		case err != nil || !s.first.known || s.Format.VersionFolders:
			return false
		case s.first.stepless:
			stepless++
		default:
			apart = append(apart, s.first.step-numbers[i])
		}
	}
	if stepless == len(looked) {
		return areEven(numbers)
	}
	return stepless == 0 && len(slices.Compact(apart)) == 1
}

// areEven reports whether numbers, three or more, mostly rise by the same: a step may be missing.
func areEven(numbers []int64) bool {
	const least, mostly = 3, 2.0 / 3
	usual, gaps := int64(0), map[int64]int{}
	for i := 1; i < len(numbers); i++ {
		gap := numbers[i] - numbers[i-1]
		if gaps[gap]++; usual == 0 || gap < usual {
			usual = gap
		}
	}
	return len(numbers) >= least && usual > 0 && float64(gaps[usual]) >= mostly*float64(len(numbers)-1)
}
