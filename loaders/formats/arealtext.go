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

// arealFirstLine begins a record of AReaL's text. It is compiled when the first file asks, not for each list of formats.
var arealFirstLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^idx: \d+ / \d+, seqlen: (\d+), reward is (\S+?)\.?\n`)
})

// arealText is AReaL's dump of before 2026: a text file per prompt, in a folder per version of the
// policy, with terminal colours.
func arealText() Format {
	return Format{
		Name: "areal-text", Framework: "areal", Doc: "AReaL's {version}/{task}.txt from before 2026: text with terminal colours, a file for each prompt.",
		TrainerOption: "dump_dir=DIR, an argument of the workflow",
		File:          "DIR/{version}/{task}.txt",
		Open:          "DIR",
		Framing:       framing.Framing{RecordPrefix: "idx: "},
		Score:         90,
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
	}
}

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

// trimColours trims the escapes that the writer puts around a text.
func trimColours(text []byte) []byte {
	for _, start := range []string{"\x1b[33m", "\x1b[2m"} {
		text = bytes.TrimPrefix(text, []byte(start))
	}
	return bytes.TrimSuffix(bytes.TrimRight(text, "\n"), []byte("\x1b[0m"))
}
