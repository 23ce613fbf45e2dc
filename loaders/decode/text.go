package decode

import (
	"bytes"
	"errors"

	"vantage/loaders/jsonscan"
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

// TextValue is plain text as a value: what would be an escape is escaped.
func TextValue(b []byte) jsonscan.Value {
	if bytes.IndexByte(b, '\\') >= 0 {
		b = bytes.ReplaceAll(b, []byte{'\\'}, []byte(`\\`))
	}
	return jsonscan.Value{Kind: jsonscan.String, Raw: b}
}
