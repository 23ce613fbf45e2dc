package loaders

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf16"
)

// tunix is Tunix's trajectory log: CSV whose cells are Python's repr of things.
// google/tunix@c7d8950f12a9 tunix/utils/trajectory_logger.py:77-151.
func tunix() Format {
	names := newFields(map[role][]string{
		roleReward: {"trajectory_reward"}, roleStep: {"policy_version"}, roleGroup: {"group_id"},
		rolePrompt: {"original_input"}, roleTruth: {"answer"}, roleResponse: {"conversation_text"},
	})
	f := csv()
	f.Name, f.Doc = "tunix", "Tunix's trajectory_log_*.csv: cells that are Python's repr of lists and dicts."
	f.Writes = "a metrics log_dir on the agentic learner"
	f.Sniff = func(_ string, first []byte) int {
		if bytes.Contains(first, []byte("trajectory_reward")) && bytes.Contains(first, []byte("policy_version")) {
			return 85
		}
		return 0
	}
	f.Decode = func(name string) Decoder { return &grid{rows: newRows(names, name), python: tunixCell} }
	return f
}

// tunixCell reads the cells that are Python's repr of lists and dicts.
func tunixCell(r *rows, name string, cell []byte) bool {
	switch name {
	case "conversation_masks":
		r.choose(roleLength, floatValue(float64(bytes.Count(cell, []byte{'1'}))))
	case "conversation_text":
		if r.capture == nil {
			return false // nobody reads it
		}
		answer := pythonAnswer(cell)
		r.choose(roleResponse, answer)
		return answer.kind != absent
	case "original_input":
		prompt := pythonItem(cell, "prompt", "question")
		r.choose(rolePrompt, prompt)
		r.choose(roleTruth, pythonItem(cell, "answer", "ground_truth", "solution"))
		return prompt.kind != absent
	default:
		return false
	}
	return true
}

// pythonAnswer is what the assistant says in the repr of a list of {role, content}.
func pythonAnswer(repr []byte) value {
	var said []value
	for {
		_, after, ok := bytes.Cut(repr, []byte("'role': 'assistant', 'content': "))
		if !ok {
			return paragraphs(said)
		}
		text, size := pythonText(after)
		if text.kind != absent {
			said = append(said, text)
		}
		repr = after[size:]
	}
}

// pythonItem is the text under the first of the keys that the repr of a dict has.
func pythonItem(repr []byte, keys ...string) value {
	for _, key := range keys {
		if _, after, ok := bytes.Cut(repr, []byte("'"+key+"': ")); ok {
			if text, _ := pythonText(after); text.kind != absent {
				return text
			}
		}
	}
	return value{}
}

// pythonText reads the repr of a text and returns how long that is; absent if b begins with
// something else.
func pythonText(b []byte) (one value, size int) {
	if len(b) == 0 || b[0] != '\'' && b[0] != '"' {
		return value{}, 0
	}
	var raw []byte
	for i := 1; i < len(b); i++ {
		switch {
		case b[i] == b[0]:
			return value{kind: text, raw: raw}, i + 1
		case b[i] == '\\' && i+1 < len(b):
			var n int
			raw, n = appendEscape(raw, b[i:])
			i += n - 1
		default:
			raw = append(raw, b[i])
		}
	}
	return value{}, len(b)
}

// appendEscape appends the escape of Python that b begins with as one of JSON, and returns
// how long it was.
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
