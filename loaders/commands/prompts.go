package commands

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/spf13/cobra"

	"vantage/model/analysis"
	"vantage/model/figures"
	"vantage/model/ledger"
	"vantage/model/report"
)

func (p *Program) prompts() *cobra.Command {
	format := newFormatFlag("text", report.PromptsText).noting(noteReading).or("csv", report.PromptsCSV).noting(noteAll).
		or("json", report.PromptsJSON).noting(noteReading).or("parquet", promptsParquet).noting(noteAll)
	var where, order string
	var query figures.Query
	var steps stepRange
	var top int
	return command[func(io.Writer, *report.Prompts) error]{
		use:   "prompts PATH... [algorithm.key=value...]",
		short: "Print which prompts are worth their tokens: what each cost, taught, and is now",
		long: `prompts keeps an account of every prompt over all steps in which it came: how often it
was seen, its solve rate with its interval and trend, groups with signal, Σ|A|, tokens,
Σ|A| per 1,000 tokens, and its state: learning, solved, hopeless, flat, forgotten, suspect,
rare or unsure, with the numbers that say so. Where rewards do not say what is solved, the
mean reward takes the place of the solve rate: see --solved-at.`,
		example: `vantage prompts runs/qwen-math/rollouts
vantage prompts runs/qwen-math/rollouts --where 'state:hopeless tokens>10000' --sort tokens
vantage prompts runs/qwen-math/rollouts --format parquet > prompts.parquet`,
		format: &format,
		sets:   unweighed,
		flags: func(cmd *cobra.Command) {
			cmd.Flags().StringVar(&where, "where", "", "only prompts that match this query: state:hopeless tokens>10000 prompt~triangle")
			cmd.Flags().StringVar(&order, "sort", report.DefaultPromptOrder, "sort by this figure, the greatest first; with - before it the least first")
			cmd.Flags().IntVar(&top, "top", 20, "how many rows the text has")
			steps.addTo(cmd.Flags())
		},
		refuse: func() (err error) {
			if query, err = figures.ParsePromptQuery(where); err != nil {
				return fmt.Errorf("--where: %w", err)
			}
			if top < 0 {
				return fmt.Errorf("--top %d: expected a number of rows", top)
			}
			if err := (&report.Prompts{Ledger: &ledger.Ledger{}}).Select(query, order); err != nil {
				return fmt.Errorf("--sort: %w", err)
			}
			return nil
		},
		run: onLog(ofLog, func(ctx context.Context, log *openLog) (*report.Prompts, error) {
			var err error
			if log.snap, err = steps.selectFrom(log.snap); err != nil {
				return nil, err
			}
			r := &report.Prompts{Where: where, Shown: top}
			if r.Ledger, err = ledger.New(log.snap, log.set, nil); err != nil {
				return nil, err
			}
			r.Solved = log.snap.SolvedEvidence(log.snap.RewardScales(log.set))
			err = analysis.Each(ctx, log.snap, log.set, func(a *analysis.Analysis) error {
				r.Add(a)
				return nil
			})
			if err != nil {
				return nil, err
			}
			r.Judge()
			if err := r.Select(query, order); err != nil {
				return nil, err
			}
			if len(r.Selected) == 0 && where != "" {
				return nil, fmt.Errorf("--where %q matches no prompt of these steps under these settings", where)
			}
			return r, nil
		}),
	}.of(p)
}

func promptsParquet(w io.Writer, p *report.Prompts) error {
	return tableParquet(w, report.PromptsTable(p))
}

// tableParquet writes a table as a Parquet file: a column is of the type of its first cell.
func tableParquet(w io.Writer, t report.Table) error {
	if len(t.Rows) == 0 {
		return errors.New("there is no row to write as Parquet, whose columns would have no type: choose another --format")
	}
	columns := make([]report.SampleColumn, len(t.Columns))
	for k, name := range t.Columns {
		columns[k] = report.SampleColumn{Name: name, Type: report.TextCell}
		switch t.Rows[0][k].(type) {
		case int:
			columns[k].Type = report.IntegerCell
		case float64:
			columns[k].Type = report.NumberCell
		}
	}
	out := parquet.NewGenericWriter[any](w, parquetSchema(columns), parquet.Compression(&parquet.Zstd))
	column := make([]parquet.Value, 0, maxGroupRows)
	for lo := 0; lo < len(t.Rows); lo += maxGroupRows {
		rows := t.Rows[lo:min(lo+maxGroupRows, len(t.Rows))]
		for k, to := range out.ColumnWriters() {
			column = column[:0]
			for _, row := range rows {
				cell := report.Cell{}
				switch x := row[k].(type) {
				case int:
					cell.Integer = int64(x)
				case float64:
					cell.Number = x
				default:
					cell.Text = fmt.Sprint(x)
				}
				column = append(column, parquetValue(&columns[k], &cell, k))
			}
			if _, err := to.WriteRowValues(column); err != nil {
				return err
			}
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return out.Close()
}
