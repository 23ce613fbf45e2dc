package decode

import (
	"bytes"
	"math"
	"strconv"

	"vantage/loaders/jsonscan"
)

// epochs number the values of a fractional epoch, where nothing else tells the step: 0.01 and 0.02 are the first step and the second.
type epochs struct {
	row   jsonscan.Value // of the row at hand
	rank  int            // of its name
	steps map[float64]int64
	last  int64 // the greatest step so far
}

// maxEpochs bounds how many values are numbered: a log may say anything.
const maxEpochs = 1 << 20

// IsEpoch reports whether a field that is a step by its name is the epoch.
func IsEpoch(as Role, name []byte) bool {
	return as == RoleStep && bytes.EqualFold(name, []byte(EpochField))
}

// ReadsEpoch reports whether the epoch of rows is a step: the path of their file tells none, or a person named the field.
func (r *RowDecoder) ReadsEpoch() bool {
	return !r.hasFileStep || r.Fields.EpochIsChosen()
}

// EpochIsChosen reports whether a person named the epoch as the step: it wins over all others.
func (f *Fields) EpochIsChosen() bool { return f.chosen[RoleStep] == EpochField }

// PassesOver reports whether a column is an epoch that tells no step.
func (r *RowDecoder) PassesOver(p FieldRole, column string) bool {
	return IsEpoch(p.Role, []byte(column)) && !r.ReadsEpoch()
}

// pickEpoch takes the epoch of the row, for [RowDecoder.stepFromEpoch].
func (r *RowDecoder) pickEpoch(p FieldRole, v jsonscan.Value) {
	r.epochs.row, r.epochs.rank = v, p.Rank
}

// stepFromEpoch makes the epoch the step of the row, if that has no other. A fraction is numbered by the order in which its value came
// first.
func (r *RowDecoder) stepFromEpoch() {
	e := &r.epochs
	x, ok := e.row.ToFloat()
	isNumber := e.row.Kind != jsonscan.Absent && ok && !math.IsNaN(x) && !math.IsInf(x, 0)
	hasOther := r.Has(RoleStep) && !r.Fields.EpochIsChosen()
	if hasOther || !isNumber || !r.ReadsEpoch() {
		return
	}
	isWhole := x == math.Trunc(x)
	mayBeFraction := !isWhole || bytes.IndexByte(e.row.Raw, '.') >= 0
	r.InOrder = r.InOrder || mayBeFraction
	step, known := e.steps[x]
	switch {
	case known:
	case e.steps == nil && isWhole:
		step = int64(x)
	case len(e.steps) >= maxEpochs:
		return
	case e.steps == nil:
		e.steps = map[float64]int64{}
		fallthrough
	default:
		step = e.last + 1
		e.steps[x] = step
	}
	e.last = max(e.last, step)
	r.Values[RoleStep], r.Ranks[RoleStep] = jsonscan.Value{Kind: jsonscan.Number, Raw: strconv.AppendInt(nil, step, 10)}, e.rank
}
