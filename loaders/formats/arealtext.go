package formats

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"

	"vantage/loaders/decode"
	"vantage/loaders/framing"
	"vantage/loaders/jsonscan"
)

// arealPrefix begins a record of AReaL's old dump.
const arealPrefix = "idx: "

// arealText is AReaL's dump of before 2026: a text file per prompt, in a folder per
// version, with colours in it.
func arealText() Format {
	return Format{
		Name: "areal-text", Doc: "AReaL's {version}/{task}.txt of before 2026: text with terminal colours, a file per prompt.",
		TrainerOption: "the workflow's dump_dir",
		Framing:       framing.Framing{RecordPrefix: arealPrefix},
		Sniff: func(_ string, first []byte) int {
			if bytes.HasPrefix(first, []byte(arealPrefix)) && arealHead().Match(first) {
				return 90
			}
			return 0
		},
		NewDecoder: func(name string) decode.Decoder {
			group := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
			version := filepath.Base(filepath.Dir(name))
			head := arealHead()
			return &decode.TextDecoder{RowDecoder: decode.NewRowDecoder(decode.OnlyNames(decode.TextFields()), name), ReadRecord: func(r *decode.RowDecoder, record []byte) error {
				return arealRecord(r, record, head, group, version)
			}}
		},
	}
}

// arealHead is the first line of a record, with length and reward.
func arealHead() *regexp.Regexp {
	return regexp.MustCompile(`^idx: \d+ / \d+, seqlen: (\d+), reward is (\S+?)\.?\n`)
}

func arealRecord(r *decode.RowDecoder, record []byte, head *regexp.Regexp, group, version string) error {
	m := head.FindSubmatch(record)
	prompt, sequence, ok := bytes.Cut(record, []byte("\nsequence is: \n"))
	_, prompt, also := bytes.Cut(prompt, []byte("\nprompt is \n"))
	if m == nil || !ok || !also {
		return decode.ErrTextRecord
	}
	r.Set(decode.RoleReward, jsonscan.Value{Kind: jsonscan.String, Raw: m[2]})
	r.Set(decode.RolePrompt, jsonscan.FromText(withoutColours(prompt)))
	r.Set(decode.RoleResponse, jsonscan.FromText(withoutColours(sequence)))
	r.Set(decode.RoleGroup, jsonscan.Value{Kind: jsonscan.String, Raw: []byte(group)})
	if decode.IsDigits(version) {
		r.Set(decode.RoleStep, jsonscan.Value{Kind: jsonscan.Number, Raw: []byte(version)})
	}
	return nil
}

// withoutColours strips the escapes that the writer itself put around the text.
func withoutColours(b []byte) []byte {
	for _, begin := range []string{"\x1b[33m", "\x1b[2m"} {
		b = bytes.TrimPrefix(b, []byte(begin))
	}
	return bytes.TrimSuffix(bytes.TrimRight(b, "\n"), []byte("\x1b[0m"))
}
