package loaders

import (
	"io"
	"slices"
	"strings"
	"testing"

	"vantage/internal/testkit/formatstest"
	"vantage/model"
)

// A stream reads like the file, but has no name that could hold the step or name a line.
func TestStreamReadsLikeFile(t *testing.T) {
	for _, log := range formatstest.Logs(t, "formats/testdata") {
		if log.Format == "areal-text" {
			continue // its name holds group and step
		}
		for _, text := range []string{log.Text, gzipped(t, log.Text)} {
			s, err := Open([]string{"-"}, Options{Stdin: io.NopCloser(strings.NewReader(text))})
			if err != nil {
				t.Fatal(err)
			}
			got := drain(t, s)
			want := slices.Clone(log.Want)
			for i := range want {
				if strings.Contains(got.Provenance, "no step") {
					want[i].Step = 0
				}
				want[i].Group = strings.Replace(want[i].Group, log.Name+":", "stdin:", 1) // of a line
			}
			if diff := formatstest.Diff(want, formatstest.Samples(got.Records)); got.Format != log.Format || diff != "" {
				t.Errorf("%s: read as %q, problems %v; -want +got\n%s", log.Format, got.Format, got.Problems, diff)
			}
			_ = s.Close()
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
