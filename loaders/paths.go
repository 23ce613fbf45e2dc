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
	"vantage/model/units"
)

// open takes a path that was given.
func (s *Source) open(path string) error {
	if path == "-" {
		in := s.o.Stdin
		if in == nil {
			in = os.Stdin
		}
		s.addPipe("stdin", func() (io.Reader, error) { return in, nil })
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
		s.addPipe(path, openPipe(path))
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
		return &Error{Path: path, What: "cannot be read", Do: why(err), Err: err}
	}
}

func (s *Source) openFile(path string) error {
	d := File{Path: path, Fault: s.o.through}
	h, info, err := d.Open()
	for n := 1; err != nil && passing(err) && n < tries; n++ {
		time.Sleep(backOff(n))
		h, info, err = d.Open()
	}
	if err != nil {
		return pathError(path, err)
	}
	defer func() { _ = h.Close() }()
	if info.Size() == 0 && !s.o.Follow {
		return &Error{Path: path, What: "is empty", Do: "wait for the first step, or follow it while it grows"}
	}
	first := make([]byte, 512)
	n, _ := h.ReadAt(first, 0)
	if what, do := unreadable(first[:n]); what != "" && compressed.Sniff(first[:n]) == compressed.None && (!s.o.Follow || !blank(first[:n])) {
		return &Error{Path: path, What: what, Do: do}
	}
	name := filepath.Base(path)
	if s.several {
		name = path
	}
	s.add("", path, name)
	if s.look.watch != nil {
		s.look.watch.Add(path)
	}
	return nil
}

// magics are how the files begin that are known and not read, and what to do.
var magics = [...]struct{ begin, what, do string }{
	{"PK\x03\x04", "is a zip or torch file", "slime writes it with --save-debug-rollout-data; turn its samples into JSON lines, or unpack a zip"},
	{"\xff\xfe", "is text in UTF-16", "turn it into UTF-8: iconv -f UTF-16 -t UTF-8"},
	{"\xfe\xff", "is text in UTF-16", "turn it into UTF-8: iconv -f UTF-16 -t UTF-8"},
	{":W&B", "is a W&B run file, which holds scalars", "give the run's files/media/table folder, where tables of samples are"},
	{"SQLite format 3\x00", "is a SQLite database", "trackio keeps traces there; export them as JSON lines"},
}

// brain stands near the begin of TensorBoard's event files.
const brain = "brain.Event:"

// unreadable says what a file is that is not text, and what to do; nothing if it may
// be text.
func unreadable(b []byte) (what, do string) {
	for _, m := range magics {
		if bytes.HasPrefix(b, []byte(m.begin)) {
			return m.what, m.do
		}
	}
	if bytes.Contains(b[:min(len(b), 40)], []byte(brain)) {
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

// blank reports whether b is nothing but the zeros that NFS may show first.
func blank(b []byte) bool { return len(bytes.Trim(b, "\x00")) == 0 }

func (s *Source) openDir(path string) error {
	prefix := ""
	if s.several {
		prefix = path
	}
	r := &Directory{Path: path, Prefix: prefix}
	l, err := List(path, s.o.MaxFiles)
	if err != nil {
		return pathError(path, err)
	}
	if len(l.Files) == 0 && !s.o.Follow {
		return &Error{Path: path, What: "holds no logs", Do: looked(l)}
	}
	s.roots = append(s.roots, r)
	s.adopt(r, l)
	if s.o.Split == SplitVal && len(s.queue) == 0 && !s.o.Follow {
		return &Error{Path: path, What: "holds no logs of validation", Do: "--split train reads those of training: " + Summarize(l.Files)}
	}
	s.newestFirst()
	return nil
}

// newestFirst has somebody who watches see the newest step first, and the steps
// before it fill in behind, where files are called by their steps.
func (s *Source) newestFirst() {
	last := len(s.queue) - 1
	if !s.o.Follow || last < 1 {
		return
	}
	if _, ok := NumberedName(s.queue[last].name); ok && Extension(s.queue[last].name) == ".jsonl" {
		s.queue = slices.Insert(s.queue[:last], 0, s.queue[last])
	}
}

// looked says what was there instead of logs, and what makes trainers write them.
func looked(l *Listing) string {
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

// Skipped says what of a directory was not looked at.
func (l *Listing) Skipped() (notes []string) {
	if len(l.links) > 0 {
		notes = append(notes, notFollowed(l.links))
	}
	if len(l.unreadable) > 0 {
		notes = append(notes, notListed(l.unreadable))
	}
	return notes
}

// KnownUnread says of which files it is known why they are not read.
func (l *Listing) KnownUnread() (notes []string) {
	for _, k := range knownUnread {
		if l.Other[k.ext] > 0 {
			notes = append(notes, k.what)
		}
	}
	return notes
}

// notFollowed says which links were passed over, and how to read what they lead to.
func notFollowed(links []string) string {
	return "symbolic links are not followed: " + Summarize(links) + "; give where they lead, or the links themselves"
}

// notListed says which directories nobody may look into.
func notListed(shut []string) string {
	return "no permission to list " + Summarize(shut) + ": ask its owner for it"
}

// knownUnread are files that are known and not read, by their extension.
var knownUnread = [...]struct{ ext, what string }{
	{".pt", "slime's .pt files are Python objects, so turn their samples into JSON lines"},
	{".pkl", ".pkl files are Python objects, so turn their samples into JSON lines"},
	{".wandb", "a .wandb file holds scalars, and the folder files/media/table beside it the samples"},
	{".tfevents", "TensorBoard's files hold scalars, so let the trainer log completions"},
	{".db", "trackio's .db is a database, so export its traces as JSON lines"},
	{".zip", "a .zip is not read, as Agent-Lightning's, so unpack it"},
	{".yaml", "ART's .yaml files are not read"},
}

// adopt adds those files of a listing that are new, as far as they are to be read.
func (s *Source) adopt(r *Directory, l *Listing) {
	r.Dirs = l.Dirs // of empty ones too: a file is what comes next
	if s.look.watch != nil {
		for _, dir := range l.Dirs {
			s.look.watch.Add(filepath.Join(r.Path, dir))
		}
	}
	s.compare(r, l)
	s.tellPassed(r, l)
	if slices.Equal(l.Files, r.Listed) {
		return
	}
	r.Listed, s.look.news = l.Files, time.Now()
	chosen, notes := Choose(l.Files, s.o.Split)
	s.out.note(notes)
	s.retire(r, chosen)
	for _, rel := range chosen {
		if s.known[filepath.Join(r.Path, rel)] != nil {
			continue
		}
		f := s.add(r.Path, rel, filepath.Join(r.Prefix, rel))
		f.root, f.disk.Size = r, l.Sizes[rel]
		s.read.all += f.disk.Size
	}
	if l.Truncated && !r.TruncationNoted {
		r.TruncationNoted = true
		s.out.problem(problemOf(r.Path, fmt.Sprintf("not all of it is read: at most %d files, %d directories deep", s.o.MaxFiles, MaxDepth)))
	}
}

// compare looks at those files of a listing that have another size than when they were
// read: they are told of by nobody, and it is not yet their turn.
func (s *Source) compare(r *Directory, l *Listing) {
	for _, rel := range l.Files {
		if f := s.known[filepath.Join(r.Path, rel)]; f != nil && f.disk.Info != nil && f.disk.Size != l.Sizes[rel] {
			s.peek(f)
		}
	}
}

// tellPassed says, once, what of a directory is not read, and what else is in one that has
// no logs yet.
func (s *Source) tellPassed(r *Directory, l *Listing) {
	notes := l.Skipped()
	if len(l.Files) == 0 {
		notes = append(notes, l.KnownUnread()...)
	}
	if !slices.Equal(notes, r.NotesShown) {
		r.NotesShown = notes
		s.out.note(notes)
	}
}

// retire forgets files that are read no more, since better ones have come.
func (s *Source) retire(r *Directory, chosen []string) {
	keep := map[string]bool{}
	for _, rel := range chosen {
		keep[rel] = true
	}
	for _, f := range s.files {
		if f.disk != nil && f.disk.Root == r.Path && !keep[f.disk.Path] && !f.refused && f.disk.stays(r) {
			s.restart(f)
			f.refused = true
		}
	}
}

// stays reports whether the file is still listed: one that was deleted is kept as it
// was read.
func (d *File) stays(r *Directory) bool { return slices.Contains(r.Listed, d.Path) }

func (s *Source) add(rootPath, rel, name string) *file {
	full := filepath.Join(rootPath, rel)
	if f := s.known[full]; f != nil {
		return f
	}
	f := &file{
		intake: newIntake(int32(len(s.files)), name, s.formats, s.out),
		disk:   &File{Root: rootPath, Path: rel, Fault: s.o.through},
	}
	s.known[full] = f
	s.register(f)
	return f
}

func (s *Source) addPipe(name string, open func() (io.Reader, error)) {
	f := &file{intake: newIntake(int32(len(s.files)), name, s.formats, s.out), pipe: newPipe(open)}
	s.register(f)
}

func (s *Source) register(f *file) {
	s.out.sites.add(f.name, s.newest.file)
	s.files = append(s.files, f)
	s.names = append(s.names, f.name)
	s.newest.met(f)
	s.enqueue(f)
}

// enqueue puts a file into the row of those to be read, once.
func (s *Source) enqueue(f *file) {
	if f.disk != nil {
		if f.disk.queued {
			return
		}
		f.disk.queued = true
	}
	s.queue = append(s.queue, f)
}
