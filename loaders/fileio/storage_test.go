package fileio_test

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing"

	"vantage/loaders/discover"
	"vantage/loaders/fileio"
)

// A tree shows what a search for logs looks at, and says that there is more; keys of hundreds of folders take no more memory.
func TestObjectTreeIsBounded(t *testing.T) {
	deepest := strings.Repeat("d/", discover.MaxDepth) + "1.jsonl"
	objects := []fileio.Object{{Path: "runs/" + deepest}}
	for i := range 100 {
		objects = append(objects, fileio.Object{Path: fmt.Sprintf("runs/%d/%s2.jsonl", i, strings.Repeat("a/", 400))})
	}
	tree := fileio.NewObjectTree("runs/", objects)
	l, err := discover.ListTree(tree, 1000)
	if err != nil || strings.Join(l.Files, " ") != deepest || !l.Truncated {
		t.Errorf("%q, truncated %t, %v", l.Files, l.Truncated, err)
	}
	folders := 0
	var count func(string)
	count = func(dir string) {
		folders++
		entries, err := fs.ReadDir(tree, dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.IsDir() {
				count(path.Join(dir, e.Name()))
			}
		}
	}
	count(".")
	if want := 1 + discover.MaxDepth + 100*fileio.MaxTreeDepth; folders != want {
		t.Errorf("%d folders, want %d", folders, want)
	}
}
