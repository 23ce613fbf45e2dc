package repotest

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vantage/internal/testkit/filetest"
)

// tics are habits of words that make a text foreign or stiff, and what to write in their place. except is plain English that the
// pattern finds too.
var tics = []struct{ name, pattern, except, better string }{
	{"says", `\b(says?|said)\b`, "", "shows, lists, reports"},
	{"is no", `\b(is|are|was|were) no\b`, `(?i)\bthere (is|are|was|were) no\b`, "is not a"},
	{"what it is", `\bwhat (it|is|are|was|were|the|they)\b`, `\?$`, "name the thing"},
	{"to the bit", `\bto the (last )?bit\b`, "", "bit for bit, once; then exactly"},
	{"figure", `\bfigures?\b`, "--figure|`figures`|model/figures", "metric, number"},
	{"since", `\bsince (it|they|there|the|a|an|no|nothing|only|each|these|that|this|all|one|its)\b`, "", "because"},
	{"otherwise", `\botherwise\b`, "", "differently, else, or a sentence of its own"},
	{"beside", `\bbeside\b`, "", "next to"},
	{"lie, stand", `\b(lies?|lay|lying|stands?|stood)\b`, `\bstands? for\b`, "is, are stored"},
	{"fronted of", `(^|[.;:] )Of (?:[a-z]+ )`, "", "a subject first"},
	{"whose arithmetic", `\bwhose arithmetic\b`, "", "which estimator"},
}

// The pages and the texts of the program hold no more tics than testdata/tics.txt allows; -update writes what they hold now.
func TestTics(t *testing.T) {
	top, _ := Top(t)
	found := make([][]string, len(tics))
	var patterns, exceptions []*regexp.Regexp
	for _, tic := range tics {
		patterns, exceptions = append(patterns, regexp.MustCompile(tic.pattern)), append(exceptions, regexp.MustCompile(cmp.Or(tic.except, `$.`)))
	}
	count := func(place, line string) {
		for i := range tics {
			n := len(patterns[i].FindAllString(line, -1))
			if n > 0 {
				n -= len(exceptions[i].FindAllString(line, -1))
			}
			for range max(0, n) {
				found[i] = append(found[i], place+": "+strings.TrimSpace(line))
			}
		}
	}
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		switch name, _ := filepath.Rel(top, path); {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{"testdata", ".git", ".ci", "internal", "illruns"}, d.Name()): // what made models write is theirs
			return fs.SkipDir
		case strings.HasSuffix(name, ".md"):
			for n, line := range strings.Split(read(t, path), "\n") {
				count(fmt.Sprintf("%s:%d", name, n+1), line)
			}
		case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && !strings.HasPrefix(name, "."):
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(node ast.Node) bool {
				if text, ok := node.(*ast.BasicLit); ok && text.Kind == token.STRING && strings.Contains(text.Value, " ") {
					count(fmt.Sprintf("%s:%d", name, files.Position(text.Pos()).Line), strings.Trim(text.Value, "`\""))
				}
				return true
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	limits, now := filepath.Join(top, "internal", "testkit", "repotest", "testdata", "tics.txt"), ""
	for i, tic := range tics {
		now += fmt.Sprintf("%d %s\n", len(found[i]), tic.name)
	}
	if Updating() {
		filetest.Write(t, limits, now)
	}
	allowed := strings.Split(read(t, limits), "\n")
	for i, tic := range tics {
		limit := 0
		if _, err := fmt.Sscan(allowed[i], &limit); err != nil || !strings.HasSuffix(allowed[i], " "+tic.name) {
			t.Fatalf("%s has %q in the place of %s", limits, allowed[i], tic.name)
		}
		if len(found[i]) > limit {
			t.Errorf("%q is written %d times, %d are allowed; better: %s\n%s", tic.name, len(found[i]), limit, tic.better, strings.Join(found[i], "\n"))
		}
	}
	t.Logf("\n%s", now)
}
