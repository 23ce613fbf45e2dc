package decode

import (
	"path/filepath"
	"strconv"
	"strings"
)

// stepFromPath reads a step from the name of a file, or else from that of the nearest directory:
// 12.jsonl, train_data_step12.jsonl, iteration_000012/rows.jsonl. The name of a directory that is
// only a number may mean anything (verifiers takes 8 hex digits), so it does not count.
func stepFromPath(path string) (step int64, ok bool) {
	if step, ok := StepFromNumberedFile(path); ok {
		return step, true
	}
	parts := strings.Split(filepath.ToSlash(path), "/")
	for i := len(parts) - 1; i >= 0; i-- {
		if step, ok := StepFromWord(strings.ToLower(parts[i])); ok {
			return step, true
		}
	}
	return 0, false
}

// StepFromNumberedFile reads the step of verl's {step}.jsonl.
func StepFromNumberedFile(path string) (step int64, ok bool) {
	base := filepath.Base(path)
	base = strings.TrimSuffix(base, filepath.Ext(base))
	if !IsDigits(base) {
		return 0, false
	}
	step, err := strconv.ParseInt(base, 10, 64)
	return step, err == nil
}

// StepFromWord reads the number after "step" or "iteration" in a name in lower case.
func StepFromWord(name string) (step int64, ok bool) {
	for _, word := range []string{"step", "iteration"} {
		_, after, ok := strings.Cut(name, word)
		if !ok {
			continue
		}
		after = strings.TrimLeft(after, "_-")
		end := 0
		for end < len(after) && '0' <= after[end] && after[end] <= '9' {
			end++
		}
		if step, err := strconv.ParseInt(after[:end], 10, 64); err == nil {
			return step, true
		}
	}
	return 0, false
}

// IsDigits reports whether s is one decimal digit or more, and nothing else.
func IsDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
