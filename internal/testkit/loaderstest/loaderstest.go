// Package loaderstest reads logs for the tests of other packages than loaders.
package loaderstest

import (
	"errors"
	"io"
	"testing"
	"time"

	"vantage/loaders"
	"vantage/model"
)

// Read reads a log to its end. A log that cannot be read fails the test.
func Read(tb testing.TB, path string) model.Snapshot {
	tb.Helper()
	snap, err := read(tb, path, loaders.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return snap
}

// Failure returns why a log on another machine cannot be read; it is tried for a second. One that can be read fails the test.
func Failure(tb testing.TB, path string) string {
	tb.Helper()
	_, err := read(tb, path, loaders.Options{Storage: loaders.StorageOptions{Patience: time.Second}})
	if err == nil {
		tb.Fatalf("%s can be read", path)
	}
	return err.Error()
}

func read(tb testing.TB, path string, options loaders.Options) (model.Snapshot, error) {
	tb.Helper()
	source, err := loaders.Open([]string{path}, options)
	if err != nil {
		return model.Snapshot{}, err
	}
	defer func() { _ = source.Close() }()
	store := model.NewStore()
	for {
		chunk, err := source.Next(tb.Context())
		if errors.Is(err, io.EOF) {
			return store.Snapshot(), nil
		}
		if err != nil {
			return store.Snapshot(), err
		}
		store.Append(chunk)
	}
}
