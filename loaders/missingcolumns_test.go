package loaders

import (
	"strings"
	"testing"

	"vantage/loaders/decode"
)

// Columns that a person named and no row has are listed, whatever the format; one that comes
// late, or in one file only, is not missing.
func TestMissingColumnsAreNamed(t *testing.T) {
	t.Parallel()
	table := string(trlTable(t, []trlRow{{1, "p", "a", 1, 0, 0.5}, {1, "p", "b", 0, 0, 0.5}}))
	late := strings.Repeat(`{"prompt":"p","reward":1}`+"\n", 3) + `{"prompt":"p","reward":0,"round":2}` + "\n"
	many := strings.Repeat(`{"prompt":"p","reward":1,"round":2}`+"\n", 50_000) // read by several workers
	for name, c := range map[string]struct {
		files map[string]string
		named decode.Columns
		want  string
	}{
		"lines":          {map[string]string{"a.jsonl": row(1, 1)}, decode.Columns{Step: "stp", Prompt: "input", Group: "gid"}, "stp gid"},
		"a document":     {map[string]string{"a.json": `[{"prompt":"p","reward":1,"round":2}]`}, decode.Columns{Step: "round", Prompt: "promt"}, "promt"},
		"a CSV":          {map[string]string{"a.csv": "round,prompt,reward\n1,p,0\n"}, decode.Columns{Step: "round", Group: "team"}, "team"},
		"a table":        {map[string]string{"completions_00001.parquet": table}, decode.Columns{Step: "step", Group: "team"}, "team"},
		"late":           {map[string]string{"a.jsonl": late}, decode.Columns{Step: "round"}, ""},
		"in one file":    {map[string]string{"1.jsonl": late, "2.jsonl": strings.ReplaceAll(late, "round", "team")}, decode.Columns{Step: "round", Group: "team"}, ""},
		"many rows":      {map[string]string{"a.jsonl": many}, decode.Columns{Step: "round"}, ""},
		"many without":   {map[string]string{"a.jsonl": many}, decode.Columns{Step: "rund"}, "rund"},
		"of other roles": {map[string]string{"a.jsonl": row(1, 1)}, decode.Columns{Prompt: "output", Step: "gts"}, ""},
		"none named":     {map[string]string{"a.jsonl": late}, decode.Columns{}, ""},
	} {
		w := trainer{t, t.TempDir()}
		var paths []string
		for file, text := range c.files {
			w.add(file, text)
			paths = append(paths, w.path(file))
		}
		s, err := Open(paths, Options{Columns: c.named})
		if err != nil {
			t.Fatal(err)
		}
		how := drain(t, s).Provenance
		if got := strings.Join(s.MissingColumns(), " "); got != c.want {
			t.Errorf("%s: lacks %q, want %q", name, got, c.want)
		}
		if noted := strings.Contains(how, "no column"); len(paths) == 1 && noted != (c.want != "") {
			t.Errorf("%s: it says %q", name, how)
		}
		_ = s.Close()
	}
}
