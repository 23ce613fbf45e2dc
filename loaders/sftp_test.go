package loaders

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/repotest"
	"vantage/internal/testkit/sshtest"
	"vantage/model"
)

// remoteRun writes a run of so many steps, every third one packed, and returns its directory.
func remoteRun(tb testing.TB, steps, groups int) string {
	tb.Helper()
	dir := tb.TempDir()
	for step := 1; step <= steps; step++ {
		name, text := fmt.Sprintf("%d.jsonl", step), []byte(verlStep(step, groups))
		if step%3 == 0 {
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			_, _ = z.Write(text)
			_ = z.Close()
			name, text = name+".gz", b.Bytes()
		}
		filetest.Write(tb, filepath.Join(dir, name), text)
	}
	return dir
}

// rewards returns the rewards of all steps.
func rewards(snap model.Snapshot) map[int64][]float64 {
	all := map[int64][]float64{}
	for i := range snap.Steps {
		for g := range snap.Steps[i].Rewards {
			all[snap.Steps[i].Number] = append(all[snap.Steps[i].Number], float64(snap.Steps[i].Rewards[g]))
		}
	}
	return all
}

func readWhole(t *testing.T, path string, o Options, onChunk ...func(*model.Chunk)) (model.Snapshot, error) {
	t.Helper()
	s, err := Open([]string{path}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	store := model.NewStore()
	for {
		c, err := s.Next(t.Context())
		if err != nil {
			return store.Snapshot(), err
		}
		for _, f := range onChunk {
			f(c)
		}
		store.Append(c)
	}
}

// cutThrice returns a function that cuts the connection with the first chunks of which bytes were read: a host that was
// never there is not waited for.
func cutThrice(server *sshtest.Server) func(*model.Chunk) {
	left := 3
	return func(c *model.Chunk) {
		if c.Progress.BytesRead > 0 && left > 0 {
			left--
			server.Cut()
		}
	}
}

// A run on another node has the numbers of the same run here, also if the connection is cut again and again. A host that
// does not come back is an error, and never fewer rows.
func TestAnotherNode(t *testing.T) {
	server := sshtest.Start(t)
	dir := remoteRun(t, 60, 40)
	here, _ := readWhole(t, dir, Options{})
	there, _ := readWhole(t, "node7:"+dir, Options{})
	if d := cmp.Diff(rewards(here), rewards(there)); d != "" || there.Rows != 60*160 {
		t.Fatalf("%d rows: %s", there.Rows, d)
	}
	server.SetDelay(10 * time.Millisecond)
	if there, err := readWhole(t, "node7:"+dir, Options{}, cutThrice(server)); !errors.Is(err, io.EOF) || !cmp.Equal(rewards(here), rewards(there)) {
		t.Errorf("cut: %v, %d rows, %v", err, there.Rows, there.Run.Problems)
	}
	s, err := Open([]string{"node7:" + dir}, Options{Storage: StorageOptions{Patience: 2 * time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for err == nil {
		var c *model.Chunk
		if c, err = s.Next(t.Context()); err == nil && c.Progress.BytesRead > 0 {
			server.SetAway(true)
		}
	}
	var e *Error
	if !errors.As(err, &e) || !strings.Contains(err.Error(), " cannot be re") {
		t.Error(err)
	}
}

// What the trainer logged of each step is read on another node too, and asked for once a minute at most.
func TestScalarsOfAnotherNode(t *testing.T) {
	sshtest.Start(t)
	run := t.TempDir()
	dir, metrics := filepath.Join(run, "rollouts"), filepath.Join(run, "metrics.jsonl")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		t.Helper()
		filetest.Write(t, name, text)
	}
	write(filepath.Join(dir, "1.jsonl"), verlStep(1, 3))
	write(metrics, `{"step": 1, "loss": 1, "reward": 0.5}`+"\n")
	s, err := Open([]string{"node7:" + dir}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	until(t, s, model.NewStore(), func(snap model.Snapshot) bool { return snap.Rows == 12 })
	for range 2 {
		if found, err := s.Scalars(); err != nil || found.Last != 1 || found.Format != "JSON lines" {
			t.Fatal(found, err)
		}
		write(metrics, `{"step": 1, "loss": 1, "reward": 0.5}`+"\n"+`{"step": 2, "loss": 1, "reward": 0.5}`+"\n")
	}
	s.beside.asked = time.Now().Add(-besidePause)
	if found, err := s.Scalars(); err != nil || found.Last != 2 {
		t.Error(found, err)
	}
}

// A followed run goes on after the host was away: with what was appended, replaced, cut and added meanwhile.
func TestAnotherNodeIsFollowed(t *testing.T) {
	server := sshtest.Start(t)
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		filetest.Write(t, filepath.Join(dir, name), text)
	}
	for step := 1; step <= 5; step++ {
		write(fmt.Sprintf("%d.jsonl", step), verlStep(step, 3))
	}
	s, err := Open([]string{"node7:" + dir}, Options{Follow: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	store := model.NewStore()
	until(t, s, store, func(snap model.Snapshot) bool { return snap.Rows == 60 && snap.Run.Progress.CaughtUp })
	write("6.jsonl", verlStep(6, 2))
	until(t, s, store, func(snap model.Snapshot) bool { return snap.Rows == 68 })
	write("6.jsonl", verlStep(6, 3))
	until(t, s, store, func(snap model.Snapshot) bool { return snap.Rows == 72 })
	server.SetAway(true)
	until(t, s, store, func(snap model.Snapshot) bool { return snap.Run.Progress.Link.State == model.LinkLost })
	write("6.jsonl", verlStep(6, 4))                                                   // appended to
	write("5.jsonl", verlStep(5, 1))                                                   // cut
	write("4.jsonl", strings.ReplaceAll(verlStep(4, 3), `"score":1.0`, `"score":0.5`)) // replaced
	write("7.jsonl", verlStep(7, 1))                                                   // added
	if snap := store.Snapshot(); snap.Rows != 72 || len(snap.Run.Problems) > 0 {
		t.Errorf("%d rows, %v", snap.Rows, snap.Run.Problems)
	}
	time.Sleep(3 * time.Second)
	server.SetAway(false)
	want, _ := readWhole(t, dir, Options{})
	until(t, s, store, func(snap model.Snapshot) bool { return cmp.Equal(rewards(want), rewards(snap)) })
}

// A step that is written again within the second in which it was read, in as many bytes, is read again.
func TestAnotherNodeReplacesStepInSameSecond(t *testing.T) {
	repotest.Slow(t)
	sshtest.Wrap(t, "exec "+sshtest.SFTPServer)
	dir, second := t.TempDir(), time.Now().Truncate(time.Second)
	name := filepath.Join(dir, "1.jsonl")
	write := func(text string) {
		t.Helper()
		if err := errors.Join(os.WriteFile(name, []byte(text), 0o600), os.Chtimes(name, second, second)); err != nil {
			t.Fatal(err)
		}
	}
	write(verlStep(1, 3))
	for _, path := range []string{"node7:" + dir, "node7:" + name} {
		s, err := Open([]string{path}, Options{Follow: true})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		store := model.NewStore()
		until(t, s, store, func(snap model.Snapshot) bool { return snap.Rows == 12 && snap.Run.Progress.CaughtUp })
		write(strings.ReplaceAll(verlStep(1, 3), `"score":1.0`, `"score":0.5`))
		want, _ := readWhole(t, dir, Options{})
		until(t, s, store, func(snap model.Snapshot) bool { return cmp.Equal(rewards(want), rewards(snap)) })
		write(verlStep(1, 3))
	}
}

// until reads until the samples are as wanted.
func until(t *testing.T, s *Source, store *model.Store, wanted func(model.Snapshot) bool) {
	t.Helper()
	late := time.AfterFunc(2*time.Minute, func() {
		snap := store.Snapshot()
		t.Errorf("%d rows, %+v, %v", snap.Rows, snap.Run.Progress, rewards(snap))
		_ = s.Close()
	})
	defer late.Stop()
	for !wanted(store.Snapshot()) {
		c, err := s.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		store.Append(c)
	}
}

// What a run of 200 steps costs at a round trip of 50 ms. .ci/bench/remote prints it.
func TestAnotherNodeCosts(t *testing.T) {
	server := sshtest.Start(t)
	dir := t.TempDir()
	old := time.Now().Add(-time.Hour)
	var size int64
	for step := 1; step <= 200; step++ {
		name := filepath.Join(dir, fmt.Sprintf("%d.jsonl", step))
		text := strings.ReplaceAll(verlStep(step, 32), `"answer`, `"`+strings.Repeat("x", 300)) // 50 KB
		size += int64(len(text))
		if err := errors.Join(os.WriteFile(name, []byte(text), 0o600), os.Chtimes(name, old, old)); err != nil {
			t.Fatal(err)
		}
	}
	server.SetDelay(25 * time.Millisecond)
	for _, shared := range []bool{false, true} {
		if shared { // a ControlMaster is there
			server.Configure(t, "ControlMaster auto\nControlPersist 60\nControlPath "+server.Dir+"/control-%C")
			if out, err := exec.Command("ssh", "node7", "true").CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			t.Cleanup(func() { _ = exec.Command("ssh", "-O", "exit", "node7").Run() })
		}
		before, began := server.Up.Load()+server.Down.Load(), time.Now()
		s, err := Open([]string{"node7:" + dir}, Options{Follow: true})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		store := model.NewStore()
		until(t, s, store, func(snap model.Snapshot) bool { return snap.Rows > 0 })
		first := time.Since(began)
		if newest := store.Snapshot().Steps[0].Number; newest != 200 {
			t.Errorf("step %d came first", newest)
		}
		until(t, s, store, func(snap model.Snapshot) bool { return snap.Rows == 200*128 && snap.Run.Progress.CaughtUp })
		all, bytes := time.Since(began), server.Up.Load()+server.Down.Load()-before
		t.Logf("a ControlMaster %v: newest step after %d ms, all 200 steps, %.1f MB, after %d ms; %.1f MB over the network, at %v",
			shared, first.Milliseconds(), float64(size)/1e6, all.Milliseconds(), float64(bytes)/1e6, store.Snapshot().Run.Progress.Link)
		if !shared {
			continue
		}
		time.AfterFunc(21*time.Second, func() { _ = s.Close() })
		var settled atomic.Int64
		time.AfterFunc(11*time.Second, func() { settled.Store(server.Up.Load() + server.Down.Load()) })
		for err == nil {
			_, err = s.Next(t.Context())
		}
		t.Logf("while nothing changes: %d bytes a second over the network", (server.Up.Load()+server.Down.Load()-settled.Load())/10)
	}
}
