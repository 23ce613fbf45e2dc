package commands

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vantage/internal/testkit/filetest"

	"github.com/parquet-go/parquet-go"
)

// The reader here shares nothing with the program: it knows where each log of the samples keeps its step, its group and its reward, and
// takes these with encoding/json, encoding/csv and the library for Parquet. What the program says of a log is held against its rows.

// rawRow is a sample as its trainer wrote it.
type rawRow struct {
	step          int64
	group, prompt string
	answer        string
	source        string
	reward        float64 // NaN if it is missing
	advantage     float64 // NaN if none is logged
	tokens        int     // 0 if the log has no count
	gap           float64 // mean difference of the log-probs of its tokens by sampler and trainer; 0 if they are not logged
	parts         map[string]float64
	cutOff        bool // its answer was
}

// rawLog is a log as its trainer wrote it.
type rawLog struct {
	path, args []string // what the commands are given
	name       string
	rows       []rawRow
	metrics    []string // files among the rows in which trainers log averages of each step
	evaluates  bool
	isOwn      *bool    // whether the advantages are none of its rewards; nil: it was not asked
	findings   []record // of the report, the worst first
	blind      int      // of how many kinds the report cannot tell
	grows      bool     // its last step is still being written
	nanAs0     bool     // its trainer counts what is no number as 0
	byPrompt   bool     // ids hold several prompts, so that the program takes the prompts for groups, and says so
}

// rawGroup is the samples of a group of a step.
type rawGroup struct {
	step int64
	name string
	rows []rawRow
}

// groups are those of steps first to last, in the order of the log.
func (l *rawLog) groups(first, last int64) []rawGroup {
	var all []rawGroup
	index := map[string]int{}
	for _, r := range l.rows {
		if r.step < first || r.step > last {
			continue
		}
		key := fmt.Sprint(r.step, "/", r.group)
		if l.byPrompt {
			key = fmt.Sprint(r.step, "/", r.prompt)
		}
		i, found := index[key]
		if !found {
			i = len(all)
			index[key] = i
			all = append(all, rawGroup{step: r.step, name: r.group})
		}
		all[i].rows = append(all[i].rows, r)
	}
	return all
}

// within are the rows of steps first to last.
func (l *rawLog) within(first, last int64) (rows []rawRow) {
	for _, r := range l.rows {
		if r.step >= first && r.step <= last {
			rows = append(rows, r)
		}
	}
	return rows
}

// steps are the numbers of all steps, ascending.
func (l *rawLog) steps() (all []int64) {
	for _, r := range l.rows {
		all = append(all, r.step)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// meanOf is the mean of what is a number of some rows, and of how many that is.
func meanOf(rows []rawRow, of func(*rawRow) float64) (mean float64, n int) {
	for i := range rows {
		if x := of(&rows[i]); !math.IsNaN(x) && !math.IsInf(x, 0) {
			mean += x
			n++
		}
	}
	return mean / float64(n), n
}

func rewardOf(r *rawRow) float64 { return r.reward }

func lengthOf(r *rawRow) float64 { return float64(r.tokens) }

// record is an object of JSON, or a row with names.
type record map[string]any

func (r record) text(key string) string {
	switch x := r[key].(type) {
	case string:
		return x
	case nil:
		return ""
	default:
		text, _ := json.Marshal(x)
		return string(text)
	}
}

// number is a value as a number; the sum of a list, as of the rewards of tokens; NaN if it is none.
func (r record) number(key string) float64 { return numberOf(r[key]) }

// gapOf is the mean difference of the log-probs of the tokens that train, of a row of NeMo-RL; 0 without any.
func gapOf(r record) float64 {
	list := func(key string) []any { // of a list of one
		outer, _ := r[key].([]any)
		if len(outer) == 0 {
			return nil
		}
		inner, _ := outer[0].([]any)
		return inner
	}
	sampler, trainer, sum, n := list("generation_logprobs"), list("prev_logprobs"), 0.0, 0.0
	for i, trains := range list("token_loss_mask") {
		if trains == 1.0 && i < min(len(sampler), len(trainer)) {
			sum, n = sum+math.Abs(numberOf(trainer[i])-numberOf(sampler[i])), n+1
		}
	}
	return sum / max(n, 1)
}

func numberOf(value any) float64 {
	switch x := value.(type) {
	case float64:
		return x
	case float32:
		return float64(x)
	case int64:
		return float64(x)
	case int32:
		return float64(x)
	case bool:
		return map[bool]float64{true: 1}[x]
	case string:
		if v, err := strconv.ParseFloat(x, 64); err == nil {
			return v
		}
	case []any:
		sum := 0.0
		for _, v := range x {
			sum += numberOf(v)
		}
		return sum
	}
	return math.NaN()
}

// in is an object within the object.
func (r record) in(keys ...string) record {
	for _, key := range keys {
		switch x := r[key].(type) {
		case map[string]any:
			r = x
		case []any:
			r, _ = x[0].(map[string]any)
		default:
			return record{}
		}
	}
	return r
}

// bareNaN is NaN as Python writes it, which is no JSON.
var bareNaN = regexp.MustCompile(`([:\[,]\s*)(NaN|-?Infinity)\b`)

// records are those of a file, by its ending.
func records(t *testing.T, path string) (all []record) {
	t.Helper()
	data := filetest.Read(t, path)
	switch filepath.Ext(path) {
	case ".csv":
		rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows[1:] {
			r := record{}
			for i, name := range rows[0] {
				r[name] = row[i]
			}
			all = append(all, r)
		}
	case ".parquet":
		file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		reader := parquet.NewReader(file)
		for {
			r := map[string]any{}
			if err := reader.Read(&r); err != nil {
				return all
			}
			all = append(all, r)
		}
	default:
		var err error
		if all, err = objects(data); err != nil {
			if all, err = objects(bareNaN.ReplaceAll(data, []byte(`$1"$2"`))); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
		}
	}
	return all
}

// objects are those of a text of JSON, one after the other.
func objects(data []byte) (all []record, err error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	for {
		r := record{}
		if err := decoder.Decode(&r); err == io.EOF {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
}

// columns are the rows of an object of columns.
func (r record) columns() (all []record) {
	for name, values := range r {
		list, _ := values.([]any)
		for i, v := range list {
			if i == len(all) {
				all = append(all, record{})
			}
			all[i][name] = v
		}
	}
	return all
}

var lastNumber = regexp.MustCompile(`(\d+)\D*$`)

// fileNumber is the last number in a path.
func fileNumber(path string) int64 {
	n, _ := strconv.ParseInt(lastNumber.FindStringSubmatch(path)[1], 10, 64)
	return n
}

// rawSample is where the rows of a log of the samples stand.
type rawSample struct {
	path, files string // what is opened, and the names of files below it that hold samples
	evaluates   bool
	read        func(path string, r record) []rawRow
}

// plain is a row of a record with these keys.
func plain(r record, step int64, group, prompt, answer, reward string) rawRow {
	return rawRow{step: step, group: r.text(group), prompt: r.text(prompt), answer: r.text(answer), reward: r.number(reward), advantage: r.number("advantage")}
}

func one(row rawRow) []rawRow { return []rawRow{row} }

// rawSamples are the logs of the samples, as their trainers write them.
func rawSamples() []rawSample {
	verl := func(_ string, r record) []rawRow {
		row := plain(r, int64(r.number("step")), "input", "input", "output", "score")
		if uid := r.text("uid"); uid != "" {
			row.group = strings.Join(strings.Split(uid, "_")[:1], "_")
		}
		return one(row)
	}
	verifiers := func(_ string, r record) []rawRow {
		row := plain(r, 0, "prompt", "prompt", "completion", "reward")
		row.group += r.text("answer") // one prompt may ask for several things
		if r.text("completion") == "[]" {
			row.answer = ""
		}
		return one(row)
	}
	hosted := func(_ string, r record) []rawRow {
		row := plain(r, int64(r.number("step")), "problem_id", "prompt", "completion", "reward")
		row.group += "/" + fmt.Sprint(int(r.number("sample_id"))/8) // a problem may come twice, in eights
		return one(row)
	}
	return []rawSample{
		{"areal", `\.jsonl$`, false, func(_ string, r record) []rawRow {
			return one(plain(r, int64(r.number("tail_version")), "task_id", "prompt", "completion", "reward"))
		}},
		{"ms-swift/SYNTHETIC_hf", `\.jsonl$`, false, func(_ string, r record) (rows []rawRow) {
			for _, c := range r.columns() {
				row := plain(c, int64(c.number("step")), "prompt", "prompt", "completion", "MathAccuracy")
				row.advantage = c.number("advantages")
				rows = append(rows, row)
			}
			return rows
		}},
		{"ms-swift/SYNTHETIC_ray", `\.jsonl$`, false, func(_ string, r record) []rawRow {
			return one(plain(r, int64(r.number("gen_step")), "prompt", "prompt", "completion", "reward"))
		}},
		{"nemo-rl", `train_data_step\d+\.jsonl$`, false, func(path string, r record) []rawRow {
			content := r["content"].([]any)[0].([]any)
			row := rawRow{step: fileNumber(path), prompt: content[0].(string), answer: content[1].(string), reward: r.number("rewards"), tokens: int(numberOf(r["token_loss_mask"]))}
			row.advantage = numberOf(r["advantages"].([]any)[0].([]any)[0])
			for _, of := range r["token_loss_mask"].([]any) {
				row.tokens = int(numberOf(of))
			}
			row.group, row.gap = row.prompt, gapOf(r)
			return one(row)
		}},
		{"open-instruct", `\.jsonl$`, false, func(_ string, r record) []rawRow {
			row := plain(r, int64(r.number("step")), "prompt_idx", "prompt_idx", "", "reward")
			row.tokens = len(r["response_tokens"].([]any))
			return one(row)
		}},
		{"prime-rl/SYNTHETIC_v1", `effective/traces\.jsonl$`, false, func(_ string, r record) []rawRow {
			trace := r.in("traces")
			row := rawRow{step: int64(r.in("run", "work").number("step")), group: r.in("group").text("id"), prompt: r.in("task", "data").text("prompt"), advantage: trace.in("info").number("advantage")}
			for name := range trace.in("rewards") {
				reward := trace.in("rewards", name)
				row.reward += reward.number("score") * reward.number("weight")
			}
			return one(row)
		}},
		{"prime-rl/hosted_training_samples/h4y9hb6fjom4xfbclitb2938", `results\.jsonl$`, false, hosted},
		{"prime-rl/hosted_training_samples/iiy65ubvx5xwke4dfb9vos64", `results\.jsonl$`, false, hosted},
		{"rllm", `episode_.*\.json$`, false, func(_ string, r record) []rawRow {
			row := plain(r, int64(r.number("training_step")), "task_hash", "", "", "")
			row.prompt, row.reward = r.in("task").text("question"), r.in("trajectories").number("reward")
			return one(row)
		}},
		{"roll", `\.jsonl$`, false, func(_ string, r record) (rows []rawRow) {
			for _, c := range r.columns() {
				rows = append(rows, plain(c, int64(c.number("global_step")), "id", "prompt", "responses", "scores"))
			}
			return rows
		}},
		{"skyrl", `openai_gsm8k\.jsonl$`, true, func(path string, r record) []rawRow {
			return one(plain(r, fileNumber(filepath.Dir(path)), "input_prompt", "input_prompt", "output_response", "score"))
		}},
		{"tinker-cookbook/SYNTHETIC", `\.jsonl$`, false, func(_ string, r record) []rawRow {
			row := plain(r, int64(r.number("iteration")), "group_idx", "", "", "total_reward")
			row.tokens = int(r.in("steps").number("ac_len"))
			return one(row)
		}},
		{"trl", `\.parquet$`, false, func(_ string, r record) []rawRow {
			return one(plain(r, int64(r.number("step")), "prompt", "prompt", "completion", "correctness_reward"))
		}},
		{"tunix", `\.csv$`, false, func(_ string, r record) []rawRow {
			return one(plain(r, int64(r.number("policy_version")), "group_id", "original_input", "conversation_text", "trajectory_reward"))
		}},
		{"unstable-baselines", `\.csv$`, false, func(path string, r record) []rawRow {
			return one(plain(r, fileNumber(filepath.Base(path)), "obs", "obs", "act", "reward"))
		}},
		{"verifiers/gsm8k--gpt-4.1-mini", `results\.jsonl$`, true, verifiers},
		{"verifiers/sv-env-network-logs--gpt-4.1-mini", `results\.jsonl$`, true, verifiers},
		{"verifiers/wiki-search--gpt-5", `results\.jsonl$`, true, verifiers},
		{"verifiers/wordle--gpt-4.1-mini", `results\.jsonl$`, true, verifiers},
		{"verl/SYNTHETIC_v0_dapo", `\.jsonl$`, false, verl},
		{"verl/SYNTHETIC_v1", `\.jsonl$`, false, verl},
		{"verl/verl_dev_1.jsonl", `\.jsonl$`, false, verl},
		{"wandb", `\.table\.json$`, false, func(_ string, r record) (rows []rawRow) {
			for _, values := range r["data"].([]any) {
				c := record{}
				for i, name := range r["columns"].([]any) {
					c[name.(string)] = values.([]any)[i]
				}
				row := plain(c, int64(c.number("step")), "prompt", "prompt", "completion", "step")
				row.reward, row.parts = 0, map[string]float64{}
				for _, name := range []string{"accuracy_reward", "format_reward"} {
					x := c.number(name)
					if row.parts[name] = x; !math.IsNaN(x) { // which TRL leaves out of the sum
						row.reward += x
					}
				}
				rows = append(rows, row)
			}
			return rows
		}},
	}
}

// namesMetrics are the names of files in which trainers log averages.
var namesMetrics = regexp.MustCompile(`trainer_state|metrics|tfevents`)

// readRaw reads a log of the samples.
func (s rawSample) readRaw(t *testing.T, samples string) *rawLog {
	t.Helper()
	l := &rawLog{name: s.path, path: []string{filepath.Join(samples, s.path)}, evaluates: s.evaluates}
	wanted := regexp.MustCompile(s.files)
	err := filepath.WalkDir(l.path[0], func(path string, entry os.DirEntry, err error) error {
		switch {
		case err != nil || entry.IsDir():
		case wanted.MatchString(path):
			for _, r := range records(t, path) {
				l.rows = append(l.rows, s.read(path, r)...)
			}
		case namesMetrics.MatchString(entry.Name()):
			l.metrics = append(l.metrics, path)
		}
		return err
	})
	if err != nil || len(l.rows) == 0 {
		t.Fatalf("%s: %v, %d rows", s.path, err, len(l.rows))
	}
	return l
}
