package repotest

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vantage/internal/testkit/filetest"
)

var update = flag.Bool("update", false, "write pages, frames and pictures instead of comparing them; look at the difference "+
	"before keeping it")

// Updating reports whether -update is given: a test writes what it would compare.
func Updating() bool { return *update }

// Page compares all of a page with what it should be. Its name is a path from the top of the repository: "README.md".
func Page(t *testing.T, name, want string) {
	t.Helper()
	path, command := place(t, name)
	compare(t, path, command, "", want, "")
}

// Part compares what stands between the marks of a part of a page with what it should be, without the newline at its end.
// A page without the marks fails the test.
func Part(t *testing.T, name, part, want string) {
	t.Helper()
	path, command := place(t, name)
	begin, end := "<!-- "+part+": written by a test -->\n", "<!-- end of "+part+" -->"
	before, rest, begun := strings.Cut(read(t, path), begin)
	_, after, ended := strings.Cut(rest, end)
	if !begun || !ended {
		t.Fatalf("%s has no part %q: it stands between %q and %q", name, part, begin, end)
	}
	compare(t, path, command, before+begin, want+"\n", end+after)
}

// compare compares a file with before, want and after together, or writes them to it.
func compare(t *testing.T, path, command, before, want, after string) {
	t.Helper()
	if *update {
		filetest.Write(t, path, before+want+after)
		return
	}
	if diff := cmp.Diff(strings.Split(before+want+after, "\n"), strings.Split(read(t, path), "\n")); diff != "" {
		t.Errorf("%s: `%s` writes it: -want +got\n%s", filepath.Base(path), command, diff)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	return string(filetest.Read(t, path))
}

// place returns the path of a page and the command that writes it.
func place(t *testing.T, name string) (path, command string) {
	t.Helper()
	top, folder := Top(t)
	test, _, _ := strings.Cut(t.Name(), "/")
	return filepath.Join(top, filepath.FromSlash(name)), "go test ./" + filepath.ToSlash(folder) + " -run '^" + test + "$' -update"
}
