package loaders

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vantage/loaders/decode"
	"vantage/model"
)

// A stream reads like the file, but has no name that could hold the step.
func TestStreamReadsLikeFile(t *testing.T) {
	for _, m := range exampleLogs() {
		if m.format == "areal-text" {
			continue // its name holds group and step
		}
		for _, log := range []string{m.log, gzipped(t, m.log)} {
			s, err := Open([]string{"-"}, Options{Stdin: io.NopCloser(strings.NewReader(log))})
			if err != nil {
				t.Fatal(err)
			}
			got := drain(t, s)
			want := append(m.want[:0:0], m.want...)
			for i := range want {
				if _, ok := decode.StepFromPath(m.name); ok && i < len(got.Records) && strings.Contains(got.Provenance, "no step") {
					want[i].Step = 0
				}
			}
			if diff := cmp.Diff(want, comparedFields(got.Records), nearlyEqual...); got.Format != m.format || diff != "" {
				t.Errorf("%s: read as %q, problems %v; -want +got\n%s", m.format, got.Format, got.Problems, diff)
			}
			_ = s.Close()
		}
	}
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
		var got collected
		for _, chunk := range Decode(c.file, []byte(c.log)) {
			got.add(t, chunk)
		}
		if got.rewards() != c.want {
			t.Errorf("%s: rewards %s, want %s; problems %v", name, got.rewards(), c.want, got.Problems)
		}
	}
}

// A conversation that ends with a response is split, so two responses to one question are in
// one group, whether the fast reader reads them or not.
func TestConversationSplitsIntoPromptAndResponse(t *testing.T) {
	t.Parallel()
	const start = `{"step":1,"messages":[{"role":"system","content":"s"},{"role":"user","content":"q"}`
	one, two := start+`,{"role":"assistant","content":"ab"}],"reward":1}`+"\n", start+`,{"role":"assistant","content":"cde"},{"role":"tool","content":"4"}],"reward":0}`+"\n"
	w := trainer{t, t.TempDir()}
	w.add("a.jsonl", one+two)
	s, all := openAndRead(t, w.path("a.jsonl"))
	if len(all) != 2 || all[0].Prompt != all[1].Prompt || all[0].Length != 2 || all[1].Length != 4 {
		t.Fatalf("%+v", all)
	}
	text, err := s.Text(t.Context(), model.Place{File: all[1].File, Offset: all[1].Offset})
	if err != nil || text.Prompt != "system: s\n\nuser: q" || text.Response != "assistant: cde\n\ntool: 4" {
		t.Errorf("%+v, %v", text, err)
	}
	w.add("long.jsonl", strings.Repeat(one+two, 20_000))
	prompts := map[uint64]bool{}
	for _, r := range readAll(t, w.path("long.jsonl")).Records {
		prompts[r.Prompt] = true
	}
	w.add("prompt.jsonl", start+`],"reward":1}`+"\n")
	if only := readAll(t, w.path("prompt.jsonl")); len(prompts) != 1 || !prompts[only.Records[0].Prompt] {
		t.Errorf("%d prompts", len(prompts))
	}
}
