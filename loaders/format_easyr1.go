package loaders

import (
	"bytes"
	"errors"

	"vantage/model"
)

// easyr1Begin begins a record of EasyR1's generations.log.
const easyr1Begin = "[prompt] "

// easyr1 is EasyR1's generations.log: validation answers as text. Nothing in it is
// escaped and it has no step. hiyouga/EasyR1@b44b311b669b verl/utils/logger/gen_logger.py:48-52.
func easyr1() Format {
	return Format{
		Name: "easyr1", Doc: "EasyR1's generations.log: validation answers as blocks of text, without steps.",
		Writes: "trainer.logger=[file] with trainer.val_generations_to_log=N",
		Cut:    cut{begin: easyr1Begin},
		Sniff: func(_ string, first []byte) int {
			if bytes.HasPrefix(first, []byte(easyr1Begin)) {
				return 90
			}
			return 0
		},
		Decode: func(name string) Decoder {
			names := newFields(textNames())
			names.doubt = func([]string) string {
				return "; answers of every validation stand together, so a prompt that is asked each time has one group of all"
			}
			return &texts{rows: newRows(names, name), read: easyr1Record}
		},
	}
}

// textNames are the roles that records of text are read for.
func textNames() map[role][]string {
	return map[role][]string{
		roleReward: {"score"}, rolePrompt: {"prompt"}, roleResponse: {"output"}, roleTruth: {"ground_truth"},
		roleLength: {"seqlen"}, roleStep: {"version"}, roleGroup: {"file"},
	}
}

// texts decodes records of plain text.
type texts struct {
	*rows
	read func(r *rows, record []byte) error
}

// Line implements [Decoder].
func (t *texts) Line(dst []model.Record, record []byte) ([]model.Record, error) {
	t.begin()
	if err := t.read(t.rows, record); err != nil {
		return dst, err
	}
	return t.finish(dst)
}

var errTextRecord = errors.New("the record lacks a part: it was cut off, or is of another kind")

// easyr1Record takes the parts at their marks: the last ones, since model text may
// hold marks too.
func easyr1Record(r *rows, record []byte) error {
	record = bytes.TrimRight(record, "\n")
	head, score, ok := cutLast(record, "\n[score] ")
	head, truth, also := cutLast(head, "\n[ground_truth] ")
	prompt, output, too := bytes.Cut(head, []byte("\n[output] "))
	if !ok || !also || !too {
		return errTextRecord
	}
	r.choose(rolePrompt, textValue(bytes.TrimPrefix(prompt, []byte(easyr1Begin))))
	r.choose(roleResponse, textValue(output))
	r.choose(roleTruth, textValue(truth))
	if v := (value{kind: text, raw: bytes.TrimSpace(score)}); fits(roleReward, v) {
		r.choose(roleReward, v)
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

// textValue is plain text as a value: what would be an escape is escaped.
func textValue(b []byte) value {
	if bytes.IndexByte(b, '\\') >= 0 {
		b = bytes.ReplaceAll(b, []byte{'\\'}, []byte(`\\`))
	}
	return value{kind: text, raw: b}
}
