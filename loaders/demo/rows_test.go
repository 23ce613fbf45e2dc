package demo

import (
	"encoding/json"
	"strings"
	"testing"

	"vantage/model"
)

// Text finds every row with the text of its length, also one with a NaN score.
func TestText(t *testing.T) {
	s := New(Options{History: 3, Steps: 3})
	records, _, _ := drain(t, s)
	nonFinite, withSolution := 0, 0
	for i, r := range records {
		if i%16 > 0 && r.Reward == r.Reward {
			continue
		}
		text, err := s.Text(t.Context(), model.Place{File: r.File, Offset: r.Offset})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text.Prompt, strings.TrimSpace(r.Preview[:10])) || len([]rune(text.Response)) != int(r.Length) {
			t.Fatalf("%q is not the text of a row that begins with %q and is %d long", text, r.Preview, r.Length)
		}
		if r.Reward != r.Reward {
			nonFinite++
		}
		if strings.Contains(text.Response, "### Solution") {
			withSolution++
		}
	}
	if nonFinite == 0 || withSolution < len(records)/160 {
		t.Errorf("%d rows without a number and %d with work among %d", nonFinite, withSolution, len(records))
	}
	if _, err := s.Text(t.Context(), model.Place{Offset: 1}); err == nil {
		t.Error("a text where no row begins")
	}
}

// A wrong solution equals the right one up to its first wrong step.
func TestSolutions(t *testing.T) {
	found := 0
	for _, task := range tasks() {
		w := task.Solution
		if w == nil {
			continue
		}
		found++
		right, wrong := w.text(true), w.text(false)
		if right == wrong || w.Answer == task.Truth {
			t.Errorf("%s: the wrong answer is the right one", task.Prompt)
		}
		at := 0
		for at < len(wrong) && right[at] == wrong[at] {
			at++
		}
		if at < len("### Solution\n\n1. ") {
			t.Errorf("%s: the answers part at once", task.Prompt)
		}
	}
	if found == 0 {
		t.Error("no task has a solution")
	}
}

func TestLineIsJSON(t *testing.T) {
	r := row{text: model.Text{Prompt: "q \"1\"", Response: "\x1b[31m", Truth: "π"}, score: 0.1}
	var got struct {
		Input, Output, Gts string
		Score              float64
		Step               int
	}
	if err := json.Unmarshal(r.jsonLine(7), &got); err != nil || got.Output != r.text.Response || got.Step != 7 || got.Score != 0.1 {
		t.Errorf("%+v, %v", got, err)
	}
}
