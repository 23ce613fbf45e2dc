package formats

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
)

// MaxKeys is how many keys or columns a refusal lists.
const MaxKeys = 12

// Refusal says why no format reads a record: what it is, and what it lacks.
func Refusal(record []byte) string {
	if last := lastAverages(record); last != nil {
		return AveragesRefusal(last)
	}
	if jsonscan.ScanObject(record, nil) != nil {
		return "no reward under a usual name; it begins with " + jsonscan.Quote(bytes.TrimSpace(record)) +
			"; --reward NAME names the reward column"
	}
	if last := lastLogged(record); last != nil {
		return averagesOnly(last) + "; " + WhereSamplesOfStateAre()
	}
	switch {
	case isATIF(record):
		return "an ATIF trajectory, which has no reward: Harbor writes the reward to result.json in the folder of the trial; open the " +
			"folder of the job"
	case IsMetrics(record):
		return AveragesRefusal(record)
	}
	var keys []string
	notSingle := ""
	more := 0
	fields := decode.UsualNames()
	_ = jsonscan.ScanObject(record, func(key, v jsonscan.Value) {
		p, ok := fields.Lookup(key.Raw)
		switch isReward := ok && p.Role == decode.RoleReward; {
		case isReward && (v.Kind == jsonscan.Array || v.Kind == jsonscan.Object):
			notSingle = "; " + jsonscan.Quote(key.Text()) + " holds more than one number"
		case isReward && v.Kind == jsonscan.String:
			notSingle = "; " + jsonscan.Quote(key.Text()) + " is the text " + jsonscan.Quote(v.Text())
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
	return "no reward field: the keys are " + found + notSingle + "; vantage needs a number under reward, score or total_reward, " +
		"or --reward NAME for another name"
}

// AveragesRefusal says of averages of a step what they are, and where the samples are.
func AveragesRefusal(record []byte) string {
	var names []byte // a line each
	EachMetric(record, func(name string, _ jsonscan.Value) { names = append(append(names, name...), '\n') })
	where := WhereSamplesAre(names)
	if where == "" {
		where = "vantage needs one row per sample: `vantage list formats` lists how each trainer writes them"
	}
	return averagesOnly(record) + "; " + where
}

// lastAverages returns the last row of a JSON document of averages, nil if it is another one.
func lastAverages(document []byte) (last []byte) {
	var rows Rows
	for row := range DocumentRows(document) {
		rows.Add(row)
		last = row
	}
	if !rows.AreAverages() || lastLogged(document) != nil {
		return nil
	}
	return last
}

// HasResponse reports whether a record has a field for the response of a model.
func HasResponse(record []byte) (yes bool) { return hasRole(record, decode.RoleResponse) }

// IsOfGroup reports whether a record names its prompt or its group: then it is a sample, and not the averages of a step.
func IsOfGroup(record []byte) bool { return hasRole(record, decode.RolePrompt, decode.RoleGroup) }

func hasRole(record []byte, roles ...decode.Role) (yes bool) {
	fields := decode.UsualNames()
	_ = jsonscan.ScanObject(record, func(key, v jsonscan.Value) {
		p, ok := fields.Lookup(key.Raw)
		yes = yes || ok && slices.Contains(roles, p.Role) && p.Role.Accepts(v)
	})
	return yes
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

func rewardAverages(record []byte) (averages []string) {
	EachMetric(record, func(name string, v jsonscan.Value) {
		if name = strings.TrimPrefix(name, "data/"); v.Kind == jsonscan.Number && len(averages) < maxAverages && isRewardAverage(name) {
			averages = append(averages, string(jsonscan.Clip([]byte(name), jsonscan.MaxQuote))+" "+string(v.Raw))
		}
	})
	return averages
}

// EachMetric visits the values of a record of metrics, objects too, with "critic/score/mean" for a name also where they are nested.
func EachMetric(record []byte, visit func(name string, v jsonscan.Value)) {
	var visitBelow func(prefix string) func(key, v jsonscan.Value)
	visitBelow = func(prefix string) func(key, v jsonscan.Value) {
		return func(key, v jsonscan.Value) {
			name := prefix + string(key.Text())
			visit(name, v)
			if len(prefix) < jsonscan.MaxQuote {
				v.EachField(visitBelow(name + "/"))
			}
		}
	}
	_ = jsonscan.ScanObject(record, visitBelow(""))
}

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

// metricsLog is what a trainer writes of the averages of its steps, whether as JSON lines, in a trainer_state.json, or
// for TensorBoard or W&B. It holds no samples, but it tells whose samples are missing.
type metricsLog struct {
	trainer string   // as a person calls it
	marks   []string // names of averages that only this trainer writes, with "/" between their parts; each of them is enough
	format  string   // of its samples, in All

	hasState bool // it writes a trainer_state.json
}

// metricsLogs returns the logs of metrics that are known, the more particular ones first: trainers that began as another
// still write its averages.
func metricsLogs() []metricsLog {
	return []metricsLog{
		// hiyouga/EasyR1@b44b311b6 verl/trainer/ray_trainer.py:631: each part of the reward, of which overall must be one.
		{trainer: "EasyR1", marks: []string{"reward/overall"}, format: "easyr1"},
		// alibaba/ROLL@8eb27cc2d roll/pipeline/rlvr/rlvr_pipeline.py:496.
		{trainer: "ROLL", marks: []string{"time/step_total"}, format: "roll"},
		// rllm-org/rllm@9beb6e0f676a rllm/trainer/algorithms/transform.py:155-163, and rllm/trainer/verl/agent_workflow_trainer.py:534-536
		// of its older trainer.
		{trainer: "rLLM", marks: []string{"/num_trajs_before_filter", "batch/solve_partial"}, format: "rllm"},
		// verl-project/verl@1dda039b9 verl/trainer/ppo/ray_trainer.py, verl/trainer/ppo/metric_utils.py.
		{trainer: "verl", marks: []string{"training/global_step", "critic/score/mean"}, format: "verl"},
		// NVIDIA-NeMo/RL nemo_rl/algorithms/grpo.py:3662.
		{trainer: "NeMo-RL", marks: []string{"token_mult_prob_error"}, format: "nemo-rl"},
		// NovaSky-AI/SkyRL@a9564572e skyrl/train/trainer.py.
		{trainer: "SkyRL", marks: []string{"reward/avg_raw_reward"}, format: "skyrl"},
		// PrimeIntellect-ai/prime-rl@559b44772 src/prime_rl/orchestrator/orchestrator.py:714-721, src/prime_rl/trainer/rl/train.py:653.
		{trainer: "prime-rl", marks: []string{"progress/total_rollouts", "perf/throughput_per_gpu"}, format: "prime-rl"},
		// tinker-cookbook 0.6.1 tinker_cookbook/rl/train.py.
		{trainer: "tinker-cookbook", marks: []string{"progress/done_frac"}, format: "tinker"},
		// OpenPipe/ART@779559fd0c68 src/art/local/backend.py:237-265, and the metrics that its documentation names of 2026.
		{trainer: "ART", marks: []string{"/exception_rate", "/reward_std_dev", "data/step_num_"}, format: "art"},
		// THUDM/slime@624b824a8 slime/backends/megatron_utils/model.py:902, slime/observability. miles logs the same.
		{trainer: "slime (or miles)", marks: []string{"rollout/raw_reward", "train_rollout_logprob_abs_diff"}, format: "slime"},
		// modelscope/ms-swift swift/trainers/patcher.py:17-31.
		{trainer: "ms-swift", marks: []string{"train_speed(", "global_step/max_steps"}, format: "ms-swift", hasState: true},
		// trl 1.16.0 trl/trainer/grpo_trainer.py:2296-2308, 2830.
		{trainer: "TRL", marks: []string{"frac_reward_zero_std", "completions/mean_length"}, format: "trl", hasState: true},
	}
}

// WhereSamplesAre says where the trainer writes its samples whose averages stand in text: names of metrics, or the
// bytes of a file that holds them as they are. It is "" if the trainer is not known by them.
func WhereSamplesAre(text []byte) string {
	for _, log := range metricsLogs() {
		for _, mark := range log.marks {
			if !bytes.Contains(text, []byte(mark)) {
				continue
			}
			if f, ok := Find(log.format); ok {
				return log.trainer + " writes samples, one row each, " + f.howWritten() + "; then run `" + f.Command() + "`"
			}
		}
	}
	return ""
}

// WhereSamplesOfStateAre is [WhereSamplesAre] for a run with a trainer_state.json: TRL and ms-swift write the same file, and
// the names that are ms-swift's own are not in it.
func WhereSamplesOfStateAre() string {
	var ways []string
	for _, log := range slices.Backward(metricsLogs()) {
		if !log.hasState {
			continue
		}
		if f, ok := Find(log.format); ok {
			ways = append(ways, log.trainer+" writes samples "+f.howWritten())
		}
	}
	return strings.Join(ways, ", ") + "; then run `vantage DIR`"
}

// byDefault is how the option begins of a trainer that need not be told.
const byDefault = "nothing: it writes them by default"

// howWritten says into which file samples of this format are written, and what must be set.
func (f *Format) howWritten() string {
	if where, ok := strings.CutPrefix(f.TrainerOption, byDefault); ok {
		return "to " + f.File + " by default" + where
	}
	return "to " + f.File + " with " + f.TrainerOption
}

// lastLogged returns what the trainer of a trainer_state.json logged last, nil if the record is no such file.
func lastLogged(record []byte) (last []byte) {
	fields, _ := jsonscan.Pluck(record, "log_history")
	if fields[0].Kind == jsonscan.Absent {
		return nil
	}
	last = []byte("{}")
	fields[0].EachElement(func(e jsonscan.Value) {
		if e.Kind == jsonscan.Object && rewardAverages(e.Raw) != nil {
			last = e.Raw
		}
	})
	return last
}
