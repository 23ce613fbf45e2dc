package loaders

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"vantage/internal/testkit/formatstest"
	"vantage/model"
)

// trlRow is a row as TRL writes it.
type trlRow struct {
	Step       int64   `parquet:"step"`
	Prompt     string  `parquet:"prompt,dict"`
	Completion string  `parquet:"completion"`
	Accuracy   float64 `parquet:"accuracy"`
	Format     float64 `parquet:"format_reward"`
	Advantage  float64 `parquet:"advantage"`
}

func trlTable(tb testing.TB, rows []trlRow) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := parquet.Write(&b, rows, parquet.Compression(&parquet.Snappy)); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// Parquet files give samples, their groups and their texts.
func TestParquet(t *testing.T) {
	w := trainer{t, t.TempDir()}
	w.add("completions_00002.parquet", string(trlTable(t, []trlRow{
		{2, `what is "\n"?`, "abc", 1, math.NaN(), 0.7}, {2, `what is "\n"?`, "d", 0, 0.5, -0.7},
	})))
	s, got := openAndRead(t, w.path("completions_00002.parquet"))
	want := []model.Record{
		{Step: 2, Preview: `what is "\n"?`, Reward: 1, Advantage: 0.7, Length: 3, Components: []float64{1, math.NaN()}},
		{Step: 2, Preview: `what is "\n"?`, Reward: 0.5, Advantage: -0.7, Length: 1, Components: []float64{0, 0.5}},
	}
	if diff := formatstest.Diff(want, formatstest.Samples(got)); diff != "" {
		t.Error("-want +got\n" + diff)
	}
	if got[0].Prompt == 0 || got[0].Prompt != got[1].Prompt {
		t.Error("rows of one prompt have different hashes")
	}
	text, err := s.Text(context.Background(), model.Place{File: got[1].File, Offset: got[1].Offset})
	if err != nil || text.Prompt != `what is "\n"?` || text.Response != "d" {
		t.Errorf("%+v, %v", text, err)
	}
}

// Rows that are logged again for a later step count once.
func TestRepeatedBlock(t *testing.T) {
	block := func(step int64) []trlRow {
		return []trlRow{
			{step, "p", "a", 1, 0, 0.5}, {step, "p", "bb", 0, 0, -0.5}, {step, "p", "ccc", 1, 0, 0.5}, {step, "p", "dddd", 0, 0, -0.5},
		}
	}
	w := trainer{t, t.TempDir()}
	w.add("completions_00001.parquet", string(trlTable(t, block(1))))
	w.add("completions_00002.parquet", string(trlTable(t, block(2))))
	other := block(3)
	other[3].Advantage = -0.25
	w.add("completions_00003.parquet", string(trlTable(t, other)))
	got := readAll(t, w.path("."))
	if len(got.Records) != 8 || got.Records[7].Step != 3 {
		t.Errorf("%d samples, want those of steps 1 and 3", len(got.Records))
	}
	if notes := strings.Join(got.Notes, "\n"); !strings.Contains(notes, "counted once: the 4 rows that completions_00002.parquet logged for step 2 are those of step 1") {
		t.Errorf("notes %q", notes)
	}
}

// A broken file, or one without samples, is a problem.
func TestUnreadableParquet(t *testing.T) {
	whole := trlTable(t, []trlRow{{1, "p", "a", 1, 0, 0.5}})
	type metric struct {
		Loss float64 `parquet:"loss"`
	}
	var metrics bytes.Buffer
	if err := parquet.Write(&metrics, []metric{{0.5}}); err != nil {
		t.Fatal(err)
	}
	broken := bytes.Clone(whole)
	copy(broken[len(broken)-8-int(binary.LittleEndian.Uint32(broken[len(broken)-8:])):], "garbage garbage garbage")
	greedy := bytes.Clone(whole)
	copy(greedy[len(greedy)-8:], "\xff\xff\xff\xff")
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"greedy.parquet":  {greedy, "its footer is said to be larger than the file"},
		"cut.parquet":     {whole[:len(whole)-10], "it ends early"},
		"metrics.parquet": {metrics.Bytes(), "no column holds a reward under a usual name; its columns are loss"},
		"broken.parquet":  {broken, ""},
	} {
		w := trainer{t, t.TempDir()}
		w.add(name, string(c.data))
		got := readAll(t, w.path(name))
		if len(got.Records) != 0 || len(got.Problems) != 1 || !strings.Contains(got.Problems[0].Reason, c.want) {
			t.Errorf("%s: %d samples, problems %v", name, len(got.Records), got.Problems)
		}
	}
}

// No bytes make a reader of Parquet files panic.
func FuzzParquet(f *testing.F) {
	f.Add(trlTable(f, []trlRow{{1, "p", "a", 1, 0, 0.5}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := t.TempDir() + "/x.parquet"
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := Open([]string{path}, Options{}); err == nil {
			drain(t, s)
		}
	})
}

// A row whose first id column is empty takes its group from the second one.
func TestEmptyGroupIDTakesNextColumn(t *testing.T) {
	type ids struct {
		Group  string  `parquet:"group_id"`
		UID    string  `parquet:"uid"`
		Reward float64 `parquet:"reward"`
	}
	var b bytes.Buffer
	if err := parquet.Write(&b, []ids{{"g", "a", 1}, {"", "a", 0}}); err != nil {
		t.Fatal(err)
	}
	w := trainer{t, t.TempDir()}
	w.add("a.parquet", b.String())
	got := readAll(t, w.path("a.parquet"))
	if len(got.Records) != 2 || got.Records[0].Group != "g" || got.Records[1].Group != "a" {
		t.Errorf("%+v", got.Records)
	}
}
