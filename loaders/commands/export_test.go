package commands

import (
	"bytes"
	"context"
	"io"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/repotest"
	"vantage/model"
	"vantage/model/report"
)

// longRun returns a run of steps with 256 samples.
func longRun(steps int) model.Snapshot {
	store := model.NewStore()
	for step := range steps {
		chunk := &model.Chunk{Format: "synthetic", LengthUnit: model.LengthTokens, HasTruth: true}
		for i := range 256 {
			chunk.Records = append(chunk.Records, model.Record{
				Step: int64(step + 1), Prompt: uint64(i/4 + 1), Reward: float64((i * (i + step)) % 3), Advantage: math.NaN(), Length: 10,
			})
		}
		store.Append(chunk)
	}
	return store.Snapshot()
}

// tableOf returns the samples of a run with the columns that an export has without being asked.
func tableOf(t *testing.T, snap model.Snapshot) *report.SampleTable {
	t.Helper()
	columns, err := chooseColumns(snap, "")
	if err != nil {
		t.Fatal(err)
	}
	return &report.SampleTable{Snap: snap, Settings: model.DefaultSettings(), Columns: columns}
}

// gauge discards what is written, and records the size of the heap.
type gauge struct{ heap []int }

func (g *gauge) Write(p []byte) (int, error) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	g.heap = append(g.heap, int(m.HeapAlloc))
	return len(p), nil
}

// The last of ten row groups of a Parquet file takes no more memory than the first; in
// between the writer's buffers vary.
func TestParquetMemoryDoesNotGrow(t *testing.T) {
	repotest.Slow(t)
	const slack = 1 << 20 // a row group is several times as much
	long, g := longRun(2560), &gauge{}
	if err := writeParquet(context.Background(), g, tableOf(t, long)); err != nil {
		t.Fatal(err)
	}
	g.heap = g.heap[1:] // before the head of the file is written no row is held
	quarter := len(g.heap) / 4
	if grown := slices.Min(g.heap[3*quarter:len(g.heap)-1]) - slices.Min(g.heap[:quarter]); quarter < 4 || grown > slack {
		t.Errorf("%d bytes more are held at the end than at the beginning, by %d writes", grown, len(g.heap))
	}
	runtime.KeepAlive(long)
}

// A Parquet file without its end is an error.
func TestCutParquetIsRefused(t *testing.T) {
	t.Parallel()
	var whole bytes.Buffer
	if err := writeParquet(context.Background(), &whole, tableOf(t, longRun(3))); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "part.parquet")
	filetest.Write(t, path, whole.Bytes()[:whole.Len()-10])
	p := Program{Out: io.Discard, split: "train"}
	if snap, err := p.readAll(context.Background(), []string{path}); err == nil {
		t.Errorf("it is read as %s", snap.Run.Format)
	}
}

// longTexts is a log whose texts have a megabyte each.
type longTexts struct{ text string }

func (l longTexts) Text(context.Context, model.Place) (model.Text, error) {
	return model.Text{Response: l.text}, nil
}

func (longTexts) Lines(_ context.Context, at []model.Place) ([]int64, error) {
	return slices.Repeat([]int64{1}, len(at)), nil
}

// A row group is bounded by its texts too, and not only by its rows.
func TestParquetRowGroupsOfLongTexts(t *testing.T) {
	t.Parallel()
	snap := longRun(1)
	columns, err := chooseColumns(snap, "index,response,length")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	table := &report.SampleTable{Snap: snap, Settings: model.DefaultSettings(), Columns: columns, Log: longTexts{strings.Repeat("x", 1<<20)}}
	if err := writeParquet(context.Background(), &out, table); err != nil {
		t.Fatal(err)
	}
	file, err := parquet.OpenFile(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(file.RowGroups()); n != 8 || file.NumRows() != 256 {
		t.Errorf("256 texts of 1 MB are %d row groups of together %d rows, want 8 of 32 MB", n, file.NumRows())
	}
	if names := file.Schema().Columns(); names[0][0] != "index" || names[1][0] != "response" || names[2][0] != "length" {
		t.Errorf("columns %v", names)
	}
}

// --columns takes names in any order, and says of others what was meant and what there is.
func TestChooseColumns(t *testing.T) {
	t.Parallel()
	snap := longRun(1)
	for named, want := range map[string]string{
		"":                 "step group index reward advantage_original kept advantage length fate refused admitted loss_weight advantage_logged file line",
		"response, step":   "response step",
		"advantag":         `--columns: no column "advantag": did you mean advantage; this log has step, `,
		"zzz":              `--columns: no column "zzz"; this log has step, `,
		"step,line,step":   "--columns names step twice",
		"reward/unwritten": `--columns: no column "reward/unwritten"; this log has step, `,
	} {
		columns, err := chooseColumns(snap, named)
		got := ""
		for _, c := range columns {
			got = strings.TrimSpace(got + " " + c.Name)
		}
		if err != nil {
			got = err.Error()
		}
		if got != want && (err == nil || !strings.HasPrefix(got, want)) {
			t.Errorf("%q gives %s, want %s", named, got, want)
		}
	}
}
