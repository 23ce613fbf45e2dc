package loaders

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/repotest"
	"vantage/model"
)

// openAndRead reads a log and returns its source and samples.
func openAndRead(t *testing.T, path string) (*Source, []model.Record) {
	t.Helper()
	s := open(t, Options{}, path)
	return s, drain(t, s).Records
}

// The text of a sample is found again in every format.
func TestText(t *testing.T) {
	t.Parallel()
	packed := gzipped(t, `{"step":1,"prompt":"zip?","response":"zap","reward":1}`+"\n"+`{"step":1,"prompt":"zip?","response":"zup\n!","reward":0}`+"\n")
	for _, c := range []struct {
		name, log              string
		nth                    int
		prompt, response, gold string
	}{
		{"a.jsonl", `{"input":"q1","output":"a1","gts":"t","score":1,"step":1}` + "\n" + `{"input":"q2","output":"a\"2","gts":7,"score":1,"step":1,"x":5}` + "\n", 1, "q2", `a"2`, "7"},
		{"columns.jsonl", `{"step":["1","1"],"prompt":["p","p"],"completion":["left","right"],"Acc":[1,0],"advantages":[1,-1]}` + "\n", 1, "p", "right", ""},
		{"chat.jsonl", `{"id":0,"prompt":[{"role":"user","content":"hi"}],"completion":[{"role":"assistant","content":"hello"}],"answer":"x","reward":1}` + "\n", 0, "user: hi", "assistant: hello", "x"},
		{"doc.json", "[\n {\"prompt\":\"p\",\"response\":\"one\",\"reward\":1},\n {\"prompt\":\"p\",\"response\":\"two\",\"reward\":0}\n]", 1, "p", "two", ""},
		{"t.csv", "prompt,response,reward\n\"a, b\",\"line 1\nline \"\"2\"\"\",1\nc,d,0\n", 0, "a, b", "line 1\nline \"2\"", ""},
		{"generations.log", "[prompt] p\\n\n[output] o1\n[ground_truth] g\n[score] 1.0\n\n[prompt] p\\n\n[output] o2\n[ground_truth] g\n[score] 0.0\n\n", 1, "p\\n", "o2", "g"},
		{"traces.jsonl", `{"task":{"data":{"prompt":"p","answer":"g"}},"traces":[{"nodes":[{"message":{"role":"user","content":"p"},"sampled":false},{"message":{"role":"assistant","content":"say \"it\""},"sampled":true}],"reward":1},` +
			`{"nodes":[{"message":{"role":"user","content":"p"}},{"message":{"role":"assistant","content":"call"},"sampled":true},{"message":{"role":"tool","content":"4"}},{"message":{"role":"assistant","content":"so 4"},"sampled":true}],"reward":1}]}` + "\n", 1, "p", "assistant: call\n\ntool: 4\n\nassistant: so 4", "g"},
		{"episode_1.json", `{"training_step":1,"task":{"question":"p","ground_truth":"g"},"task_hash":"h","trajectories":[{"name":"solver","reward":1,"steps":[{"chat_completions":[{"role":"user","content":"p"},{"role":"assistant","content":"first\nline"}]}]}]}`, 0, "p", "first\nline", "g"},
		{"rollout_summaries.jsonl", `{"group_idx":0,"traj_idx":0,"total_reward":1,"steps":[{"ac_len":3,"logs":{"response":"one"}},{"ac_len":4,"logs":{"response":"two"}}]}` + "\n", 0, "", "one\n\ntwo", ""},
		{"trajectory_log_1.csv", "conversation_text,trajectory_reward,policy_version,original_input\n\"[{'role': 'user', 'content': 'p'}, {'role': 'assistant', 'content': 'it\\'s \"\"4\"\"\\n\\x41\\U0001f642'}]\",1,1,\"{'prompt': 'p', 'answer': '4'}\"\n", 0, "p", "it's \"4\"\nA🙂", "4"},
		{"generations_5_ab.table.json", `{"columns":["step","input","label","output_1","score_1","output_2","score_2"],"data":[[5,"p","g","one",1,"two",0]]}`, 1, "p", "two", "g"},
		{"z.jsonl.gz", packed, 1, "zip?", "zup\n!", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := trainer{t, t.TempDir()}
			w.add(c.name, c.log)
			s, all := openAndRead(t, w.path(c.name))
			if len(all) <= c.nth {
				t.Fatalf("%d samples", len(all))
			}
			r := all[c.nth]
			got, err := s.Text(context.Background(), model.Place{File: r.File, IndexInLine: r.IndexInLine, Offset: r.Offset})
			if err != nil {
				t.Fatal(err)
			}
			if got.Prompt != c.prompt || got.Response != c.response || got.Truth != c.gold {
				t.Errorf("%q, %q, %q; want %q, %q, %q", got.Prompt, got.Response, got.Truth, c.prompt, c.response, c.gold)
			}
		})
	}
}

// A text that is not there any more is an error, and so is that of a stream.
func TestTextOfTruncatedFile(t *testing.T) {
	w := trainer{t, t.TempDir()}
	w.add("a.jsonl", `{"prompt":"q","response":"a","reward":1}`+"\n")
	s, all := openAndRead(t, w.path("a.jsonl"))
	if err := os.Truncate(w.path("a.jsonl"), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Text(context.Background(), model.Place{File: all[0].File}); err == nil || !strings.Contains(err.Error(), "a.jsonl") {
		t.Errorf("the text of an emptied file: %v", err)
	}
	if _, err := s.Text(context.Background(), model.Place{File: 9}); !errors.Is(err, ErrNoText) {
		t.Errorf("the text of no file: %v", err)
	}
}

// Every sample of the sample logs has a text, with the prompt that was previewed.
func TestTextOfSamples(t *testing.T) {
	for _, path := range []string{"trl", "ms-swift/SYNTHETIC_hf", "nemo-rl", "roll", "verifiers/wordle--gpt-4.1-mini", "tunix", "unstable-baselines", "wandb", "easyr1", "rllm", "skyrl"} {
		s, all := openAndRead(t, repotest.SampleLog(t, path))
		if len(all) == 0 {
			t.Errorf("%s: no samples", path)
		}
		for _, r := range all {
			got, err := s.Text(context.Background(), model.Place{File: r.File, IndexInLine: r.IndexInLine, Offset: r.Offset})
			if err != nil {
				t.Errorf("%s: %v", path, err)
				break
			}
			if words := strings.Fields(r.Preview); len(words) > 0 && !strings.Contains(got.Prompt, words[0]) {
				t.Errorf("%s: prompt %q does not begin as %q", path, got.Prompt, r.Preview)
				break
			}
		}
	}
}

// A text is found anywhere in a large compressed file, before or after the last one.
func TestTextAnywhereInCompressed(t *testing.T) {
	repotest.OneGoroutine(t)
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	answer := func(i int) string { return fmt.Sprintf("answer %d %s", i, strings.Repeat("x", i%900)) }
	n := 0
	for ; text.Len() < 9<<20; n++ {
		fmt.Fprintf(&text, `{"step":1,"prompt":"%x","response":"%s","reward":1}`+"\n", random.Uint64(), answer(n))
	}
	half := text.Len() / 2
	w := trainer{t, t.TempDir()}
	w.add("a.jsonl.gz", gzipped(t, text.String()[:half])+gzipped(t, text.String()[half:])) // two members
	w.add("a.jsonl.zst", zstdCompressed(t, text.String()))
	for _, name := range []string{"a.jsonl.gz", "a.jsonl.zst"} {
		s, all := openAndRead(t, w.path(name))
		if len(all) != n {
			t.Fatalf("%s: %d samples of %d", name, len(all), n)
		}
		at := n / 2
		for range 60 {
			got, err := s.Text(context.Background(), model.Place{File: all[at].File, Offset: all[at].Offset})
			if err != nil || got.Response != answer(at) {
				t.Fatalf("%s, row %d: %.40q, %v", name, at, got.Response, err)
			}
			at = []int{(at + 1) % n, max(0, at-1), random.IntN(n)}[random.IntN(3)]
		}
	}
}

// A row that is longer than the text that is cached is found whole, at the end of the file too,
// and in a CSV, which needs its header.
func TestLongTextInCompressed(t *testing.T) {
	repotest.OneGoroutine(t)
	t.Parallel()
	long := func(i int) string { return strings.Repeat(fmt.Sprintf("%d words. ", i), 90_000) }
	var lines, csv strings.Builder
	_, _ = csv.WriteString("step,prompt,response,reward\n")
	prompt := strings.Repeat("p", 2<<20)
	for i := range 6 {
		_, _ = fmt.Fprintf(&lines, `{"step":1,"prompt":"%s","response":"%s","reward":1}`+"\n", prompt, long(i))
		_, _ = fmt.Fprintf(&csv, "1,%s,\"%s\",1\n", prompt, long(i))
	}
	w := trainer{t, t.TempDir()}
	jsonl := strings.TrimSpace(lines.String())
	for name, data := range map[string]string{"a.jsonl.gz": gzipped(t, jsonl), "a.jsonl.zst": zstdCompressed(t, jsonl), "a.csv.zst": zstdCompressed(t, csv.String())} {
		w.add(name, data)
		s, all := openAndRead(t, w.path(name))
		if len(all) != 6 {
			t.Fatalf("%s: %d samples", name, len(all))
		}
		for _, at := range []int{3, 0, 5, 4, 1} {
			got, err := s.Text(context.Background(), model.Place{File: all[at].File, Offset: all[at].Offset})
			if want := long(at); err != nil || got.Response != want {
				t.Errorf("%s, row %d: %d bytes of %d, %v", name, at, len(got.Response), len(want), err)
			}
		}
	}
}

// numberedRow is a row whose text holds its number.
type numberedRow struct {
	Step     int64    `parquet:"step,dict"`
	Prompt   string   `parquet:"prompt,dict"`
	Response string   `parquet:"completion"`
	Reward   float64  `parquet:"reward"`
	Judge    *float64 `parquet:"judge_score,optional"`
	Tags     []string `parquet:"tags"`
}

func response(n int) string { return fmt.Sprintf("answer %d %s", n, strings.Repeat("x", n%700)) }

func numberedTable(t *testing.T, rows int, options ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[numberedRow](&b, options...)
	for n := range rows {
		r := numberedRow{Step: int64(n / 64), Prompt: fmt.Sprintf("question %d", n/8), Response: response(n), Reward: float64(n % 2), Tags: []string{"a", fmt.Sprint(n)}}
		if n%3 > 0 {
			judge := float64(n) / 4
			r.Judge = &judge
		}
		if _, err := w.Write([]numberedRow{r}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Several readers at once find the text of any row, in any order.
func TestTextOfEveryTableRow(t *testing.T) {
	t.Parallel()
	w := trainer{t, t.TempDir()}
	w.add("a.parquet", string(numberedTable(t, 5000, parquet.Compression(&parquet.Zstd), parquet.PageBufferSize(3000), parquet.MaxRowsPerRowGroup(900))))
	s, all := openAndRead(t, w.path("a.parquet"))
	if len(all) != 5000 {
		t.Fatalf("%d samples", len(all))
	}
	var readers sync.WaitGroup
	for seed := range uint64(3) {
		readers.Go(func() {
			random := rand.New(rand.NewPCG(seed, 1))
			for range 100 {
				n := random.IntN(len(all))
				got, err := s.Text(context.Background(), model.Place{File: all[n].File, Offset: all[n].Offset})
				if err != nil || got.Prompt != fmt.Sprintf("question %d", n/8) || got.Response != response(n) {
					t.Errorf("row %d: %q, %.40q, %v", n, got.Prompt, got.Response, err)
					return
				}
				want := map[string]string{"judge_score": fmt.Sprint(float64(n) / 4), "reward": fmt.Sprint(n % 2)}
				if n%3 == 0 {
					want["judge_score"] = ""
				}
				for _, f := range got.Fields {
					if x, ok := want[f.Name]; ok && f.Value != x {
						t.Errorf("row %d: %s is %s", n, f.Name, f.Value)
					}
				}
			}
		})
	}
	readers.Wait()
}

// Cached pages of a table are not used after it was rewritten.
func TestTextOfRewrittenTable(t *testing.T) {
	w := trainer{t, t.TempDir()}
	w.add("a.parquet", string(numberedTable(t, 3000)))
	s, all := openAndRead(t, w.path("a.parquet"))
	place := model.Place{File: all[2500].File, Offset: all[2500].Offset}
	if got, err := s.Text(context.Background(), place); err != nil || got.Response != response(2500) {
		t.Fatalf("%.40q, %v", got.Response, err)
	}
	filetest.Write(t, w.path("a.parquet"), numberedTable(t, 100))
	if got, err := s.Text(context.Background(), place); err == nil {
		t.Errorf("%.40q", got.Response)
	}
}

// The line of a sample is that of its record, in whatever order samples are asked for, in files of several
// megabytes, packed or not, and in rows of a table.
func TestLine(t *testing.T) {
	repotest.OneGoroutine(t)
	t.Parallel()
	var log strings.Builder
	var want []int64
	random := rand.New(rand.NewPCG(1, 2))
	line := int64(1)
	for log.Len() < 3*markDistance {
		fmt.Fprintf(&log, `{"step":1,"prompt":"%s","response":"x","reward":1}`+"\n", strings.Repeat("p", 1+random.IntN(4000)))
		want = append(want, line)
		line++
		if random.IntN(10) == 0 {
			log.WriteString("\n")
			line++
		}
	}
	w := trainer{t, t.TempDir()}
	w.add("a.jsonl", log.String())
	w.add("b.jsonl.gz", gzipped(t, log.String()))
	for _, name := range []string{"a.jsonl", "b.jsonl.gz"} {
		s, all := openAndRead(t, w.path(name))
		if len(all) != len(want) {
			t.Fatalf("%s: %d samples of %d", name, len(all), len(want))
		}
		order := random.Perm(len(all))[:50]
		for i := range all {
			order = append(order, i)
		}
		for _, i := range order {
			got, err := lineOf(s, &all[i])
			if err != nil || got != want[i] {
				t.Fatalf("%s: sample %d is in line %d, want %d: %v", name, i, got, want[i], err)
			}
		}
	}
}

// lineOf returns the line of one sample.
func lineOf(s *Source, r *model.Record) (int64, error) {
	lines, err := s.Lines(context.Background(), []model.Place{{File: r.File, Offset: r.Offset}})
	return slices.Max(append(lines, 0)), err
}

// Lines of two files are counted on when samples alternate between them; a shortened file is an error.
func TestLineOfSeveralFiles(t *testing.T) {
	t.Parallel()
	w := trainer{t, t.TempDir()}
	row := `{"step":1,"prompt":"p","response":"x","reward":1}` + "\n"
	w.add("a.jsonl", strings.Repeat(row, 20))
	w.add("b.jsonl", "\n"+strings.Repeat(row, 20))
	s, all := openAndRead(t, w.path(""))
	if len(all) != 40 {
		t.Fatalf("%d samples", len(all))
	}
	for i := range 20 {
		for k, want := range []int{i + 1, i + 2} {
			r := all[20*k+i]
			if got, err := lineOf(s, &r); err != nil || got != int64(want) {
				t.Fatalf("sample %d of file %d is in line %d, want %d: %v", i, k, got, want, err)
			}
		}
	}
	if err := os.Truncate(w.path("a.jsonl"), 100); err != nil {
		t.Fatal(err)
	}
	if _, err := lineOf(s, &all[10]); err == nil || err.Error() != "a.jsonl cannot be read again: it ends before the sample" {
		t.Errorf("a line of a file that was shortened: %v", err)
	}
}

// Lines are counted anew in a file that was rewritten while it is followed, packed or not.
func TestLineInARewrittenFile(t *testing.T) {
	t.Parallel()
	first := row(1, 1) + row(1, 2) + row(1, 3) + row(1, 4)
	second := fmt.Sprintf(`{"step":1,"prompt":"p","response":"%s","reward":7}`+"\n", strings.Repeat("x", 1000)) + row(1, 8)
	for name, pack := range map[string]func(*testing.T, string) string{"a.jsonl": func(_ *testing.T, s string) string { return s }, "b.jsonl.gz": gzipped} {
		w := trainer{t, t.TempDir()}
		w.add(name, pack(t, first))
		r := follow(t, w.path(name), Options{})
		r.until("the rows", hasRewards("1 2 3 4"))
		if line, err := lineOf(r.s, &r.Records[3]); line != 4 || err != nil {
			t.Errorf("%s: line %d, want 4: %v", name, line, err)
		}
		w.replace(name, pack(t, second))
		r.until("others", hasRewards("7 8"))
		if line, err := lineOf(r.s, &r.Records[1]); line != 2 || err != nil {
			t.Errorf("%s, rewritten: line %d, want 2: %v", name, line, err)
		}
	}
}

// BenchmarkText reads the texts of random samples of the log named by VANTAGE_BENCH_LOG
// ("first"), and of the sample after each ("next").
func BenchmarkText(b *testing.B) {
	path := os.Getenv("VANTAGE_BENCH_LOG")
	if path == "" {
		b.Skip("no log to read")
	}
	s, places := placesOf(b, path)
	defer func() { _ = s.Close() }()
	random := rand.New(rand.NewPCG(1, 2))
	var first, next []time.Duration
	for b.Loop() {
		at := random.IntN(len(places) - 1)
		for i, durations := range []*[]time.Duration{&first, &next} {
			start := time.Now()
			if _, err := s.Text(context.Background(), places[at+i]); err != nil {
				b.Fatal(err)
			}
			*durations = append(*durations, time.Since(start))
		}
	}
	report := func(name string, all []time.Duration) {
		slices.Sort(all)
		b.ReportMetric(all[len(all)/2].Seconds()*1e3, name+"-ms")
		b.ReportMetric(all[len(all)-1].Seconds()*1e3, name+"-worst-ms")
	}
	report("first", first)
	report("next", next)
}

// placesOf reads a log and returns its source and the places of its samples.
func placesOf(b *testing.B, path string) (*Source, []model.Place) {
	b.Helper()
	s, err := Open([]string{path}, Options{})
	if err != nil {
		b.Fatal(err)
	}
	var all []model.Place
	for {
		chunk, err := s.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return s, all
		}
		if err != nil {
			b.Fatal(err)
		}
		for _, r := range chunk.Records {
			all = append(all, model.Place{File: r.File, IndexInLine: r.IndexInLine, Offset: r.Offset})
		}
		for _, k := range chunk.Blocks {
			for _, offset := range k.Offset {
				all = append(all, model.Place{File: k.File, Offset: offset})
			}
		}
	}
}

// BenchmarkIdle reports the share of a processor that following the logs at VANTAGE_BENCH_LOG
// takes while nothing changes, with events of the kernel and by polling alone.
func BenchmarkIdle(b *testing.B) {
	path := os.Getenv("VANTAGE_BENCH_LOG")
	if path == "" {
		b.Skip("no log to follow")
	}
	for _, polling := range []bool{false, true} {
		b.Run(map[bool]string{false: "told", true: "polling"}[polling], func(b *testing.B) {
			s := open(b, Options{Follow: true}, path)
			if polling {
				_ = s.reading.schedule.watcher.close()
				s.reading.schedule.watcher = watcher{}
			}
			ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
			var err error
			for err == nil { // until the last change has settled
				_, err = s.Next(ctx)
			}
			cancel()
			for b.Loop() {
				before := processorTime()
				ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
				for err = nil; err == nil; {
					_, err = s.Next(ctx)
				}
				cancel()
				b.ReportMetric(100*(processorTime()-before).Seconds()/30, "%cpu")
			}
		})
	}
}

// Many texts read at once are those that are read one by one, in the order of the log, from its end, and without those that cannot hold
// a word.
func TestTextsAreAsOneByOne(t *testing.T) {
	long := strings.Repeat("so it goes on and on ", 30_000) // longer than what is read at once
	for _, path := range []string{"verl/SYNTHETIC_v1", "trl", "ms-swift/SYNTHETIC_hf", "tunix", "unstable-baselines", "wandb", "easyr1", "made.jsonl", "made.csv", "steps.jsonl", "last.jsonl", "made.jsonl.gz", "made.csv.gz", "last.jsonl.gz"} {
		log := filepath.Join(t.TempDir(), path)
		switch text := map[string]string{
			"made.jsonl":  strings.Repeat(`{"step":1,"prompt":"p","response":"short","reward":1}`+"\n"+`{"step":1,"prompt":"p","response":"`+long+`","reward":1}`+"\n", 3),
			"made.csv":    "prompt,response,reward\n\"a, b\",\"line 1\nline \"\"2\"\"\",1\nc,d,0\n",
			"steps.jsonl": `{"step":["1","1"],"prompt":["p","p"],"completion":["left","right"],"Acc":[1,0],"advantages":[1,-1]}` + "\n",
			"last.jsonl":  `{"step":1,"prompt":"p","response":"a","reward":1}` + "\n" + `{"step":1,"prompt":"p","response":"without a newline","reward":1}`,
		}[strings.TrimSuffix(path, ".gz")]; text {
		case "":
			log = repotest.SampleLog(t, path)
		default:
			data := []byte(text)
			if strings.HasSuffix(path, ".gz") {
				var packed bytes.Buffer
				w := gzip.NewWriter(&packed)
				_, _ = w.Write(data)
				_ = w.Close()
				data = packed.Bytes()
			}
			filetest.Write(t, log, data)
		}
		s, all := openAndRead(t, log)
		places := make([]model.Place, len(all))
		for i, r := range all {
			places[i] = model.Place{File: r.File, IndexInLine: r.IndexInLine, Offset: r.Offset}
		}
		for range 2 {
			slices.Reverse(places)
			want, n := make([]model.Text, len(places)), 0
			for i, at := range places {
				var err error
				if want[i], err = s.Text(t.Context(), at); err != nil {
					t.Fatal(path, err)
				}
			}
			check := func(i int, got model.Text, err error) {
				n++
				if diff := cmp.Diff(want[i], got); diff != "" || err != nil {
					t.Errorf("%s, %d: %v -one by one +at once\n%s", path, i, err, diff)
				}
			}
			if err := s.Texts(t.Context(), places, nil, check); err != nil || n != len(places) || n == 0 {
				t.Errorf("%s: %d of %d: %v", path, n, len(places), err)
			}
		}
		if path == "made.jsonl" {
			n := 0
			err := s.Texts(t.Context(), places, func(record []byte) bool { return bytes.Contains(record, []byte("short")) }, func(int, model.Text, error) { n++ })
			if err != nil || n != 3 {
				t.Errorf("%d hold the word: %v", n, err)
			}
		}
	}
}

// A person who looks at the texts of a table of conversations, one after the other, takes no more memory for each.
func TestTextsOfATableHoldLittleMemory(t *testing.T) {
	type turn struct {
		Role    string `parquet:"role,dict"`
		Content string `parquet:"content,dict"`
	}
	type row struct {
		Step       int64   `parquet:"step"`
		Prompt     []turn  `parquet:"prompt,list"`
		Completion []turn  `parquet:"completion,list"`
		Accuracy   float64 `parquet:"accuracy"`
		Advantage  float64 `parquet:"advantage"`
	}
	w := trainer{t, t.TempDir()}
	for name, rows := range map[string]int{"completions_1.parquet": 4, "completions_2.parquet": 1200} { // held in memory, and not
		all := make([]row, rows)
		for i := range all {
			all[i] = row{7, []turn{{"user", response(i)}}, []turn{{"assistant", response(i + 1)}}, 1, 0}
		}
		var b bytes.Buffer
		if err := parquet.Write(&b, all); err != nil {
			t.Fatal(err)
		}
		w.add(name, b.String())
		s, samples := openAndRead(t, w.path(name))
		read := func(times int) {
			for i := range times {
				x := samples[i%len(samples)]
				if text, err := s.Text(t.Context(), model.Place{File: x.File, Offset: x.Offset}); err != nil || text.Response != "assistant: "+response(i%rows+1) {
					t.Fatalf("%s, row %d: %q, %v", name, i, text.Response, err)
				}
			}
		}
		read(100)
		before := heap()
		const more = 300
		read(more)
		if grown := (heap() - before) / more; grown > 200 {
			t.Errorf("%s: each text takes %d bytes", name, grown)
		}
		runtime.KeepAlive(s)
	}
}
