package loaders

import (
	"fmt"
	"strings"
	"testing"
)

// readings of a log: step, group, reward, characters or tokens of each sample, then why lines were not read.
func readings(name, log string) string {
	var got []string
	for _, chunk := range Decode(name, []byte(log)) {
		for _, r := range chunk.Records {
			got = append(got, fmt.Sprintf("%d %s %v %d", r.Step, r.Group, r.Reward, r.Length))
		}
		for _, p := range chunk.Problems {
			got = append(got, p.Reason)
		}
	}
	return strings.Join(got, ", ")
}

// A line is a group by its lists, whatever their names.
func TestGroupsByShape(t *testing.T) {
	for log, want := range map[string]string{
		// A parsed answer is no response, and an average of the rewards no part of them.
		`{"step":1,"rewards":[0.5,1],"mean_reward":0.75,"predicted_answers":["8","9"],"lr":0.1}`:                                                                  "1 a.jsonl:1 0.5 -1, 1 a.jsonl:1 1 -1",
		`{"iter":1,"step":1,"task":"t","rollout_rewards":[1,0],"model_outputs":["abc","d"]}`:                                                                      "1 a.jsonl:1 1 3, 1 a.jsonl:1 0 1",
		`{"step":1,"loss":0.1,"rewards":[1,0],"advantages":[1,-1]}`:                                                                                               "1 a.jsonl:1 1 -1, 1 a.jsonl:1 0 -1",
		`{"step":1,"rewards":[[1,0],[0,0,1]]}`:                                                                                                                    "1 a.jsonl:1.1 1 -1, 1 a.jsonl:1.1 0 -1, 1 a.jsonl:1.2 0 -1, 1 a.jsonl:1.2 0 -1, 1 a.jsonl:1.2 1 -1",
		`{"step":1,"prompts":["p","q"],"completions":[["a","bc"],["d"]],"rewards":[[1,0],[1]]}`:                                                                   "1 a.jsonl:1.1 1 1, 1 a.jsonl:1.1 0 2, 1 a.jsonl:1.2 1 1",
		`{"step":1,"prompt":"p","responses":[{"text":"ab","reward":1},{"text":"c","reward":0}]}`:                                                                  "1 a.jsonl:1 1 2, 1 a.jsonl:1 0 1",
		`{"step":1,"prompt":"p","tries":[{"text":"ab","score":1},{"text":"c","score":0}]}`:                                                                        "1 a.jsonl:1 1 2, 1 a.jsonl:1 0 1",
		`{"step":1,"groups":[[{"reward":1,"text":"a"},{"reward":0,"text":"b"}],[{"reward":1,"text":"c"}]]}`:                                                       "1 a.jsonl:1.1 1 1, 1 a.jsonl:1.1 0 1, 1 a.jsonl:1.2 1 1",
		`{"step":1,"prompt":"p","completion_0":"ab","reward_0":1,"completion_1":"c","reward_1":0}`:                                                                "1  1 2, 1  0 1",
		`{"step":1,"prompt":"p","completion_1":"ab","completion_2":"c","reward_1":1,"reward_2":0}`:                                                                "1  1 2, 1  0 1",
		`{"step":1,"sample":{"prompt":"p","completion":"ab","reward":1}}`:                                                                                         "1  1 2",
		`{"step":1,"prompt":"p","completion":"ab","reward":1,"result":{"completion":"abcd","reward":7}}`:                                                          "1  1 2",
		`{"step":1,"prompt":"p","response":{"role":"assistant","content":"abc"},"reward":1}`:                                                                      "1  1 3",
		`{"step":2,"data":{"groups":[{"id":"g","rewards":[1,0]},{"id":"h","rewards":[0,0]}]}}`:                                                                    "2 g 1 -1, 2 g 0 -1, 2 h 0 -1, 2 h 0 -1",
		`{"groups":[{"step":3,"prompt":"p","rollouts":[{"reward":1},{"reward":0}]},{"step":3,"prompt":"p","rollouts":[{"reward":1}]}]}`:                           "3 a.jsonl:1.1 1 -1, 3 a.jsonl:1.1 0 -1, 3 a.jsonl:1.2 1 -1",
		`{"global_step":4,"trajectory_groups":[{"trajectories":[{"sequences":[{"response_ids":[1]}],"reward":1},{"reward":0}]},{"trajectories":[{"reward":0}]}]}`: "4 a.jsonl:1.1 1 -1, 4 a.jsonl:1.1 0 -1, 4 a.jsonl:1.2 0 -1",
	} {
		if got := readings("a.jsonl", log+"\n"); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", log, got, want)
		}
	}
}

// A document may list steps, or have the samples of each under its number.
func TestDocumentsOfSteps(t *testing.T) {
	for _, document := range []string{
		`[{"step":1,"samples":[{"prompt":"p","completion":"ab","reward":1},{"prompt":"p","completion":"c","reward":0}]},` +
			`{"step":2,"samples":[{"prompt":"q","completion":"d","reward":1}]}]`,
		`{"1":[{"prompt":"p","completion":"ab","reward":1},{"prompt":"p","completion":"c","reward":0}],` +
			`"2":[{"prompt":"q","completion":"d","reward":1}]}`,
		`{"step_1":[{"prompt":"p","completion":"ab","reward":1},{"prompt":"p","completion":"c","reward":0}],` +
			`"step_2":[{"prompt":"q","completion":"d","reward":1}]}`,
		`{"run":"x","steps":[{"step":1,"mean_reward":0.5,"rollouts":[{"prompt":"p","completion":"ab","reward":1},{"prompt":"p","completion":"c","reward":0}]},` +
			`{"step":2,"rollouts":[{"prompt":"q","completion":"d","reward":1}]}]}`,
	} {
		if got, want := readings("a.json", document), "1  1 2, 1  0 1, 2  1 1"; got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", document, got, want)
		}
	}
}

// Rewards of the turns or tokens of one sample, or of several kinds, make no group.
func TestNotGroupsByShape(t *testing.T) {
	for log, want := range map[string]string{
		`{"step":1,"prompt":"p","reward":1,"turns":[{"text":"a","reward":1},{"text":"b","reward":0}]}`: "1  1 2", // what was said in them
		`{"step":1,"prompt":"p","reward":1,"parts":[{"text":"a","reward":1},{"text":"b","reward":0}]}`: "1  1 -1",
		`{"step":1,"prompt":"p","response":"ab","reward":1,"token_rewards":[0,1]}`:                     "1  1 2",
		`{"step":1,"prompt":"p","completions":["a","b"],"rewards":[[1,0],[0,1]]}`:                      "",
		`{"step":1,"loss":0.1,"rewards":[0.1,0.2],"reward_std":[0.3,0.4]}`:                             "",
	} {
		got := readings("a.jsonl", log+"\n")
		if want == "" && !strings.Contains(got, " -1") || got == want {
			continue
		}
		t.Errorf("%s:\ngot  %s\nwant %s", log, got, want)
	}
}

// A group is a row of a table too, with its lists in cells.
func TestGroupsInCells(t *testing.T) {
	table := "step,prompt,completions,rewards\n" +
		`1,p,"[""a"", ""bc""]","[1.0, 0.0]"` + "\n" +
		`2,q,"['a', 'bc']","[0.5, 1.0]"` + "\n" +
		"3,r,abc,1\n"
	want := "1 a.csv:2 1 1, 1 a.csv:2 0 2, 2 a.csv:3 0.5 -1, 2 a.csv:3 1 -1, 3  1 -1"
	if got := readings("a.csv", table); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Lengths are of the tokens that a model wrote, without what fills up their lists.
func TestLengthsWithoutPadding(t *testing.T) {
	row := func(ids, rest string) string {
		return `{"prompt":"p","reward":1,"response_ids":` + ids + rest + "}\n"
	}
	for log, want := range map[string]string{
		row(`[5,6,7,0,0]`, `,"response_mask":[1,1,1,0,0]`) + row(`[5,6,7,8,0]`, `,"response_mask":[1,1,1,1,0]`):          "3 4",
		row(`[5,6,7,0,0]`, `,"attention_mask":[true,true,true,false,false]`):                                             "3",
		row(`[5,6,7,0,0]`, `,"attention_mask":[1,1,1,1,1,1,1,0,0]`):                                                      "5", // of prompt and response
		row(`[5,6,7,0,0]`, `,"response_mask":[0,0,0,0,0]`):                                                               "5", // none of it trains
		row(`[5,6,7,0,0]`, `,"response_length":4,"response_mask":[1,1,1,0,0]`):                                           "4",
		row(`[5,6,0,0,0]`, "") + row(`[5,6,7,8,9]`, "") + row(`[5,6,7,0,0]`, "") + row(`[5,0,0,0]`, ""):                  "2 5 3 1",
		row(`[5,6,0,0]`, "") + row(`[5,6,7,8,9]`, "") + row(`[5,6,7,0,0]`, "") + row(`[5,0,0]`, ""):                      "4 5 5 3", // lists of their own lengths
		row(`[5,6,3,3,3]`, "") + row(`[5,6,7,4,4]`, "") + row(`[5,6,7,8,9]`, ""):                                         "5 5 5",   // not one id
		`{"prompt":"p","reward":1,"completion_mask":[1,1,0]}` + "\n":                                                     "2",
		`{"prompt":"p","reward":1,"decoded_completion":"abc"}` + "\n" + `{"prompt":"p","reward":1,"attention_mask":[1]}`: "3 -1",
	} {
		var got []string
		for _, chunk := range Decode("a.jsonl", []byte(log)) {
			for _, r := range chunk.Records {
				got = append(got, fmt.Sprint(r.Length))
			}
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%s: %s, want %s", log, got, want)
		}
	}
}

// Only where nothing says which columns are rewards their sum is in doubt.
func TestNamedRewardsAreNoDoubt(t *testing.T) {
	for log, named := range map[string]bool{
		`{"prompt":"p","completion":"c","rewards":{"format":1,"accuracy":0}}`:        true,
		`{"prompt":"p","completion":"c","format_reward":1,"accuracy_reward":0}`:      true,
		`{"step":[1],"prompt":["p"],"completion":["c"],"format":[1],"accuracy":[0]}`: false,
	} {
		for _, chunk := range Decode("a.jsonl", []byte(log+"\n")) {
			if len(chunk.Records) > 0 && (!chunk.SumsComponents || chunk.NamesRewards != named) {
				t.Errorf("%s: sums %v, named %v", log, chunk.SumsComponents, chunk.NamesRewards)
			}
		}
	}
}
