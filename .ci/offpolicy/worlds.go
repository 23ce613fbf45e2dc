// Command worlds plants an engine that differs and samples that are stale, alone and together, in the logs of trainers, asks the program
// for the cause, and prints how often it is right, as Markdown. Logs of NeMo-RL have no versions, so that nobody can tell staleness there.
//
//	worlds --binary ./vantage [--seed 1] [--each 25] [--healthy 100] [--lines]
//
// The exit code is 1 if a cause is named in less than 95 of 100 logs, or a healthy one has any.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"vantage/internal/testkit/illlogs"
	"vantage/loaders/demo/illruns"
)

const bar = 0.95

// world is a kind of log.
type world struct {
	name           string
	engine, growth func(random *rand.Rand) float64 // mean |d| at lag 0, and by how much it grows with each version
	drift          float64                         // by how much it grows with each step, whatever the lag
	still          bool                            // the learning rate is 0
	formats        []string
	cause          string
	undated        string // the cause that is told without versions
	kind           string // of the finding; "" if there is none
	never          string // a kind that would be wrong
}

func between(low, high float64) func(*rand.Rand) float64 {
	return func(random *rand.Rand) float64 { return low + (high-low)*random.Float64() }
}

// worlds are these. With equal weights in bfloat16 log-probs differ by 0.005 to 0.04 nats.
func worlds() []world {
	all := []string{"nemo-rl", "prime-rl", "verifiers", "jsonl"}
	same, none := between(0.005, 0.025), between(0, 0.0005)
	return []world{
		{name: "healthy", engine: same, growth: none, formats: all, cause: "neither", undated: "neither"},
		{
			name: "engine", engine: between(0.07, 0.18), growth: none, formats: all, cause: "engine", undated: "engine", kind: "engine_mismatch",
			never: "stale_rollouts",
		},
		{
			name: "staleness", engine: same, growth: between(0.02, 0.06), formats: all, cause: "staleness", undated: "cannot tell",
			kind: "stale_rollouts", never: "engine_mismatch",
		},
		{
			name: "engine and staleness", engine: between(0.07, 0.12), growth: between(0.03, 0.06), formats: all,
			cause: "engine and staleness", undated: "engine", kind: "engine_mismatch",
		},
		{
			name: "drift at a learning rate of 0", engine: same, growth: none, drift: 0.008, still: true, formats: []string{"verl"},
			cause: "engine", kind: "engine_mismatch", never: "stale_rollouts",
		},
		{
			name: "drift while it learns", engine: same, growth: none, drift: 0.008, formats: []string{"verl", "prime-rl"},
			cause: "engine", kind: "weights_not_synced", never: "stale_rollouts",
		},
	}
}

// log is one that was made and asked about.
type log struct {
	world
	format, folder string
	seed           uint64
	cause          string
	kinds          []string
	err            error
}

func main() {
	binary := flag.String("binary", "./vantage", "the program")
	seed := flag.Uint64("seed", 1, "everything follows from it")
	each := flag.Int("each", 25, "logs of each world and trainer")
	healthy := flag.Int("healthy", 100, "healthy logs")
	lines := flag.Bool("lines", false, "print a line for each log that was judged wrong")
	flag.Parse()
	work, err := os.MkdirTemp("", "worlds")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(work)
	var logs []*log
	for _, w := range worlds() {
		for i, format := range w.formats {
			n := *each
			if w.name == "healthy" {
				n = (*healthy + len(w.formats) - 1 - i) / len(w.formats)
			}
			for range n {
				logs = append(logs, &log{
					world: w, format: format, seed: *seed<<32 + uint64(len(logs)),
					folder: filepath.Join(work, fmt.Sprint(len(logs))),
				})
			}
		}
	}
	next := make(chan *log)
	var workers sync.WaitGroup
	for range runtime.NumCPU() {
		workers.Go(func() {
			for l := range next {
				l.err = l.ask(*binary)
				_ = os.RemoveAll(l.folder)
			}
		})
	}
	for _, l := range logs {
		next <- l
	}
	close(next)
	workers.Wait()
	if missed := report(logs, *lines); missed > 0 {
		os.RemoveAll(work)
		os.Exit(1)
	}
}

// ask writes the log, and asks for its cause and for what ails it.
func (l *log) ask(binary string) error {
	random := rand.New(rand.NewPCG(l.seed, 53))
	engine, growth := l.engine(random), l.growth(random)
	run := illruns.Parted(l.format, fmt.Sprint(l.seed), l.still, illruns.Engines{
		Noise: func(t, lag int) float64 { return engine + growth*float64(lag) + l.drift*float64(t) },
		Lag: func(t, i int) int {
			if l.format == "nemo-rl" {
				return t / 3 // the queue becomes longer
			}
			return (i*7 + t) % 4
		},
		Length: func(t, i int) int { return 40 + (37*t+11*i)%80 },
	})
	if err := illlogs.Write(run, l.folder, illruns.Arrange{}); err != nil {
		return err
	}
	var said struct {
		Cause    struct{ Verdict string }
		Findings []struct{ Kind string }
	}
	for _, command := range []string{"offpolicy", "summary"} {
		out, err := exec.Command(binary, command, l.folder, "--format", "json").Output()
		if err != nil {
			return fmt.Errorf("%s: %w", command, err)
		}
		if err := json.Unmarshal(out, &said); err != nil {
			return err
		}
	}
	l.cause = said.Cause.Verdict
	for _, f := range said.Findings {
		l.kinds = append(l.kinds, f.Kind)
	}
	return nil
}

// isNamed reports whether the cause is right.
func (l *log) isNamed() bool {
	want := l.world.cause
	if l.format == "nemo-rl" {
		want = l.undated
	}
	return l.err == nil && l.cause == want
}

// isFound reports whether the finding is there, or none of log-probs where nothing ails the run.
func (l *log) isFound() bool {
	mine := strings.Fields("engine_mismatch stale_rollouts weights_not_synced wrong_logprobs shifted_logprobs top_p_mismatch one_sequence_dominates filter_eats_batch")
	isThere, others := false, false
	for _, kind := range l.kinds {
		isThere = isThere || kind == l.kind
		for _, m := range mine {
			others = others || kind == m
		}
	}
	if l.never != "" && slices.Contains(l.kinds, l.never) {
		return false
	}
	cannot := l.format == "nemo-rl" && l.name == "staleness" // growth without versions is weights_not_synced or nothing
	return cannot || isThere || l.kind == "" && !others
}

func report(logs []*log, lines bool) (missed int) {
	fmt.Print("| world | trainer | logs | cause named | finding |\n|---|---|---:|---:|---:|\n")
	for from := 0; from < len(logs); {
		to, named, found := from, 0, 0
		first := logs[from]
		for ; to < len(logs) && logs[to].name == first.name && logs[to].format == first.format; to++ {
			l := logs[to]
			isNamed, isFound := l.isNamed(), l.isFound()
			if isNamed {
				named++
			}
			if isFound {
				found++
			}
			if lines && !(isNamed && isFound) {
				fmt.Fprintf(os.Stderr, "%s, %s, seed %d: cause %q, findings %v, %v\n", l.name, l.format, l.seed, l.cause, l.kinds, l.err)
			}
		}
		n := to - from
		fmt.Printf("| %s | %s | %d | %d | %d |\n", first.name, first.format, n, named, found)
		least := bar
		if first.name == "healthy" {
			least = 1
		}
		if float64(named) < least*float64(n) || float64(found) < least*float64(n) {
			missed++
		}
		from = to
	}
	return missed
}
