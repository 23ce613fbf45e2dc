package clickhouse

import (
	"context"
	"strings"
	"testing"

	"vantage/internal/testkit/clickhousetest"
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

// That a table comes over a network without encryption is said in the first chunk, before anything is sent.
func TestPlainIsNoted(t *testing.T) {
	for address, notes := range map[string]int{"clickhouse://u@nowhere.invalid/a/b?secure=0": 1, "clickhouse://u@nowhere.invalid/a/b": 0} {
		chunk, err := open(t, address, Options{}).Next(context.Background())
		if err != nil || len(chunk.Notes) != notes || notes == 1 && !strings.HasPrefix(chunk.Notes[0], "secure=0 sends the password and all rows to nowhere.invalid:9000 unencrypted") {
			t.Errorf("%s: %v, %v", address, chunk, err)
		}
	}
}
