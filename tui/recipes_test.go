package tui_test

import (
	"cmp"
	"go/format"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"vantage/internal/testkit/repotest"
)

// recipe is a section of contributing.md: edits, and the files that it names.
type recipe struct {
	edits []edit
	files map[string]bool // that are opened
}

// edit is a block that goes to the end of a file or below a line of it, or new words in the place of old ones.
type edit struct{ file, below, old, text string }

// Where a block goes: `FILE`, at its end. `FILE`, below `LINE`. `FILE`: `OLD` becomes `NEW`.
var (
	editedFile    = regexp.MustCompile("^(?:\\d+\\.|  ) `([\\w./]+\\.go)`(?:, below `(.*?)`)?(?:: `(.*)` becomes `(.*)`)?")
	packageClause = regexp.MustCompile(`(?m)^package \w+$`)
	namedFile     = regexp.MustCompile("`([\\w./*]+\\.(?:go|csv|json|txtar|md))`")
)

// readRecipes returns the recipes of contributing.md by their heads.
func readRecipes(t *testing.T, page string) map[string]*recipe {
	t.Helper()
	recipes, inBlock := map[string]*recipe{}, false
	r := &recipe{}
	for line := range strings.Lines(page) {
		head, isHead := strings.CutPrefix(line, "## ")
		where := editedFile.FindStringSubmatch(line)
		switch {
		case strings.HasPrefix(line, "```"):
			inBlock = !inBlock
		case inBlock && len(r.edits) > 0:
			r.edits[len(r.edits)-1].text += line
		case isHead:
			r = &recipe{files: map[string]bool{}}
			recipes[strings.TrimSpace(head)] = r
		case where != nil:
			r.edits = append(r.edits, edit{where[1], where[2], where[3], where[4]})
		}
		for _, file := range namedFile.FindAllStringSubmatch(line, -1) {
			if r.files != nil {
				r.files[file[1]] = true
			}
		}
	}
	return recipes
}

// isNew tells whether the edit is the whole of a file that it adds.
func (e edit) isNew() bool { return packageClause.MatchString(e.text) }

// apply makes the edit in a copy of the repository.
func (e edit) apply(t *testing.T, top string) {
	t.Helper()
	path := filepath.Join(top, e.file)
	before, err := os.ReadFile(path)
	if err != nil && !e.isNew() {
		t.Fatal(err)
	}
	after := string(before) + e.text
	switch cut := cmp.Or(e.old, e.below); {
	case cut == "":
	case !strings.Contains(string(before), cut):
		t.Fatalf("%s has no %q", e.file, cut)
	case e.old != "":
		after = strings.ReplaceAll(string(before), e.old, e.text)
	default:
		above, below, _ := strings.Cut(string(before), cut)
		rest, below, _ := strings.Cut(below, "\n")
		after = above + cut + rest + "\n" + e.text + below
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := format.Source([]byte(after)); err != nil {
		t.Fatalf("%s: %v", e.file, err)
	}
	writeFile(t, path, after)
}

// copyRepository copies what the program is built from, and returns the folder.
func copyRepository(t *testing.T) string {
	t.Helper()
	to := t.TempDir()
	top, _ := repotest.Top(t)
	err := filepath.WalkDir(top, func(path string, entry os.DirEntry, err error) error {
		name, _ := filepath.Rel(top, path)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || name != "." && strings.HasPrefix(entry.Name(), ".")):
			return filepath.SkipDir
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(to, name), 0o755)
		case !entry.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), text, 0o644)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// The recipes of contributing.md are short and true: what they add, to a copy of the repository, is in the lists, the reports and on
// the screen.
func TestRecipes(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", ".github", "docs", "contributors", "contributing.md"))
	if err != nil {
		t.Fatal(err)
	}
	recipes := readRecipes(t, string(page))
	names := []string{"A format", "An estimator", "A group filter", "A metric", "A command", "A view", "A warning", "An illness"}
	for _, name := range names {
		r := recipes[name]
		if r == nil || len(r.edits) == 0 {
			t.Fatalf("there is no recipe %q", name)
		}
		changed := map[string]bool{}
		for _, e := range r.edits {
			changed[e.file] = changed[e.file] || !e.isNew()
		}
		maps.DeleteFunc(changed, func(_ string, isOld bool) bool { return !isOld })
		if len(changed) > 3 || len(r.files) > 12 {
			t.Errorf("%s: %d files of Go are changed, %d files are named: %v", name, len(changed), len(r.files), r.files)
		}
	}
	repotest.Slow(t)

	top := copyRepository(t)
	for _, name := range names {
		for _, e := range recipes[name].edits {
			e.apply(t, top)
		}
	}
	bin := filepath.Join(t.TempDir(), "vantage")
	build := exec.Command("go", "build", "-o", bin, ".")
	build.Dir = top
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	log := filepath.Join(t.TempDir(), "1.jsonl")
	writeFile(t, log, strings.Repeat(`{"iteration":1,"example_prompt":"p","example_reward":1}`+"\n"+`{"iteration":1,"example_prompt":"p","example_reward":0}`+"\n", 4)+
		strings.Repeat(`{"iteration":1,"example_prompt":"q","example_reward":-1}`+"\n", 8))
	for _, does := range []struct{ args, prints string }{
		{"list formats", "example "},
		{"report LOG", "example"},
		{"estimators example", "(r − μ) / (s + 1e-6)"},
		{"report LOG --framework example --estimator grpo", "example grpo"},
		{"filters example", "mean(r) > 0"},
		{"report LOG --group-filter example/positive_mean --format json", `"skipped": 1`},
		{"report LOG --format csv", "left_out_samples"},
		{"check LOG --fail-on left_out>40%", "left_out>40%"},
		{"size LOG", "complete: 16 samples"},
		{"size --help", "how many samples"},
		{"report LOG --format json", `"kind": "large-groups"`},
		{"report LOG --format json", `"kind": "below_zero"`},
		{"demo --ill below_zero --write LOG.ill", "60 steps of below_zero"},
		{"summary LOG.ill", "rewards are below 0"},
	} {
		out, err := exec.Command(bin, strings.Fields(strings.ReplaceAll(does.args, "LOG", log))...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), does.prints) {
			t.Errorf("vantage %s has no %q: %v\n%s", does.args, does.prints, err, out)
		}
	}
	x := startCommand(t, exec.Command(bin, log, "--framework", "example", "--estimator", "grpo", "--group-filter", "example/positive_mean"))
	x.waitShown("f example")
	x.send("Z")
	x.waitShown("16 samples so far")
	x.send("C")
	x.waitShown("positive_mean")
	x.send("?left_out")
	x.waitShown("does not let train")
}

// The ways through the program name functions where they are.
func TestWaysNameFunctions(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", ".github", "docs", "contributors", "contributing.md"))
	if err != nil {
		t.Fatal(err)
	}
	top, _ := repotest.Top(t)
	named := regexp.MustCompile("`(?:\\w+\\.)?(\\w+)`[\\w ]* (?:\\(|in |of )`(\\w+/[\\w./]+\\.go)`").FindAllStringSubmatch(string(page), -1)
	if len(named) < 10 {
		t.Errorf("only %d functions are named with their file", len(named))
	}
	for _, n := range named {
		text, err := os.ReadFile(filepath.Join(top, n[2]))
		if err != nil {
			t.Error(err)
		} else if !regexp.MustCompile(`(?m)^(func (\(.*?\) )?|type |\t)` + n[1] + `\b`).Match(text) {
			t.Errorf("%s has no %s", n[2], n[1])
		}
	}
}

// The files that recipes name are there, but for those that they add, and so are the tests that they say to run.
func TestRecipesNameWhatThereIs(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", ".github", "docs", "contributors", "contributing.md"))
	if err != nil {
		t.Fatal(err)
	}
	top, _ := repotest.Top(t)
	isThere, isBase := map[string]bool{}, map[string]bool{}
	err = filepath.WalkDir(top, func(path string, entry os.DirEntry, err error) error {
		name, _ := filepath.Rel(top, path)
		if err == nil && entry.IsDir() && name == ".git" {
			return filepath.SkipDir
		}
		isThere[filepath.ToSlash(name)], isBase[entry.Name()] = true, true
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for head, r := range readRecipes(t, string(page)) {
		added := map[string]bool{}
		for _, e := range r.edits {
			added[e.file] = e.isNew()
		}
		for file := range r.files {
			isOpen := strings.ContainsAny(file, "*") || strings.Contains(file, "NAME")
			isNamed := isThere[file] || !strings.Contains(file, "/") && isBase[file]
			if !isOpen && !added[file] && !isNamed {
				t.Errorf("%s: there is no %s", head, file)
			}
		}
	}

	runs := regexp.MustCompile(`go test ((?:\./[\w./]+ )+)-run '?([\w|]+)`).FindAllStringSubmatch(string(page), -1)
	if len(runs) < 5 {
		t.Errorf("only %d commands run tests by their names", len(runs))
	}
	for _, run := range runs {
		tests := ""
		for _, folder := range strings.Fields(run[1]) {
			files, _ := filepath.Glob(filepath.Join(top, strings.TrimSuffix(folder, "..."), "*_test.go"))
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				tests += string(text)
			}
		}
		for _, name := range strings.Split(run[2], "|") {
			if !regexp.MustCompile(`(?m)^func \w*` + name).MatchString(tests) {
				t.Errorf("%q: there is no such test", run[0])
			}
		}
	}
}
