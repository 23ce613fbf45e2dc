package loaders

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/formatstest"
	"vantage/internal/testkit/parquettest"
	"vantage/internal/testkit/repotest"
	"vantage/loaders/discover"
	"vantage/loaders/fileio"
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
		"greedy.parquet":  {greedy, "its footer claims to be larger than the file"},
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
		filetest.Write(t, path, data)
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

// Tables that are prefetched, and reuse the memory and the reader of the last one, read like
// single ones, whether their columns are the same or not.
func TestPrefetchedTablesReadLikeOthers(t *testing.T) {
	repotest.Slow(t)
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		dir := filepath.Join(dir, rapid.StringMatching(`[a-z]{12}`).Draw(t, "dir"))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.RemoveAll(dir) }()
		schema, columns, rows := parquettest.Draw(t)
		for i := range rapid.IntRange(2, 8).Draw(t, "files") {
			if rapid.IntRange(0, 3).Draw(t, "other") == 0 {
				schema, columns, rows = parquettest.Draw(t)
			}
			for k := range columns {
				columns[k].Values = rapid.Permutation(columns[k].Values).Draw(t, "cells")
			}
			path := filepath.Join(dir, fmt.Sprintf("completions_%05d.parquet", i))
			if err := os.WriteFile(path, parquettest.Write(t, schema, columns, rows), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, got := recordsOf(t, dir, Options{serial: true}), recordsOf(t, dir, Options{})
		if diff := cmp.Diff(want, got, cmpopts.EquateNaNs()); diff != "" {
			t.Fatal("-want +got\n" + diff)
		}
	})
}

// namedComponents is a record whose components have names: tables may have them in another
// order.
type namedComponents struct {
	model.Record
	Components map[string]float64
}

func recordsOf(t *rapid.T, dir string, o Options) []namedComponents {
	s, err := Open([]string{dir}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	var all []namedComponents
	for {
		c, err := s.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = slices.DeleteFunc(all, func(r namedComponents) bool { return slices.Contains(c.Forget, r.File) })
		records := c.Records
		for i := range c.Blocks {
			records = append(records, c.Blocks[i].Records()...)
		}
		for _, r := range records {
			components := map[string]float64{}
			for k, x := range r.Components {
				if x == x {
					components[c.ComponentNames[k]] = x
				}
			}
			r.Components, r.Line = nil, 0
			all = append(all, namedComponents{r, components})
		}
	}
}

// Small tables whose first rows have nulls in different columns share a chunk.
func TestTablesWithNullsShareAChunk(t *testing.T) {
	type row struct {
		Accuracy *float64 `parquet:"accuracy_reward,optional"`
		Format   *float64 `parquet:"format_reward,optional"`
	}
	one, half := 1.0, 0.5
	w := trainer{t, t.TempDir()}
	for i, rows := range [][]row{{{&one, nil}, {&one, &half}}, {{nil, &half}, {&one, &half}}} {
		var b bytes.Buffer
		if err := parquet.Write(&b, rows, parquet.DataPageVersion(2)); err != nil {
			t.Fatal(err)
		}
		w.add(fmt.Sprintf("completions_%05d.parquet", i), b.String())
	}
	s := open(t, Options{}, w.path("."))
	want := [][]float64{{1, math.NaN(), 1}, {1, half, 1.5}, {math.NaN(), half, 0.5}, {1, half, 1.5}}
	var got [][]float64
	for caughtUp := false; !caughtUp; { // a busy machine may need two
		c, err := s.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		caughtUp = c.Progress.CaughtUp
		accuracy, format := slices.Index(c.ComponentNames, "accuracy_reward"), slices.Index(c.ComponentNames, "format_reward")
		for _, b := range c.Blocks {
			for i, reward := range b.Reward {
				got = append(got, []float64{b.Components[accuracy][i], b.Components[format][i], reward})
			}
		}
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateNaNs()); diff != "" {
		t.Error("-want +got\n" + diff)
	}
}

// chatTurn is a turn of a conversation, with the fields that some turn of the log has.
type chatTurn struct {
	Content   *string    `parquet:"content,optional"`
	Name      *string    `parquet:"name,optional"`
	Role      string     `parquet:"role"`
	ToolCalls []toolCall `parquet:"tool_calls,list"`
}

type toolCall struct {
	Function struct {
		Arguments map[string]int64 `parquet:"arguments"`
		Name      string           `parquet:"name"`
	} `parquet:"function"`
	Kind string `parquet:"type"`
}

// chatRow is a row of TRL's completions of conversations.
type chatRow struct {
	Step       int64      `parquet:"step"`
	Prompt     []chatTurn `parquet:"prompt,list"`
	Completion []chatTurn `parquet:"completion,list"`
	Accuracy   float64    `parquet:"accuracy_reward"`
	Advantage  float64    `parquet:"advantage"`
}

func turn(role, content string) chatTurn { return chatTurn{Role: role, Content: &content} }

// chatRows are two rows of each of n prompts; in the second the model calls a tool.
func chatRows(n int) []chatRow {
	call := chatTurn{Role: "assistant", ToolCalls: []toolCall{{Kind: "function"}}}
	call.ToolCalls[0].Function.Name = "add"
	call.ToolCalls[0].Function.Arguments = map[string]int64{"a": 2}
	result, name := turn("tool", "4"), "add"
	result.Name = &name
	var rows []chatRow
	for i := range n {
		prompt := []chatTurn{turn("system", "Be \"brief\".\n"), turn("user", "käse "+string(rune('a'+i%26))+` \n?`)}
		rows = append(rows,
			chatRow{7, prompt, []chatTurn{turn("assistant", "ça")}, 1, 0.5},
			chatRow{7, prompt, []chatTurn{call, result, turn("assistant", "four")}, 0.25, -0.5})
	}
	return rows
}

func chatTable(t *testing.T, rows []chatRow, options ...parquet.WriterOption) string {
	t.Helper()
	var b bytes.Buffer
	if err := parquet.Write(&b, rows, options...); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Conversations in lists of structs are prompts and responses, also where a row spans pages.
func TestChatParquet(t *testing.T) {
	for name, options := range map[string][]parquet.WriterOption{
		"plain":     {parquet.Compression(&parquet.Snappy)},
		"pages":     {parquet.PageBufferSize(40), parquet.DataPageVersion(1), parquet.MaxRowsPerRowGroup(17)},
		"V2 pages":  {parquet.PageBufferSize(40), parquet.DataPageVersion(2), parquet.Compression(&parquet.Zstd)},
		"many rows": {parquet.MaxRowsPerRowGroup(1500)},
	} {
		t.Run(name, func(t *testing.T) {
			n := 20
			if name == "many rows" {
				n = 1300
			}
			w := trainer{t, t.TempDir()}
			w.add("completions_00007.parquet", chatTable(t, chatRows(n), options...))
			s, got := openAndRead(t, w.path("completions_00007.parquet"))
			if len(got) != 2*n {
				t.Fatalf("%d samples, want %d", len(got), 2*n)
			}
			want := []model.Record{
				{Step: 7, Preview: `käse a \n?`, Reward: 1, Advantage: 0.5, Length: 2, Components: []float64{1}},
				{Step: 7, Preview: `käse a \n?`, Reward: 0.25, Advantage: -0.5, Length: 5, Components: []float64{0.25}},
			}
			if diff := formatstest.Diff(want, formatstest.Samples(got[:2])); diff != "" {
				t.Error("-want +got\n" + diff)
			}
			for i := range got {
				if (got[i].Prompt == got[i^1].Prompt) != true || i > 1 && i < 52 && got[i].Prompt == got[i-2].Prompt {
					t.Errorf("the prompt of row %d has hash %x", i, got[i].Prompt)
				}
			}
			last := got[len(got)-1]
			text, err := s.Text(context.Background(), model.Place{File: last.File, Offset: last.Offset})
			if err != nil {
				t.Fatal(err)
			}
			wantPrompt := "system: Be \"brief\".\n\n\nuser: käse " + string(rune('a'+(n-1)%26)) + ` \n?`
			if diff := cmp.Diff(wantPrompt, text.Prompt); diff != "" {
				t.Error("-want +got\n" + diff)
			}
			if diff := cmp.Diff("assistant: add({\"a\":2})\n\ntool add: 4\n\nassistant: four", text.Response); diff != "" {
				t.Error("-want +got\n" + diff)
			}
		})
	}
}

// panickingHandle is a file that a fault of the program is met in, once.
type panickingHandle struct {
	fileio.Handle
	met *atomic.Bool
}

func (h panickingHandle) ReadAt(p []byte, at int64) (int, error) {
	if !h.met.Swap(true) {
		panic("a page is broken")
	}
	return h.Handle.ReadAt(p, at)
}

// A table that ends the reading ahead with a panic is read when it is its turn.
func TestPanicWhileReadingAhead(t *testing.T) {
	t.Parallel()
	if runtime.GOMAXPROCS(0) < 2 {
		t.Skip("one worker reads nothing ahead")
	}
	w := trainer{t, t.TempDir()}
	for i := range 5 {
		w.add(fmt.Sprintf("completions_%05d.parquet", i), plainTables(t, i, "s"))
	}
	var met atomic.Bool
	faults := func(path string, h fileio.Handle, err error) (fileio.Handle, error) {
		if strings.HasSuffix(path, "2.parquet") {
			h = panickingHandle{h, &met}
		}
		return h, err
	}
	got := drain(t, open(t, Options{faults: faults}, w.dir))
	if want := 5 * folderRows["s"]; len(got.Records) != want || len(got.Problems) > 0 || !met.Load() {
		t.Errorf("%d rows, want %d; problems %v; met: %v", len(got.Records), want, got.Problems, met.Load())
	}
}

// Rows of a table in which no column tells those of evaluations are no evaluation, as those of other files are not.
func TestTableOfNoEvaluation(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		split discover.Split
		rows  int
	}{{discover.SplitTrain, 4}, {discover.SplitVal, 0}, {discover.SplitAll, 4}} {
		for name, text := range map[string]string{
			"rows.parquet": writeTable(t, folderRowsOf(0, "s"), asUsual), "rows.jsonl": folderLines(false)(t, 0, "s"), "rows.csv": folderCSV(t, 0, "s"),
		} {
			w := trainer{t, t.TempDir()}
			w.add(name, text)
			if got := drain(t, open(t, Options{Split: c.split}, w.path(name))); len(got.Records) != c.rows {
				t.Errorf("%s of %s: %d rows, want %d", c.split, name, len(got.Records), c.rows)
			}
		}
	}
}

// Tables for which there is something better before they were read are not read, be it by one worker or by several.
func TestTablesLeftOutBeforeTheyAreRead(t *testing.T) {
	t.Parallel()
	for _, serial := range []bool{true, false} {
		w := trainer{t, t.TempDir()}
		for i := range 3 {
			filetest.Write(t, w.path(fmt.Sprintf("val/rows_%d.parquet", i)), writeTable(t, folderRowsOf(i, "s"), asUsual))
		}
		s := open(t, Options{Follow: true, serial: serial}, w.dir)
		filetest.Write(t, w.path("train/rows_7.parquet"), writeTable(t, folderRowsOf(7, "s"), asUsual))
		r := &follower{t: t, s: s}
		r.until("all of it", func(r *follower) bool { return len(r.Records) > 0 && r.Progress.CaughtUp })
		for _, x := range r.Records {
			if x.Step != 8 {
				t.Errorf("one worker: %v: a row of step %d in %s", serial, x.Step, r.Files[x.File])
			}
		}
	}
}
