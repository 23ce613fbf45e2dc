package loaders

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"vantage/loaders/watch"
	"vantage/model"
)

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
			s, err := Open([]string{path}, Options{Follow: true})
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = s.Close() }()
			if polling {
				_ = s.schedule.watcher.Close()
				s.schedule.watcher = watch.None()
			}
			ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
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
