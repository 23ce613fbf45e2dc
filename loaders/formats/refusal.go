package formats

import (
	"bytes"
	"fmt"
	"strings"

	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
)

// MaxKeys is how many keys or columns a refusal lists.
const MaxKeys = 12

// Refusal says why no format reads a record: what it is, and what it lacks.
func Refusal(record []byte) string {
	if jsonscan.ScanObject(record, nil) != nil {
		return "no reward under a usual name; it begins with " + jsonscan.Quote(bytes.TrimSpace(record)) + "; --reward NAME says which column is the reward"
	}
	if last := lastLogged(record); last != nil {
		return averagesOnly(last) + "; " + WhereSamplesOfStateAre()
	}
	switch {
	case isATIF(record):
		return atifRefusal
	case IsMetrics(record):
		return metricsRefusal(record)
	}
	var keys []string
	notSingle := ""
	more := 0
	fields := decode.UsualNames()
	_ = jsonscan.ScanObject(record, func(key, v jsonscan.Value) {
		if p, ok := fields.Lookup(key.Raw); ok && p.Role == decode.RoleReward && (v.Kind == jsonscan.Array || v.Kind == jsonscan.Object) {
			notSingle = "; " + jsonscan.Quote(key.Text()) + " holds more than one number"
		}
		if len(keys) == MaxKeys {
			more++
			return
		}
		keys = append(keys, jsonscan.Quote(key.Text()))
	})
	found := strings.Join(keys, ", ")
	if more > 0 {
		found += fmt.Sprintf(" and %d more", more)
	}
	if found == "" {
		found = "none"
	}
	return "no reward field: the keys are " + found + notSingle + "; vantage needs a number under reward, score or total_reward, or --reward NAME for another name"
}

// HasResponse reports whether a record has a field for the response of a model.
func HasResponse(record []byte) (yes bool) {
	fields := decode.UsualNames()
	_ = jsonscan.ScanObject(record, func(key, v jsonscan.Value) {
		p, ok := fields.Lookup(key.Raw)
		yes = yes || ok && p.Role == decode.RoleResponse && p.Role.Accepts(v)
	})
	return yes
}

// IsMetrics reports whether a record holds metrics of a step, not a sample: it has neither texts nor
// lists. A plain {"step": 1, "reward": 0.5} may be a sample, unless metrics of a training loop stand
// beside it.
func IsMetrics(record []byte) bool {
	var hasSample, hasLoop, hasReward bool
	keys := 0
	err := jsonscan.ScanObject(record, func(key, v jsonscan.Value) {
		keys++
		switch string(key.Raw) {
		case "loss", "lr", "learning_rate", "grad_norm", "current_steps", "total_steps":
			hasLoop = true
		case "prompt", "completion", "response", "input", "output":
			hasSample = true
		case "reward", "score", "total_reward", "rewards", "final_reward", "acc", "correct", "is_correct":
			hasReward = hasReward || v.Kind == jsonscan.Number || v.Kind == jsonscan.Bool || v.Kind == jsonscan.Null
		}
		hasSample = hasSample || v.Kind == jsonscan.Array || v.Kind == jsonscan.String && !hasLoop && !isTime(key)
	})
	switch {
	case err != nil || keys == 0:
		return false
	case hasLoop && !hasSample:
		return true
	default:
		return !hasSample && !hasReward
	}
}

// isTime reports whether a key is that of the time at which a record was written: ART's is recorded_at.
func isTime(key jsonscan.Value) bool {
	switch string(key.Raw) {
	case "recorded_at", "created_at", "timestamp", "time":
		return true
	}
	return false
}

// metricsRefusal says what a log of metrics holds, by its last record, and how to get samples.
func metricsRefusal(record []byte) string {
	where := WhereSamplesAre(metricNames(record))
	if where == "" {
		where = "vantage needs one row per sample: `vantage formats` says how each trainer writes them"
	}
	return averagesOnly(record) + "; " + where
}

func averagesOnly(record []byte) string {
	text := "metrics only, no samples: it holds averages of steps"
	if rewards := rewardAverages(record); len(rewards) > 0 {
		text += " (last: " + strings.Join(rewards, ", ") + ")"
	}
	return text
}

// maxAverages is how many averages a refusal repeats: they are what a person looks for first.
const maxAverages = 4

// rewardAverages returns the averages of rewards in a record of metrics, as "name value".
func rewardAverages(record []byte) []string {
	var averages []string
	var visit func(prefix string) func(key, v jsonscan.Value)
	visit = func(prefix string) func(key, v jsonscan.Value) {
		return func(key, v jsonscan.Value) {
			name := prefix + string(key.Text())
			switch {
			case v.Kind == jsonscan.Object && len(prefix) < jsonscan.MaxQuote:
				v.EachField(visit(strings.TrimPrefix(name+"/", "data/")))
			case v.Kind == jsonscan.Number && len(averages) < maxAverages && isRewardAverage(name):
				averages = append(averages, string(jsonscan.Clip([]byte(name), jsonscan.MaxQuote))+" "+string(v.Raw))
			}
		}
	}
	_ = jsonscan.ScanObject(record, visit(""))
	return averages
}

// isRewardAverage reports whether trainers give that name to an average of rewards.
func isRewardAverage(name string) bool {
	if !strings.Contains(name, "reward") && !strings.Contains(name, "score") {
		return false
	}
	for _, end := range []string{"/max", "/min", "/std", "_max", "_min", "_std", "_std_dev"} {
		if strings.HasSuffix(name, end) {
			return false
		}
	}
	return !strings.HasPrefix(name, "timing") && !strings.HasPrefix(name, "perf")
}
