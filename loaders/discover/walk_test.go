package discover_test

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"vantage/loaders/discover"
	"vantage/loaders/fileio"
)

// faulty is a tree in which listing some directories fails.
type faulty struct {
	fstest.MapFS
	errs map[string]error
}

func (f faulty) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := f.MapFS.ReadDir(name)
	if f.errs[name] != nil && !strings.HasPrefix(name, "half") {
		entries = nil
	}
	return entries, errors.Join(err, f.errs[name])
}

// What is not listed is said, or ends the listing; only a directory that is gone is passed over.
func TestFaultsOfListing(t *testing.T) {
	tree := fstest.MapFS{}
	for _, name := range []string{"a/1.jsonl", "gone/1.jsonl", "half/1.jsonl", "shut/1.jsonl", "worn/1.jsonl"} {
		tree[name] = &fstest.MapFile{}
	}
	full := &fileio.Failure{What: "holds more than 200,000 files", Do: "give the directory of one run"}
	if _, err := discover.ListTree(faulty{tree, map[string]error{"a": full}}, 9); !errors.Is(err, full) {
		t.Errorf("a storage that lists no more: %v", err)
	}
	l, err := discover.ListTree(faulty{tree, map[string]error{"gone": fs.ErrNotExist, "half": syscall.EIO, "shut": fs.ErrPermission, "worn": syscall.EIO}}, 9)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(l.Files, " "); got != "a/1.jsonl half/1.jsonl" {
		t.Errorf("files %s", got)
	}
	want := "no permission to list shut: ask its owner for it\nnot all of half and 1 more could be listed, so rows may be missing: look at the filesystem"
	if got := strings.Join(l.Skipped(), "\n"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// Objects whose keys are no paths are said, if they may be logs.
func TestUnnamedObjects(t *testing.T) {
	var objects []fileio.Object
	for _, key := range []string{"run/1.jsonl", "run//2.jsonl", "run/a/./3.jsonl", "run//model.safetensors", "run/../4.jsonl"} {
		objects = append(objects, fileio.Object{Path: key, Bytes: 3})
	}
	l, err := discover.ListTree(fileio.NewObjectTree("run/", objects), 9)
	if err != nil {
		t.Fatal(err)
	}
	want := "objects with an empty or dotted part in their keys are not read, so rows may be missing: run//2.jsonl and 2 more; " +
		"copy them to keys without // and /./, as with `aws s3 cp`"
	if got := strings.Join(l.Skipped(), "\n"); got != want || strings.Join(l.Files, " ") != "1.jsonl" {
		t.Errorf("%s: %s", l.Files, got)
	}
}
