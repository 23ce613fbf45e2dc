package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"vantage/loaders"
	"vantage/loaders/clickhouse"
	"vantage/loaders/discover"
	"vantage/loaders/formats"
	"vantage/loaders/storage"
	"vantage/model"
	"vantage/model/check"
	"vantage/model/units"
)

// Source is an open log.
type Source interface {
	// Next returns the next chunk, and [io.EOF] when nothing more comes.
	Next(context.Context) (*model.Chunk, error)

	// Text and Line return the text of a sample and the line at which its record begins, 0 if it has none.
	Text(context.Context, model.Place) (model.Text, error)
	Line(context.Context, model.Place) (int64, error)

	// MissingColumns returns the columns that a person named and that no row has had so far.
	MissingColumns() []string

	Close() error
}

// Open opens the paths with the options of the flags; with follow it waits for more at
// their end.
func (p *Program) Open(paths []string, follow bool) (Source, error) {
	if !slices.Contains([]string{"train", "val", "all"}, p.split) {
		return nil, Usage(fmt.Errorf("unknown split %q: choose train, val or all", p.split))
	}
	if _, known := formats.Find(p.inputFormat); !known && p.inputFormat != "" {
		return nil, Usage(fmt.Errorf("--input-format: %w", unknownFormat(p.inputFormat)))
	}
	if slices.ContainsFunc(paths, clickhouse.IsAddress) {
		return p.openTable(paths, follow)
	}
	if p.passwordFile != "" {
		return nil, Usage(errors.New("--password-file is for the address of a table: clickhouse://user@host/database/table"))
	}
	attempt, err := loaders.ParseAttempt(p.attempt)
	if err != nil {
		return nil, Usage(err)
	}
	reach, err := p.storageOptions()
	if err != nil {
		return nil, err
	}
	return loaders.Open(paths, loaders.Options{Storage: reach, Follow: follow, Wait: p.Waits, Format: p.inputFormat, Split: discover.Split(p.split), Attempt: attempt, Columns: p.columns, Stdin: p.In, MemoryLimit: p.MemoryLimit})
}

// readAll reads the paths to their current end.
func (p *Program) readAll(ctx context.Context, paths []string) (model.Snapshot, error) {
	source, snap, err := p.readOpen(ctx, paths)
	if err == nil {
		source.Close()
	}
	return snap, err
}

// readOpen is readAll, and leaves the source open so that texts can be read; it is closed after an error.
func (p *Program) readOpen(ctx context.Context, paths []string) (Source, model.Snapshot, error) {
	source, err := p.Open(paths, false)
	if err != nil {
		return nil, model.Snapshot{}, err
	}
	snap, err := p.readSource(ctx, source, paths)
	if err != nil {
		source.Close()
		return nil, snap, err
	}
	return source, snap, nil
}

// readSource reads a source to its current end.
func (p *Program) readSource(ctx context.Context, source Source, paths []string) (model.Snapshot, error) {
	store := model.NewStore()
	for {
		chunk, err := source.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return model.Snapshot{}, err
		}
		store.Append(chunk)
	}
	snap := store.Snapshot()
	if names := source.MissingColumns(); len(names) > 0 {
		return snap, fmt.Errorf("no row of %s has a column %q: check the name; without it the log is read as %s", Title(paths), names[0], snap.Run.Provenance)
	}
	if p.ConfigSummary != "" {
		snap.Run.Config = p.ConfigSummary
	}
	snap.Run.Progress.Open = check.LastIsOpen(snap, time.Now())
	if snap.Rows > 0 {
		return snap, nil
	}
	if a := snap.Run.Attempts; a.Count > 0 && a.Shown > a.Count {
		return snap, Usage(fmt.Errorf("%s has no attempt %d: the run was started %s", Title(paths), a.Shown, units.Plural(a.Count, "times")))
	}
	if p.split == "val" && len(snap.Run.Problems) == 0 {
		return snap, fmt.Errorf("no samples in %s: nothing shows that rows in it are those of an evaluation; --split train reads them", Title(paths))
	}
	if problems := snap.Run.Problems; len(problems) > 0 {
		return snap, fmt.Errorf("no samples in %s: %s", Title(paths), problems[0])
	}
	return snap, fmt.Errorf("no samples in %s: it is empty", Title(paths))
}

// Title returns a short name for the paths.
func Title(paths []string) string {
	if len(paths) > 1 {
		return fmt.Sprintf("%s and %d more", paths[0], len(paths)-1)
	}
	if paths[0] == "-" {
		return "standard input"
	}
	if storage.IsElsewhere(paths[0]) {
		return paths[0]
	}
	return filepath.Clean(paths[0])
}

// classifyError makes a usage error of one that another option would avoid: the log cannot
// be grouped by itself, or lacks a column that the estimator needs.
func classifyError(err error) error {
	var lack *model.MissingError
	if errors.Is(err, model.ErrUngrouped) || errors.As(err, &lack) {
		return Usage(err)
	}
	return err
}
