package formats

import (
	"bytes"

	"vantage/loaders/decode"
	"vantage/loaders/framing"
	"vantage/loaders/jsonscan"
)

// easyr1Prefix begins a record of EasyR1's log.
const easyr1Prefix = "[prompt] "

// easyr1 is EasyR1's generations.log: responses of validations as text, without escapes and steps.
// hiyouga/EasyR1@b44b311b669b verl/utils/logger/gen_logger.py:48-52.
func easyr1() Format {
	fields := decode.OnlyNames(decode.Names{
		decode.RoleReward:   {"score"},
		decode.RolePrompt:   {"prompt"},
		decode.RoleResponse: {"output"},
		decode.RoleTruth:    {"ground_truth"},
	})
	fields.Caveat = func([]string) string {
		return "; the log does not say which validation an answer is of, so all answers to a prompt are one group"
	}
	return Format{
		Name: "easyr1", Framework: "easyr1", Doc: "EasyR1's generations.log: answers of validations as blocks of text, without steps.",
		TrainerOption: "trainer.logger=[console,file], trainer.val_generations_to_log=N and trainer.save_checkpoint_path=DIR",
		File:          "DIR/generations.log",
		Open:          "DIR",
		Framing:       framing.Framing{RecordPrefix: easyr1Prefix},
		Score:         90,
		Sniff: func(first *First) bool {
			return bytes.HasPrefix(first.Record, []byte(easyr1Prefix))
		},
		Fields: fields,
		Layout: easyr1Record,
	}
}

// easyr1Record cuts a record at the last of each mark: the text of a model may hold marks too.
func easyr1Record(r *decode.RowDecoder, record []byte, emit func()) error {
	rest, score, hasScore := cutLast(bytes.TrimRight(record, "\n"), "\n[score] ")
	rest, truth, hasTruth := cutLast(rest, "\n[ground_truth] ")
	prompt, output, hasOutput := bytes.Cut(rest, []byte("\n[output] "))
	if !hasScore || !hasTruth || !hasOutput {
		return errTextRecord
	}
	r.BeginRow()
	r.Set(decode.RolePrompt, jsonscan.FromText(bytes.TrimPrefix(prompt, []byte(easyr1Prefix))))
	r.Set(decode.RoleResponse, jsonscan.FromText(output))
	r.Set(decode.RoleTruth, jsonscan.FromText(truth))
	if reward := jsonscan.FromText(bytes.TrimSpace(score)); decode.RoleReward.Accepts(reward) {
		r.Set(decode.RoleReward, reward)
	}
	emit()
	return nil
}

// cutLast is bytes.Cut at the last mark.
func cutLast(b []byte, mark string) (before, after []byte, ok bool) {
	i := bytes.LastIndex(b, []byte(mark))
	if i < 0 {
		return b, nil, false
	}
	return b[:i], b[i+len(mark):], true
}
