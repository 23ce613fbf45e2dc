package loaders

import (
	"context"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"
)

// BenchmarkFollow follows the log named by VANTAGE_BENCH_LIVE, while .ci/bench/follow
// writes it, until no more comes, and prints how long rows took to be read, and which
// share of a processor reading them took.
func BenchmarkFollow(b *testing.B) {
	path := os.Getenv("VANTAGE_BENCH_LIVE")
	if path == "" {
		b.Skip("no log to follow")
	}
	s, err := Open([]string{path}, Options{Follow: true})
	if err != nil {
		b.Fatal(err)
	}
	late := make([]float64, 4<<20) // what measuring takes is not to be measured
	clear(late)
	late = late[:0]
	begin, spent := time.Now(), processorTime()
	ctx, cancel := context.WithCancel(context.Background())
	quiet := time.AfterFunc(3*time.Second, cancel)
	for {
		chunk, err := s.Next(ctx)
		quiet.Reset(3 * time.Second)
		if err != nil {
			break
		}
		now := float64(time.Now().UnixMicro() % 1e14) // as .ci/bench/logs.go has it
		for _, r := range chunk.Records {
			late = append(late, (now-r.Components[0])/1000)
		}
		for _, k := range chunk.Blocks {
			for _, written := range k.Components[0] {
				late = append(late, (now-written)/1000)
			}
		}
	}
	if len(late) == 0 {
		b.Fatal("nothing was read")
	}
	share := (processorTime() - spent).Seconds() / (time.Since(begin).Seconds() - 3)
	slices.Sort(late)
	b.ReportMetric(float64(len(late)), "rows")
	b.ReportMetric(late[len(late)/2], "p50-ms")
	b.ReportMetric(late[len(late)*99/100], "p99-ms")
	b.ReportMetric(100*share, "processor-%")
}

func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
