package loaders

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// parts are the rewards of the samples of a log, and what each of their parts is.
func parts(name, log string) string {
	var got []string
	for _, chunk := range Decode(name, []byte(log)) {
		for _, r := range chunk.Records {
			sample := fmt.Sprint(r.Reward)
			for i, x := range r.Components {
				sample += fmt.Sprintf(" %s=%v", chunk.ComponentNames[i], x)
			}
			got = append(got, sample)
		}
		for _, p := range chunk.Problems {
			got = append(got, p.Reason)
		}
	}
	return strings.Join(got, ", ")
}

// The parts of a reward are known by their names and by what holds them; where the log has a total, they are not added up.
func TestPartsOfRewards(t *testing.T) {
	for log, want := range map[string]string{
		`{"prompt":"p","reward":0.5,"accuracy_reward":1,"length_penalty":-0.5}`:                    "0.5 accuracy_reward=1 length_penalty=-0.5",
		`{"prompt":"p","reward":0.5,"accuracy_reward":1,"length_penalty":0.5}`:                     "0.5 accuracy_reward=1 length_penalty=0.5",
		`{"prompt":"p","reward":1.5,"accuracy_reward":1,"format_bonus":0.5}`:                       "1.5 accuracy_reward=1 format_bonus=0.5",
		`{"prompt":"p","accuracy_reward":1,"length_penalty":-0.25}`:                                "0.75 accuracy_reward=1 length_penalty=-0.25",
		`{"prompt":"p","reward":1,"presence_penalty":0.5,"kl_penalty":2}`:                          "1",
		`{"prompt":"p","reward":1.5,"sub_rewards":{"accuracy":1,"format":0.5}}`:                    "1.5 accuracy=1 format=0.5",
		`{"prompt":"p","reward":{"score":1.5,"accuracy":1}}`:                                       "1.5 accuracy=1",
		`{"prompt":"p","scores":{"score":1.5,"accuracy":1}}`:                                       "2.5 score=1.5 accuracy=1",
		`{"prompt":"p","rewards":"{\"accuracy\": 1, \"format\": 0.5}"}`:                            "1.5 accuracy=1 format=0.5",
		`{"prompt":"p","rewards":[{"name":"accuracy","score":1},{"name":"format","score":0.5}]}`:   "1.5 accuracy=1 format=0.5",
		`{"prompt":"p","completion":"c","info":{"reward":0.5}}`:                                    "0.5",
		`{"prompt":"p","completion":"c","correct":"True"}`:                                         "1",
		`{"prompt":"p","completions":["a","b"],"rewards":{"accuracy":[1,0],"format":[0.5,0.5]}}`:   "1.5 rewards/accuracy=1 rewards/format=0.5, 0.5 rewards/accuracy=0 rewards/format=0.5",
		`{"prompt":"p","completions":["a","b"],"rewards":[{"acc":1,"form":1},{"acc":0,"form":1}]}`: "2 acc=1 form=1, 1 acc=0 form=1",
		`{"prompt":"p","completions":["a","b"],"rewards":[1,0],"accuracy_rewards":[1,0]}`:          "1 accuracy_reward=1, 0 accuracy_reward=0",
	} {
		if got := parts("a.jsonl", log+"\n"); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", log, got, want)
		}
	}
}

// A table may have the answers to a prompt next to each other, dicts as Python prints them, and a comma before decimals.
func TestCellsOfRewards(t *testing.T) {
	for log, want := range map[string]string{
		"prompt,response_1,reward_1,response_2,reward_2\np,a,1,b,0.5\nq,c,0,,\n":         "1, 0.5, 0",
		"prompt,completion,rewards\np,a,\"{'accuracy': 1.0, 'format': nan}\"\n":          "1 accuracy=1 format=NaN",
		"prompt;completion;reward;format_reward\np;a;0,5;0,25\nq;b;-1,5e-1;0\nr;c;2;0\n": "0.5 format_reward=0.25, -0.15 format_reward=0, 2 format_reward=0",
	} {
		if got := parts("a.csv", log); got != want {
			t.Errorf("%q:\ngot  %s\nwant %s", log, got, want)
		}
	}
}

// The step of a row is told by many names. A fraction of an epoch counts only where none does, and the path of the file does not.
func TestNamesOfSteps(t *testing.T) {
	for _, c := range []struct {
		file string
		rows []string
		want []int64
	}{
		{"a.jsonl", []string{`"iter":3`, `"iter":4`}, []int64{3, 4}},
		{"a.jsonl", []string{`"train_step":3,"step":1`, `"step":2,"train_step":3`}, []int64{3, 3}},
		{"a.jsonl", []string{`"update":3,"batch":1`, `"update":4,"batch":1`}, []int64{3, 4}},
		{"a.jsonl", []string{`"episode":3`, `"episode":4`}, []int64{3, 4}},
		{"a.jsonl", []string{`"epoch":0.01`, `"epoch":0.01`, `"epoch":0.02`, `"epoch":1.0`, `"epoch":0.02`, `"epoch":1.01`}, []int64{1, 1, 2, 3, 2, 4}},
		{"a.jsonl", []string{`"epoch":0.0`, `"epoch":0.0`, `"epoch":0.5`}, []int64{0, 0, 1}},
		{"a.jsonl", []string{`"epoch":1`, `"epoch":2`}, []int64{1, 2}},
		{"a.jsonl", []string{`"epoch":0.01,"step":7`, `"epoch":0.02,"step":7`}, []int64{7, 7}},
		{"step_4.jsonl", []string{`"epoch":0`, `"epoch":0`}, []int64{4, 4}},
	} {
		var log strings.Builder
		for i, row := range c.rows {
			fmt.Fprintf(&log, `{"prompt":"p%d","reward":1,%s}`+"\n", i/2, row)
		}
		var got []int64
		for _, chunk := range Decode(c.file, []byte(log.String())) {
			for i := range chunk.Records {
				got = append(got, chunk.Records[i].Step)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s of %s: steps %v, want %v", c.rows, c.file, got, c.want)
		}
	}
}

// A list may be written with an object and a comma in each line.
func TestLinesWithCommas(t *testing.T) {
	if got := parts("a.jsonl", "{\"prompt\":\"p\",\"reward\":1},\n{\"prompt\":\"p\",\"reward\":0.5},\n{\"prompt\":\"q\",\"reward\":0}\n"); got != "1, 0.5, 0" {
		t.Error(got)
	}
}
