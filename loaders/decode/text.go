package decode

import (
	"errors"

	"vantage/model"
)

// TextFields are the roles that records of text are read for.
func TextFields() map[Role][]string {
	return map[Role][]string{
		RoleReward: {"score"}, RolePrompt: {"prompt"}, RoleResponse: {"output"}, RoleTruth: {"ground_truth"},
		RoleLength: {"seqlen"}, RoleStep: {"version"}, RoleGroup: {"file"},
	}
}

// TextDecoder decodes records of plain text.
type TextDecoder struct {
	*RowDecoder
	ReadRecord func(r *RowDecoder, record []byte) error
}

// Decode implements [Decoder].
func (t *TextDecoder) Decode(dst []model.Record, record []byte) ([]model.Record, error) {
	t.BeginRow()
	if err := t.ReadRecord(t.RowDecoder, record); err != nil {
		return dst, err
	}
	return t.FinishRow(dst)
}

var ErrTextRecord = errors.New("the record lacks a part: it was cut off, or is of another kind")
