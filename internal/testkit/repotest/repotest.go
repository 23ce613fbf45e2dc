// Package repotest finds what tests compare with: pages of the documentation, which it writes with -update, and logs of real
// trainers. Tests of all packages call it.
package repotest

import (
	"flag"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
)

// Top returns the top folder of the repository, and the folder from there in which the test runs: that of its package,
// unless it has changed to another.
func Top(tb testing.TB) (top, folder string) {
	tb.Helper()
	here, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for top = here; ; top = filepath.Dir(top) {
		if _, err := os.Stat(filepath.Join(top, "go.mod")); err == nil {
			break
		}
		if top == filepath.Dir(top) {
			tb.Fatalf("%s is outside the repository", here)
		}
	}
	if folder, err = filepath.Rel(top, here); err != nil {
		tb.Fatal(err)
	}
	return top, folder
}

// SampleLog returns the path of a log of a real trainer, such as "trl/Illustrated-GRPO", in the folder VANTAGE_SAMPLES, or else in
// shared/samples beside the repository. It skips the test if the log is not there.
func SampleLog(tb testing.TB, path string) string {
	tb.Helper()
	folder := os.Getenv("VANTAGE_SAMPLES")
	if folder == "" {
		top, _ := Top(tb)
		folder = filepath.Join(filepath.Dir(top), "shared", "samples")
	}
	path = filepath.Join(folder, filepath.FromSlash(path))
	if _, err := os.Stat(path); err != nil {
		tb.Skipf("no sample logs here: %v", err)
	}
	return path
}

// Times returns how many cases a test tries that has as many as it wants: few, so that `go test ./...` is quick, or all where
// VANTAGE_TESTS=all asks for them, as .ci/run does.
func Times(few, all int) int {
	if triesAll() {
		return all
	}
	return few
}

// Run is the TestMain of packages whose tests make much and hold little, or wait: the collector runs seldom, at least eight tests
// run at once, and those that draw their cases draw fewer, unless VANTAGE_TESTS=all asks for all or a flag says otherwise. Benchmarks
// have the collector that they find. It returns the exit code.
func Run(m *testing.M) int {
	_ = flag.Set("test.parallel", strconv.Itoa(max(8, runtime.GOMAXPROCS(0))))
	_ = flag.Set("rapid.checks", strconv.Itoa(Times(30, 100))) // of a package that draws none there is no such flag
	if flag.Parse(); flag.Lookup("test.bench").Value.String() == "" {
		debug.SetGCPercent(800)
		debug.SetMemoryLimit(2 << 30)
	}
	return m.Run()
}

// Slow skips a test that takes long, or starts a server, unless VANTAGE_TESTS=all asks for it.
func Slow(tb testing.TB) {
	tb.Helper()
	if !triesAll() {
		tb.Skip("it takes long: VANTAGE_TESTS=all runs it")
	}
}

// cases counts the cases of each test that [OneIn] was asked about.
var cases sync.Map

// OneIn skips a case of many, unless VANTAGE_TESTS=all asks for all: the first runs, and then each nth.
func OneIn(tb testing.TB, n int64) {
	tb.Helper()
	before, _ := cases.LoadOrStore(path.Dir(tb.Name()), new(atomic.Int64))
	if nth := before.(*atomic.Int64).Add(1) - 1; !triesAll() && nth%n != 0 {
		tb.Skip("VANTAGE_TESTS=all runs it")
	}
}

// OneGoroutine skips a test with -short, as the race detector runs, because what it runs is one goroutine's, or other tests run it side by
// side.
func OneGoroutine(tb testing.TB) {
	tb.Helper()
	if testing.Short() {
		tb.Skip("it runs in one goroutine")
	}
}

func triesAll() bool { return os.Getenv("VANTAGE_TESTS") == "all" }
