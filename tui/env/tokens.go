package env

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/offpolicy"
	"vantage/tui/job"
)

// TokenReader is a Source that can read the log-probs of the tokens.
type TokenReader interface {
	// OffPolicy reads them all, and tries every rule. What it knows so far goes to soFar, if that takes long.
	OffPolicy(ctx context.Context, soFar func(*offpolicy.Study)) (*offpolicy.Study, error)

	// RowFigures are those of the rows that a look at the run has read; nil if it has read none.
	RowFigures() *offpolicy.Rows

	// TokensOf reads those of one sample.
	TokensOf(ctx context.Context, at model.Place) (offpolicy.Sample, error)
}

// tokens is what is known of the log-probs of tokens.
type tokens struct {
	Reader TokenReader                                        // nil: the source has none
	Rows   job.Job[rowsKey, map[int64][]offpolicy.RowFigures] // of the steps on the screen, by step and row of it
	Seen   bool                                               // some rows can be compared
}

// rowsKey is all that figures of rows depend on, but for the log-probs before the latest look at the run.
type rowsKey struct {
	looked uint64 // see FindingsKey
	steps  uint64 // a hash of those on the screen
}

// UpdateRows requests the figures of the rows of the steps on the screen, once a look at the run has read them.
func (e *Env) UpdateRows(c *job.Queue, msg tea.Msg) {
	e.Tokens.Rows.Take(c, msg)
	e.Tokens.Seen = e.Tokens.Seen || len(e.Tokens.Rows.Value) > 0
	look, x := &e.Findings.Job, e.Result.Analysis
	if e.Tokens.Reader == nil || x == nil || look.Value.Look == nil {
		return
	}
	key := rowsKey{looked: look.Of.Steps, steps: hashOfShown(x)}
	if !e.Tokens.Rows.Lacks(key, job.InTurn[rowsKey]) {
		return
	}
	var steps []model.Step
	for _, part := range x.Parts() {
		if step, ok := e.AnalyzedStep(part.Step); ok {
			steps = append(steps, step)
		}
	}
	reader := e.Tokens.Reader
	e.Tokens.Rows.Start(c, key, job.Once(func(ctx context.Context) (map[int64][]offpolicy.RowFigures, error) {
		all, rows := map[int64][]offpolicy.RowFigures{}, reader.RowFigures()
		for i := range steps {
			if figures := rows.Of(&steps[i]); figures != nil {
				all[steps[i].Number] = figures
			}
		}
		return all, ctx.Err()
	}))
}

// HasRatios reports whether rows of the log can be compared, as far as they were read. Columns stay where those of a newer step are not.
func (e Env) HasRatios() bool { return e.Tokens.Seen }

// RatioOf is the geometric ratio of samples of a group, from one column of the analysis to before another; NaN if it is not known.
func (e Env) RatioOf(g *analysis.Group, from, to int) float64 {
	all := e.Tokens.Rows.Value[g.Step]
	var rows []offpolicy.RowFigures
	for _, row := range e.Result.Analysis.InputRow[from:to] {
		if int(row) < len(all) {
			rows = append(rows, all[row])
		}
	}
	return offpolicy.RatioOf(rows...)
}
