package commands

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vantage/internal/testkit/filetest"
)

// The logs here are of runs in which something happened that only a key of some schema says.

// mixedRows are groups of four rows, by their advantages, that hold answers to two prompts in turn.
func mixedRows() string {
	var rows strings.Builder
	for step := 1; step <= 4; step++ {
		for group, rewards := range [][]float64{{1, 0, 0, 0}, {1, 1, 0, 0}, {1, 1, 1, 0}, {0, 1, 0, 0}} {
			mean := (rewards[0] + rewards[1] + rewards[2] + rewards[3]) / 4
			for i, reward := range rewards {
				fmt.Fprintf(&rows, `{"step":%d,"prompt":"%c%d of %d","response":"r%d","reward":%v,"advantage":%v}`+"\n", step, 'p'+rune(i%2), group, step, i, reward, reward-mean)
			}
		}
	}
	return rows.String()
}

// mixtureRows are of a trainer that divided by the std of the group (0.5 of these rewards, and eps 1e-6) from its fifth step on.
func mixtureRows() string {
	var rows strings.Builder
	for step := 1; step <= 8; step++ {
		for i, reward := range []float64{1, 0, 0, 0} {
			advantage := reward - 0.25
			if step > 4 {
				advantage /= 0.5 + 1e-6
			}
			fmt.Fprintf(&rows, `{"step":%d,"group_id":"a","prompt":"p%d","response":"r%d","reward":%v,"advantage":%v}`+"\n", step, step, i, reward, advantage)
		}
	}
	return rows.String()
}

// seldomLogs writes logs of seldom happenings, each under a name in the folder.
func seldomLogs(t *testing.T, dir string) {
	t.Helper()
	filetest.Write(t, filepath.Join(dir, "averages.jsonl"), `{"step": 1, "loss": 0.1, "fitness": 0.5}`+"\n")
	advantageLogs(t, dir)
	putRun(t, filepath.Join(dir, "rollouts", "1.jsonl"), rolloutRows(), time.Time{})
	putRun(t, filepath.Join(dir, "sizes", "one", "1.jsonl"), centredRows([]float64{1, 0, 0, 0}, []float64{1, 1, 1, 0}), time.Time{})
	putRun(t, filepath.Join(dir, "sizes", "two", "1.jsonl"), centredRows([]float64{1, 0}, []float64{3, 0}, []float64{2, 0}), time.Time{})
	filetest.Write(t, filepath.Join(dir, "wide.jsonl"), wideRows())
	filetest.Write(t, filepath.Join(dir, "alone.jsonl"), loggedRow(1, "a", 1, 0)+loggedRow(1, "a", 0, 0)+loggedRow(1, "b", 1, 0)) // b is refused by EasyR1
	filetest.Write(t, filepath.Join(dir, "twins.jsonl"), `{"step": 1, "prompt": "On 2026-11-22: what is 1 + 1?", "response": "2", "reward": 1}
{"step": 2, "prompt": "On 2026-11-23: what is  1 + 1?", "response": "2", "reward": 1}
`)
	filetest.Write(t, filepath.Join(dir, "away.jsonl"), awayRows())
	filetest.Write(t, filepath.Join(dir, "someprompts.jsonl"), `{"step": 1, "group_id": "a", "prompt": "p", "response": "r", "reward": 1}
{"step": 1, "group_id": "a", "prompt": "p", "response": "s", "reward": 0}
{"step": 1, "group_id": "b", "response": "r", "reward": 1}
{"step": 1, "group_id": "b", "response": "s", "reward": 0}
`)
	putRun(t, filepath.Join(dir, "evals", "eval_residue.jsonl"), strings.Repeat(`{"step":1,"prompt":"p","response":"r","reward":0.2,"created_at":"2026-05-15T14:28:29.186765+00:00","finish_reason":"length"}`+"\n", 16), time.Time{})
	filetest.Write(t, filepath.Join(dir, "mixed.jsonl"), mixedRows())
	filetest.Write(t, filepath.Join(dir, "mixture.jsonl"), mixtureRows())
	yesterday := time.Now().Add(-24 * time.Hour)
	for _, name := range []string{"again", "again too"} { // resumed at step 21
		at := yesterday
		for _, span := range [][2]int{{1, 40}, {21, 25}} {
			for step := span[0]; step <= span[1]; step++ {
				at = at.Add(time.Minute)
				putRun(t, filepath.Join(dir, name, fmt.Sprint(step, ".jsonl")), verlRows(step, span[0]), at)
			}
			at = at.Add(10 * time.Minute)
		}
	}
	for step := 1; step <= 40; step++ { // one file was touched
		putRun(t, filepath.Join(dir, "touched", fmt.Sprint(step, ".jsonl")), verlRows(step, 0), yesterday.Add(time.Duration(step)*time.Minute))
	}
	putRun(t, filepath.Join(dir, "touched", "17.jsonl"), verlRows(17, 0), yesterday.Add(5*time.Hour))
	type row struct {
		Step       int64   `parquet:"step"`
		Prompt     string  `parquet:"prompt"`
		Completion string  `parquet:"completion"`
		Accuracy   float64 `parquet:"accuracy"`
		Advantage  float64 `parquet:"advantage"`
	}
	for step := range int64(3) { // evaluated at step 2
		log := table(t, fmt.Sprintf("completions_%05d.parquet", step+1), []row{{step + 1, "p", "a", 1, 1}, {step + 1, "p", "b", 0, -1}})
		putRun(t, filepath.Join(dir, "evaluations", "completions", log.Name), log.Text, time.Time{})
	}
	putRun(t, filepath.Join(dir, "evaluations", "trainer_state.json"),
		`{"log_history": [{"reward": 0.5, "step": 1}, {"reward": 0.5, "step": 2}, {"eval_reward": 0.5, "step": 2}, {"reward": 0.5, "step": 3}], "global_step": 3}`, time.Time{})
}

// refusedRows are more steps of wrong answers than answers are read of.
func refusedRows() string {
	var text strings.Builder
	for step := 1; step <= 65; step++ {
		text.WriteString(loggedRow(step, "a", 0, 0) + loggedRow(step, "a", 0, 0))
	}
	return text.String()
}

// putRun writes a file in a folder, last written then if that is not zero.
func putRun(t *testing.T, path, text string, at time.Time) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	filetest.Write(t, path, text)
	if !at.IsZero() {
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
}

// wideRows are steps whose rows in a short answer are long, whatever the path of the log: large numbers, groups of many fates, and means of many digits.
func wideRows() string {
	var text strings.Builder
	for step := 1_000_000_000_000; step < 1_000_000_000_030; step++ {
		for g := range 120 {
			for i := range 3 {
				reward := []float64{0, 1, 0.3, float64(i) / 7}[g%4]
				if g == 7 && i > 0 {
					continue // a group of one
				}
				text.WriteString(loggedRow(step, fmt.Sprint("g", g), reward, 0))
			}
		}
	}
	return text.String()
}

// verlRows are the rows of a step in verl's dump.
func verlRows(step, start int) string {
	text := ""
	for i := range 4 {
		text += fmt.Sprintf(`{"input":"p%d","output":"o%d","gts":"g","score":%d,"step":%d}`+"\n", i/2, start, i%2, step)
	}
	return text
}

// rolloutRows are rows of verl's dump in which each rollout has two outputs.
func rolloutRows() string {
	text := ""
	for i := range 16 {
		text += fmt.Sprintf(`{"input":"p%d","output":"o","gts":"g","score":%d,"step":1,"uid":"u%d-x_%d_%d"}`+"\n", i/8, i/2%2, i/8, i/2%4, i%2)
	}
	return text
}

// loggedRow is a row with an advantage.
func loggedRow(step int, group string, reward, advantage float64) string {
	line, _ := json.Marshal(map[string]any{"step": step, "group_id": group, "prompt": "prompt " + group, "response": "so", "reward": reward, "advantage": advantage})
	return string(line) + "\n"
}

// centredRows are groups of one id, whose advantages are rewards less their mean.
func centredRows(groups ...[]float64) string {
	text := ""
	for _, rewards := range groups {
		for _, r := range rewards {
			text += loggedRow(1, "x", r, r-mean(rewards))
		}
	}
	return text
}

// advantageLogs writes logs for match: of two estimators, filtered, with rows missing, with groups of one id, and cut to a range.
func advantageLogs(t *testing.T, dir string) {
	t.Helper()
	var mixed, filtered, missing strings.Builder
	for step := 1; step <= 8; step++ {
		for g := range 6 {
			rewards := make([]float64, 8)
			for i := range rewards {
				rewards[i] = float64((7*step*step+11*g*g+5*i*i+3*step*g*i+i)%11) / 10
			}
			mu, sigma := mean(rewards), deviation(rewards)
			for i, r := range rewards {
				name, grpo, rloo := fmt.Sprint("g", g), (r-mu)/(sigma+1e-4), (r-mu)*8/7
				if step < 3 {
					mixed.WriteString(loggedRow(step, name, r, grpo))
				} else {
					mixed.WriteString(loggedRow(step, name, r, rloo))
				}
				if (step+g+i)%10 > 0 {
					missing.WriteString(loggedRow(step, name, r, grpo))
				}
				filtered.WriteString(loggedRow(step, name, r, max(0, (r-mu)/sigma))) // keep_neg_ratio 0
			}
		}
	}
	filetest.Write(t, filepath.Join(dir, "mixed.jsonl"), mixed.String())
	filetest.Write(t, filepath.Join(dir, "filtered.jsonl"), filtered.String())
	filetest.Write(t, filepath.Join(dir, "missing.jsonl"), missing.String())
	filetest.Write(t, filepath.Join(dir, "oneid.jsonl"), centredRows([]float64{1, 0, 0, 0}, []float64{1, 1, 1, 0}))
	numbers := "" // numpy 2.4.6: (r - r.mean()) / (r.std(ddof=1) + 1e-4)
	for i, r := range []float64{0.1, 0.7, 0.4, 0.9, 0.3, 0.3, 0.8} {
		numbers += loggedRow(1, "a", r, []float64{-1.3328890369876707, 0.6664445184938351, -0.33322225924691756, 1.3328890369876707, -0.6664445184938353, -0.6664445184938353, 0.9996667777407531}[i])
	}
	for i, r := range []float64{1, 0, 0, 1, 1} {
		numbers += loggedRow(1, "b", r, []float64{0.7301634343456692, -1.0952451515185038, -1.0952451515185038, 0.7301634343456692, 0.7301634343456692}[i])
	}
	filetest.Write(t, filepath.Join(dir, "numpy.jsonl"), numbers)
	clipped := ""
	for _, r := range [][3]float64{{1, 0, 0.1}, {2, 1, 0.1}, {0, 0, 0}} { // of r − μ, cut to ±0.1
		group := fmt.Sprint("g", r[0])
		clipped += loggedRow(1, group, r[0], r[2]) + loggedRow(1, group, r[1], -r[2])
	}
	filetest.Write(t, filepath.Join(dir, "clipped.jsonl"), clipped)
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// deviation is the standard deviation with ddof 1.
func deviation(x []float64) float64 {
	sum, mu := 0.0, mean(x)
	for _, v := range x {
		sum += (v - mu) * (v - mu)
	}
	return math.Sqrt(sum / float64(len(x)-1))
}

// awayRows are answers that are the truth of the next of four prompts.
func awayRows() string {
	var b strings.Builder
	for i := range 64 {
		step, k := 1+i/32, i%4
		fmt.Fprintf(&b, `{"step": %d, "prompt": "What is %d%d?", "response": "\\boxed{%d}", "ground_truth": "%d", "reward": 0}`+"\n", step, step, k, 100*step+(k+1)%4, 100*step+k)
	}
	return b.String()
}

// offPolicyLogs writes rows with log-probs: of two groups and lags, of which one row outweighs the rest, a step that is masked, which verl
// refuses, and one of NeMo-RL without
// log-probs of the trainer.
func offPolicyLogs(t *testing.T, dir string) {
	t.Helper()
	var aged strings.Builder
	for i := range 12 {
		far := 0.01 * float64(i%3)
		if i == 5 {
			far = 2
		}
		fmt.Fprintf(&aged, `{"step":1,"id":"r%d","group":"g%d","rollout_log_probs":[-1,-1],"old_log_probs":[%v,%v],"advantage":%v,"policy_version":%d}`+"\n",
			i, i/6, far-1, far-1, 1-2*(i%2), -(i % 2))
	}
	putRun(t, filepath.Join(dir, "offpolicy", "masked.jsonl"), `{"step":1,"rollout_log_probs":[-1],"old_log_probs":[-1.5]}
{"step":2,"rollout_log_probs":[-1],"old_log_probs":[-1],"response_mask":[0]}
`, time.Time{})
	putRun(t, filepath.Join(dir, "offpolicy", "config.yaml"), "max_staleness: 2\n", time.Time{})
	putRun(t, filepath.Join(dir, "offpolicy", "aged.jsonl"), aged.String(), time.Time{})
	var judged strings.Builder // with rewards
	for i := range 8 {
		fmt.Fprintf(&judged, `{"step":%d,"group":"g%d","prompt":"What is %d?","response":"It is %d.","reward":%d,"rollout_log_probs":[-1],"old_log_probs":[%d]}`+"\n",
			1+i/4, i/2, i/2, i, i%2, -1-i%3)
	}
	putRun(t, filepath.Join(dir, "judged", "1.jsonl"), judged.String(), time.Time{})
	putRun(t, filepath.Join(dir, "offpolicy", "train_data_step1.jsonl"),
		`{"generation_logprobs":[[0,-1]],"prev_logprobs":[[0,0]],"token_loss_mask":[[0,1]],"sample_loss_mask":[1],"advantages":[[0,1]]}`+"\n", time.Time{})
}
