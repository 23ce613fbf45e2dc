//go:build lean

package commands

import (
	"context"
	"io"
	"testing"
)

// The small build says that it reads no tables.
func TestLeanReadsNoTables(t *testing.T) {
	const want = "this is the small build of vantage (-tags lean), which reads no tables of ClickHouse: take the whole build"
	if _, err := new(Program).openTable([]string{"clickhouse://localhost/rl/rollouts"}, false); err == nil || err.Error() != want {
		t.Error(err)
	}
}

// The small build says that it writes no Parquet files, and what to take instead.
func TestLeanWritesNoParquet(t *testing.T) {
	const want = "this is the small build of vantage (-tags lean), which writes no Parquet files; --format csv and jsonl load in pandas, polars and DuckDB as well: take the whole build"
	if err := writeParquet(context.Background(), io.Discard, nil); err == nil || err.Error() != want {
		t.Error(err)
	}
}
