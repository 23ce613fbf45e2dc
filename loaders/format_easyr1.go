package loaders

import (
	"bytes"
	"errors"

	"vantage/model"
)

// EasyR1Prefix begins a record of EasyR1's generations.log.
const EasyR1Prefix = "[prompt] "

// easyr1 is EasyR1's generations.log: validation answers as text. Nothing in it is
// escaped and it has no step. hiyouga/EasyR1@b44b311b669b verl/utils/logger/gen_logger.py:48-52.
func easyr1() Format {
	return Format{
		Name: "easyr1", Doc: "EasyR1's generations.log: validation answers as blocks of text, without steps.",
		TrainerOption: "trainer.logger=[file] with trainer.val_generations_to_log=N",
		Framing:       Framing{RecordPrefix: EasyR1Prefix},
		Sniff: func(_ string, first []byte) int {
			if bytes.HasPrefix(first, []byte(EasyR1Prefix)) {
				return 90
			}
			return 0
		},
		Decode: func(name string) Decoder {
			names := NewFields(TextFields())
			names.RewardCaveat = func([]string) string {
				return "; answers of every validation stand together, so a prompt that is asked each time has one group of all"
			}
			return &TextDecoder{RowDecoder: NewRowDecoder(names, name), read: easyr1Record}
		},
	}
}

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
	read func(r *RowDecoder, record []byte) error
}

// Line implements [Decoder].
func (t *TextDecoder) Line(dst []model.Record, record []byte) ([]model.Record, error) {
	t.BeginRow()
	if err := t.read(t.RowDecoder, record); err != nil {
		return dst, err
	}
	return t.FinishRow(dst)
}

var ErrTextRecord = errors.New("the record lacks a part: it was cut off, or is of another kind")

// easyr1Record takes the parts at their marks: the last ones, since model text may
// hold marks too.
func easyr1Record(r *RowDecoder, record []byte) error {
	record = bytes.TrimRight(record, "\n")
	head, score, ok := cutLast(record, "\n[score] ")
	head, truth, also := cutLast(head, "\n[ground_truth] ")
	prompt, output, too := bytes.Cut(head, []byte("\n[output] "))
	if !ok || !also || !too {
		return ErrTextRecord
	}
	r.Set(RolePrompt, TextValue(bytes.TrimPrefix(prompt, []byte(EasyR1Prefix))))
	r.Set(RoleResponse, TextValue(output))
	r.Set(RoleTruth, TextValue(truth))
	if v := (Value{Kind: String, Raw: bytes.TrimSpace(score)}); CanPlay(RoleReward, v) {
		r.Set(RoleReward, v)
	}
	return nil
}

// cutLast cuts at the last mark.
func cutLast(b []byte, mark string) (before, after []byte, ok bool) {
	i := bytes.LastIndex(b, []byte(mark))
	if i < 0 {
		return b, nil, false
	}
	return b[:i], b[i+len(mark):], true
}

// TextValue is plain text as a value: what would be an escape is escaped.
func TextValue(b []byte) Value {
	if bytes.IndexByte(b, '\\') >= 0 {
		b = bytes.ReplaceAll(b, []byte{'\\'}, []byte(`\\`))
	}
	return Value{Kind: String, Raw: b}
}
