package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/ClickHouse/ch-go/proto"

	"vantage/model"
)

var errNoRows = errors.New("there are no rows")

// awaitRun is chooseRun, which waits for the first rows of a table that is followed.
func (r *reader) awaitRun(ctx context.Context, t *table) error {
	var told model.Link
	for {
		err := r.chooseRun(ctx, t)
		if !errors.Is(err, errNoRows) || !r.source.options.Follow {
			return err
		}
		if r.link.Latency, err = r.conn.Ping(ctx); err != nil {
			return err
		}
		if r.successes++; r.link.Changed(told) {
			r.table, r.waited, told = t, true, r.link
			if err := r.deliver(); err != nil {
				return err
			}
		}
		if err := sleep(ctx, r.source.options.Poll); err != nil {
			return err
		}
	}
}

// chooseRun checks that a run is named, if the table has several.
func (r *reader) chooseRun(ctx context.Context, t *table) error {
	switch {
	case t.m.run.name == "" && t.run != "":
		return fmt.Errorf("%w that tells runs apart: leave out run=, or name it with run_column=COLUMN in the address", errNoColumn)
	case t.m.run.name == "" || t.run != "" && !t.m.run.isNumber():
		return nil
	case t.run != "" && !isNumber(t.run):
		return fmt.Errorf("the column %s holds numbers, and run=%s is none", t.m.run.name, t.run)
	case t.run != "":
		return nil
	}
	runs, err := r.runs(ctx, t)
	switch {
	case err != nil:
		return err
	case len(runs) == 0:
		return errNoRows
	case len(runs) > 1:
		return severalRuns(runs)
	}
	t.run = runs[0]
	return nil
}

// runs lists the names of runs, at most maxRuns; "" is that of rows whose run is NULL or empty.
func (r *reader) runs(ctx context.Context, t *table) (names []string, err error) {
	var run proto.ColStr
	err = r.query(ctx, t.runsSQL(), proto.Results{{Name: "vantage_run", Data: &run}}, func(rows int) error {
		for i := range rows {
			names = append(names, run.Row(i))
		}
		return nil
	})
	return names, err
}

// severalRuns says which runs there are to choose from.
func severalRuns(runs []string) error {
	more, nameless := "", ""
	if len(runs) == maxRuns {
		runs, more = runs[:maxRuns-1], ", …"
	}
	if at := slices.Index(runs, ""); at >= 0 {
		runs = slices.Delete(slices.Clone(runs), at, at+1)
		nameless = "; rows whose run is empty or NULL cannot be named: a view may give them a name"
	}
	return fmt.Errorf("the table has several runs: name one with run=NAME in the address: %s%s%s", joinSome(runs), more, nameless)
}

// isNumber reports whether a text is a number and nothing else: it becomes part of statements as it is.
func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}
