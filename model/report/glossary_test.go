package report

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"vantage/model"
	"vantage/model/compare"
	"vantage/model/figures"
	"vantage/model/sweep"
)

// Every column of every table in CSV has a line in the glossary.
func TestColumnsHaveLines(t *testing.T) {
	set := model.DefaultSettings()
	set.KeepNeg, set.Recompute = 0, true
	r := reportOf(t, 2, set, []float64{0, .5, 1}, []float64{1, 0, 0, 1})
	tables := map[string]struct {
		place figures.Place
		write func(io.Writer) error
	}{
		"compare": {figures.Compare, func(w io.Writer) error { return CompareCSV(w, Comparison{Result: &compare.Result{}}) }},
		"sweep": {figures.Sweep, func(w io.Writer) error {
			grid, err := sweep.New(set, sweep.DefaultRatios())
			if err != nil {
				return err
			}
			return TableCSV(w, SweepTable(Sweep{Grid: grid, Figures: sweep.Figures()}))
		}},
		"groupsize": {figures.Sizes, func(w io.Writer) error { return TableCSV(w, SizesTable(nil)) }},
		"report by": {figures.Parts, func(w io.Writer) error {
			return TableCSV(w, (&Breakdown{By: "difficulty"}).Table())
		}},
		"export": {figures.Sample, func(w io.Writer) error {
			return SampleCSV(t.Context(), w, &SampleTable{Snap: r.Snap, Settings: set, Columns: SampleColumns(r.Snap), Log: noTexts{}})
		}},
	}
	for _, per := range PerValues() {
		place := figures.Step
		if per == PerGroup {
			place = figures.Group
		}
		tables["report per "+string(per)] = struct {
			place figures.Place
			write func(io.Writer) error
		}{place, func(w io.Writer) error {
			r.Per = per
			_, err := CSV(w, r)
			return err
		}}
	}
	for name, table := range tables {
		var out bytes.Buffer
		if err := table.write(&out); err != nil {
			t.Fatal(name, err)
		}
		header, _, _ := strings.Cut(out.String(), "\n")
		for column := range strings.SplitSeq(header, ",") {
			if _, ok := figures.Explain(table.place, column); !ok {
				t.Errorf("%s: column %q has no line in model/figures", name, column)
			}
		}
	}
}

// noTexts is a log whose texts are empty.
type noTexts struct{}

func (noTexts) Text(context.Context, model.Place) (model.Text, error) { return model.Text{}, nil }
func (noTexts) Lines(_ context.Context, at []model.Place) ([]int64, error) {
	return make([]int64, len(at)), nil
}

// Every key of the figures of steps, groups and the run has a line in the glossary.
func TestKeysHaveLines(t *testing.T) {
	set := model.DefaultSettings()
	set.KeepNeg, set.Recompute = 0, true
	r := reportOf(t, 2, set, []float64{0, .5, 1}, []float64{1, 0, 0, 1})
	r.Per = PerGroup
	var out bytes.Buffer
	if _, err := JSON(&out, r); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Steps   []map[string]any
		Summary map[string]any
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	notFigures := map[string]bool{"fates": true, "metrics": true, "warnings": true, "by_group": true}
	check := func(place figures.Place, object map[string]any) {
		for key := range object {
			if _, ok := figures.Explain(place, key); !ok && !notFigures[key] {
				t.Errorf("%s: key %q has no line in model/figures", place, key)
			}
		}
	}
	check(figures.Step, got.Summary)
	check(figures.Step, got.Steps[0])
	for _, group := range got.Steps[0]["by_group"].([]any) {
		check(figures.Group, group.(map[string]any))
	}
}

// So has every column of the table of who pays.
func TestBreakdownColumnsHaveLines(t *testing.T) {
	set := model.DefaultSettings()
	set.Loss = "verl/token-mean"
	for _, c := range (&Breakdown{Settings: set}).columns() {
		if _, ok := figures.Explain(figures.Parts, c.head); !ok {
			t.Errorf("column %q has no line in model/figures", c.head)
		}
	}
}
