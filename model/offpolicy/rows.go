package offpolicy

import (
	"math"
	"slices"

	rules "vantage/estimators/offpolicy"
	"vantage/model"
)

// Rows are the figures of single rows, by where the samples are in the log: 28 bytes a row, of logs alone that have log-probs of both
// sides. The screen shows them next to the samples.
type Rows struct {
	all      []placedRow   // by place, of one place the first that was read
	numbered map[int32]int // how many rows a file has whose rows are known by their number alone
}

// Place is where the sample of a row is. ByNumber says that Offset is the number of the row in its file, from 0, and no place of a byte.
type Place struct {
	model.Place
	ByNumber bool
}

// RowFigures are figures of a row: Tokens is 0 if it cannot be compared.
type RowFigures struct {
	Tokens       int32
	MeanAbs, Log float32 // mean |d|, and mean d
}

// Ratio is the geometric ratio of the row, e^(mean d); NaN if it cannot be compared.
func (f RowFigures) Ratio() float64 { return RatioOf(f) }

// Weight is the logarithm of the product of its ratios.
func (f RowFigures) Weight() float64 { return float64(f.Log) * float64(f.Tokens) }

// RatioOf is the geometric ratio of the tokens of some rows; NaN if none can be compared.
func RatioOf(rows ...RowFigures) float64 {
	sum, tokens := 0.0, 0.0
	for _, f := range rows {
		sum, tokens = sum+f.Weight(), tokens+float64(f.Tokens)
	}
	return math.Exp(sum / tokens)
}

type placedRow struct {
	model.Place
	RowFigures
}

func (r *Rows) add(at Place, f rules.Figures) {
	if at.ByNumber {
		if r.numbered == nil {
			r.numbered = map[int32]int{}
		}
		r.numbered[at.File] = max(r.numbered[at.File], int(at.Offset)+1)
	}
	if f.Tokens > 0 {
		r.all = append(r.all, placedRow{at.Place, RowFigures{int32(f.Tokens), float32(f.MeanAbs), float32(f.LogGeometricRatio)}})
	}
}

func (r *Rows) sort() {
	slices.SortStableFunc(r.all, func(a, b placedRow) int { return a.Compare(b.Place) })
}

// Any reports whether a row can be compared.
func (r *Rows) Any() bool { return r != nil && len(r.all) > 0 }

// Of returns the figures of the rows of a step, in the order of the log; nil if none can be compared.
func (r *Rows) Of(step *model.Step) (figures []RowFigures) {
	if !r.Any() {
		return nil
	}
	for row, at := range r.places(step) {
		i, found := slices.BinarySearchFunc(r.all, at, func(p placedRow, at model.Place) int { return p.Compare(at) })
		if !found {
			continue
		}
		if figures == nil {
			figures = make([]RowFigures, len(step.Rewards))
		}
		figures[row] = r.all[i].RowFigures
	}
	return figures
}

// places are those of the rows of a step. In files whose rows are known by number they are these, if the step has all of the rows.
func (r *Rows) places(step *model.Step) []model.Place {
	all, numbered := make([]model.Place, len(step.Rewards)), map[int32][]int{}
	for row := range all {
		all[row] = step.Place(row)
		if file := all[row].File; r.numbered[file] > 0 {
			numbered[file] = append(numbered[file], row)
		}
	}
	for file, rows := range numbered {
		slices.SortFunc(rows, func(a, b int) int { return all[a].Compare(all[b]) })
		for number, row := range rows {
			if all[row] = (model.Place{File: file, Offset: int64(number)}); len(rows) != r.numbered[file] {
				all[row].Offset = -1 // of some nobody knows which
			}
		}
	}
	return all
}
