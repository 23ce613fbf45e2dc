package loaders

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vantage/loaders/compressed"
	"vantage/loaders/decode"
	"vantage/loaders/discover"
	"vantage/loaders/fileio"
	"vantage/loaders/framing"
	"vantage/model/units"
)

// openPath takes a path that was given.
func (s *Source) openPath(path string) error {
	if path == "-" {
		in := s.options.Stdin
		if in == nil {
			in = os.Stdin
		}
		s.addStream("stdin", func() (io.Reader, error) { return in, nil })
		return nil
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return pathError(path, err)
	case info.IsDir():
		return s.openDir(path)
	case info.Mode().IsRegular():
		return s.openFile(path)
	case info.Mode()&(fs.ModeNamedPipe|fs.ModeCharDevice) != 0:
		s.addStream(path, openNamedPipe(path))
		return nil
	default:
		return &Error{Path: path, What: "is neither a file nor a directory", Do: "give the log itself"}
	}
}

func pathError(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Error{Path: path, What: "does not exist", Do: "check the path, or start the run first", Err: err}
	case errors.Is(err, fs.ErrPermission):
		return &Error{Path: path, What: "may not be read", Do: "ask its owner for read permission", Err: err}
	default:
		return &Error{Path: path, What: "cannot be read", Do: reasonOf(err), Err: err}
	}
}

func (s *Source) openFile(path string) error {
	d := fileio.File{Path: path, Fault: s.options.faults}
	h, info, err := d.Open()
	for n := 1; err != nil && isTransient(err) && n < maxAttempts; n++ {
		time.Sleep(backOff(n))
		h, info, err = d.Open()
	}
	if err != nil {
		return pathError(path, err)
	}
	defer func() { _ = h.Close() }()
	if info.Size() == 0 && !s.options.Follow {
		return &Error{Path: path, What: "is empty", Do: "wait for the first step, or follow it while it grows"}
	}
	first := make([]byte, 512)
	n, _ := h.ReadAt(first, 0)
	if what, do := whyUnreadable(first[:n]); what != "" && compressed.Sniff(first[:n]) == compressed.None && (!s.options.Follow || !allZero(first[:n])) {
		return &Error{Path: path, What: what, Do: do}
	}
	name := filepath.Base(path)
	if s.manyPaths {
		name = path
	}
	s.addFile("", path, name)
	if s.schedule.watcher != nil {
		s.schedule.watcher.Add(path)
	}
	return nil
}

// knownBinaries are how the files begin that are known and not read, and what to do.
var knownBinaries = [...]struct{ begin, what, do string }{
	{"PK\x03\x04", "is a zip or torch file", "slime writes it with --save-debug-rollout-data; turn its samples into JSON lines, or unpack a zip"},
	{"\xff\xfe", "is text in UTF-16", "turn it into UTF-8: iconv -f UTF-16 -t UTF-8"},
	{"\xfe\xff", "is text in UTF-16", "turn it into UTF-8: iconv -f UTF-16 -t UTF-8"},
	{":W&B", "is a W&B run file, which holds scalars", "give the run's files/media/table folder, where tables of samples are"},
	{"SQLite format 3\x00", "is a SQLite database", "trackio keeps traces there; export them as JSON lines"},
}

// tensorBoardMark stands near the begin of TensorBoard's event files.
const tensorBoardMark = "brain.Event:"

// whyUnreadable says what a file is that is not text, and what to do; nothing if it may
// be text.
func whyUnreadable(b []byte) (what, do string) {
	for _, m := range knownBinaries {
		if bytes.HasPrefix(b, []byte(m.begin)) {
			return m.what, m.do
		}
	}
	if bytes.Contains(b[:min(len(b), 40)], []byte(tensorBoardMark)) {
		return "is a TensorBoard file, which holds scalars", "let the trainer log completions: `vantage formats` says how"
	}
	written := bytes.TrimRight(b, "\x00") // the rest may be on its way
	control := bytes.Count(written, []byte{0}) * len(written)
	for _, c := range written {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' {
			control++
		}
	}
	// Model text holds a control byte here and there, machine code many.
	if control*10 > len(written) || len(b) > 0 && len(written) == 0 {
		return fmt.Sprintf("is not text: its first bytes are % x", b[:min(8, len(b))]), "give a log: `vantage formats` lists what is read"
	}
	return "", ""
}

// allZero reports whether b is nothing but the zeros that NFS may show first.
func allZero(b []byte) bool { return len(bytes.Trim(b, "\x00")) == 0 }

func (s *Source) openDir(path string) error {
	prefix := ""
	if s.manyPaths {
		prefix = path
	}
	r := &directory{Directory: discover.Directory{Path: path, Prefix: prefix}}
	l, err := discover.List(path, s.options.MaxFiles)
	if err != nil {
		return pathError(path, err)
	}
	if len(l.Files) == 0 && !s.options.Follow {
		return &Error{Path: path, What: "holds no logs", Do: directoryHint(l)}
	}
	s.directories = append(s.directories, r)
	s.addListed(r, l)
	if s.options.Split == discover.SplitVal && len(s.queue) == 0 && !s.options.Follow {
		return &Error{Path: path, What: "holds no logs of validation", Do: "--split train reads those of training: " + discover.Summarize(l.Files)}
	}
	s.newestFirst()
	return nil
}

// newestFirst has somebody who watches see the newest step first, and the steps
// before it fill in behind, where files are called by their steps.
func (s *Source) newestFirst() {
	last := len(s.queue) - 1
	if !s.options.Follow || last < 1 {
		return
	}
	if _, ok := decode.StepFromNumberedFile(s.queue[last].name); ok && framing.Extension(s.queue[last].name) == ".jsonl" {
		s.queue = slices.Insert(s.queue[:last], 0, s.queue[last])
	}
}

// directoryHint says what was there instead of logs, and what makes trainers write them.
func directoryHint(l *discover.Listing) string {
	text := ""
	for _, note := range l.Skipped() {
		text += note + "; "
	}
	if kinds := slices.Sorted(maps.Keys(l.Other)); len(kinds) > 0 {
		n := 0
		for _, count := range l.Other {
			n += count
		}
		text += fmt.Sprintf("it has %s (%s); ", units.Plural(n, "other files"), strings.Join(kinds[:min(5, len(kinds))], " "))
	}
	for _, note := range l.KnownUnread() {
		text += note + "; "
	}
	return text + "verl writes them with trainer.rollout_data_dir=DIR, TRL with log_completions=True, ms-swift with --log_completions true; `vantage formats` lists them all"
}

// addListed adds those files of a listing that are new, as far as they are to be read.
func (s *Source) addListed(r *directory, l *discover.Listing) {
	r.Dirs = l.Dirs // of empty ones too: a file is what comes next
	if s.schedule.watcher != nil {
		for _, dir := range l.Dirs {
			s.schedule.watcher.Add(filepath.Join(r.Path, dir))
		}
	}
	s.pollResized(r, l)
	s.noteSkipped(r, l)
	if slices.Equal(l.Files, r.Listed) {
		return
	}
	r.Listed, s.schedule.lastNews = l.Files, time.Now()
	chosen, notes := discover.Choose(l.Files, s.options.Split)
	s.chunks.addNotes(notes)
	s.dropSuperseded(r, chosen)
	for _, rel := range chosen {
		if s.byPath[filepath.Join(r.Path, rel)] != nil {
			continue
		}
		f := s.addFile(r.Path, rel, filepath.Join(r.Prefix, rel))
		f.directory, f.disk.Size = r, l.Sizes[rel]
		s.bytes.total += f.disk.Size
	}
	if l.Truncated && !r.truncationNoted {
		r.truncationNoted = true
		s.chunks.addProblem(problemOf(r.Path, fmt.Sprintf("not all of it is read: at most %d files, %d directories deep", s.options.MaxFiles, discover.MaxDepth)))
	}
}

// pollResized looks at those files of a listing that have another size than when they were
// read: they are told of by nobody, and it is not yet their turn.
func (s *Source) pollResized(r *directory, l *discover.Listing) {
	for _, rel := range l.Files {
		if f := s.byPath[filepath.Join(r.Path, rel)]; f != nil && f.disk.Info != nil && f.disk.Size != l.Sizes[rel] {
			s.pollFile(f)
		}
	}
}

// noteSkipped says, once, what of a directory is not read, and what else is in one that has
// no logs yet.
func (s *Source) noteSkipped(r *directory, l *discover.Listing) {
	notes := l.Skipped()
	if len(l.Files) == 0 {
		notes = append(notes, l.KnownUnread()...)
	}
	if !slices.Equal(notes, r.lastNotes) {
		r.lastNotes = notes
		s.chunks.addNotes(notes)
	}
}

// dropSuperseded forgets files that are read no more, since better ones have come.
func (s *Source) dropSuperseded(r *directory, chosen []string) {
	keep := map[string]bool{}
	for _, rel := range chosen {
		keep[rel] = true
	}
	for _, f := range s.files {
		if f.disk != nil && f.disk.Root == r.Path && !keep[f.disk.Path] && !f.refused && r.Lists(f.disk.Path) {
			s.restart(f)
			f.refused = true
		}
	}
}

func (s *Source) addFile(rootPath, rel, name string) *file {
	full := filepath.Join(rootPath, rel)
	if f := s.byPath[full]; f != nil {
		return f
	}
	f := &file{
		fileReader: newFileReader(int32(len(s.files)), name, s.formats, s.chunks),
		disk:       &fileio.File{Root: rootPath, Path: rel, Fault: s.options.faults},
	}
	s.byPath[full] = f
	s.register(f)
	return f
}

func (s *Source) addStream(name string, open func() (io.Reader, error)) {
	f := &file{fileReader: newFileReader(int32(len(s.files)), name, s.formats, s.chunks), stream: newStream(open)}
	s.register(f)
}

func (s *Source) register(f *file) {
	s.chunks.runs.add(f.name, s.newest.file)
	s.files = append(s.files, f)
	s.names = append(s.names, f.name)
	s.newest.noteName(f)
	s.enqueue(f)
}

// enqueue puts a file into the row of those to be read, once.
func (s *Source) enqueue(f *file) {
	if f.disk != nil {
		if f.queued {
			return
		}
		f.queued = true
	}
	s.queue = append(s.queue, f)
}
