package loaders

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"vantage/loaders/discover"
	"vantage/loaders/formats"
)

// A trainer may write the same samples into two files, as miles into rollout_data/3.pt and trajectory/3.jsonl. Where both are there, one
// of them is left out: see [formats.Format.Twin].

// twins are the files of a directory of which a trainer writes others that hold no more.
type twins struct {
	listed  map[string][]string // names of those files, by their last part without extension
	leftOut []string            // names of the others, as far as they were left out
	example string              // the twin of the first
	noted   int                 // how many were left out when that was noted last
}

// list takes the files of a listing that may be twins.
func (t *twins) list(all []formats.Format, names []string) {
	t.listed = nil
	for i := range all {
		for _, name := range names {
			if all[i].Twin == "" || filepath.Ext(name) != all[i].Twin {
				continue
			}
			if t.listed == nil {
				t.listed = map[string][]string{}
			}
			t.listed[stem(name)] = append(t.listed[stem(name)], name)
		}
	}
}

// stem returns the last part of a name without its extension.
func stem(name string) string {
	base := filepath.Base(name)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// hides reports whether a file of the format has a twin, in its folder or in one that lies beside it, and notes that.
func (t *twins) hides(name string, format *formats.Format) bool {
	if format.Twin == "" {
		return false
	}
	dir := filepath.Dir(name)
	i := slices.IndexFunc(t.listed[stem(name)], func(twin string) bool {
		at := filepath.Dir(twin)
		return filepath.Ext(twin) == format.Twin && (at == dir || filepath.Dir(at) == filepath.Dir(dir))
	})
	if i < 0 {
		return false
	}
	if len(t.leftOut) == 0 {
		t.example = t.listed[stem(name)][i]
	}
	t.leftOut = append(t.leftOut, name)
	return true
}

// leaveOutTwins leaves out files of a directory that were read before their twins were written.
func (s *Source) leaveOutTwins(d *directory) {
	for _, f := range s.files {
		if f.directory == d && f.format != nil && !f.refused && len(s.formats) > 1 && d.twins.hides(f.name, f.format) {
			s.drop(f)
		}
	}
}

// noteTwins notes how many files were left out because of their twins, once all is read, and again when they are twice as many.
func (s *Source) noteTwins() {
	for _, d := range s.directories {
		t := &d.twins
		if n := len(t.leftOut); n == 0 || n < 2*t.noted || len(s.queue) > 0 {
			continue
		}
		t.noted = len(t.leftOut)
		why, do := "holds the same samples", "give it by itself to read it"
		if t.noted > 1 {
			why, do = "and the like hold the same samples", "give them by themselves to read them"
		}
		s.chunks.addNotes([]string{fmt.Sprintf("counted once: %s, since %s %s; %s", discover.Summarize(t.leftOut), t.example, why, do)})
	}
}
