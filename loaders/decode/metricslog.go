package decode

import (
	"strings"

	"vantage/loaders/jsonscan"
)

// A refusal of a log of metrics repeats so many of its averages, as a person asks for
// those first.
const maxAverages = 4

// averages are the figures of rewards in a row of metrics, as "name value".
func averages(line []byte) []string {
	var all []string
	var look func(prefix string) func(key, v jsonscan.Value)
	look = func(prefix string) func(key, v jsonscan.Value) {
		return func(key, v jsonscan.Value) {
			name := prefix + string(key.Text())
			switch {
			case v.Kind == jsonscan.Object && len(prefix) < jsonscan.MaxQuote:
				_ = jsonscan.ScanObject(v.Raw, look(strings.TrimPrefix(name+"/", "data/")))
			case v.Kind == jsonscan.Number && len(all) < maxAverages && isAverage(name):
				all = append(all, string(jsonscan.Clip([]byte(name), jsonscan.MaxQuote))+" "+string(v.Raw))
			}
		}
	}
	_ = jsonscan.ScanObject(line, look(""))
	return all
}

// isAverage knows the names that trainers give to averages of rewards.
func isAverage(name string) bool {
	if !strings.Contains(name, "reward") && !strings.Contains(name, "score") {
		return false
	}
	for _, end := range []string{"/max", "/min", "/std", "_max", "_min", "_std"} {
		if strings.HasSuffix(name, end) {
			return false
		}
	}
	return !strings.HasPrefix(name, "timing") && !strings.HasPrefix(name, "perf")
}

// MetricsRefusal says what a log of metrics holds, by its last row, and how to get samples.
func MetricsRefusal(line []byte) string {
	text := "metrics only, no samples: it holds averages of steps"
	if all := averages(line); len(all) > 0 {
		text += " (last: " + strings.Join(all, ", ") + ")"
	}
	return text + "; needed is one row per sample, which verl writes with trainer.rollout_data_dir=DIR: `vantage formats` says it of all trainers"
}
