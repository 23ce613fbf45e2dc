package loaders

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"vantage/estimators"
	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/repotest"
	"vantage/loaders/discover"
	"vantage/model"
)

// folderSample is a sample with what its chunk says of it, so that two can be compared by ==. Components have their names, which
// may be in another order in each file.
type folderSample struct {
	step, offset      int64
	prompt            uint64
	group, preview    string
	components        string
	reward, advantage string
	length            int32
	index             int32
	rollout           model.Rollout
	status            model.Status
	format            string
	lengthUnit        model.LengthUnit
	hasTruth          bool
}

func newFolderSample(c *model.Chunk, r *model.Record) folderSample {
	var components []string
	for k, x := range r.Components {
		if x == x {
			components = append(components, c.ComponentNames[k]+" "+shownNumber(x))
		}
	}
	slices.Sort(components)
	return folderSample{
		step: r.Step, offset: r.Offset, prompt: r.Prompt, group: r.Group, preview: r.Preview, components: strings.Join(components, ", "),
		reward: shownNumber(r.Reward), advantage: shownNumber(r.Advantage), length: r.Length, index: r.IndexInLine, rollout: r.Rollout,
		status: r.Status, format: c.Format, lengthUnit: c.LengthUnit, hasTruth: c.HasTruth,
	}
}

func shownNumber(x float64) string {
	if estimators.IsMissing(x) {
		return "missing"
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// folderRead is all that is read of a folder, by the name of the file.
type folderRead struct {
	Samples             map[string][]folderSample
	Texts               map[string][]string
	Problems, Notes     []string
	Skipped             int
	PassedOver          map[string]model.PassedOver
	HasTotal, SumsParts bool
	caughtUp            bool
}

func (r *folderRead) add(c *model.Chunk) {
	name := func(f int32) string { return c.Files[f] }
	for _, f := range c.Forget {
		delete(r.Samples, name(f))
		delete(r.PassedOver, name(f))
	}
	records := slices.Clone(c.Records)
	for i := range c.Blocks {
		records = append(records, c.Blocks[i].Records()...)
	}
	for i := range records {
		at := name(records[i].File)
		r.Samples[at] = append(r.Samples[at], newFolderSample(c, &records[i]))
	}
	for _, p := range c.Problems {
		r.Problems = append(r.Problems, p.String())
	}
	for f, n := range c.PassedOver {
		before := r.PassedOver[name(f)]
		r.PassedOver[name(f)] = model.PassedOver{Untrained: before.Untrained + n.Untrained, Evaluated: before.Evaluated + n.Evaluated}
	}
	r.Notes, r.Skipped, r.caughtUp = append(r.Notes, c.Notes...), r.Skipped+c.Skipped, c.Progress.CaughtUp
	r.HasTotal, r.SumsParts = r.HasTotal || c.HasTotal, r.SumsParts || c.SumsComponents
}

func (r *folderRead) samples() (n int) {
	for _, all := range r.Samples {
		n += len(all)
	}
	return n
}

func newFolderRead() folderRead {
	return folderRead{Samples: map[string][]folderSample{}, PassedOver: map[string]model.PassedOver{}, Texts: map[string][]string{}}
}

// options read all that is there, whatever it repeats, but for evaluations that rows tell.
func (k *folderKind) options(serial bool) Options {
	split := discover.SplitAll
	if k.evaluates {
		split = discover.SplitTrain
	}
	return Options{serial: serial, Attempt: AllAttempts, Split: split}
}

func (k *folderKind) read(t *testing.T, dir string, serial bool) folderRead {
	t.Helper()
	s := open(t, k.options(serial), dir)
	r := newFolderRead()
	for {
		c, err := s.Next(t.Context())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		r.add(c)
	}
	r.readTexts(t, s)
	_ = s.Close()
	return r
}

// readTexts reads the texts and the lines of some samples of each file: the first, the last, and some between them, one by one
// from the last on and then in their order.
func (r *folderRead) readTexts(t *testing.T, s *Source) {
	t.Helper()
	const most = 6
	r.Texts = map[string][]string{}
	for number, name := range s.files.names {
		all := r.Samples[name]
		var places []model.Place
		for i := range min(most, len(all)) {
			x := all[i*(len(all)-1)/max(1, min(most, len(all))-1)]
			places = append(places, model.Place{File: int32(number), Offset: x.offset, IndexInLine: x.index})
		}
		lines, err := s.Lines(t.Context(), places)
		if err != nil {
			t.Fatal(err)
		}
		texts := make([]string, len(places))
		for i := len(places) - 1; i >= 0; i-- {
			text, err := s.Text(t.Context(), places[i])
			texts[i] = fmt.Sprintf("%d: %v %v", lines[i], text, err)
		}
		if err := s.Texts(t.Context(), places, nil, func(i int, text model.Text, err error) {
			if again := fmt.Sprintf("%d: %v %v", lines[i], text, err); again != texts[i] {
				t.Errorf("%s: the text of %+v is %q by itself, and %q in order", name, places[i], texts[i], again)
			}
		}); err != nil {
			t.Fatal(err)
		}
		if len(texts) > 0 {
			r.Texts[name] = texts
		}
	}
}

// join makes one of what was read of the files one by one.
func join(all map[string]folderRead, names []string) folderRead {
	joined := newFolderRead()
	for _, name := range names {
		r := all[name]
		maps.Copy(joined.Samples, r.Samples)
		maps.Copy(joined.Texts, r.Texts)
		maps.Copy(joined.PassedOver, r.PassedOver)
		joined.Problems, joined.Notes = append(joined.Problems, r.Problems...), append(joined.Notes, r.Notes...)
		joined.Skipped += r.Skipped
		joined.HasTotal, joined.SumsParts = joined.HasTotal || r.HasTotal, joined.SumsParts || r.SumsParts
	}
	return joined
}

func compareFolders(t *testing.T, what string, want, got folderRead) {
	t.Helper()
	for _, r := range []*folderRead{&want, &got} {
		slices.Sort(r.Problems)
		slices.Sort(r.Notes)
		r.Notes = slices.Compact(r.Notes) // some are of all files of a format
	}
	for name, samples := range want.Samples {
		compareSamples(t, what+", "+name, samples, got.Samples[name])
	}
	if len(got.Samples) > len(want.Samples) {
		t.Fatalf("%s: samples of %d files, want %d", what, len(got.Samples), len(want.Samples))
	}
	want.Samples, got.Samples = nil, nil
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(folderRead{})); diff != "" {
		t.Fatalf("%s: -alone +together\n%.3000s", what, diff)
	}
}

func compareSamples(t *testing.T, what string, want, got []folderSample) {
	t.Helper()
	for i := range min(len(want), len(got)) {
		if want[i] != got[i] {
			t.Fatalf("%s: sample %d is\n%+v, want\n%+v", what, i, got[i], want[i])
		}
	}
	if len(want) != len(got) {
		t.Fatalf("%s: %d samples, want %d", what, len(got), len(want))
	}
}

// soloReads are what was read of files that lie in a folder of their own, by name and size.
type soloReads map[string]folderRead

// of joins what is read of files by themselves, line by line.
func (all soloReads) of(t *testing.T, k *folderKind, names, texts []string) folderRead {
	t.Helper()
	read := map[string]folderRead{}
	for i, name := range names {
		key := fmt.Sprint(name, len(texts[i]))
		if _, ok := all[key]; !ok {
			dir := t.TempDir()
			filetest.Write(t, filepath.Join(dir, name), texts[i])
			all[key] = k.read(t, dir, true)
		}
		read[name] = all[key]
	}
	joined := join(read, names)
	if joined.samples() == 0 {
		t.Fatalf("no samples; problems %q", joined.Problems)
	}
	return joined
}

// A folder reads as its files do one by one, whatever their sizes, their order and what they have in common, with one worker
// and with several.
func TestFolderReadsAsItsFiles(t *testing.T) {
	for n, kind := range folderKinds(t) {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			made, solo := folderTexts{}, soloReads{}
			for _, order := range kind.orders(n) {
				dir := t.TempDir()
				var names, texts []string
				for i := range len(order) {
					names, texts = append(names, kind.file(i)), append(texts, made.of(t, &kind, i, order[i:i+1]))
					filetest.Write(t, filepath.Join(dir, names[i]), texts[i])
				}
				want := solo.of(t, &kind, names, texts)
				for _, serial := range []bool{true, false} {
					compareFolders(t, fmt.Sprintf("%s, one worker: %v", order, serial), want, kind.read(t, dir, serial))
				}
			}
		})
	}
}

// A folder that is followed gives in the end what it gives at once: files are added to it, and grow over each limit.
func TestFolderIsFollowedAsItsFilesAreRead(t *testing.T) {
	for _, kind := range folderKinds(t) {
		t.Run(kind.name, func(t *testing.T) {
			if kind.ofFormat {
				repotest.OneIn(t, 5)
			}
			t.Parallel()
			made := folderTexts{}
			w := trainer{t, t.TempDir()}
			var names, texts []string
			put := func(i int, size string) { // a file that is there grows
				name, text := kind.file(i), made.of(t, &kind, i, size)
				switch {
				case i == len(names):
					names, texts = append(names, name), append(texts, text)
					filetest.Write(t, w.path(name), text)
				case strings.HasPrefix(text, texts[i]):
					w.add(name, text[len(texts[i]):])
				default:
					w.replace(name, text)
				}
				texts[i] = text
			}
			put(0, "s")
			o := kind.options(false)
			o.Follow, o.Poll, o.settleTime = true, 10*time.Millisecond, 50*time.Millisecond
			s := open(t, o, w.dir)
			got := newFolderRead()
			for _, stage := range kind.stages() {
				for _, step := range stage {
					put(step.file, step.size)
				}
				got.follow(t, s, soloReads{}.of(t, &kind, names, texts))
			}
			_ = s.Close()
		})
	}
}

// A file that is seen while it is being written, cut within a row, gives in the end what it gives at once, whatever its rows have in common.
func TestFileIsFollowedAsItIsWritten(t *testing.T) {
	for _, kind := range folderKinds(t) {
		if path.Ext(kind.file(0)) != ".jsonl" || path.Ext(kind.file(1)) != ".jsonl" {
			continue
		}
		t.Run(kind.name, func(t *testing.T) {
			if kind.ofFormat && kind.name != "picked-lines" { // whose rows tell samples of other rows
				repotest.OneIn(t, 5)
			}
			t.Parallel()
			made, w := folderTexts{}, trainer{t, t.TempDir()}
			names := []string{kind.file(0), kind.file(1)}
			texts := []string{made.of(t, &kind, 0, "s"), made.of(t, &kind, 1, kind.sizes[len(kind.sizes)-1:])}
			cut := len(texts[1])/2 + 1
			filetest.Write(t, w.path(names[0]), texts[0])
			filetest.Write(t, w.path(names[1]), texts[1][:cut])
			o := kind.options(false)
			o.Follow, o.Poll, o.settleTime = true, 10*time.Millisecond, 50*time.Millisecond
			s := open(t, o, w.dir)
			got := newFolderRead()
			for !got.caughtUp {
				c, err := s.Next(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				got.add(c)
			}
			w.add(names[1], texts[1][cut:])
			got.follow(t, s, soloReads{}.of(t, &kind, names, texts))
			_ = s.Close()
		})
	}
}

// folderStep makes a file one of a size.
type folderStep struct {
	file int
	size string
}

// stages are what becomes of a folder between two looks. Its first file is small.
func (k *folderKind) stages() [][]folderStep {
	larger := k.sizes[len(k.sizes)-1:]
	if !k.grow {
		return [][]folderStep{{{1, "s"}}, {{2, larger}, {3, "s"}, {4, "s"}}, {{5, larger}}}
	}
	return [][]folderStep{{{0, "m"}}, {{1, "s"}, {2, "s"}}, {{2, "m"}, {0, larger}, {3, "m"}}}
}

// follow reads on until all that is wanted has come, and compares it.
func (r *folderRead) follow(t *testing.T, s *Source, want folderRead) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for r.samples() != want.samples() || !r.caughtUp {
		c, err := s.Next(ctx)
		if err != nil {
			t.Fatalf("%d samples, want %d; problems %q: %v", r.samples(), want.samples(), r.Problems, err)
		}
		r.add(c)
	}
	now := *r
	now.Samples = maps.Clone(r.Samples)
	now.readTexts(t, s)
	compareFolders(t, fmt.Sprintf("%d files", len(want.Samples)), want, now)
}
