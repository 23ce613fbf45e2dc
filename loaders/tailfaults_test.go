package loaders

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"vantage/internal/testkit/repotest"
	"vantage/model"
)

// tailKind is a kind of log that is followed while its writer misbehaves.
type tailKind struct {
	file string // its name
	text func(t *testing.T, rows []trlRow) string
	grow bool // rows may be appended to it
}

// tailKinds are logs of each way of reading: by lines, by quoted records, compressed, by columns.
var tailKinds = []tailKind{
	{"log.jsonl", jsonLines, true},
	{"log.csv", csvTable, true},
	{"log.jsonl.gz", gzipLines, true}, // of several members
	{"log.jsonl.zst", zstdLines, true},
	{"log.parquet", tableOf, false}, // TRL's keep what an evaluation overwrites: TestOverwrittenTrainingStays
}

func jsonLines(_ *testing.T, rows []trlRow) string {
	text := ""
	for _, r := range rows {
		text += fmt.Sprintf("{\"step\":%d,\"prompt\":%q,\"response\":%q,\"reward\":%v}\n", r.Step, r.Prompt, r.Completion, r.Accuracy)
	}
	return text
}

func gzipLines(t *testing.T, rows []trlRow) string {
	t.Helper()
	return gzipped(t, jsonLines(t, rows))
}

func zstdLines(t *testing.T, rows []trlRow) string {
	t.Helper()
	return zstdCompressed(t, jsonLines(t, rows))
}

func tableOf(t *testing.T, rows []trlRow) string {
	t.Helper()
	type tableRow struct {
		Step     int64   `parquet:"step"`
		Prompt   string  `parquet:"prompt,dict"`
		Response string  `parquet:"response"`
		Reward   float64 `parquet:"reward"`
	}
	table := make([]tableRow, len(rows))
	for i, r := range rows {
		table[i] = tableRow{r.Step, r.Prompt, r.Completion, r.Accuracy}
	}
	var b bytes.Buffer
	if err := parquet.Write(&b, table, parquet.Compression(&parquet.Snappy)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func csvTable(_ *testing.T, rows []trlRow) string {
	text := "step,prompt,response,reward\n"
	for _, r := range rows {
		text += fmt.Sprintf("%d,\"%s\",\"%s\",%v\n", r.Step, strings.ReplaceAll(r.Prompt, `"`, `""`), r.Completion+"\nnext line", r.Accuracy)
	}
	return text
}

// tailRows are two rows of each step; their rewards tell the start that wrote them.
func tailRows(start float64, from, to int) []trlRow {
	var rows []trlRow
	for step := from; step <= to; step++ {
		for i := range 2 {
			rows = append(rows, trlRow{int64(step), fmt.Sprintf("wie groß ist \"α%d\"? 数🙂", step%2), fmt.Sprintf("ünd %d.%d, %v", step, i, start), start + float64(i+1)/4, math.NaN(), 0.5})
		}
	}
	return rows
}

// tailPlay is a writer and the reader that follows it.
type tailPlay struct {
	trainer
	kind   tailKind
	opened string // the path that is followed
	pace   time.Duration
	clock  time.Time // of the last write
	denied *failing
	s      *Source
	store  *model.Store
	stays  map[string]string // files that are gone, and stay in what is shown
	moment func()            // called after each piece
}

// content is a log of one start with the steps from one to another.
func (p *tailPlay) content(start float64, from, to int) string {
	return p.kind.text(p.t, tailRows(start, from, to))
}

// more is what makes a log of the steps up to from-1 one of the steps up to to.
func (p *tailPlay) more(start float64, from, to int) string {
	text := p.content(start, from, to)
	if p.kind.file == "log.csv" {
		_, text, _ = strings.Cut(text, "\n")
	}
	return text
}

// writes puts text into the log at once, and adds appends to it.
func (p *tailPlay) writes(text string) { p.replace(p.kind.file, text); p.wrote(p.kind.file) }

func (p *tailPlay) adds(text string) { p.add(p.kind.file, text); p.wrote(p.kind.file) }

// wrote dates a file by the clock of the test, which may stand still, and lets the reader follow.
func (p *tailPlay) wrote(name string) {
	p.t.Helper()
	p.clock = p.clock.Add(10 * time.Millisecond)
	if now := time.Now(); now.After(p.clock) {
		p.clock = now
	}
	if err := os.Chtimes(p.path(name), p.clock, p.clock); err != nil {
		p.t.Fatal(err)
	}
	p.pause()
}

// pause lets the reader follow for as long as the pace says.
func (p *tailPlay) pause() {
	if p.pace > 0 {
		p.follow(p.pace)
	}
	if p.moment != nil {
		p.moment()
	}
}

// follow reads for a while.
func (p *tailPlay) follow(d time.Duration) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), d)
	defer cancel()
	for ctx.Err() == nil {
		switch c, err := p.s.Next(ctx); {
		case err == nil:
			p.store.Append(c)
		case !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled):
			p.t.Fatal(err)
		}
	}
}

func (p *tailPlay) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// rename renames a file of the folder.
func (p *tailPlay) rename(from, to string) {
	p.must(os.Rename(p.path(from), p.path(to)))
	p.pause()
}

// onDisk is what a program that is started now shows. Files that stay are put beside the others first.
func (p *tailPlay) onDisk() string {
	p.t.Helper()
	path := p.opened
	if len(p.stays) > 0 {
		path = p.withWhatStays()
	}
	s, err := Open([]string{path}, Options{})
	if err != nil {
		return err.Error()
	}
	defer func() { _ = s.Close() }()
	return shownWhole(p.t, s, snapshotOf(p.t, s), len(p.stays) == 0)
}

func (p *tailPlay) withWhatStays() string {
	all := trainer{p.t, p.t.TempDir()}
	entries, err := os.ReadDir(p.dir)
	p.must(err)
	for _, e := range entries {
		text, err := os.ReadFile(p.path(e.Name()))
		p.must(err)
		info, err := e.Info()
		p.must(err)
		all.add(e.Name(), string(text))
		p.must(os.Chtimes(all.path(e.Name()), info.ModTime(), info.ModTime()))
	}
	for name, text := range p.stays {
		all.add(name, text)
		p.must(os.Chtimes(all.path(name), time.Unix(0, 0), time.Unix(0, 0)))
	}
	return all.dir
}

// shownWhole is what a program shows of a log, in a form that can be compared: samples by their places, with
// their text if they are there to be read; groups; problems; attempts.
func shownWhole(t *testing.T, s *Source, snap model.Snapshot, texts bool) string {
	t.Helper()
	lines := shownRows(snap)
	if texts && snap.Rows < 100 {
		for _, step := range snap.Steps {
			for row := range step.Rewards {
				at := step.Place(row)
				text, err := s.Text(t.Context(), at)
				lines = append(lines, fmt.Sprintf("text of %s:%d.%d: %q %q %v", snap.Run.Files[at.File], at.Offset, at.IndexInLine, text.Prompt, text.Response, err))
			}
		}
	}
	for _, p := range snap.Run.Problems {
		lines = append(lines, "problem "+p.String())
	}
	slices.Sort(lines)
	by, err := snap.Grouping(model.DefaultSettings())
	return strings.Join(append(lines, fmt.Sprintf("%d rows in %d steps by %v (%v), format %s, attempts %q %q %d",
		snap.Rows, len(snap.Steps), by.By, err, snap.Run.Format, snap.Run.Attempts, leftOut(snap.Run.Attempts), len(snap.Run.Attempts.Doubts))), "\n") + "\n"
}

// shownRows tells each sample of a snapshot.
func shownRows(snap model.Snapshot) (lines []string) {
	for _, step := range snap.Steps {
		for row := range step.Rewards {
			at := step.Place(row)
			advantage := math.NaN()
			if step.LoggedAdvantages != nil {
				advantage = step.LoggedAdvantages[row]
			}
			lines = append(lines, fmt.Sprintf("step %d %s:%d.%d reward %v advantage %v length %d prompt %s %q", step.Number,
				snap.Run.Files[at.File], at.Offset, at.IndexInLine, step.Rewards[row], advantage, step.Lengths[row], snap.PromptName(&step, row), snap.Preview(&step, row)))
		}
	}
	return lines
}

// shown is what the follower shows.
func (p *tailPlay) shown() string {
	p.t.Helper()
	return shownWhole(p.t, p.s, p.store.Snapshot(), len(p.stays) == 0)
}

// pieces adds text in pieces of so many bytes.
func (p *tailPlay) pieces(text string, size int) {
	for piece := range slices.Chunk([]byte(text), size) {
		p.adds(string(piece))
	}
}

// grows adds the steps from one to another, as far as a log of this kind grows: a table is written whole.
func (p *tailPlay) grows(start float64, from, to int) {
	if p.kind.grow {
		p.adds(p.more(start, from, to))
		return
	}
	p.writes(p.content(start, 1, to))
}

// aside is a name beside the log under which it is a log of its own, and hidden one under which it is none.
func (p *tailPlay) aside() string { return "older_" + p.kind.file }

const hidden = ".hidden"

// tailFault is what a writer does.
type tailFault struct {
	name  string
	kinds string // files that it is for, if not for all
	many  bool   // many pieces are written
	dirs  bool   // only if the folder is followed
	grows bool   // at each moment only rows are shown that are there at the end
	play  func(p *tailPlay)
	knows string // why following knows more than the disk; stays then names what
}

var tailFaults = []tailFault{
	{name: "new file torn at every byte", many: true, dirs: true, grows: true, play: func(p *tailPlay) {
		text := p.content(1, 3, 3)
		p.kind.file = "new_" + p.kind.file
		p.pieces(text, 1)
	}},
	{name: "appended, torn at every byte", many: true, kinds: ".jsonl .csv .gz .zst", grows: true, play: func(p *tailPlay) {
		p.pieces(p.more(1, 3, 3), 1)
	}},
	{name: "appended in pieces that cut characters", kinds: ".jsonl .csv .gz .zst", grows: true, play: func(p *tailPlay) {
		text := p.more(1, 3, 4)
		at := strings.Index(text, "🙂") + 2
		p.adds(text[:max(at, 9)])
		p.adds(text[max(at, 9):])
	}},
	{name: "rewritten, torn at every seventh byte", many: true, play: func(p *tailPlay) {
		text := p.content(2, 1, 3)
		p.writes("")
		p.pieces(text, 7)
	}},
	{name: "rotated to another log", dirs: true, play: func(p *tailPlay) {
		p.rename(p.kind.file, p.aside())
		p.writes(p.content(1, 3, 4))
	}},
	{name: "rotated twice", dirs: true, play: func(p *tailPlay) {
		p.rename(p.kind.file, p.aside())
		p.writes(p.content(1, 3, 4))
		p.rename(p.aside(), "2_"+p.aside())
		p.rename(p.kind.file, p.aside())
		p.writes(p.content(1, 5, 6))
	}},
	{name: "replaced by rotation, and the old one hidden", play: func(p *tailPlay) {
		p.rename(p.kind.file, hidden)
		p.writes(p.content(1, 3, 4))
	}},
	{name: "copied and truncated", dirs: true, play: func(p *tailPlay) {
		text, err := os.ReadFile(p.path(p.kind.file))
		p.must(err)
		p.add(p.aside(), string(text))
		p.wrote(p.aside())
		p.writes("")
		p.adds(p.content(1, 3, 4))
	}},
	{name: "truncated and continued", play: func(p *tailPlay) {
		p.writes("")
		p.adds(p.content(1, 3, 4))
	}},
	{name: "cut within a row and continued", kinds: ".jsonl .csv", play: func(p *tailPlay) {
		text, next := p.content(1, 1, 2), p.content(1, 1, 3)
		p.must(os.Truncate(p.path(p.kind.file), int64(len(text)-30)))
		p.wrote(p.kind.file)
		p.adds(next[len(text)-30:])
	}},
	{name: "rewritten, smaller", play: func(p *tailPlay) { p.writes(p.content(2, 1, 1)) }},
	{name: "rewritten, as large", play: func(p *tailPlay) {
		if old, text := p.content(1, 1, 2), p.content(2, 1, 2); p.kind.grow && len(old) != len(text) && !strings.Contains(p.kind.file, ".jsonl.") {
			p.t.Error("it is not as large")
		}
		p.writes(p.content(2, 1, 2))
	}},
	{name: "rewritten, larger", play: func(p *tailPlay) { p.writes(p.content(2, 1, 5)) }},
	{name: "rewritten thrice", play: func(p *tailPlay) {
		p.writes(p.content(2, 1, 5))
		p.writes(p.content(3, 1, 1))
		p.writes(p.content(4, 1, 2))
	}},
	{name: "replaced by a renamed file", play: func(p *tailPlay) {
		p.add(hidden, p.content(2, 1, 3))
		p.wrote(hidden)
		p.rename(hidden, p.kind.file)
	}},
	{name: "replaced by a copy of itself that has more", play: func(p *tailPlay) {
		p.add(hidden, p.content(1, 1, 3))
		p.wrote(hidden)
		p.rename(hidden, p.kind.file)
	}},
	{name: "renamed away and back", play: func(p *tailPlay) {
		p.rename(p.kind.file, hidden)
		p.rename(hidden, p.kind.file)
		p.grows(1, 3, 3)
	}},
	{name: "renamed to another log", dirs: true, play: func(p *tailPlay) {
		p.rename(p.kind.file, p.aside())
		p.follow(time.Second)
	}},
	{name: "renamed over another log", dirs: true, play: func(p *tailPlay) {
		p.add(p.aside(), p.content(2, 1, 3))
		p.wrote(p.aside())
		p.rename(p.aside(), p.kind.file)
	}},
	{name: "rotated and compressed", kinds: ".jsonl .csv", dirs: true, play: func(p *tailPlay) {
		p.add(p.kind.file+".gz", gzipped(p.t, p.content(1, 1, 2)))
		p.wrote(p.kind.file + ".gz")
		p.must(os.Remove(p.path(p.kind.file)))
		p.pause()
	}},
	{name: "renamed to another log and back", dirs: true, play: func(p *tailPlay) {
		p.rename(p.kind.file, p.aside())
		p.rename(p.aside(), p.kind.file)
		p.grows(1, 3, 3)
	}},
	{name: "deleted and written again", play: func(p *tailPlay) {
		p.must(os.Remove(p.path(p.kind.file)))
		p.pause()
		p.writes(p.content(1, 1, 2))
		p.grows(1, 3, 3)
	}},
	{name: "deleted and written anew", play: func(p *tailPlay) {
		p.must(os.Remove(p.path(p.kind.file)))
		p.pause()
		p.writes(p.content(2, 1, 1))
	}},
	{name: "deleted", dirs: true, knows: "what was read of a file that is deleted is still of this run", play: func(p *tailPlay) {
		p.stays = map[string]string{p.kind.file: p.content(1, 1, 2)}
		p.must(os.Remove(p.path(p.kind.file)))
		p.pause()
	}},
	{name: "rotated away", dirs: true, knows: "what was rotated out of the folder is still of this attempt", play: func(p *tailPlay) {
		p.stays = map[string]string{p.kind.file: p.content(1, 1, 2)}
		p.must(os.Remove(p.path(p.kind.file)))
		p.add("z_"+p.kind.file, p.content(1, 3, 4))
		p.wrote("z_" + p.kind.file)
	}},
	{name: "started again within the file", kinds: ".jsonl .csv .gz .zst", play: func(p *tailPlay) {
		p.adds(p.more(1, 3, 9))
		p.adds(p.more(2, 1, 1))
		p.adds(p.more(2, 2, 3))
	}},
	{name: "resumed within the file", kinds: ".jsonl .csv .gz .zst", play: func(p *tailPlay) {
		p.adds(p.more(1, 3, 9))
		p.adds(p.more(2, 6, 12))
	}},
	{name: "another file behind a link", play: func(p *tailPlay) {
		one, two := trainer{p.t, p.t.TempDir()}, trainer{p.t, p.t.TempDir()}
		one.add(p.kind.file, p.content(1, 1, 3))
		two.add(p.kind.file, p.content(2, 1, 4))
		for _, to := range []trainer{one, two} {
			_ = os.Remove(p.path(hidden))
			p.must(os.Symlink(to.path(p.kind.file), p.path(hidden)))
			p.rename(hidden, p.kind.file)
		}
		p.must(os.Remove(p.path(p.kind.file))) // a folder's links are not followed: a file at the end
		p.writes(p.content(3, 1, 2))
	}},
	{name: "NUL bytes, filled later", grows: true, kinds: ".jsonl .csv .parquet", play: func(p *tailPlay) {
		text := p.content(1, 1, 4)
		from := 0
		if p.kind.grow {
			from = len(p.content(1, 1, 2))
		} else {
			p.writes("")
		}
		p.adds(text[from:from+20] + strings.Repeat("\x00", len(text)-from-20))
		p.at(from+20, text[from+20:len(text)-9])
		p.at(len(text)-9, text[len(text)-9:])
	}},
	{name: "half of it, for long", play: func(p *tailPlay) {
		text := p.content(2, 1, 4)
		p.writes(text[:len(text)/2])
		p.follow(time.Second) // longer than a file is taken for being written
		p.adds(text[len(text)/2:])
	}},
	{name: "permission taken and given", play: func(p *tailPlay) {
		p.denied.failFor(forever)
		p.grows(1, 3, 4)
		p.follow(time.Second)
		p.denied.failFor(0)
		p.grows(1, 5, 6)
	}},
	{name: "permission taken and given, nothing written", play: func(p *tailPlay) {
		p.denied.failFor(forever)
		p.clock = time.Now()
		p.wrote(p.kind.file)
		p.follow(time.Second)
		p.denied.failFor(0)
	}},
	{name: "a folder in its place", play: func(p *tailPlay) {
		p.must(os.Remove(p.path(p.kind.file)))
		p.must(os.Mkdir(p.path(p.kind.file), 0o755))
		p.pause()
		p.must(os.Remove(p.path(p.kind.file)))
		p.writes(p.content(2, 1, 3))
	}},
	{name: "a pipe in its place", play: func(p *tailPlay) {
		p.must(os.Remove(p.path(p.kind.file)))
		p.must(syscall.Mkfifo(p.path(p.kind.file), 0o600))
		p.pause()
		p.must(os.Remove(p.path(p.kind.file)))
		p.writes(p.content(2, 1, 3))
	}},
	{name: "300 new files at once", many: true, dirs: true, play: func(p *tailPlay) {
		for n := range 300 {
			dir := []string{"", "deep/", "deep/er/"}[n%3]
			p.add(fmt.Sprintf("%s%03d_%s", dir, n, p.kind.file), p.content(1, 3+n, 3+n))
		}
		p.pause()
	}},
}

// at writes text at an offset of the log, over what is there.
func (p *tailPlay) at(offset int, text string) {
	h, err := os.OpenFile(p.path(p.kind.file), os.O_WRONLY, 0)
	p.must(err)
	_, err = h.WriteAt([]byte(text), int64(offset))
	p.must(errors.Join(err, h.Close()))
	p.wrote(p.kind.file)
}

// is reports whether a fault can happen to a kind of log.
func (f *tailFault) is(kind tailKind) bool {
	return f.kinds == "" || slices.Contains(strings.Fields(f.kinds), filepath.Ext(kind.file))
}

// paces are how long the reader follows after each piece that is written. Where pieces are many it is one.
func (f *tailFault) paces() []time.Duration {
	if f.many {
		return []time.Duration{150 * time.Millisecond}
	}
	return []time.Duration{0, 150 * time.Millisecond, time.Second}
}

// Whatever the writer of a log does while it is followed, the program shows in the end what one that is started
// then shows: samples, groups, texts, problems and attempts. Where following rightly knows more, the table says why.
func TestTailFaults(t *testing.T) {
	for _, f := range tailFaults {
		for _, kind := range tailKinds {
			if f.is(kind) {
				t.Run(f.name+" "+kind.file, func(t *testing.T) {
					repotest.OneIn(t, 5)
					t.Parallel()
					o := Options{polling: true, Poll: 100 * time.Millisecond, settleTime: 300 * time.Millisecond}
					for _, pace := range f.paces() {
						synctest.Test(t, func(t *testing.T) { playFault(t, f, kind, true, pace, o) })
					}
					if !f.dirs {
						synctest.Test(t, func(t *testing.T) { playFault(t, f, kind, false, 150*time.Millisecond, o) })
					}
				})
			}
		}
	}
}

// The same with the events of the kernel, in real time.
func TestTailFaultsWithEvents(t *testing.T) {
	t.Parallel()
	for _, f := range tailFaults {
		if f.is(tailKinds[0]) {
			t.Run(f.name, func(t *testing.T) {
				repotest.OneIn(t, 6)
				t.Parallel()
				playFault(t, f, tailKinds[0], true, time.Millisecond, Options{})
			})
		}
	}
}

func playFault(t *testing.T, f tailFault, kind tailKind, whole bool, pace time.Duration, o Options) {
	t.Helper()
	p := &tailPlay{trainer: trainer{t, t.TempDir()}, kind: kind, pace: pace, denied: &failing{op: "open", err: syscall.EACCES}, store: model.NewStore()}
	if p.opened = p.dir; !whole {
		p.opened = p.path(kind.file)
	}
	p.add(kind.file, p.content(1, 1, 2))
	o.faults = p.denied.inject
	p.s = follow(t, p.opened, o).s
	p.wrote(kind.file)
	p.follow(200 * time.Millisecond)
	moments := map[string]string{}
	if f.grows {
		p.moment = func() {
			for _, line := range shownRows(p.store.Snapshot()) {
				moments[line] = line
			}
		}
	}
	f.play(p)
	p.compare(fmt.Sprintf("whole folder %t, pace %v", whole, pace))
	for _, line := range shownRows(p.store.Snapshot()) {
		delete(moments, line)
	}
	if len(moments) > 0 {
		t.Errorf("whole folder %t, pace %v: shown for a moment: %v", whole, pace, moments)
	}
	_ = p.s.Close()
}

// compare waits until what is shown is what is on the disk, and then still is.
func (p *tailPlay) compare(what string) {
	p.t.Helper()
	want := p.onDisk()
	for range 300 {
		p.follow(80 * time.Millisecond)
		if p.shown() == want {
			break
		}
	}
	p.follow(250 * time.Millisecond)
	if diff := cmp.Diff(want, p.shown()); diff != "" {
		p.t.Errorf("%s: on disk (-) and shown (+):\n%s", what, diff)
	}
}
