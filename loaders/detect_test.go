package loaders

import (
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"vantage/internal/testkit/filetest"
	"vantage/loaders/decode"
)

// The beginning of a log tells its format: that of the directory in which the test data of the format
// lies.
func TestSniffKnowsEveryFormat(t *testing.T) {
	dirs, err := filepath.Glob(filepath.Join("formats", "testdata", "*"))
	if err != nil || len(dirs) < 20 {
		t.Fatalf("%d formats, %v", len(dirs), err)
	}
	for _, dir := range dirs {
		want := filepath.Base(dir)
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		known := 0
		err = filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() || e.Name() == "want.csv" {
				return err
			}
			rel, err := filepath.Rel(dir, path)
			if err != nil {
				return err
			}
			s, err := sniff(nil, root, rel)
			switch {
			case errors.Is(err, ErrNoFormat):
			case err != nil || s.Format.Name != want:
				t.Errorf("%s: %v, %v", path, s.Format, err)
			default:
				known++
			}
			return nil
		})
		if err != nil || known == 0 {
			t.Errorf("%s: no file is known, %v", want, err)
		}
		_ = root.Close()
	}
}

func TestSniffOfOtherFiles(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	row := `{"input":"q","output":"` + strings.Repeat("a", 100_000) + `","gts":"1","score":1.0,"step":1}` + "\n"
	var packed strings.Builder
	z := gzip.NewWriter(&packed)
	_, _ = z.Write([]byte(row))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ text, want string }{
		"long.jsonl":     {row, "verl"},
		"unended.jsonl":  {strings.TrimSpace(row), "verl"},
		"packed.jsonl":   {packed.String(), "verl"},
		"late.jsonl":     {strings.Repeat(`{"text":"no score yet"}`+"\n", 5) + row, "verl"},
		"metrics.jsonl":  {strings.Repeat(`{"step":1,"loss":0.5,"reward":0.25,"grad_norm":1.5,"kl":0.1}`+"\n", 50), ""},
		"dataset.jsonl":  {`{"question":"q","answer":"4"}` + "\n", ""},
		"empty.jsonl":    {"", ""},
		"torn.jsonl":     {`{"input":"q","outp`, ""},
		"zeros.jsonl":    {strings.Repeat("\x00", 5000), ""},
		"broken.parquet": {"PAR1" + strings.Repeat("x", 100), ""},
		"binary.json":    {"\x7fELF\x02\x01\x01\x00" + strings.Repeat("\xff\n", 1000), ""},
	} {
		filetest.Write(t, filepath.Join(dir, name), c.text)
		switch s, err := sniff(nil, root, name); {
		case c.want == "" && err == nil:
			t.Errorf("%s is taken for %s", name, s.Format.Name)
		case c.want != "" && (err != nil || s.Format.Name != c.want):
			t.Errorf("%s: %+v, %v, want %s", name, s, err, c.want)
		}
	}
}

// A pipe is not waited for, and a link does not lead out of the directory.
func TestSniffOpensNothingElse(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "secret.jsonl")
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.jsonl"), 0o600); err != nil {
		t.Skip(err)
	}
	filetest.Write(t, outside, `{"input":"q","output":"a","score":1}`+"\n")
	if err := os.Symlink(outside, filepath.Join(dir, "link.jsonl")); err != nil {
		t.Skip(err)
	}
	for _, name := range []string{"pipe.jsonl", "link.jsonl", ".", "none.jsonl"} {
		if s, err := sniff(nil, root, name); err == nil {
			t.Errorf("%s was read: %+v", name, s)
		}
	}
}

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
