package richtext

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vantage/model"
	"vantage/themes"
)

// Every way in which logs write conversations shows who speaks, and tool calls and results apart.
func TestTurns(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		o    Options
		want []string
	}{
		"template of Qwen": {
			"<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n3+4?<|im_end|>\n<|im_start|>assistant\n7<|im_end|>",
			Options{},
			[]string{"── system ──", "Be brief.", "", "── user ──", "3+4?", "", "── assistant ──", "7<|im_end|>"},
		},
		"its end only": {"7<|im_end|>", Options{}, []string{"7<|im_end|>"}},
		"an answer that goes on": {
			"7<|im_end|>\n<|im_start|>user\nsure?<|im_end|>\n<|im_start|>assistant\nyes",
			Options{},
			[]string{"7", "", "── user ──", "sure?", "", "── assistant ──", "yes"},
		},
		"template of Llama": {
			"<|start_header_id|>user<|end_header_id|>\n\nhi<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n",
			Options{},
			[]string{"── user ──", "hi", "", "── assistant ──"},
		},
		"template of Gemma":    {"<start_of_turn>user\nhi<end_of_turn>\n<start_of_turn>model\nho", Options{}, []string{"── user ──", "hi", "", "── assistant ──", "ho"}},
		"template of GLM":      {"<|user|>\nhi<|observation|>\n{}<|assistant|>\nho", Options{}, []string{"── user ──", "hi", "", "── tool ──", "│ {}", "", "── assistant ──", "ho"}},
		"template of DeepSeek": {"<｜User｜>hi<｜Assistant｜>", Options{}, []string{"── user ──", "hi", "", "── assistant ──"}},
		"without special tokens": {
			"system\nBe brief.\nuser\n3+4?\nassistant\n",
			Options{},
			[]string{"── system ──", "Be brief.", "", "── user ──", "3+4?", "", "── assistant ──"},
		},
		"a word that is no role": {"the\nuser\nleft", Options{}, []string{"the", "user", "left"}},
		"list of messages": {
			"system: Be brief.\n\nuser: 3+4?\n\nOr 4+3?\n\nassistant: <think>hm</think>7",
			Options{Folded: true},
			[]string{"── system ──", "Be brief.", "", "── user ──", "3+4?", "", "Or 4+3?", "", "── assistant ──", "▸ thought  2 characters · T unfolds", "7"},
		},
		"tools in messages": {
			"assistant: Let me look.\nsearch({\"q\": \"Rome\"})\nopen({\"page\": 3})\n\ntool search: # Rome\nA city.\n\nassistant: done()\n\nuser: ok",
			Options{},
			[]string{
				"── assistant ──", "Let me look.", "→ tool call", "│ search({\"q\": \"Rome\"})", "→ tool call", "│ open({\"page\": 3})", "",
				"── tool search ──", "│ # Rome", "│ A city.", "", "── assistant ──", "→ tool call", "│ done()", "", "── user ──", "ok",
			},
		},
		"tools by tags": {
			"I search.\n<tool_call>\n{\"name\": \"search\"}\n</tool_call>\nuser\n<tool_response>\nA **city**.\n</tool_response>\nassistant\nRome",
			Options{},
			[]string{"I search.", "→ <tool_call>", "│ {\"name\": \"search\"}", "", "── user ──", "← <tool_response>", "│ A **city**.", "", "── assistant ──", "Rome"},
		},
		"tags without end":      {"a <tool_call> b <search></search> c", Options{}, []string{"a <tool_call> b <search></search> c"}},
		"system describes tags": {"system\nUse <search>words</search>.\nassistant\n", Options{}, []string{"── system ──", "Use <search>words</search>.", "", "── assistant ──"}},
		"speakers":              {"A game.\nUser: Move!\nAssistant: [4]", Options{}, []string{"A game.", "", "── user ──", "Move!", "", "── assistant ──", "[4]"}},
		"in ascii":              {"user: 3?\n\nassistant: <search>x</search>", Options{ASCII: true}, []string{"-- user --", "3?", "", "-- assistant --", "-> <search>", "│ x"}},
		"as logged":             {"user: 3?\n\nassistant: 4", Options{Raw: true}, []string{"user: 3?", "", "assistant: 4"}},
	} {
		if diff := cmp.Diff(test.want, body(t, test.text, 100, test.o)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

// Each role has a colour of its own.
func TestRolesDiffer(t *testing.T) {
	page := Sample(model.Text{Prompt: "system: a\n\nuser: b\n\nassistant: c\n\ntool: d"}, Options{}).Wrap(60)
	theme, seen := themes.Default(true), map[string]bool{}
	for i := 1; i < 12; i += 3 {
		colour, heading, _ := strings.Cut(page.Line(theme, "│", i, Matches{}), "m")
		if seen[colour] || !strings.HasPrefix(heading, "── ") {
			t.Errorf("line %d is no heading of another colour: %q", i, heading)
		}
		seen[colour] = true
	}
}
