package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"vantage/model/match"
)

// One unit in the last place counts as equal, and text and JSON say how often.
func TestMatchSaysHowManyDifferByOneULP(t *testing.T) {
	r := &match.Report{Steps: 1, Compared: 8, Candidates: 1, Matches: []match.Verdict{{
		Candidate: match.Candidate{Framework: "trl", Estimator: "grpo", Scale: "group"}, Exact: 5, OneULP: 3, Agreeing: 8, Groups: 2, AgreeingGroups: 2,
	}}}
	var text, object bytes.Buffer
	if err := MatchText(&text, Match{Report: r}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"8/8 (100%)", "3 samples of the first estimator differ by one float32 unit in the last place", "CUDA's order of sums is untested"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	if strings.Contains(text.String(), "Near is") {
		t.Errorf("near is explained although all are equal:\n%s", text.String())
	}
	if err := MatchJSON(&object, Match{Report: r}); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Matches []struct {
			Equal  int `json:"equal"`
			OneULP int `json:"one_ulp"`
			Near   int `json:"near"`
		} `json:"matches"`
	}
	if err := json.Unmarshal(object.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if m := got.Matches[0]; m.Equal != 8 || m.OneULP != 3 || m.Near != 8 {
		t.Errorf("%+v", m)
	}
}
