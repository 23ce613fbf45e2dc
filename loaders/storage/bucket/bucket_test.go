package bucket_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"vantage/internal/testkit/buckettest"
	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/loaderstest"
	"vantage/internal/testkit/repotest"
	"vantage/loaders"
	"vantage/model"
)

func TestMain(m *testing.M) { buckettest.Main(m) }

// useKeys sets the environment that the program reads: the keys of a person who may read one bucket, and a place of its own for
// what it keeps.
func useKeys(t *testing.T, endpoint string) {
	t.Helper()
	for _, name := range []string{"AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL_S3", "AWS_CA_BUNDLE"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("AWS_ENDPOINT_URL", endpoint)
	t.Setenv("AWS_ACCESS_KEY_ID", buckettest.ReaderKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", buckettest.ReaderSecret)
}

// step is the log of a step: groups of 4 with rewards that differ by step, group and place.
func step(number, groups, length int) string {
	var b strings.Builder
	for g := range groups {
		for i := range 4 {
			fmt.Fprintf(&b, `{"input":"prompt %d of %d","output":"%s","gts":"4","score":%d.0,"advantages":0.5,"step":%d}`+"\n", g, number, answer(g, i, length), (g*i+number)%3%2, number)
		}
	}
	return b.String()
}

func answer(g, i, length int) string {
	return fmt.Sprintf("answer %d of %d ", i, g) + strings.Repeat("x", length)
}

// write writes the files of a run to a folder of this machine.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, at := t.TempDir(), time.Now()
	for name, text := range files {
		path := filepath.Join(dir, name)
		filetest.Write(t, path, text)
		if err := os.Chtimes(path, at, at); err != nil { // written in the order of their steps
			t.Fatal(err)
		}
	}
	return dir
}

// run200 is a run of 200 steps, a file each.
func run200() map[string]string {
	files := map[string]string{}
	for s := 1; s <= 200; s++ {
		files[fmt.Sprintf("%d.jsonl", s)] = step(s, 6, 800)
	}
	return files
}

func gzipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.String()
}

// tableRow is a row of a Parquet file as TRL writes it.
type tableRow struct {
	Step       int64   `parquet:"step"`
	Prompt     string  `parquet:"prompt,dict"`
	Completion string  `parquet:"completion,plain"`
	Length     int64   `parquet:"response_length,optional"`
	Reward     float64 `parquet:"accuracy"`
	Advantage  float64 `parquet:"advantage"`
}

// table is a Parquet file with several groups of rows and long texts that cannot be compressed.
func table(t *testing.T, rows, length int) string {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[tableRow](&b, parquet.MaxRowsPerRowGroup(int64(rows/4)))
	text := make([]byte, length)
	state := uint32(1)
	for i := range rows {
		for k := range text {
			state = state*1664525 + 1013904223
			text[k] = 'a' + byte(state>>24)%26
		}
		r := tableRow{7, fmt.Sprintf("prompt %d", i/8), string(text), int64(length), float64(i % 3 % 2), 0}
		if _, err := w.Write([]tableRow{r}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// open opens paths, with a cache on the disk if there is a directory for it.
func open(t *testing.T, o loaders.Options, paths ...string) *loaders.Source {
	t.Helper()
	s, err := loaders.Open(paths, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// read reads until so many rows have come, or to the end if rows is 0.
func read(t *testing.T, s *loaders.Source, store *model.Store, rows int) model.Snapshot {
	t.Helper()
	late := time.AfterFunc(time.Minute, func() { _ = s.Close() })
	defer late.Stop()
	for {
		chunk, err := s.Next(t.Context())
		if errors.Is(err, io.EOF) && rows == 0 {
			return store.Snapshot()
		}
		if err != nil {
			t.Fatalf("%v, with %d rows and %v", err, store.Snapshot().Rows, store.Snapshot().Run.Problems)
		}
		store.Append(chunk)
		if snap := store.Snapshot(); rows > 0 && snap.Rows >= rows {
			return snap
		}
	}
}

func readAll(t *testing.T, o loaders.Options, path string) model.Snapshot {
	t.Helper()
	return read(t, open(t, o, path), model.NewStore(), 0)
}

// same compares two runs.
func same(t *testing.T, want, got model.Snapshot) {
	t.Helper()
	if want.Rows == 0 || want.Rows != got.Rows || len(want.Steps) != len(got.Steps) {
		t.Fatalf("%d rows in %d steps, want %d in %d; problems: %v", got.Rows, len(got.Steps), want.Rows, len(want.Steps), got.Run.Problems)
	}
	for i := range want.Steps {
		if d := cmp.Diff(want.Steps[i].Rewards, got.Steps[i].Rewards); d != "" {
			t.Errorf("step %d: %s", want.Steps[i].Number, d)
		}
	}
}

// A run in a bucket has the numbers of the same files in a folder of this machine: read the first time, and again from what was
// kept.
func TestBucketIsReadAsAFolder(t *testing.T) {
	server := buckettest.Start(t)
	proxy := buckettest.NewProxy(t, server.Host)
	for name, files := range map[string]map[string]string{
		"lines":  run200(),
		"packed": {"1.jsonl.gz": gzipped(step(1, 20, 3000)), "2.jsonl.gz": gzipped(step(2, 20, 3000))},
		"table":  {"completions_00007.parquet": table(t, 4000, 2000)},
		"large":  {"all.jsonl": step(1, 600, 2000) + step(2, 600, 2000)},
	} {
		t.Run(name, func(t *testing.T) {
			useKeys(t, proxy.URL)
			dir := write(t, files)
			server.PutFolder(t, "runs", "same/"+name, dir)
			want := readAll(t, loaders.Options{}, dir)
			o := loaders.Options{Storage: loaders.StorageOptions{CacheDir: t.TempDir(), CacheBytes: 1e9}}
			path := "s3://runs/same/" + name
			proxy.Take()
			same(t, want, readAll(t, o, path))
			asked, bytes := proxy.Take()
			same(t, want, readAll(t, o, path))
			again, bytesAgain := proxy.Take()
			t.Logf("%d requests and %d bytes, again %d and %d", len(asked), bytes, len(again), bytesAgain)
			if len(again) > 2 {
				t.Errorf("%d requests for what was kept: %v", len(again), again)
			}
			same(t, want, readAll(t, loaders.Options{}, path)) // nothing is kept
		})
	}
}

// The times in a bucket are those of uploads, in whatever order: they make no second attempt of a run, though a doubt.
func TestUploadsInAnyOrder(t *testing.T) {
	server := buckettest.Start(t)
	useKeys(t, "http://"+server.Host)
	for _, s := range []int{7, 8, 9, 10, 11, 12, 1, 2, 3, 4, 5, 6} {
		if s == 1 {
			time.Sleep(3 * time.Second)
		}
		server.Put(t, "runs", fmt.Sprintf("order/%d.jsonl", s), step(s, 2, 10))
	}
	snap := readAll(t, loaders.Options{}, "s3://runs/order")
	if a := snap.Run.Attempts; snap.Rows != 12*8 || a.Count > 1 || len(a.Doubts) == 0 {
		t.Errorf("%d rows, %+v", snap.Rows, a)
	}
}

// A slow link does not keep a person waiting: nothing is asked for before the first frame, and the newest step of a run of 200
// waits for no other.
func TestSlowLink(t *testing.T) {
	server := buckettest.Start(t)
	proxy := buckettest.NewProxy(t, server.Host)
	useKeys(t, proxy.URL)
	server.PutFolder(t, "runs", "slow", write(t, run200()))
	proxy.SetDelay(50 * time.Millisecond)
	start := time.Now()
	s := open(t, loaders.Options{Follow: true}, "s3://runs/slow")
	opened := time.Since(start)
	if asked, _ := proxy.Take(); len(asked) > 0 {
		t.Errorf("%v is asked for before the first frame", asked)
	}
	others := make(chan struct{})
	proxy.SetAnswer(func(r buckettest.Request) (int, string) {
		if r.Range != "" && !strings.HasSuffix(r.Path, "/200.jsonl") {
			<-others
		}
		return 0, ""
	})
	store := model.NewStore()
	snap := read(t, s, store, 1)
	first := time.Since(start)
	close(others)
	if newest := snap.Steps[len(snap.Steps)-1].Number; newest != 200 {
		t.Errorf("step %d came first", newest)
	}
	read(t, s, store, 4800)
	asked, bytes := proxy.Take()
	t.Logf("opened after %v, first group after %v, all after %v with %d requests and %d bytes", opened, first, time.Since(start), len(asked), bytes)
	if len(asked) > 205 {
		t.Errorf("%d requests", len(asked))
	}
}

// Of a Parquet file whose lengths are logged only its end and the columns of numbers and prompts are read, and the text of one sample by its
// range.
func TestParquetColumnsByRange(t *testing.T) {
	server := buckettest.Start(t)
	proxy := buckettest.NewProxy(t, server.Host)
	useKeys(t, proxy.URL)
	text := table(t, 8000, 4000)
	server.Put(t, "runs", "table/completions_00007.parquet", text)
	s := open(t, loaders.Options{}, "s3://runs/table")
	snap := read(t, s, model.NewStore(), 0)
	asked, bytes := proxy.Take()
	t.Logf("%d of %d bytes with %d requests", bytes, len(text), len(asked))
	if snap.Rows != 8000 || bytes > int64(len(text))/10 {
		t.Errorf("%d rows with %d bytes", snap.Rows, bytes)
	}
	place := snap.Steps[0].Place(5000)
	if got, err := s.Text(t.Context(), place); err != nil || len(got.Response) != 4000 {
		t.Errorf("%d bytes of text, %v", len(got.Response), err)
	}
	asked, bytes = proxy.Take()
	t.Logf("a text: %d bytes with %d requests", bytes, len(asked))
}

// Every command that takes a log takes one in a bucket, and prints the same.
func TestCommandsTakeABucket(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the program as a process of its own")
	}
	server := buckettest.Start(t)
	useKeys(t, "http://"+server.Host)
	bin := filepath.Join(t.TempDir(), "vantage")
	build := exec.Command("go", "build", "-o", bin, "vantage")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "HOME="+originalHome)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	files := map[string]string{}
	for s := 1; s <= 6; s++ { // one after the other, as a trainer: an order of times that is not that of the steps is noted
		name, text := string(rune('0'+s))+".jsonl", step(s, 8, 50)
		files[name] = text
		server.Put(t, "runs", "commands/"+name, text)
	}
	dir := write(t, files)
	run := func(args ...string) string {
		cmd := exec.Command(bin, args...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			out = append(out, err.Error()...)
		}
		return string(out)
	}
	for _, command := range []string{
		"report PATH --format csv", "export PATH --format jsonl", "check PATH", "match PATH", "sweep PATH", "compare PATH PATH", "report PATH --brief",
		"summary PATH", "plan PATH --sizes-only",
	} {
		there := "s3://runs/commands"
		want := run(strings.Fields(strings.ReplaceAll(command, "PATH", dir))...)
		got := run(strings.Fields(strings.ReplaceAll(command, "PATH", there))...)
		if plain(want, dir) != plain(got, there) {
			t.Errorf("%s:\n%s\nwant\n%s", command, got, want)
		}
		if len(want) < 40 {
			t.Errorf("%s printed %q", command, want)
		}
	}
}

// originalHome is where Go's caches are: tests set another.
var originalHome = os.Getenv("HOME")

// plain removes what differs: the path, and when the files were written.
func plain(text, path string) string {
	var lines []string
	for line := range strings.Lines(strings.ReplaceAll(text, path, "PATH")) {
		if !strings.Contains(line, "written") && !strings.Contains(line, "writing") && !strings.Contains(line, "last row") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

// failureOf returns why a path cannot be read. No key is in it.
func failureOf(t *testing.T, path string) string {
	t.Helper()
	why := loaderstest.Failure(t, path)
	for _, secret := range []string{os.Getenv("AWS_SECRET_ACCESS_KEY"), os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SESSION_TOKEN")} {
		if secret != "" && strings.Contains(why, secret) {
			t.Errorf("a key is in the error: %s", why)
		}
	}
	if strings.Count(why, "\n") > 0 || !strings.HasPrefix(why, path+" ") {
		t.Errorf("no sentence about the path: %s", why)
	}
	return why
}

// A real server's refusals are a sentence each.
func TestRefusals(t *testing.T) {
	server := buckettest.Start(t)
	server.Put(t, "runs", "here/1.jsonl", step(1, 2, 10))
	server.Put(t, "open", "here/1.jsonl", step(1, 2, 10))
	for _, c := range []struct{ path, key, secret, want string }{
		{"s3://secret/run", buckettest.ReaderKey, buckettest.ReaderSecret, "may not be read with the keys of the environment: ask for s3:ListBucket on the bucket secret and s3:GetObject"},
		{"s3://secret/run/1.jsonl", buckettest.ReaderKey, buckettest.ReaderSecret, "may not be read with the keys of the environment"},
		{"s3://runs-that-are-not/run", "ADMINKEY", "adminsecret", "names a bucket that does not exist at http://127.0.0.1"},
		{"s3://runs/nothing", buckettest.ReaderKey, buckettest.ReaderSecret, "is neither an object nor the prefix of one in the bucket runs"},
		{"s3://runs/here/2.jsonl", buckettest.ReaderKey, buckettest.ReaderSecret, "is neither an object nor the prefix of one in the bucket runs"},
		{"s3://runs/her", buckettest.ReaderKey, buckettest.ReaderSecret, "is neither an object nor the prefix"},
		{"s3://runs/here", "SOMEKEY", "somesecret", "the access key of the environment is unknown"},
		{"s3://runs/here", buckettest.ReaderKey, "somesecret", "the secret key of the environment does not belong to its access key"},
		{"s3://runs/here/1.jsonl", buckettest.ReaderKey, "somesecret", "the secret key of the environment does not belong to its access key"},
		{"s3://runs/here", "", "", "may not be read without keys: set AWS_ACCESS_KEY_ID"},
	} {
		useKeys(t, "http://"+server.Host)
		t.Setenv("AWS_ACCESS_KEY_ID", c.key)
		t.Setenv("AWS_SECRET_ACCESS_KEY", c.secret)
		if got := failureOf(t, c.path); !strings.Contains(got, c.want) {
			t.Errorf("%s with %s: %q, want %q", c.path, c.key, got, c.want)
		}
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	if snap := readAll(t, loaders.Options{}, "s3://open/here"); snap.Rows != 8 {
		t.Errorf("%d rows without keys", snap.Rows)
	}
}

// What only Amazon's own servers answer, by their documented codes, is a sentence each; what is busy is asked again.
func TestCodesOfAmazon(t *testing.T) {
	for code, c := range map[string]struct {
		status int
		region string
		want   string
	}{
		"ExpiredToken":                  {400, "", "the session token of the environment has expired: sign in again"},
		"InvalidToken":                  {400, "", "copy AWS_SESSION_TOKEN again"},
		"RequestTimeTooSkewed":          {403, "", "the clock of this machine differs"},
		"PermanentRedirect":             {301, "", "is in another region than us-east-1: set AWS_REGION"},
		"AuthorizationHeaderMalformed":  {400, "eu-west-3", "is in the region eu-west-3 and not in us-east-1: set AWS_REGION=eu-west-3"},
		"AccessDenied":                  {403, "", "may not be read with the keys of the environment"},
		"SlowDown":                      {503, "", "asks for fewer requests (SlowDown): read it again in a minute"},
		"InternalError":                 {500, "", "reports an error of its own (InternalError)"},
		"SomethingThatNobodyHasHeardOf": {418, "", "a message (SomethingThatNobodyHasHeardOf)"},
	} {
		var asked atomic.Int32
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked.Add(1)
			w.WriteHeader(c.status)
			_, _ = fmt.Fprintf(w, "<Error><Code>%s</Code><Message>a message</Message><Region>%s</Region></Error>", code, c.region)
		}))
		useKeys(t, server.URL)
		t.Setenv("AWS_SESSION_TOKEN", "THETOKEN")
		if got := failureOf(t, "s3://bucket/run"); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", code, got, c.want)
		}
		if code == "SlowDown" && asked.Load() < 3 {
			t.Errorf("asked %d times where it was busy", asked.Load())
		}
		server.Close()
	}
}

// A network that does not work is a sentence, and soon.
func TestNetworkFailures(t *testing.T) {
	repotest.Slow(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refused := listener.Addr().String()
	_ = listener.Close()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	for endpoint, want := range map[string]string{
		"http://" + refused:           "nothing listens at " + refused,
		"http://no-such-host.invalid": "no host is named no-such-host.invalid",
		secure.URL:                    "is not trusted here",
		"https://" + strings.TrimPrefix(plain.URL, "http://"): "does not speak TLS: write the endpoint with http://",
		"http://host/path":      "its endpoint is not an address",
		"http://user:word@host": "its endpoint is not an address",
	} {
		useKeys(t, endpoint)
		start := time.Now()
		if got := failureOf(t, "s3://bucket/run"); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", endpoint, got, want)
		}
		if took := time.Since(start); took > time.Minute {
			t.Errorf("%s: after %v", endpoint, took)
		}
	}
}

// Keys, region and endpoint are those that AWS's own tools would take.
func TestProfiles(t *testing.T) {
	server := buckettest.Start(t)
	server.Put(t, "runs", "profile/1.jsonl", step(1, 2, 10))
	useKeys(t, "")
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	dir := filepath.Join(os.Getenv("HOME"), ".aws")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	keys := fmt.Sprintf("aws_access_key_id = %s\naws_secret_access_key = %s\n", buckettest.ReaderKey, buckettest.ReaderSecret)
	printed := filepath.Join(dir, "print")
	for name, text := range map[string]string{
		"credentials": "[inkeys]\n" + keys,
		"config": fmt.Sprintf("[profile inkeys]\nendpoint_url = http://%s\n[profile inconfig]\nendpoint_url = http://%s\n%s[profile program]\nendpoint_url = http://%s\ncredential_process = /bin/cat %s\n",
			server.Host, server.Host, keys, server.Host, printed),
		"print": fmt.Sprintf(`{"Version":1,"AccessKeyId":%q,"SecretAccessKey":%q,"Expiration":%q}`, buckettest.ReaderKey, buckettest.ReaderSecret, time.Now().Add(time.Hour).Format(time.RFC3339)),
	} {
		filetest.Write(t, filepath.Join(dir, name), text)
	}
	for _, profile := range []string{"inkeys", "inconfig", "program"} {
		t.Setenv("AWS_PROFILE", profile)
		if snap := readAll(t, loaders.Options{}, "s3://runs/profile"); snap.Rows != 8 {
			t.Errorf("%s: %d rows", profile, snap.Rows)
		}
	}
	t.Setenv("AWS_PROFILE", "none")
	if got := failureOf(t, "s3://runs/profile"); !strings.Contains(got, "there is no profile none: check AWS_PROFILE") {
		t.Error(got)
	}
}
