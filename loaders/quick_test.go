package loaders

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"vantage/model"
)

// oddRows are rows that only a complete parser reads right, or refuses.
func oddRows() []string {
	return []string{
		`{"step": 1, "group_id": "g", "prompt": "q", "response": "r", "reward": 1e-05, "answer": "a"}`,
		`{"step": 01, "group_id": "g", "prompt": "q", "response": "r", "reward": 1, "answer": "a"}`,
		`{"step": 5.0, "group_id": "g", "prompt": "q", "response": "r", "reward": -0.0, "answer": "a"}`,
		`{"step": 1e999, "group_id": "g", "prompt": "q", "response": "r", "reward": 1e999, "answer": "a"}`,
		`{"step": -Infinity, "group_id": "g", "prompt": "q", "response": "r", "reward": Infinity, "answer": "a"}`,
		`{"step": 9007199254740992.5, "group_id": "g", "prompt": "q", "response": "r", "reward": 0.8333333333333334, "answer": "a"}`,
		`{"step": 2.5, "group_id": "g", "prompt": "q", "response": "r", "reward": 1., "answer": "a"}`,
		`{"step": 7, "group_id": "g", "prompt": "q", "response": "r", "reward": 0.1234567890123456789, "answer": "a"}`,
		`{"step": 9007199254740993, "group_id": "g", "prompt": "q", "response": "r", "reward": 123456789012345.5, "answer": "a"}`,
		`{"step": 7, "group_id": "", "prompt": "", "response": "", "reward": NaN, "answer": ""}`,
		`{"step": 7, "group_id": 12, "prompt": "q", "response": "r", "reward": "0.5", "answer": "a"}`,
		`{"step": 7, "group_id": "g", "prompt": "q", "response": "r", "reward": true, "answer": null}`,
		`{"step": 7, "group_id": "g", "prompt": "q", "response": "r", "reward": null, "answer": "a"}`,
		`{"step":7,"group_id":"g","prompt":"q","response":"r","reward":1,"answer":"a"}`,
		`{"reward": 0.25, "step": 7, "group_id": "g", "prompt": "q", "response": "r", "answer": "a"}`,
		`{"step": 7, "step": 8, "group_id": "g", "prompt": "q", "response": "r", "reward": 1, "reward": 0.5, "answer": "a"}`,
		`{"step": 7, "group_id": "g", "prompt": [{"role": "user", "content": "q"}], "response": "r", "reward": 1, "answer": "a"}`,
		`{"step": 7, "group_id": "g", "prompt": "[{\"role\": \"user\", \"content\": \"q\"}]", "response": "r\u00e9\\\\\n", "reward": 1, "answer": "a"}`,
		`{"step": 7, "group_id": "g", "prompt": "q", "response": "r", "reward": 1, "answer": "a", "format_reward": 0.5, "rewards": {"x": 1}}`,
		`{"step": 7, "group_id": "g", "prompt": "q", "response": "r", "reward": 1, "answer": "a", "response_length": 0}`,
		`{"step": 7, "group_id": "g", "prompt": "q", "response": "r", "reward": 1, "answer": "a", "response_length": 12, "advantage": -1.5}`,
		`{"step": 7, "group_id": "g", "prompt": "q", "response": "r", "reward": 1, "answer": "a"} x`,
		`{"step": 7, "group_id": "g", "prompt": "q", "response": "r", "reward": 1, "answer": "a"`,
		"{\"step\": 7, \"group_id\": \"g\", \"prompt\": \"q\", \"response\": \"r\", \"reward\": 1, \"answer\": \"a\"}\r",
		`{"step": 7, "score": 0.5, "group_id": "g", "prompt": "q", "response": "r", "reward": 1, "answer": "a"}`,
		`{}`, `[]`, ``, `{"reward": 1}`,
	}
}

// FuzzQuick reads a row the long way, and three more as quick does after it: the same
// as the long way, or quick leaves it to that. The third begins as the second, mostly.
func FuzzQuick(f *testing.F) {
	first := oddRows()[0]
	for _, row := range oddRows() {
		f.Add([]byte(first), []byte(row), 60)
		f.Add([]byte(row), []byte(row), 60)
		f.Add([]byte(row), []byte(first), 90)
	}
	named := []byte(`{"step": 0, "group_id": "0", "prompt": "", "response": "", "reward": 0, "answer": ""}`)
	f.Add(bytes.Replace(named, []byte(`"0"`), []byte(`""`), 1), named, 0) // an empty id is none
	f.Fuzz(func(t *testing.T, first, second []byte, at int) {
		if bytes.ContainsAny(first, "\x00\n") || bytes.ContainsAny(second, "\n") {
			return // asked before
		}
		third := bytes.Clone(second)
		if 0 <= at && at < len(third) && third[at] >= '0' {
			third[at] = '7' // mostly another value
		}
		for _, fields := range []*Fields{NewFields(Synonyms()), ComponentFields()} {
			r := NewRowDecoder(fields, "12.jsonl")
			r.Components.AcceptAll = r.Fields.Names[RoleReward][0] == "reward"
			if learned, err := r.Line(nil, first); err != nil || len(learned) != 1 {
				return
			}
			q := New(r)
			q.BeginBlock(model.Block{})
			q.Learn(first)
			before := r.Note()
			for _, row := range [][]byte{second, third, second, second} {
				quickly(t, q, row)
			}
			if diff := cmp.Diff(before, r.Note()); diff != "" {
				t.Fatalf("quick learned: %s", diff)
			}
		}
	})
}

// quickly reads a row, and the long way too where it could be read.
func quickly(t *testing.T, q *Reader, row []byte) {
	t.Helper()
	const before = "the end of the row before\n"
	line := append([]byte(before), append(row[:len(row):len(row)], '\n')...)
	switch end, n := q.ReadRows(line, len(before), len(line), 5-int64(len(before))); {
	case n == 0:
		return
	case end != len(line) || bytes.IndexByte(row, 0) >= 0:
		t.Fatalf("%q is read quickly up to byte %d", line, end)
	}
	long, err := newTwin(q.slow).Line(nil, row)
	if err != nil || len(long) != 1 {
		t.Fatalf("%q is read quickly, but: %v", row, err)
	}
	long[0].Offset = 5
	block := q.EndBlock()
	records := block.Records()
	if diff := cmp.Diff(told(long[0]), told(records[len(records)-1]), cmpopts.EquateNaNs(), cmpopts.EquateEmpty(), cmpopts.IgnoreFields(model.Record{}, "Line")); diff != "" {
		t.Fatalf("%q: -long +quick\n%s", row, diff)
	}
}

// newTwin reads as r does, and what it learns r does not.
func newTwin(r *RowDecoder) *RowDecoder { return r.Clone().(*RowDecoder) }
