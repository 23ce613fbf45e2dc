package repotest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	claimFigure = regexp.MustCompile(`\d[\d.,]*\d|\d`)
	claimPage   = regexp.MustCompile(`\]\(([^)#]+\.md)[^)]*\)`)
	claimBlock  = regexp.MustCompile(`\n\n|\n\* |\n\| `)
	claimTarget = regexp.MustCompile(`\]\([^)]*\)`)
)

// Each figure of README is in a page that the same paragraph or item links to, so that a reader finds how it was measured.
func TestReadmeFiguresAreInTheirPages(t *testing.T) {
	t.Parallel()
	top, _ := Top(t)
	readme, err := os.ReadFile(filepath.Join(top, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, block := range claimBlock.Split(prose(string(readme)), -1) {
		switch { // these are not measured: counts of what is listed, which other tests hold, and what an output or a picture shows
		case strings.Contains(block, "more trainers]"), strings.HasPrefix(block, "Here is part of the "), strings.HasPrefix(block, "!["):
			continue
		}
		pages := ""
		for _, link := range claimPage.FindAllStringSubmatch(block, -1) {
			page, err := os.ReadFile(filepath.Join(top, filepath.FromSlash(link[1])))
			if err != nil {
				t.Fatal(err)
			}
			pages += string(page)
		}
		for _, figure := range claimFigure.FindAllString(claimTarget.ReplaceAllString(block, "]"), -1) {
			checked++
			whole := regexp.MustCompile(`(^|[^\d.,])` + regexp.QuoteMeta(figure) + `([^\d.,]|[.,]?\D|$)`)
			if !whole.MatchString(pages) {
				t.Errorf("%s is in no page that its paragraph links to:\n%s", figure, block)
			}
		}
	}
	if checked < 12 {
		t.Errorf("only %d figures were found", checked)
	}
}

// prose is a page without its commands, outputs, and names in code.
func prose(page string) string {
	page = regexp.MustCompile("(?s)```.*?\n```").ReplaceAllString(page, "")
	page = regexp.MustCompile("(?m)^    .*$").ReplaceAllString(page, "")
	return regexp.MustCompile("`[^`\n]*`").ReplaceAllString(page, "")
}

// README has the first command of a stranger and that of the tests, which CI looks for before it runs them.
func TestReadmeHasTheFirstCommands(t *testing.T) {
	t.Parallel()
	top, _ := Top(t)
	page := read(t, filepath.Join(top, "README.md"))
	for _, command := range []string{"go run . demo", "go test ./..."} {
		if !strings.Contains(page, command) {
			t.Errorf("README lacks %q", command)
		}
	}
}
