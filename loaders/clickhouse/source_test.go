package clickhouse

import (
	"context"
	"testing"

	"vantage/loaders/clickhouse/clickhousetest"
	"vantage/model"
)

// reading is a source of chunks.
type reading interface {
	Next(context.Context) (*model.Chunk, error)
}

// readAll reads a source to its end.
func readAll(source reading) (model.Snapshot, error) {
	store := model.NewStore()
	for {
		chunk, err := source.Next(context.Background())
		if err != nil {
			return store.Snapshot(), err
		}
		store.Append(chunk)
	}
}

func open(tb testing.TB, address string, o Options) *Source {
	tb.Helper()
	if o.Password == "" {
		o.Password = clickhousetest.Password
	}
	s, err := Open(address, o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = s.Close() })
	return s
}
