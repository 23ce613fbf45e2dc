package loaders

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"vantage/internal/testkit/parquettest"
	"vantage/model"
)

// Tables that are prefetched, and reuse the memory and the reader of the last one, read like
// single ones, whether their columns are the same or not.
func TestPrefetchedTablesReadLikeOthers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		dir := filepath.Join(dir, rapid.StringMatching(`[a-z]{12}`).Draw(t, "dir"))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.RemoveAll(dir) }()
		schema, columns, rows := parquettest.Draw(t)
		for i := range rapid.IntRange(2, 8).Draw(t, "files") {
			if rapid.IntRange(0, 3).Draw(t, "other") == 0 {
				schema, columns, rows = parquettest.Draw(t)
			}
			for k := range columns {
				columns[k].Values = rapid.Permutation(columns[k].Values).Draw(t, "cells")
			}
			path := filepath.Join(dir, fmt.Sprintf("completions_%05d.parquet", i))
			if err := os.WriteFile(path, parquettest.Write(t, schema, columns, rows), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, got := recordsOf(t, dir, Options{serial: true}), recordsOf(t, dir, Options{})
		if diff := cmp.Diff(want, got, cmpopts.EquateNaNs()); diff != "" {
			t.Fatal("-want +got\n" + diff)
		}
	})
}

// namedComponents is a record whose components have names: tables may have them in another
// order.
type namedComponents struct {
	model.Record
	Components map[string]float64
}

func recordsOf(t *rapid.T, dir string, o Options) []namedComponents {
	s, err := Open([]string{dir}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	var all []namedComponents
	for {
		c, err := s.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = slices.DeleteFunc(all, func(r namedComponents) bool { return slices.Contains(c.Forget, r.File) })
		records := c.Records
		for i := range c.Blocks {
			records = append(records, c.Blocks[i].Records()...)
		}
		for _, r := range records {
			components := map[string]float64{}
			for k, x := range r.Components {
				if x == x {
					components[c.ComponentNames[k]] = x
				}
			}
			r.Components, r.Line = nil, 0
			all = append(all, namedComponents{r, components})
		}
	}
}

// Small tables whose first rows have nulls in different columns share a chunk.
func TestTablesWithNullsShareAChunk(t *testing.T) {
	type row struct {
		Accuracy *float64 `parquet:"accuracy_reward,optional"`
		Format   *float64 `parquet:"format_reward,optional"`
	}
	one, half := 1.0, 0.5
	w := trainer{t, t.TempDir()}
	for i, rows := range [][]row{{{&one, nil}, {&one, &half}}, {{nil, &half}, {&one, &half}}} {
		var b bytes.Buffer
		if err := parquet.Write(&b, rows, parquet.DataPageVersion(2)); err != nil {
			t.Fatal(err)
		}
		w.add(fmt.Sprintf("completions_%05d.parquet", i), b.String())
	}
	s, err := Open([]string{w.path(".")}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	want := [][]float64{{1, math.NaN(), 1}, {1, half, 1.5}, {math.NaN(), half, 0.5}, {1, half, 1.5}}
	var got [][]float64
	for caughtUp := false; !caughtUp; { // a busy machine may need two
		c, err := s.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		caughtUp = c.Progress.CaughtUp
		accuracy, format := slices.Index(c.ComponentNames, "accuracy_reward"), slices.Index(c.ComponentNames, "format_reward")
		for _, b := range c.Blocks {
			for i, reward := range b.Reward {
				got = append(got, []float64{b.Components[accuracy][i], b.Components[format][i], reward})
			}
		}
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateNaNs()); diff != "" {
		t.Error("-want +got\n" + diff)
	}
}
