package formats

import (
	"bytes"

	"vantage/loaders/decode"
	"vantage/loaders/framing"
	"vantage/loaders/jsonscan"
)

// easyr1Prefix begins a record of EasyR1's generations.log.
const easyr1Prefix = "[prompt] "

// easyr1 is EasyR1's generations.log: validation answers as text. Nothing in it is
// escaped and it has no step. hiyouga/EasyR1@b44b311b669b verl/utils/logger/gen_logger.py:48-52.
func easyr1() Format {
	return Format{
		Name: "easyr1", Doc: "EasyR1's generations.log: validation answers as blocks of text, without steps.",
		TrainerOption: "trainer.logger=[file] with trainer.val_generations_to_log=N",
		Framing:       framing.Framing{RecordPrefix: easyr1Prefix},
		Sniff: func(_ string, first []byte) int {
			if bytes.HasPrefix(first, []byte(easyr1Prefix)) {
				return 90
			}
			return 0
		},
		NewDecoder: func(name string) decode.Decoder {
			names := decode.OnlyNames(decode.TextFields())
			names.RewardCaveat = func([]string) string {
				return "; answers of every validation stand together, so a prompt that is asked each time has one group of all"
			}
			return &decode.TextDecoder{RowDecoder: decode.NewRowDecoder(names, name), ReadRecord: easyr1Record}
		},
	}
}

// easyr1Record takes the parts at their marks: the last ones, since model text may
// hold marks too.
func easyr1Record(r *decode.RowDecoder, record []byte) error {
	record = bytes.TrimRight(record, "\n")
	head, score, ok := cutLast(record, "\n[score] ")
	head, truth, also := cutLast(head, "\n[ground_truth] ")
	prompt, output, too := bytes.Cut(head, []byte("\n[output] "))
	if !ok || !also || !too {
		return decode.ErrTextRecord
	}
	r.Set(decode.RolePrompt, jsonscan.FromText(bytes.TrimPrefix(prompt, []byte(easyr1Prefix))))
	r.Set(decode.RoleResponse, jsonscan.FromText(output))
	r.Set(decode.RoleTruth, jsonscan.FromText(truth))
	if v := (jsonscan.Value{Kind: jsonscan.String, Raw: bytes.TrimSpace(score)}); decode.CanPlay(decode.RoleReward, v) {
		r.Set(decode.RoleReward, v)
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
