package formats_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vantage/internal/testkit/formatstest"
	"vantage/loaders"
	"vantage/loaders/formats"
)

// The made log of each format is read as that, and gives the samples that a person reads in it.
func TestFormats(t *testing.T) {
	have := map[string]bool{"trl": true, "parquet": true, "group-parquet": true, "art": true, "slime": true} // tables and torch files, which their own packages test
	for _, log := range formatstest.Logs(t, "testdata") {
		have[log.Format] = true
		chunks := loaders.Decode(log.Name, []byte(log.Text))
		if len(chunks) != 1 {
			t.Errorf("%s: %d chunks", log.Format, len(chunks))
			continue
		}
		c := chunks[0]
		if c.Format != log.Format || len(c.Problems) > 0 {
			t.Errorf("%s: read as %q, problems %v", log.Format, c.Format, c.Problems)
		}
		if diff := formatstest.Diff(log.Want, formatstest.Samples(c.Records)); diff != "" {
			t.Errorf("%s: -want +got\n%s", log.Format, diff)
		}
		if !slices.Equal(c.ComponentNames, log.Components) {
			t.Errorf("%s: components %q, want %q", log.Format, c.ComponentNames, log.Components)
		}
	}
	for _, f := range formats.All() {
		if !have[f.Name] {
			t.Errorf("%s has no log in testdata", f.Name)
		}
		if f.Doc == "" || f.TrainerOption == "" || f.File == "" || f.Open == "" {
			t.Errorf("%s does not say what it is, how and where it is written, or what to open", f.Name)
		}
	}
}

// A log that went through a program on Windows begins with a byte order mark.
func TestByteOrderMark(t *testing.T) {
	for _, log := range formatstest.Logs(t, "testdata") {
		c := loaders.Decode(log.Name, []byte("\xef\xbb\xbf"+log.Text))[0]
		if diff := formatstest.Diff(log.Want, formatstest.Samples(c.Records)); c.Format != log.Format || diff != "" {
			t.Errorf("%s: read as %q, problems %v; -want +got\n%s", log.Format, c.Format, c.Problems, diff)
		}
	}
}

// No bytes make a decoder panic, whatever the file is called.
func FuzzFormats(f *testing.F) {
	for _, log := range formatstest.Logs(f, "testdata") {
		f.Add(log.Name, []byte(log.Text))
	}
	f.Fuzz(func(_ *testing.T, name string, log []byte) {
		loaders.Decode(name, log)
	})
}

// A record may hold the responses to a question, or all samples of a step.
func TestSeveralSamplesPerRecord(t *testing.T) {
	for name, c := range map[string]struct{ file, log, want string }{
		"responses to a prompt": {"a.jsonl", `{"question":"q","gold":"1","rollouts":[{"text":"a","reward":1},{"text":"b","reward":0}]}` + "\n" + `{"question":"r","gold":"2","rollouts":[{"text":"a","reward":3}]}` + "\n", "1 0 3"},
		"samples of a step":     {"a.jsonl", `{"step":4,"samples":[{"prompt":"p","reward":1},{"prompt":"p","reward":2}]}` + "\n", "1 2"},
		"lists side by side":    {"a.jsonl", `{"prompt":"p","responses":["a","b"],"rewards":[1,0]}` + "\n", "1 0"},
		"a list per token":      {"a.jsonl", `{"prompt":"p","response":"a b","reward":1,"scores":[0,1]}` + "\n", "1"},
		"metrics of a step":     {"a.jsonl", `{"step":4,"data":{"reward":1}}` + "\n", ""},
		"a table of questions":  {"a.table.json", `{"columns":["step","input","output_1","score_1","output_2","score_2"],"data":[[1,"q","a",1,"b",0],[1,"r","a",2,null,null]]}`, "1 0 2"},
		"a table of parts":      {"a.table.json", `{"columns":["step","prompt","completion","score_1","reward"],"data":[[1,"q","a",7,1]]}`, "1"},
		"rewards in an object":  {"a.jsonl", `{"prompt":"p","response":"a","reward":{"format":1,"accuracy":0.5}}` + "\n", "1.5"},
		"with their total":      {"a.jsonl", `{"prompt":"p","response":"a","reward":{"overall":0.75,"format":1,"accuracy":0.5}}` + "\n", "0.75"},
		"a total among rewards": {"a.jsonl", `{"prompt":"p","response":"a","rewards":{"total":0.75,"format":1}}` + "\n", "0.75"},
		"no reward in one row":  {"a.jsonl", `{"prompt":"p","acc_reward":1,"fmt_reward":1,"reward":7}` + "\n" + `{"prompt":"p","acc_reward":1,"fmt_reward":1}` + "\n", "7 NaN"},
		"a document in a pipe":  {"", "{\"samples\": [\r\n  {\"prompt\": \"p\", \"reward\": 1},\r\n {\"prompt\": \"p\", \"reward\": 2}]}", "1 2"},
	} {
		var rewards []string
		for _, chunk := range loaders.Decode(c.file, []byte(c.log)) {
			for _, r := range chunk.Records {
				rewards = append(rewards, fmt.Sprint(r.Reward))
			}
		}
		if got := strings.Join(rewards, " "); got != c.want {
			t.Errorf("%s: rewards %s, want %s", name, got, c.want)
		}
	}
}

// If a verl dump holds an overlong penalty, its score may not be the reward that was trained on.
func TestOverlongPenaltyIsNoted(t *testing.T) {
	for extra, want := range map[string]bool{`, "overlong_reward": -0.5, "overlong": true`: true, `, "acc": 1`: false} {
		chunks := loaders.Decode("1.jsonl", []byte(`{"input": "p", "output": "a", "gts": "1", "score": 1.0, "step": 1`+extra+"}\n"))
		if how := chunks[0].Provenance; strings.Contains(how, "score may lack the penalty for overlong responses") != want {
			t.Errorf("%s: %s", extra, how)
		}
	}
}

// Columns that play no role are named: a person may have meant one of them.
func TestOtherColumnsAreNamed(t *testing.T) {
	for name, c := range map[string]struct{ file, log, want string }{
		"a component without its suffix": {"a.jsonl", `{"prompt":"p","accuracy_reward":1,"brevity":-1}`, "; other fields: brevity"},
		"a nested field":                 {"a.jsonl", `{"input_prompt":"p","output_response":"r","score":1,"env_class":"e","env_extras":{"reward_spec":{"ground_truth":"g"}},"stop_reason":"s"}`, "; other fields: env_class"},
		"objects of rewards":             {"a.jsonl", `{"prompt":"p","reward":1,"metrics":{"turns":2}}`, ""},
		"a second step":                  {"a.csv", "step,epoch,reward\n1,2,1\n", "; other fields: epoch"},
		"many":                           {"a.jsonl", `{"reward":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1}`, "; other fields: b, c, d, e, f, g and 2 more"},
	} {
		how := loaders.Decode(c.file, []byte(c.log))[0].Provenance
		if _, got, _ := strings.Cut(how, "; "); got != strings.TrimPrefix(c.want, "; ") {
			t.Errorf("%s: %s", name, how)
		}
	}
}
