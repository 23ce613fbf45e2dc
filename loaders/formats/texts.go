package formats

import (
	"bytes"
	"errors"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"vantage/loaders/decode"
	"vantage/loaders/framing"
	"vantage/loaders/jsonscan"
)

// texts are the formats that are no JSON but text.
func texts() []Format {
	return []Format{
		// easyr1 is EasyR1's generations.log: responses of validations as text, without escapes and steps.
		// hiyouga/EasyR1@b44b311b669b verl/utils/logger/gen_logger.py:48-52.
		{
			Name: "easyr1", Framework: "easyr1", Doc: "EasyR1's generations.log: answers of validations as blocks of text, without steps.",
			TrainerOption: "trainer.logger=[console,file], trainer.val_generations_to_log=N and trainer.save_checkpoint_path=DIR",
			File:          "DIR/generations.log",
			Open:          "DIR",
			Evaluation:    NothingElse,
			Framing:       framing.Framing{RecordPrefix: easyr1Prefix},
			Score:         90,
			Sniff: func(first *First) bool {
				return bytes.HasPrefix(first.Record, []byte(easyr1Prefix))
			},
			Fields: noting("; the log does not tell validations apart, so all answers to a prompt are one group",
				decode.OnlyNames(decode.Names{
					decode.RoleReward:   {"score"},
					decode.RolePrompt:   {"prompt"},
					decode.RoleResponse: {"output"},
					decode.RoleTruth:    {"ground_truth"},
				})),
			Layout: easyr1Record,
		},

		// areal-text is AReaL's dump of before 2026: a text file per prompt, in a folder per version of the
		// policy, with terminal colours.
		{
			Name: "areal-text", Framework: "areal", Doc: "AReaL's {version}/{task}.txt from before 2026: text with terminal colours, a " +
				"file for each prompt.",
			TrainerOption: "dump_dir=DIR, an argument of the workflow",
			File:          "DIR/{version}/{task}.txt",
			Framing:       framing.Framing{RecordPrefix: "idx: "},
			Score:         90,

			VersionFolders: true,

			Sniff: func(first *First) bool {
				return arealFirstLine().Match(first.Record)
			},
			Fields: decode.OnlyNames(decode.Names{
				decode.RoleReward:   {"score"},
				decode.RoleStep:     {"version"},
				decode.RoleGroup:    {"file"},
				decode.RolePrompt:   {"prompt"},
				decode.RoleResponse: {"output"},
			}),
			Layout: func(r *decode.RowDecoder, record []byte, emit func()) error {
				return arealTextRecord(r, arealFirstLine().FindSubmatch(record), record, emit)
			},
		},
	}
}

// easyr1Prefix begins a record of EasyR1's log.
const easyr1Prefix = "[prompt] "

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

func cutLast(b []byte, mark string) (before, after []byte, ok bool) {
	i := bytes.LastIndex(b, []byte(mark))
	if i < 0 {
		return b, nil, false
	}
	return b[:i], b[i+len(mark):], true
}

// arealFirstLine begins a record of AReaL's text. It is compiled when the first file asks, not for each list of formats.
var arealFirstLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^idx: \d+ / \d+, seqlen: (\d+), reward is (\S+?)\.?\n`)
})

var errTextRecord = errors.New("a part of the record is missing: the file was cut off, or it is of another format")

// arealTextRecord decodes a record, given the match of its first line. Group and step are in the path.
func arealTextRecord(r *decode.RowDecoder, firstLine [][]byte, record []byte, emit func()) error {
	prompt, sequence, hasSequence := bytes.Cut(record, []byte("\nsequence is: \n"))
	_, prompt, hasPrompt := bytes.Cut(prompt, []byte("\nprompt is \n"))
	if firstLine == nil || !hasSequence || !hasPrompt {
		return errTextRecord
	}
	group := strings.TrimSuffix(filepath.Base(r.FileName), filepath.Ext(r.FileName))
	version := filepath.Base(filepath.Dir(r.FileName))
	r.BeginRow()
	r.Set(decode.RoleReward, jsonscan.FromText(firstLine[2]))
	r.Set(decode.RolePrompt, jsonscan.FromText(trimColours(prompt)))
	r.Set(decode.RoleResponse, jsonscan.FromText(trimColours(sequence)))
	r.Set(decode.RoleGroup, jsonscan.FromText([]byte(group)))
	if decode.IsDigits(version) {
		r.Set(decode.RoleStep, jsonscan.FromText([]byte(version)))
	}
	emit()
	return nil
}

func trimColours(text []byte) []byte {
	for _, start := range []string{"\x1b[33m", "\x1b[2m"} {
		text = bytes.TrimPrefix(text, []byte(start))
	}
	return bytes.TrimSuffix(bytes.TrimRight(text, "\n"), []byte("\x1b[0m"))
}
