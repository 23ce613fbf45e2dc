package fileio

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// MaxTreeDepth is how many folders of an [ObjectTree] lie in each other: more than a search for logs looks at. Each of 200,000
// long keys could name hundreds.
const MaxTreeDepth = 12

// ObjectTree is the file system of a listing of objects without folders, as of a bucket: folders are the parts of their
// paths. It implements [fs.ReadDirFS].
type ObjectTree struct {
	folders map[string][]fs.DirEntry
	unnamed []string
}

// NewObjectTree returns the tree of what lies below a prefix, "" or with a slash at its end, at most MaxTreeDepth folders deep.
func NewObjectTree(prefix string, objects []Object) *ObjectTree {
	t := &ObjectTree{folders: map[string][]fs.DirEntry{".": {}}}
	for _, o := range objects {
		name, below := strings.CutPrefix(o.Path, prefix)
		if !below || name == "" {
			continue
		}
		if !fs.ValidPath(name) || name == "." {
			t.unnamed = append(t.unnamed, o.Path)
			continue
		}
		dir := path.Dir(name)
		if parts := strings.SplitN(dir, "/", MaxTreeDepth+1); len(parts) > MaxTreeDepth {
			t.addFolder(prefix, path.Join(parts[:MaxTreeDepth]...)) // what lies deeper is not shown
			continue
		}
		t.addFolder(prefix, dir)
		t.folders[dir] = append(t.folders[dir], o)
	}
	for _, entries := range t.folders {
		slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	}
	return t
}

// addFolder adds a folder, and those above it.
func (t *ObjectTree) addFolder(prefix, dir string) {
	if t.folders[dir] == nil {
		above := path.Dir(dir)
		t.folders[dir] = []fs.DirEntry{}
		t.addFolder(prefix, above)
		t.folders[above] = append(t.folders[above], Object{Path: path.Join(prefix, dir), Folder: true})
	}
}

// Unnamed returns the keys of the objects that no path can name: a part of their paths is empty or dotted, or they are no
// text. They are in no folder.
func (t *ObjectTree) Unnamed() []string { return t.unnamed }

// ReadDir implements [fs.ReadDirFS].
func (t *ObjectTree) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, ok := t.folders[name]
	if !ok {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
	}
	return entries, nil
}

// Open implements [fs.FS]: only directories are read here.
func (t *ObjectTree) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
}
