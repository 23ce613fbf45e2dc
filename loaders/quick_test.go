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

// FuzzQuick reads two rows the long way, and the second as quick does after the
// first: the same, or quick leaves it to the long way.
func FuzzQuick(f *testing.F) {
	first := oddRows()[0]
	for _, row := range oddRows() {
		f.Add([]byte(first), []byte(row))
		f.Add([]byte(row), []byte(row))
		f.Add([]byte(row), []byte(first))
	}
	named := []byte(`{"step": 0, "group_id": "0", "prompt": "", "response": "", "reward": 0, "answer": ""}`)
	f.Add(bytes.Replace(named, []byte(`"0"`), []byte(`""`), 1), named) // an empty id is none
	f.Fuzz(func(t *testing.T, first, second []byte) {
		if bytes.ContainsAny(first, "\x00\n") || bytes.ContainsAny(second, "\n") {
			return // asked before
		}
		for _, fields := range []*fields{newFields(usualNames()), partsOnly()} {
			r := newRows(fields, "12.jsonl")
			r.parts.open = r.fields.names[roleReward][0] == "reward"
			learned, err := r.Line(nil, first)
			if err != nil || len(learned) != 1 {
				return
			}
			q := newQuick(r)
			q.begin()
			q.learn(first)
			before := r.Note()
			line := append(bytes.Clone(second), '\n')
			size := q.row(line, 5)
			if size == 0 {
				continue
			}
			if size != len(line) {
				t.Fatalf("after %q: of %q %d bytes are read", first, line, size)
			}
			if bytes.IndexByte(second, 0) >= 0 {
				t.Fatalf("after %q: %q is read quickly", first, second)
			}
			long, err := newTwin(r).Line(nil, second)
			if err != nil || len(long) != 1 {
				t.Fatalf("after %q: %q is read quickly, but: %v", first, second, err)
			}
			long[0].Offset = 5
			block := q.end()
			if diff := cmp.Diff(told(long[0]), told(block.Records()[0]), cmpopts.EquateNaNs(), cmpopts.EquateEmpty(), cmpopts.IgnoreFields(model.Record{}, "Line")); diff != "" {
				t.Fatalf("after %q: %q: -long +quick\n%s", first, second, diff)
			}
			if diff := cmp.Diff(before, r.Note()); diff != "" {
				t.Fatalf("quick learned: %s", diff)
			}
		}
	})
}

// newTwin reads as r does, and what it learns r does not.
func newTwin(r *rows) *rows { return r.twin().(*rows) }
