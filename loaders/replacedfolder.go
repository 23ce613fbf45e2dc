package loaders

import (
	"os"
	"path/filepath"
	"slices"
	"time"

	"vantage/loaders/discover"
	"vantage/loaders/fileio"
)

// maxCompared is how many files are compared to see whether a folder holds the same run as before.
const maxCompared = 16

// identity tells whether a directory is the same as before. Filesystems give the number of a removed
// directory to a new one.
type identity struct {
	info os.FileInfo
	born time.Time // zero if unknown
}

// identify identifies a directory, or that to which a link leads.
func identify(path string) (identity, error) {
	info, err := os.Stat(path)
	return identity{info, fileio.Born(path + string(filepath.Separator) + ".")}, err
}

func (i identity) sameAs(o identity) bool { return os.SameFile(i.info, o.info) && i.born.Equal(o.born) }

// checkReplaced takes a directory for one of another attempt if it is another one than before and
// none of the files that were read is there as it was. Some filesystems number the same directory
// anew. It reports whether it was replaced.
func (s *Source) checkReplaced(d *directory) bool {
	if d.storage != nil {
		return false // a storage does not tell whether a directory is another one
	}
	now, err := identify(d.Path)
	if err != nil || now.sameAs(d.identity) {
		return false
	}
	d.identity = now
	var read []*file
	for _, f := range s.files {
		if f.directory == d && !s.chunks.order(f.index).Empty() {
			read = append(read, f)
		}
	}
	if len(read) == 0 || slices.ContainsFunc(read[max(0, len(read)-maxCompared):], isAsRead) {
		return false
	}
	for _, f := range s.files {
		if f.directory == d {
			s.retire(f)
		}
	}
	s.attempts.folders++
	s.attempts.changed = true
	*d = directory{shown: d.shown, Directory: discover.Directory{Path: d.Path, Prefix: d.Prefix, Dirs: d.Dirs}, identity: now}
	if s.schedule.watcher != nil {
		for _, dir := range d.Dirs {
			s.schedule.watcher.Renew(filepath.Join(d.Path, dir))
		}
	}
	s.schedule.listNow()
	return true
}

// isAsRead reports whether what was read of a file is still there.
func isAsRead(f *file) bool {
	h, info, err := f.disk.Open()
	if err != nil {
		return false
	}
	defer func() { _ = h.Close() }()
	return info.Size() >= f.disk.Pos && f.disk.StartsTheSame(h)
}

// retire reads a file no more: its folder was replaced. What was read of it is kept.
func (s *Source) retire(f *file) {
	if s.attempts.replaced == nil {
		s.attempts.replaced = map[int32]replacedFile{}
	}
	s.attempts.replaced[f.index] = replacedFile{f.name, f.disk.Modified(), s.attempts.folders}
	s.bytes.total -= f.disk.Size
	s.bytes.read -= f.disk.Pos
	delete(s.byPath, f.disk.Key())
	s.schedule.drop(f)
	s.chunks.duplicates.forget(f.index)
	s.chunks.evaluations.forgetFirst(f.index)
	s.texts.retire(f.index)
	if f.packed != nil {
		f.packed.close()
	}
	f.releaseWorkers()
	f.disk, f.directory, f.packed, f.decoder, f.scratch = nil, nil, nil, nil, nil
	f.queued, f.recent, f.failing = false, false, false
}
