package formats

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf16"

	"vantage/loaders/decode"
	"vantage/loaders/framing"
	"vantage/loaders/jsonscan"
)

// tunix is Tunix's trajectory log: CSV whose cells are Python's repr of things.
// google/tunix@c7d8950f12a9 tunix/utils/trajectory_logger.py:77-151.
func tunix() Format {
	return Format{
		Name: "tunix", Framework: "tunix", Doc: "Tunix's trajectory_log_*.csv: a row per trajectory, with cells that are Python's repr of lists and dicts.",
		TrainerOption: "an agentic learner with MetricsLoggerOptions(log_dir=DIR)",
		File:          "DIR/trajectory_log_{time}.csv",
		Open:          "DIR",
		Framing:       framing.Framing{Quoted: true},
		Score:         85,
		Sniff: func(first *First) bool {
			return bytes.Contains(first.Record, []byte("trajectory_reward")) && bytes.Contains(first.Record, []byte("policy_version"))
		},
		Fields: decode.OnlyNames(decode.Names{
			decode.RoleReward:   {"trajectory_reward"},
			decode.RoleStep:     {"policy_version"},
			decode.RoleGroup:    {"group_id"},
			decode.RolePrompt:   {"original_input"},
			decode.RoleTruth:    {"answer"},
			decode.RoleResponse: {"conversation_text"},
		}),
		ReadCell:   readTunixCell,
		Positional: true,
	}
}

// readTunixCell reads the cells that are Python's repr of lists and dicts.
func readTunixCell(r *decode.RowDecoder, column string, cell []byte) bool {
	switch column {
	case "conversation_masks":
		r.Set(decode.RoleLength, jsonscan.FromFloat(float64(bytes.Count(cell, []byte{'1'}))))
	case "conversation_text":
		if r.Capture == nil {
			return false // its text is not needed
		}
		response := pythonResponse(cell)
		r.Set(decode.RoleResponse, response)
		return response.Kind != jsonscan.Absent
	case "original_input":
		prompt := pythonItem(cell, "prompt", "question")
		r.Set(decode.RolePrompt, prompt)
		r.Set(decode.RoleTruth, pythonItem(cell, "answer", "ground_truth", "solution"))
		return prompt.Kind != jsonscan.Absent
	default:
		return false
	}
	return true
}

// pythonResponse returns what the assistant says in the repr of a list of {role, content}.
func pythonResponse(repr []byte) jsonscan.Value {
	var texts []jsonscan.Value
	for {
		_, after, ok := bytes.Cut(repr, []byte("'role': 'assistant', 'content': "))
		if !ok {
			return decode.Paragraphs(texts)
		}
		text, size := pythonText(after)
		if text.Kind != jsonscan.Absent {
			texts = append(texts, text)
		}
		repr = after[size:]
	}
}

// pythonItem returns the text under the first of the keys that the repr of a dict has.
func pythonItem(repr []byte, keys ...string) jsonscan.Value {
	for _, key := range keys {
		if _, after, ok := bytes.Cut(repr, []byte("'"+key+"': ")); ok {
			if text, _ := pythonText(after); text.Kind != jsonscan.Absent {
				return text
			}
		}
	}
	return jsonscan.Value{}
}

// pythonText reads the repr of a text at the start of b, and returns its size in bytes. The text is
// absent if b begins with something else.
func pythonText(b []byte) (text jsonscan.Value, size int) {
	if len(b) == 0 || b[0] != '\'' && b[0] != '"' {
		return jsonscan.Value{}, 0
	}
	var raw []byte
	for i := 1; i < len(b); i++ {
		switch {
		case b[i] == b[0]:
			return jsonscan.Value{Kind: jsonscan.String, Raw: raw}, i + 1
		case b[i] == '\\' && i+1 < len(b):
			var n int
			raw, n = appendEscape(raw, b[i:])
			i += n - 1
		default:
			raw = append(raw, b[i])
		}
	}
	return jsonscan.Value{}, len(b)
}

// appendEscape appends Python's escape at the start of b as one of JSON, and returns its size in
// bytes.
func appendEscape(dst, b []byte) ([]byte, int) {
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[b[1]]
	if digits == 0 || len(b) < 2+digits {
		if b[1] == '\'' {
			return append(dst, '\''), 2
		}
		return append(dst, b[:2]...), 2
	}
	code, err := strconv.ParseUint(string(b[2:2+digits]), 16, 32)
	if err != nil {
		return append(dst, b[:2]...), 2
	}
	if code > 0xffff {
		high, low := utf16.EncodeRune(rune(code))
		return fmt.Appendf(dst, `\u%04x\u%04x`, high, low), 2 + digits
	}
	return fmt.Appendf(dst, `\u%04x`, code), 2 + digits
}
