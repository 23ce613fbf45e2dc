package loaders

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/klauspost/compress/zstd"

	"vantage/internal/testkit/filetest"
	"vantage/model"
)

// A packed log gives the same samples and problems in the same order as a plain one.
func TestPackedLogReadsLikePlain(t *testing.T) {
	t.Parallel()
	log := largeLog(t, 7)
	log = log[:strings.LastIndexByte(log[:6<<20], '\n')]
	w := trainer{t, t.TempDir()}
	read := func(name, text string, serial bool) collected {
		w.add(name, text)
		s := open(t, Options{serial: serial}, w.path(name))
		return drain(t, s)
	}
	want := read("log.jsonl", log, true)
	for name, text := range map[string]string{"log.jsonl.gz": gzipped(t, log), "log.jsonl.zst": zstdCompressed(t, log)} {
		compareCollected(t, want, read(name, text, false))
	}
}

// A log in bzip2 or in UTF-16, as Excel and PowerShell write it, gives the samples of the plain one, and the text of each.
func TestBzip2AndUTF16(t *testing.T) {
	log := ""
	for i := range 8 {
		log += fmt.Sprintf("{\"step\":%d,\"prompt\":\"p%d\",\"completion\":\"a%d\",\"reward\":%d}\n", i/4, i/2, i, i%2)
	}
	const bzipped = "QlpoOTFBWSZTWe1Z498AANBZgAAQEAR/kC4n3IowALhijQ0AAAA1PUTJowjBMECqp5Q0R6mjTQaZqWGDFRkvnPrWlK+xwNzYgg1GogQFh5HgqSMm2QlMiUwi5eLl" +
		"hA5FR+EiRQci7cYDgcDMciBAqJGYgQLDEDYA89JJJ/F3JFOFCQ7Vnj3w"
	unzipped, err := base64.StdEncoding.DecodeString(bzipped)
	if err != nil {
		t.Fatal(err)
	}
	w := trainer{t, t.TempDir()}
	w.add("log.jsonl", log)
	want := readAll(t, w.path("log.jsonl"))
	for name, text := range map[string]string{
		"a.jsonl.bz2": string(unzipped), "a.jsonl": inUTF16(binary.LittleEndian, log), "b.jsonl": inUTF16(binary.BigEndian, log),
		"c.jsonl": inUTF16(binary.LittleEndian, log) + "{", // half a character is being written
	} {
		w.add(name, text)
		s := open(t, Options{}, w.path(name))
		got := drain(t, s)
		if strings.HasPrefix(name, "c") != (len(got.Problems) == 1) {
			t.Errorf("%s: %v", name, got.Problems)
		}
		got.Problems = nil
		compareCollected(t, want, got)
		if text, err := s.Text(t.Context(), model.Place{Offset: got.Records[5].Offset}); err != nil || text.Response != "a5" {
			t.Errorf("%s: %q %v", name, text.Response, err)
		}
	}
}

func inUTF16(order binary.AppendByteOrder, text string) string {
	b := order.AppendUint16(nil, 0xfeff)
	for _, unit := range utf16.Encode([]rune(text)) {
		b = order.AppendUint16(b, unit)
	}
	return string(b)
}

// A packed log without text has no samples and ends.
func TestPackedEmptyLog(t *testing.T) {
	w := trainer{t, t.TempDir()}
	for name, text := range map[string]string{"log.jsonl.gz": gzipped(t, ""), "log.jsonl.zst": zstdCompressed(t, "")} {
		w.add(name, text)
		s, all := openAndRead(t, w.path(name))
		if _ = s.Close(); len(all) > 0 {
			t.Errorf("%s: %d samples", name, len(all))
		}
	}
}

// A tar archive is named also within gzip and zstd: read as text, each of its files would lose its first row.
func TestPackedTarIsRefused(t *testing.T) {
	t.Parallel()
	tar := "a.jsonl" + strings.Repeat("\x00", 250) + "ustar\x0000" + strings.Repeat("\x00", 248) + strings.Repeat(row(1, 1), 8)
	w := trainer{t, t.TempDir()}
	for name, text := range map[string]string{"a.tar.gz": gzipped(t, tar), "a.jsonl.zst": zstdCompressed(t, tar)} {
		w.add(name, text)
		got := readAll(t, w.path(name))
		if len(got.Records) != 0 || len(got.Problems) != 1 || !strings.HasSuffix(got.Problems[0].String(), "it is a tar archive: unpack it: tar -xf, and give the folder") {
			t.Errorf("%s: %d rows, %v", name, len(got.Records), got.Problems)
		}
	}
}

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func zstdCompressed(t *testing.T, text string) string {
	t.Helper()
	e, err := zstd.NewWriter(nil, zstd.WithZeroFrames(true))
	if err != nil {
		t.Fatal(err)
	}
	return string(e.EncodeAll([]byte(text), nil))
}

// A Parquet file reads the same from a stream and from a gzip or zstd file, which has texts too.
func TestParquetInStreamAndCompressed(t *testing.T) {
	t.Parallel()
	plain := string(trlTable(t, []trlRow{{3, "p", "left", 1, 0, 0.5}, {3, "p", "right", 0, 0, -0.5}}))
	for name, data := range map[string]string{"": plain, ".gz": gzipped(t, plain), ".zst": zstdCompressed(t, plain)} {
		got := drain(t, open(t, Options{Stdin: io.NopCloser(strings.NewReader(data))}, "-"))
		if got.rewards() != "1 0" || got.Format != "trl" || got.Records[0].Step != 3 || len(got.Problems) > 0 {
			t.Errorf("a pipe of %q: %s rewards %s, problems %v", name, got.Format, got.rewards(), got.Problems)
		}
		w := trainer{t, t.TempDir()}
		w.add("completions_00003.parquet"+name, data)
		file, all := openAndRead(t, w.dir)
		if len(all) != 2 || all[1].Advantage != -0.5 {
			t.Fatalf("a file %q: %+v", name, all)
		}
		text, err := file.Text(context.Background(), model.Place{File: all[1].File, Offset: all[1].Offset})
		if err != nil || text.Response != "right" {
			t.Errorf("the text of a file %q: %+v, %v", name, text, err)
		}
	}
}

// A table that was cut off is a problem. One that is rewritten while it is followed is read
// again.
func TestParquetInMemoryFails(t *testing.T) {
	t.Parallel()
	one := string(trlTable(t, []trlRow{{1, "p", "a", 1, 0, 0.5}}))
	for name, data := range map[string]string{"a pipe": one[:len(one)-9], "a packed one": gzipped(t, one[:len(one)-9])} {
		s, err := Open([]string{"-"}, Options{Stdin: io.NopCloser(strings.NewReader(data))})
		if err != nil {
			t.Fatal(err)
		}
		if got := drain(t, s); len(got.Problems) != 1 || !strings.Contains(got.Problems[0].Reason, "ends early") {
			t.Errorf("%s: %v", name, got.Problems)
		}
		_ = s.Close()
	}
	w := trainer{t, t.TempDir()}
	w.add("completions_00001.parquet.gz", gzipped(t, one))
	r := follow(t, w.dir, Options{settleTime: time.Hour})
	r.until("the first", hasRewards("1"))
	two := string(trlTable(t, []trlRow{{1, "p", "a", 1, 0, 0.5}, {1, "p", "b", 2, 0, 0.5}}))
	w.replace("completions_00001.parquet.gz", gzipped(t, two))
	r.until("the second", hasRewards("1 2"))
}

// A Dataset that was saved to disk is read, from its folder, its file and a pipe, and the text of a sample is found again. What datasets keeps
// of a changed one beside it has its rows again, and a table that is no log says what is missing.
func TestTablesOfArrow(t *testing.T) {
	t.Parallel()
	table := string(filetest.Read(t, filepath.Join("compressed", "arrowfile", "testdata", "stream_zstd.arrow")))
	w := trainer{t, t.TempDir()}
	for name, text := range map[string]string{
		"train/data-00000-of-00001.arrow": table, "train/cache-1f2e3d.arrow": table,
		"train/state.json": `{"_split": "train"}`, "dataset_dict.json": `{"splits": ["train"]}`,
	} {
		if err := os.MkdirAll(filepath.Dir(w.path(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		w.add(name, text)
	}
	const rewards = "0 0.125 0.25 0.375 0.5 NaN 0.75 0.875 1"
	for _, name := range []string{"", "train", "train/data-00000-of-00001.arrow"} {
		file, all := openAndRead(t, w.path(name))
		if len(all) != 9 || all[8].Step != 2 || all[6].Length != 6 {
			t.Fatalf("%q: %+v", name, all)
		}
		text, err := file.Text(context.Background(), model.Place{File: all[7].File, Offset: all[7].Offset})
		if err != nil || text.Response != "xxxxxxx" || text.Prompt != "what is 1?\n\"ä😀\\" {
			t.Errorf("the text in %q: %+v, %v", name, text, err)
		}
	}
	if got := drain(t, open(t, Options{Stdin: io.NopCloser(strings.NewReader(table))}, "-")); got.rewards() != rewards {
		t.Errorf("a pipe: rewards %s, %v", got.rewards(), got.Problems)
	}
}

// slime's rollouts are read from their folder, and the text of a sample is read again. Training data and weights beside them are no logs.
func TestRolloutsOfSlime(t *testing.T) {
	dir := t.TempDir()
	for to, from := range map[string]string{"rollout_data/3.pt": "protocol2.pt", "rollout_data/eval_3.pt": "protocol5.pt", "train_data/3.pt": "weights.pt", "model.pt": "weights.pt"} {
		text, err := os.ReadFile(filepath.Join("compressed", "torchfile", "testdata", from))
		if err == nil {
			err = os.MkdirAll(filepath.Dir(filepath.Join(dir, to)), 0o700)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, to), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	s := open(t, Options{}, dir)
	got := drain(t, s)
	if len(got.Problems) > 0 {
		t.Error(got.Problems)
	}
	records := got.Records
	if len(records) != 8 || records[1].Reward != 1.25 || records[1].Step != 3 || records[1].Length != 200 {
		t.Fatalf("%+v", records)
	}
	text, err := s.Text(context.Background(), model.Place{File: records[6].File, Offset: records[6].Offset})
	if err != nil || text.Response != "answer 6 \x1b[31m🙂\t\\" || text.Prompt != "What is 1 + \"é\"?\n" {
		t.Errorf("%+v, %v", text, err)
	}
}

// A .pt file that is no rollout is refused in one sentence.
func TestOtherTorchFiles(t *testing.T) {
	problems := readAll(t, filepath.Join("compressed", "torchfile", "testdata", "weights.pt")).Problems
	if len(problems) == 0 || !strings.Contains(problems[0].String(), "without the samples of a rollout: slime and miles write those with --save-debug-rollout-data") {
		t.Error(problems)
	}
}
