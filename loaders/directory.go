package loaders

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vantage/loaders/discover"
	"vantage/loaders/fileio"
	"vantage/loaders/formats"
	"vantage/loaders/trackio"
	"vantage/model"
	"vantage/model/units"
)

// directory is a directory that is read, and what has been noted about it.
type directory struct {
	discover.Directory
	storage         fileio.Storage  // nil for a directory of this machine
	shown           string          // its path as a person gave it
	identity        identity        // as last seen
	ownFormat       *formats.Format // a trainer's own, which a file in it has; nil if there is none
	leftOut         []string        // formats of the files that were left out for that
	twins           twins
	withoutSamples  []model.Problem // files without samples that have not been noted yet
	notedNames      []string        // file names of those that have
	lastNotes       []string        // on what was not looked into
	truncationNoted bool
	states          map[string]trainerState // of the runs in it, by their output directories, which are relative
}

// addListed adds the files of a listing that are new and to be read.
func (s *Source) addListed(d *directory, l *discover.Listing) {
	d.Dirs = l.Dirs // with empty ones, to which files may be added
	if s.schedule.watcher != nil && d.storage == nil {
		for _, dir := range l.Dirs {
			s.schedule.watcher.Add(filepath.Join(d.Path, dir))
		}
	}
	s.pollResized(d, l)
	s.noteSkipped(d, l)
	s.readStates(d, l)
	if slices.Equal(l.Files, d.Listed) {
		return
	}
	d.Listed, s.schedule.lastNews = l.Files, time.Now()
	d.twins.list(s.formats, d.names(l.Files))
	s.leaveOutTwins(d)
	chosen, notes := discover.Choose(l.Files, s.options.Split)
	s.chunks.addNotes(notes)
	s.dropSuperseded(d, chosen)
	if !l.Truncated {
		s.noteGone(d, l)
	}
	for _, rel := range chosen {
		if s.byPath[d.key(rel)] != nil {
			continue
		}
		f := s.addFile(d.disk(rel), joinName(d.Prefix, rel))
		f.directory = d
		if info := l.Infos[rel]; info != nil {
			f.disk.Size = info.Size()
		}
		s.bytes.total += f.disk.Size
	}
	if l.Truncated && !d.truncationNoted {
		d.truncationNoted = true
		s.chunks.addProblem(problemOf(d.shown, fmt.Sprintf("not all of it is read: at most %d files, %d directories deep; give the directory of one run", s.options.MaxFiles, discover.MaxDepth)))
	}
}

// disk is where a file of the directory lies.
func (d *directory) disk(rel string) fileio.File {
	return fileio.File{Storage: d.storage, Root: d.Path, Path: rel}
}

// names returns the names of files of the directory, as they are shown.
func (d *directory) names(files []string) []string {
	if d.Prefix == "" {
		return files
	}
	names := make([]string, len(files))
	for i, rel := range files {
		names[i] = joinName(d.Prefix, rel)
	}
	return names
}

// key returns the key of a file of the directory in Source.byPath.
func (d *directory) key(rel string) string {
	at := d.disk(rel)
	return at.Key()
}

// pollResized polls the files of a listing that have another size than when they were read, before it
// is their turn. Files of a storage are queued by what the listing says of them: to ask for each is a request.
func (s *Source) pollResized(d *directory, l *discover.Listing) {
	for _, rel := range l.Files {
		f, info := s.byPath[d.key(rel)], l.Infos[rel]
		switch {
		case f == nil || f.disk.Info == nil || info == nil:
		case d.storage != nil && !f.queued && f.disk.Differs(info) && !time.Now().Before(f.retryAt):
			s.schedule.lastNews = time.Now()
			s.enqueue(f)
		case d.storage == nil && f.disk.Size != info.Size():
			s.pollFile(f)
		}
	}
}

// noteSkipped notes, once, what in a directory is not looked into, and which other files are in one
// without logs.
func (s *Source) noteSkipped(d *directory, l *discover.Listing) {
	notes := l.Skipped()
	if len(l.Files) == 0 {
		unread := l.KnownUnread()
		if kinds := otherKinds(l); len(unread) == 0 && kinds != "" {
			unread = []string{"files that are not logs (" + kinds + ")"}
		}
		notes = append(notes, unread...)
	}
	if !slices.Equal(notes, d.lastNotes) {
		d.lastNotes = notes
		s.chunks.addNotes(notes)
	}
}

// dropSuperseded drops the samples of files that are not read any more because better ones were added.
func (s *Source) dropSuperseded(d *directory, chosen []string) {
	keep := map[string]bool{}
	for _, rel := range chosen {
		keep[rel] = true
	}
	for _, f := range s.files {
		if f.disk != nil && f.directory == d && !keep[f.disk.Path] && !f.refused && d.Lists(f.disk.Path) {
			s.restart(f)
			f.refused = true
		}
	}
}

// noteGone notes which files that were read are not there any more.
func (s *Source) noteGone(d *directory, l *discover.Listing) {
	listed := make(map[string]bool, len(l.Files))
	for _, rel := range l.Files {
		listed[rel] = true
	}
	for _, f := range s.files {
		if f.directory != d || f.gone != listed[f.disk.Path] {
			continue
		}
		f.gone, s.attempts.changed = !f.gone, true
		if !f.gone {
			s.gone = slices.DeleteFunc(s.gone, func(g *file) bool { return g == f })
			f.failures, f.retryAt = 0, time.Time{} // it is back
			s.pollFile(f)
			continue
		}
		s.gone = append(s.gone, f)
		s.dropIfRenamed(f, listed)
	}
}

// otherKinds returns the first extensions of the files of a listing that are no logs.
func otherKinds(l *discover.Listing) string {
	kinds := slices.Sorted(maps.Keys(l.Other))
	return strings.Join(kinds[:min(5, len(kinds))], " ")
}

// directoryHint says what a directory holds instead of logs, and how to make trainers write them.
func directoryHint(d *directory, l *discover.Listing) string {
	if trackio.Is(d.storage) {
		return trackio.HowWritten
	}
	text := ""
	for _, note := range l.Skipped() {
		text += note + "; "
	}
	if kinds := otherKinds(l); kinds != "" {
		n := 0
		for _, count := range l.Other {
			n += count
		}
		text += fmt.Sprintf("it has %s (%s); ", units.Plural(n, "other files"), kinds)
	}
	for _, note := range l.KnownUnread() {
		text += note + "; "
	}
	if where := whereSamplesAre(d, l); where != "" {
		return text + where
	}
	return text + "verl writes them with trainer.rollout_data_dir=DIR, TRL with log_completions=True, ms-swift with --log_completions true; `vantage formats` lists them all"
}
