package logprobs

import (
	"path/filepath"
	"slices"
	"strings"

	"vantage/loaders/discover"
)

// found is what is read: files of rows, and rollouts of slime and miles.
type found struct {
	files []string // relative to reader.dir
	dumps []*dump
}

// The files of prime-rl and verifiers.
const (
	tracesFolder = "rollouts"
	exportFolder = "token_exports"
	tracesFile   = "traces.jsonl"
)

// find looks for what is read at a path, and sets the folder to which the names are relative. Where a path is a part of a run, the
// folder next to it that completes it is read with it.
func (r *reader) find(path string) (found, error) {
	info, err := r.disk.Stat(path)
	if err != nil {
		return found{}, err
	}
	if r.dir = path; !info.IsDir() {
		r.dir = filepath.Dir(path)
	}
	whole, err := filepath.Abs(r.dir)
	if err != nil {
		return found{}, err
	}
	folder, name := filepath.Base(whole), filepath.Base(path)
	switch {
	case !info.IsDir() && filepath.Ext(name) != ".pt":
		return found{files: []string{name}}, nil
	case !info.IsDir():
		id, ok := rolloutOf(name)
		isOther := func(d *dump) bool { return !ok || d.id != id }
		return found{dumps: slices.DeleteFunc(r.dumpsNear(folder), isOther)}, nil
	}
	if isDumpFolder(folder) {
		if dumps := r.dumpsNear(folder); len(dumps) > 0 {
			return found{dumps: dumps}, nil
		}
		r.dir = path // of something else
	}
	parts := []string{"."}
	if other := map[string]string{tracesFolder: exportFolder, exportFolder: tracesFolder}[folder]; other != "" {
		if info, err := r.disk.Stat(filepath.Join(path, "..", other)); err == nil && info.IsDir() {
			r.dir, parts = filepath.Join(path, ".."), []string{tracesFolder, exportFolder}
		}
	}
	return r.list(parts)
}

// dumpsNear are the rollouts in a folder of that name and, of one of --dump-details, in the other.
func (r *reader) dumpsNear(folder string) []*dump {
	if isDumpFolder(folder) {
		r.dir = filepath.Join(r.dir, "..")
		return r.dumpsOf([]string{rolloutFolder, trainFolder})
	}
	return r.dumpsOf([]string{"."})
}

// list returns what is in some folders.
func (r *reader) list(parts []string) (all found, err error) {
	var folders []string
	hasTorch := false
	for _, part := range parts {
		listing, err := discover.List(r.disk, filepath.Join(r.dir, part), MaxFiles)
		if err != nil {
			return all, err
		}
		for _, name := range listing.Files {
			hasTorch = hasTorch || filepath.Ext(name) == ".pt"
			if slices.Contains([]string{".jsonl", ".ndjson", ".json-lines", ".json", tableExtension}, filepath.Ext(name)) {
				all.files = append(all.files, filepath.Join(part, name))
			}
		}
		for _, folder := range listing.Dirs {
			folders = append(folders, filepath.Join(part, folder))
		}
		hasTorch = hasTorch || listing.Other[".pt"] > 0
	}
	if hasTorch {
		all.dumps = r.dumpsOf(folders)
	}
	listed := slices.Clone(all.files)
	all.files = slices.DeleteFunc(all.files, func(name string) bool { return doesNotTrain(name, listed) })
	return all, nil
}

// doesNotTrain reports whether a file has the episodes of an evaluation, or all that were sampled where the folder next to it has those
// that trained: rollouts/step_N/{train,eval}/{all,effective}/traces.jsonl.
func doesNotTrain(name string, listed []string) bool {
	parts := strings.Split(filepath.ToSlash(name), "/")
	n := len(parts)
	if n < 2 || parts[n-1] != tracesFile {
		return false
	}
	isEvaluation := n > 2 && parts[n-3] == "eval"
	isAll := parts[n-2] == "all"
	parts[n-2] = "effective"
	return isEvaluation || isAll && slices.Contains(listed, filepath.FromSlash(strings.Join(parts, "/")))
}
