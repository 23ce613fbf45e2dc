package repotest

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	drawnFolder = regexp.MustCompile(`[a-z]+(/[a-z]+)*/`)
	placedName  = regexp.MustCompile("`(\\w+)`,? \\(?`([a-z/]+\\.go)`")
)

// The map of the house shows each package, and the ways through it name functions and types that are where they are said to be.
func TestHouse(t *testing.T) {
	t.Parallel()
	top, _ := Top(t)
	page, err := os.ReadFile(filepath.Join(top, ".github", "docs", "contributors", "contributing.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, house, _ := strings.Cut(string(page), "\n## The house\n")
	house, _, _ = strings.Cut(house, "\n## ")
	drawing, ways, _ := strings.Cut(house, "\nImports point down.")

	drawn := map[string]bool{}
	for _, folder := range drawnFolder.FindAllString(drawing, -1) {
		drawn[path.Base(folder)] = true
	}
	command := exec.Command("go", "list", "./...")
	command.Dir = top
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := map[string]bool{}
	for _, p := range strings.Fields(string(out)) {
		for ; p != "."; p = path.Dir(p) {
			packages[path.Base(p)] = true
			if isPart := !strings.Contains(p, "/testkit/") && strings.Contains(p, "/"); isPart && !drawn[path.Base(p)] && path.Base(p) != "internal" && path.Base(p) != "testkit" {
				t.Errorf("the drawing lacks the package %s", p)
			}
		}
	}
	for folder := range drawn {
		if !packages[folder] {
			t.Errorf("the drawing has %s, which is no package", folder)
		}
	}

	named := placedName.FindAllStringSubmatch(ways, -1)
	if len(named) < 30 {
		t.Fatalf("only %d names with their files", len(named))
	}
	for _, n := range named {
		name, file := n[1], n[2]
		source, err := os.ReadFile(filepath.Join(top, file))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if declared := regexp.MustCompile(`(?m)^(func (\([^)]*\) )?|type )` + name + `\b`); !declared.Match(source) {
			t.Errorf("%s does not declare %s", file, name)
		}
	}
}
