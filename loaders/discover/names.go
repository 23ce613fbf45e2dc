package discover

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"vantage/loaders/decode"
)

// Split says which logs of a directory are read.
type Split string

// The splits. Training is the default; if there is only validation, that is read.
const (
	SplitTrain Split = "train"
	SplitVal   Split = "val"
	SplitAll   Split = "all"
)

// Choose returns the files of a split, each sample once, and notes on what it left out.
func Choose(files []string, split Split) (chosen []string, notes []string) {
	chosen, notes = withoutDuplicates(files)
	if split == SplitAll {
		return chosen, notes
	}
	var train, val []string
	for _, f := range chosen {
		if IsValidation(f) {
			val = append(val, f)
		} else {
			train = append(train, f)
		}
	}
	switch {
	case split == SplitVal && len(val) == 0:
		// TRL's and ms-swift's logs have the rows of evaluations among those of training: completions_00004.parquet, completions.jsonl,
		// and W&B's completions_4_8f14e45f.table.json
		return slices.DeleteFunc(train, func(f string) bool { return !strings.HasPrefix(filepath.Base(f), "completions") }), notes
	case split == SplitVal:
		return val, notes
	case len(train) == 0 && len(val) > 0:
		return val, append(notes, "training: as long as there is none, validation is read")
	case len(val) > 0:
		notes = append(notes, fmt.Sprintf("validation is not read: %s; --split val reads it instead", Summarize(val)))
	}
	return train, notes
}

// IsValidation reports whether the path of a log has a word for validation in it.
func IsValidation(name string) bool {
	words := strings.FieldsFunc(strings.ToLower(filepath.ToSlash(name)), func(r rune) bool { return !unicode.IsLetter(r) })
	return slices.ContainsFunc(words, func(w string) bool {
		switch w {
		case "eval", "evals", "evaluation", "val", "valid", "validation":
			return true
		}
		return false
	})
}

// withoutDuplicates leaves out files whose samples are in others too: prime-rl's all/ if there is
// effective/, and the raw page of a hosted export if there are its rows.
func withoutDuplicates(files []string) (kept []string, notes []string) {
	have := map[string]bool{}
	for _, f := range files {
		have[filepath.ToSlash(f)] = true
	}
	var all, raw []string
	for _, f := range files {
		dir, base := path.Split(filepath.ToSlash(f))
		switch {
		case path.Base(dir) == "all" && have[path.Join(path.Dir(path.Clean(dir)), "effective", base)]:
			all = append(all, f)
		case base == "rollouts_raw.json" && have[dir+"results.jsonl"]:
			raw = append(raw, f)
		default:
			kept = append(kept, f)
		}
	}
	if len(all) > 0 {
		notes = append(notes, fmt.Sprintf("counted once: %s, whose episodes effective/ holds as far as they were trained on", Summarize(all)))
	}
	if len(raw) > 0 {
		notes = append(notes, fmt.Sprintf("counted once: %s, whose samples results.jsonl holds too", Summarize(raw)))
	}
	return kept, notes
}

// Summarize returns the first of some files, and how many more there are.
func Summarize(files []string) string {
	if len(files) == 1 {
		return files[0]
	}
	return fmt.Sprintf("%s and %d more", files[0], len(files)-1)
}

// IsNumbered reports whether a run has many directories of such a name, which may share steps: one
// per step, with rows of the step before, or one per process. Directories that are only numbers are
// runs of a sweep or versions of the policy, which share no steps.
func IsNumbered(dir string) bool {
	dir = strings.ToLower(dir)
	if _, ok := decode.StepFromWord(dir); ok {
		return true
	}
	for _, word := range []string{"rank", "worker", "node", "shard"} {
		if rest, ok := strings.CutPrefix(dir, word); ok && decode.IsDigits(strings.TrimLeft(rest, "_-")) {
			return true
		}
	}
	return false
}
