package analysis

import (
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// Values are visited in the order in which they were asked for, whichever is computed first.
func TestPipelineKeepsTheOrder(t *testing.T) {
	var got []int
	p := NewPipeline(func(k int) error {
		got = append(got, k)
		return nil
	})
	for k := range 40 {
		err := p.Add(1<<12*(k%7), func() (int, error) {
			time.Sleep(time.Duration(k%3) * time.Millisecond)
			return k, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := p.End(); err != nil {
		t.Fatal(err)
	}
	p.Close()
	if !slices.IsSorted(got) || len(got) != 40 {
		t.Errorf("visited %v", got)
	}
}

// Of several errors the first in order is returned, nothing after it is visited, and nothing runs after Close.
func TestPipelineStopsAtTheFirstError(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	visited, running := 0, atomic.Int32{}
	p := NewPipeline(func(int) error {
		visited++
		return nil
	})
	var err error
	for k := 0; k < 100 && err == nil; k++ {
		err = p.Add(1, func() (int, error) {
			running.Add(1)
			defer running.Add(-1)
			switch k {
			case 5:
				time.Sleep(5 * time.Millisecond)
				return 0, first
			case 6:
				return 0, second
			}
			return k, nil
		})
	}
	p.Close()
	if !errors.Is(err, first) || visited != 5 || running.Load() != 0 {
		t.Errorf("%v after %d values, %d still running", err, visited, running.Load())
	}
}
