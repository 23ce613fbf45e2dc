package loaders

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vantage/estimators"
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

// What says under a plain name how good a sample is, is a part next to a reward, and the reward where there is no other. Ids, counts and texts
// are no parts, and a sample without its reward has none.
func TestPlainPartsBesideRewards(t *testing.T) {
	for log, want := range map[string]string{
		`{"prompt":"p","correct":true,"format":0,"reward":1.5}`:                                          "1.5 format=0 correct=1",
		`{"prompt":"p","reward":1.5,"acc":1,"fmt":0.5,"id":3,"sample_id":7,"num_turns":2}`:               "1.5 acc=1 fmt=0.5",
		`{"prompt":"p","reward":1,"format":"boxed","is_correct":"yes"}`:                                  "1",
		`{"prompt":"p","is_correct":false,"format":1}`:                                                   "0 format=1",
		`{"prompt":"p","exact_match":1,"reward":1}` + "\n" + `{"prompt":"p","exact_match":0,"reward":0}`: "1 exact_match=1, 0 exact_match=0",
	} {
		if got := parts("a.jsonl", log+"\n"); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", log, got, want)
		}
	}
	log := `{"prompt":"p","reward":0.5,"correct":1}` + "\n" + `{"prompt":"p","reward":null,"correct":1}` + "\n"
	chunks := Decode("a.jsonl", []byte(log))
	if second := chunks[0].Records[1]; !estimators.IsMissing(second.Reward) || second.Components[0] != 1 {
		t.Errorf("%+v", second)
	}
	if got, want := parts("a.csv", "prompt,correct,reward,acc\np,True,0.5,1\np,False,0.25,0\n"), "0.5 correct=1 acc=1, 0.25 correct=0 acc=0"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// The number of tokens has many names. One may be that of their list too, which counts then.
func TestNamesOfLengths(t *testing.T) {
	for log, want := range map[string]string{
		`{"prompt":"p","completion":"abc","reward":1,"completion_tokens":7}`:                      "0  1 7",
		`{"prompt":"p","completion":"abc","reward":1,"completion_tokens":[5,6]}`:                  "0  1 2",
		`{"prompt":"p","completion":"abc","reward":1,"response_tokens":7,"prompt_tokens":3}`:      "0  1 7",
		`{"prompt":"p","completion":"abc","reward":1,"completionTokens":7}`:                       "0  1 7",
		`{"prompt":"p","completion":"abc","reward":1,"gen_len":7,"response_length":8}`:            "0  1 8",
		`{"prompt":"p","completion":"abc","reward":1,"usage":{"completion_tokens":7,"total":10}}`: "0  1 7",
		`{"prompt":"p","completion":"abc","reward":1,"max_tokens":7}`:                             "0  1 3",
	} {
		if got := readings("a.jsonl", log+"\n"); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", log, got, want)
		}
	}
}

// Parts under plain names count in an object of much else too.
func TestPlainPartsWithin(t *testing.T) {
	for log, want := range map[string]string{
		`{"prompt":"p","reward":1.5,"info":{"correct":true,"seed":7,"latency":0.5}}`:    "1.5 correct=1",
		`{"prompt":"p","reward":1.5,"details":{"format":0.5,"format_reward":1,"id":3}}`: "1.5 format=0.5 format_reward=1",
		`{"prompt":"p","reward":1.5,"parts":{"accuracy":1,"style":0.5}}`:                "1.5 accuracy=1 style=0.5",
	} {
		if got := parts("a.jsonl", log+"\n"); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", log, got, want)
		}
	}
}

// A whole conversation is split into prompt and answer, whatever it is called and however its turns are written.
func TestConversationsAreSplit(t *testing.T) {
	for _, c := range []string{
		`"conversations":[{"from":"human","value":"q"},{"from":"gpt","value":"abc"}]`,
		`"conversations":[{"from":"system","value":"s"},{"from":"human","value":"q"},{"from":"gpt","value":"abc"}]`,
		`"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"abc"}]`,
		`"chat":[{"role":"user","content":"q"},{"role":"assistant","content":"abc"}]`,
		`"messages":"[{\"role\":\"user\",\"content\":\"q\"},{\"role\":\"assistant\",\"content\":\"abc\"}]"`,
	} {
		chunk := Decode("a.jsonl", []byte("{\"step\":1,"+c+",\"reward\":1}\n"+"{\"step\":1,"+strings.Replace(c, "abc", "abcd", 1)+",\"reward\":0}\n"))[0]
		a, b := chunk.Records[0], chunk.Records[1]
		if a.Prompt == 0 || a.Prompt != b.Prompt || a.Length != 3 || b.Length != 4 {
			t.Errorf("%s: %+v %+v", c, a, b)
		}
	}
	if got := readings("a.jsonl", `{"step":1,"prompt":"p","completion":"ab","chat":"room 7","reward":1}`+"\n"); got != "1  1 2" {
		t.Error(got)
	}
}

// Bars separate the cells of a table where there are more of them than of commas.
func TestTablesWithBars(t *testing.T) {
	if got, want := parts("a.csv", "step|prompt|completion|reward\n1|a, b|\"c | d\"|0.5\n"), "0.5"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A table of samples of which many rows lost cells is not one of averages: these rows are the problem.
func TestRowsThatLostCells(t *testing.T) {
	log := "prompt_id,sample,step,reward\n"
	for i := range 40 {
		if i%4 == 0 {
			log += fmt.Sprintf("%d,%d,%d,0.5\n", i/8, i%8, i/16)
		} else {
			log += fmt.Sprintf("%d,0.5\n", i/16)
		}
	}
	var rows int
	var problems []string
	for _, chunk := range Decode("a.csv", []byte(log)) {
		rows += len(chunk.Records)
		for _, p := range chunk.Problems {
			problems = append(problems, p.Reason)
		}
	}
	if rows != 10 || len(problems) != 30 || problems[0] != "the row has another number of columns than the header: 2, not 4" {
		t.Errorf("%d rows, %q", rows, problems[:min(2, len(problems))])
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
		{"a.jsonl", []string{`"step":"3/90"`, `"step":"4/90"`}, []int64{3, 4}},
		{"a.jsonl", []string{`"step":"step_3"`, `"step":"step_4"`}, []int64{3, 4}},
		{"a.jsonl", []string{`"round":3`, `"round":4`}, []int64{3, 4}},
		{"train_4.jsonl", []string{`"k":0`, `"k":1`}, []int64{4, 4}},
		{"train_4.jsonl", []string{`"step":7`, `"step":8`}, []int64{7, 8}},
		{"rollouts.4.jsonl", []string{`"k":0`, `"k":1`}, []int64{4, 4}},
		{"4_rollouts.jsonl", []string{`"k":0`, `"k":1`}, []int64{4, 4}},
		{"s4.jsonl", []string{`"k":0`, `"k":1`}, []int64{4, 4}},
		{"it0004.jsonl", []string{`"k":0`, `"k":1`}, []int64{4, 4}},
		{"r4.jsonl", []string{`"k":0`, `"k":1`}, []int64{0, 0}}, // a run, or a process
		{"seed4.jsonl", []string{`"k":0`, `"k":1`}, []int64{0, 0}},
		{"s4.jsonl", []string{`"step":7`, `"step":8`}, []int64{7, 8}},
		{"a.jsonl", []string{`"step":"step 3"`, `"step":"Step 4"`}, []int64{3, 4}},
		{"a.jsonl", []string{`"info":{"model_version":3}`, `"info":{"model_version":4}`}, []int64{3, 4}},
		{"4.jsonl.gz", []string{`"k":0`, `"k":1`}, []int64{4, 4}},
		{"train-00001-of-00004.jsonl", []string{`"k":0`, `"k":1`}, []int64{0, 0}},
		{"rewards-22740.jsonl", []string{`"k":0`, `"k":1`}, []int64{0, 0}},
		{"grpo_7b.jsonl", []string{`"k":0`, `"k":1`}, []int64{0, 0}},
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
