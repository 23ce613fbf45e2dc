package jsonscan

import (
	"bytes"
)

// Message is one turn of a conversation.
type Message struct {
	Role, Content Value
	Name          Value // of the tool that answers, or of the speaker
	ToolCalls     Value // a list of {function: {name, arguments}} or {name, arguments}
	Reasoning     Value // what the model thought, where the server keeps it apart from the content
}

// MessagesPrefix is the start of a text that may hold messages as JSON.
const MessagesPrefix = `[{`

// Messages returns the turns of a conversation: a list of {role, content}, or a string that holds
// one as JSON. It returns nil if v is neither.
func (v Value) Messages() []Message {
	v = v.Inner(MessagesPrefix)
	var messages []Message
	valid := v.Kind == Array
	v.EachElement(func(e Value) {
		var m Message
		e.EachField(func(key, v Value) {
			switch string(key.Raw) {
			case "role":
				m.Role = v
			case "content":
				m.Content = v
			case "name":
				m.Name = v
			case "tool_calls":
				m.ToolCalls = v.Inner(MessagesPrefix) // tables keep them as texts
			case "reasoning_content":
				m.Reasoning = v
			}
		})
		valid = valid && m.Role.Kind == String
		messages = append(messages, m)
	})
	if !valid {
		return nil
	}
	return messages
}

// Inner returns the value that a text holds as JSON if it begins so, or else the value itself.
func (v Value) Inner(start string) Value {
	if v.Kind == String && bytes.HasPrefix(v.Raw, []byte(start)) {
		s := Scanner{Data: v.Text()}
		if inner, err := s.Value(); err == nil {
			return inner
		}
	}
	return v
}

// AppendSpeaker appends the role and, if there is one, the name: "tool search".
func (m Message) AppendSpeaker(dst []byte) []byte {
	dst = AppendUnescaped(dst, m.Role.Raw)
	if m.Name.Kind == String && len(m.Name.Raw) > 0 {
		dst = AppendUnescaped(append(dst, ' '), m.Name.Raw)
	}
	return dst
}

// AppendCalls appends each tool call as "name(arguments)", with a newline between two. A call may be an
// object, or a string that holds one as JSON.
func (m Message) AppendCalls(dst []byte) []byte {
	for i, call := range m.ToolCalls.Elements() {
		call = call.Inner("")
		if function := call.Field("function"); function.Kind == Object {
			call = function
		}
		if i > 0 {
			dst = append(dst, '\n')
		}
		dst = append(AppendUnescaped(dst, call.Field("name").Raw), '(')
		if arguments := call.Field("arguments"); arguments.Kind == String {
			dst = AppendUnescaped(dst, arguments.Raw)
		} else if arguments.Kind != Null {
			dst = append(dst, arguments.Raw...)
		}
		dst = append(dst, ')')
	}
	return dst
}

// AppendContent appends the decoded text of a message to dst, after that of its reasoning. Content in
// parts is that of its text parts: [{"type": "text", "text": "…"}, {"type": "image", …}].
func (m Message) AppendContent(dst []byte) []byte {
	if m.Reasoning.Kind == String && len(m.Reasoning.Raw) > 0 {
		dst = AppendUnescaped(dst, m.Reasoning.Raw)
		if m.Content.Kind == String && len(m.Content.Raw) > 0 || m.Content.Len() > 0 {
			dst = append(dst, "\n\n"...)
		}
	}
	if m.Content.Kind == String {
		return AppendUnescaped(dst, m.Content.Raw)
	}
	m.Content.EachElement(func(part Value) {
		part.EachField(func(key, v Value) {
			if string(key.Raw) == "text" && v.Kind == String {
				dst = AppendUnescaped(dst, v.Raw)
			}
		})
	})
	return dst
}
