package formats_test

import (
	"slices"
	"testing"

	"vantage/loaders"
)

// Only verl appends the numbers of the rollout and the output to a uid.
func TestRolloutSuffixIsOfVerlAlone(t *testing.T) {
	for in, want := range map[string]string{
		"06ec41ad-ea05_3_0": "06ec41ad-ea05", "a_b_1_2": "a_b", "a_1": "a_1", "a_x_1": "a_x_1", "a": "a", "_1_2": "_1_2", "": "",
	} {
		for start, want := range map[string]string{`{"input":"p","output":"a","score":1,"uid":"`: want, `{"prompt":"p","response":"a","reward":1,"uid":"`: in} {
			c := loaders.Decode("1.jsonl", []byte(start+in+"\"}\n"))[0]
			if got := c.Records[0].Group; got != want {
				t.Errorf("%s: group %q of uid %q, want %q", c.Format, got, in, want)
			}
			if isRollout := c.Records[0].Rollout.Number > 0; isRollout != (want != in) {
				t.Errorf("%s: uid %q is of rollout %v", c.Format, in, c.Records[0].Rollout)
			}
		}
	}
}

// A reward function may be called total, score or sum: prime-rl writes no total among its rewards.
// In a log of anyone's, total and overall are the total.
func TestTotalsAmongComponents(t *testing.T) {
	for name, c := range map[string]struct {
		log        string
		reward     float64
		components []string
	}{
		"prime-rl": {`{"traces":[{"rewards":{"total":{"score":1,"weight":1},"score":{"score":0.5,"weight":1},"overall":{"score":0.25,"weight":1}}}]}`, 1.75, []string{"total", "score", "overall"}},
		"score":    {`{"prompt":"p","rewards":{"score":1,"sum":0.5,"format":0.25}}`, 1.75, []string{"score", "sum", "format"}},
		"overall":  {`{"prompt":"p","rewards":{"overall":0.75,"format":1}}`, 0.75, []string{"format"}},
	} {
		got := loaders.Decode("traces.jsonl", []byte(c.log+"\n"))[0]
		if got.Records[0].Reward != c.reward || !slices.Equal(got.ComponentNames, c.components) {
			t.Errorf("%s: reward %v, components %q, want %v, %q", name, got.Records[0].Reward, got.ComponentNames, c.reward, c.components)
		}
	}
}

// A reward function gets step and group in an object beside the sample. What an environment counts there is no step of training.
func TestStepWithinAnObject(t *testing.T) {
	for fields, want := range map[string]struct {
		step  int64
		group string
	}{
		`"metadata":{"step":7,"uid":"u-3"}`:                    {7, "u-3"},
		`"extra_info":{"global_step":7,"index":1}`:             {7, ""},
		`"info":{"training_step":7,"group_id":"a"}`:            {7, "a"},
		`"info":{"step":7}`:                                    {0, ""},
		`"step":3,"group":"b","metadata":{"step":7,"uid":"c"}`: {3, "b"},
	} {
		r := loaders.Decode("log.jsonl", []byte(`{"prompt":"p","completion":"a","reward":1,`+fields+"}\n"))[0].Records[0]
		if r.Step != want.step || r.Group != want.group {
			t.Errorf("%s: step %d, group %q, want %d, %q", fields, r.Step, r.Group, want.step, want.group)
		}
	}
}
