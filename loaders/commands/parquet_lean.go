//go:build lean

package commands

import (
	"context"
	"io"

	"vantage/loaders/leftout"
	"vantage/model/report"
)

// writeParquet refuses: parquet-go is left out.
func writeParquet(context.Context, io.Writer, *report.SampleTable) error {
	return leftout.Error("which writes no Parquet files; --format csv and jsonl load in pandas, polars and DuckDB as well")
}
