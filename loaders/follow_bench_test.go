package loaders

import (
	"context"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"
)

// BenchmarkFollow follows the log named by VANTAGE_BENCH_LIVE, which .ci/bench/follow writes,
// until it stops growing. It reports how long after its writing a row was read, and the share
// of a processor that reading took.
func BenchmarkFollow(b *testing.B) {
	path := os.Getenv("VANTAGE_BENCH_LIVE")
	if path == "" {
		b.Skip("no log to follow")
	}
	s, err := Open([]string{path}, Options{Follow: true})
	if err != nil {
		b.Fatal(err)
	}
	delays := make([]float64, 4<<20) // touched now, so that page faults are not measured
	clear(delays)
	delays = delays[:0]
	start, usedBefore := time.Now(), processorTime()
	ctx, cancel := context.WithCancel(context.Background())
	idle := time.AfterFunc(3*time.Second, cancel)
	for {
		chunk, err := s.Next(ctx)
		idle.Reset(3 * time.Second)
		if err != nil {
			break
		}
		now := float64(time.Now().UnixMicro() % 1e14) // as .ci/bench/logs.go writes it
		for _, r := range chunk.Records {
			delays = append(delays, (now-r.Components[0])/1000)
		}
		for _, k := range chunk.Blocks {
			for _, written := range k.Components[0] {
				delays = append(delays, (now-written)/1000)
			}
		}
	}
	if len(delays) == 0 {
		b.Fatal("nothing was read")
	}
	share := (processorTime() - usedBefore).Seconds() / (time.Since(start).Seconds() - 3)
	slices.Sort(delays)
	b.ReportMetric(float64(len(delays)), "rows")
	b.ReportMetric(delays[len(delays)/2], "p50-ms")
	b.ReportMetric(delays[len(delays)*99/100], "p99-ms")
	b.ReportMetric(100*share, "processor-%")
}

func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
