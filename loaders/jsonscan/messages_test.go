package jsonscan

import "testing"

// Reasoning that the server keeps apart from the content is text of the message.
func TestReasoningIsText(t *testing.T) {
	for list, want := range map[string]string{
		`[{"role":"assistant","content":null,"reasoning_content":"h\u00e9"}]`: "hé",
		`[{"role":"assistant","content":"a","reasoning_content":"b"}]`:        "b\n\na",
		`[{"role":"assistant","content":"a","reasoning_content":null}]`:       "a",
		`[{"role":"assistant","content":"a","reasoning_content":""}]`:         "a",
	} {
		s := Scanner{Data: []byte(list)}
		v, err := s.Value()
		if err != nil {
			t.Fatal(err)
		}
		if got := string(v.Messages()[0].AppendContent(nil)); got != want {
			t.Errorf("%s: %q, want %q", list, got, want)
		}
	}
}

// A tool call is an object, in a "function" or not, or a string that holds one as JSON.
func TestToolCalls(t *testing.T) {
	for list, want := range map[string]string{
		`[{"role":"assistant","tool_calls":[{"function":{"name":"add","arguments":"{\"a\":1}"}}]}]`:                   `add({"a":1})`,
		`[{"role":"assistant","tool_calls":[{"name":"add","arguments":{"a":1}},{"name":"end"}]}]`:                     "add({\"a\":1})\nend()",
		`[{"role":"assistant","tool_calls":["{\"id\":\"c\",\"function\":{\"name\":\"add\",\"arguments\":\"{}\"}}"]}]`: "add({})",
		`[{"role":"assistant","tool_calls":["no call"]}]`:                                                             "()",
	} {
		s := Scanner{Data: []byte(list)}
		v, err := s.Value()
		if err != nil {
			t.Fatal(err)
		}
		if got := string(v.Messages()[0].AppendCalls(nil)); got != want {
			t.Errorf("%s: %q, want %q", list, got, want)
		}
	}
}
