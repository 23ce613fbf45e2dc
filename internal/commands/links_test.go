package commands

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"vantage/internal/testkit/filetest"
)

var (
	markdownLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading      = regexp.MustCompile(`^#{1,6} (.+?)\s*$`)
	inlineLink   = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// Every link of a page within the repository leads to a file, and to a heading if it names one.
func TestLinksOfThePages(t *testing.T) {
	t.Parallel()
	pages := map[string]string{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git") {
			return fs.SkipDir
		}
		if err == nil && strings.HasSuffix(path, ".md") {
			text, readErr := os.ReadFile(path)
			pages[path] = string(text)
			return readErr
		}
		return err
	})
	if err != nil || len(pages) < 20 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	links := 0
	for path, text := range pages {
		if strings.Contains(text, "\n<<<<<<< ") || strings.Contains(text, "\n>>>>>>> ") {
			t.Errorf("%s has the marks of a merge", path)
		}
		for _, link := range markdownLink.FindAllStringSubmatch(withoutCode(text), -1) {
			if strings.Contains(link[1], "://") {
				continue
			}
			links++
			file, anchor, _ := strings.Cut(link[1], "#")
			target := path
			if file != "" {
				target = filepath.Join(filepath.Dir(path), filepath.FromSlash(file))
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s, which is not there", path, link[1])
			} else if anchor != "" && !anchors(pages[target])[anchor] {
				t.Errorf("%s links to %s: no such heading", path, link[1])
			}
		}
	}
	if links < 100 {
		t.Errorf("only %d links were found", links)
	}
}

// anchors returns the names under which GitHub finds the headings of a page.
func anchors(page string) map[string]bool {
	found := map[string]bool{}
	for line := range strings.Lines(withoutCode(page)) {
		h := heading.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if h == nil {
			continue
		}
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ' || r == '-':
				return '-'
			case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, inlineLink.ReplaceAllString(h[1], "$1"))
		found[name] = true
	}
	return found
}

// withoutCode returns a page without its fenced blocks.
func withoutCode(page string) string {
	var b strings.Builder
	fenced := false
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		} else if !fenced {
			b.WriteString(line)
		}
	}
	return b.String()
}

// The index names every page of its folder.
func TestIndexNamesEveryPage(t *testing.T) {
	t.Parallel()
	const docs = "../../.github/docs"
	for folder, names := range map[string]string{docs: "", trainersFolder: "", docs + "/contributors": "contributors/"} {
		index := filetest.Read(t, filepath.Join(strings.TrimSuffix(folder, "/contributors"), "README.md"))
		pages, err := filepath.Glob(filepath.Join(folder, "*.md"))
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range pages {
			name := filepath.Base(page)
			isNamed := regexp.MustCompile(`\(` + regexp.QuoteMeta(names+name) + `[#)]`).Match(index)
			if name != "README.md" && !isNamed {
				t.Errorf("the index of %s does not name %s", folder, name)
			}
		}
	}
}
