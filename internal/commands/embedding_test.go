package commands

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/repotest"
)

var (
	goProgram = regexp.MustCompile("(?s)```go\n([^`]*?package main\n.*?)```")
	itsOutput = regexp.MustCompile("(?s)it prints\n\n```text\n(.*?)```")
)

// The program on the page for those who embed the packages is built in a module of its own, as the page says, and
// prints what the page says.
func TestEmbeddingPageBuilds(t *testing.T) {
	t.Parallel()
	repotest.Slow(t)
	page := filetest.Read(t, "../../.github/docs/contributors/embedding.md")
	program, prints := goProgram.FindSubmatch(page), itsOutput.FindSubmatch(page)
	if program == nil || prints == nil {
		t.Fatal("the page has no program, or not what it prints")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	sums, sumsErr := os.ReadFile(filepath.Join(root, "go.sum"))
	modules, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err = errors.Join(err, sumsErr); err != nil {
		t.Fatal(err)
	}
	// with the requirements of this module, no other go.mod is read than those which this test was built with
	ours := strings.Replace(string(modules), "module vantage\n", "module signal\n", 1)
	log := ""
	for i, score := range []string{"1", "0", "1", "0", "1", "1", "1", "1"} {
		log += `{"input": "q` + string(rune('0'+i/4)) + `", "output": "a", "gts": "1", "score": ` + score + `.0, "step": 1}` + "\n"
	}
	for name, text := range map[string]string{"main.go": string(program[1]), "go.sum": string(sums), "1.jsonl": log, "go.mod": ours} {
		filetest.Write(t, filepath.Join(dir, name), text)
	}
	for _, args := range [][]string{{"mod", "edit", "-require", "vantage@v0.0.0", "-replace", "vantage=" + root}, {"build", "-mod=mod", "-o", "signal", "."}} {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOPROXY=off") // what it needs was needed for this test, and is compiled with the same flags
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	out, err := exec.Command(filepath.Join(dir, "signal"), filepath.Join(dir, "1.jsonl")).CombinedOutput()
	if err != nil || string(out) != string(prints[1]) {
		t.Errorf("%v: it prints\n%s\nthe page says\n%s", err, out, prints[1])
	}
}
