package formats

import (
	"strings"
	"testing"

	"vantage/loaders/framing"
)

func TestRefusal(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{`{"schema_version":"ATIF-v1.7","agent":{"name":"a"},"steps":[{"step_id":1,"source":"user","message":"m"}]}`, "an ATIF trajectory, which has no reward"},
		{`{"step":1,"data":{"critic/score/mean":0.5,"critic/score/max":1}}`, "metrics only, no samples: it holds averages of steps (last: critic/score/mean 0.5); verl writes samples, one row each, to DIR/{step}.jsonl with"},
		{`{"step":1,"reward":0.3,"loss":0.1,"lr":1e-6}`, "metrics only, no samples"},
		{`{"prompt":"a","text":"b"}`, `no reward field: the keys are "prompt", "text"; vantage needs`},
		{`{"prompt":"a","score":[1,2]}`, `no reward field: the keys are "prompt", "score"; "score" holds more than one number; vantage needs`},
	} {
		if f := Detect(All(), "x.jsonl", framing.Framing{}, []byte(c.line)); f != nil {
			t.Errorf("%s is taken for %s", c.line, f.Name)
		}
		if got := Refusal([]byte(c.line)); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s", c.line, got)
		}
	}
}
