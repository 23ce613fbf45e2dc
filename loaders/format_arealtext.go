package loaders

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"
)

// arealBegin begins a record of AReaL's old dump.
const arealBegin = "idx: "

// arealText is AReaL's dump of before 2026: a text file per prompt, in a folder per
// version, with colours in it.
func arealText() Format {
	return Format{
		Name: "areal-text", Doc: "AReaL's {version}/{task}.txt of before 2026: text with terminal colours, a file per prompt.",
		Writes: "the workflow's dump_dir",
		Cut:    cut{begin: arealBegin},
		Sniff: func(_ string, first []byte) int {
			if bytes.HasPrefix(first, []byte(arealBegin)) && arealHead().Match(first) {
				return 90
			}
			return 0
		},
		Decode: func(name string) Decoder {
			group := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
			version := filepath.Base(filepath.Dir(name))
			head := arealHead()
			return &texts{rows: newRows(newFields(textNames()), name), read: func(r *rows, record []byte) error {
				return arealRecord(r, record, head, group, version)
			}}
		},
	}
}

// arealHead is the first line of a record, with length and reward.
func arealHead() *regexp.Regexp {
	return regexp.MustCompile(`^idx: \d+ / \d+, seqlen: (\d+), reward is (\S+?)\.?\n`)
}

func arealRecord(r *rows, record []byte, head *regexp.Regexp, group, version string) error {
	m := head.FindSubmatch(record)
	prompt, sequence, ok := bytes.Cut(record, []byte("\nsequence is: \n"))
	_, prompt, also := bytes.Cut(prompt, []byte("\nprompt is \n"))
	if m == nil || !ok || !also {
		return errTextRecord
	}
	r.choose(roleReward, value{kind: text, raw: m[2]})
	r.choose(rolePrompt, textValue(withoutColours(prompt)))
	r.choose(roleResponse, textValue(withoutColours(sequence)))
	r.choose(roleGroup, value{kind: text, raw: []byte(group)})
	if isDigits(version) {
		r.choose(roleStep, value{kind: number, raw: []byte(version)})
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
