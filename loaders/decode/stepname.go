package decode

import (
	"path/filepath"
	"strconv"
	"strings"
)

// StepFromPath reads a step out of a file's name, else of the nearest directory's:
// 12.jsonl, train_data_step12.jsonl, iteration_000012/rows.jsonl. Names of
// directories that are only a number may be anything (verifiers takes 8 hex
// digits), so they do not count.
func StepFromPath(name string) (int64, bool) {
	if n, ok := StepFromNumberedFile(name); ok {
		return n, true
	}
	parts := strings.Split(filepath.ToSlash(name), "/")
	for i := len(parts) - 1; i >= 0; i-- {
		if n, ok := StepFromWord(strings.ToLower(parts[i])); ok {
			return n, true
		}
	}
	return 0, false
}

// StepFromNumberedFile reads verl's {step}.jsonl.
func StepFromNumberedFile(name string) (int64, bool) {
	base := filepath.Base(name)
	base = strings.TrimSuffix(base, filepath.Ext(base))
	if !IsDigits(base) {
		return 0, false
	}
	n, err := strconv.ParseInt(base, 10, 64)
	return n, err == nil
}

func StepFromWord(part string) (int64, bool) {
	for _, word := range []string{"step", "iteration"} {
		_, after, ok := strings.Cut(part, word)
		if !ok {
			continue
		}
		after = strings.TrimLeft(after, "_-")
		end := 0
		for end < len(after) && '0' <= after[end] && after[end] <= '9' {
			end++
		}
		if n, err := strconv.ParseInt(after[:end], 10, 64); err == nil {
			return n, true
		}
	}
	return 0, false
}
