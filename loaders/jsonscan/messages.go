package jsonscan

import "bytes"

// Message is one turn of a conversation.
type Message struct {
	Role, Content Value
}

// MessagesPrefix is the start of a text that may hold messages as JSON.
const MessagesPrefix = `[{`

// Messages returns the turns of a conversation: a list of {role, content}, or a string that holds
// one as JSON. It returns nil if v is neither.
func (v Value) Messages() []Message {
	if v.Kind == String && bytes.HasPrefix(v.Raw, []byte(MessagesPrefix)) {
		s := Scanner{Data: v.Text()}
		inner, err := s.Value()
		if err != nil {
			return nil
		}
		v = inner
	}
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

// AppendContent appends the decoded text of a message to dst. Content in parts is that of its text
// parts: [{"type": "text", "text": "…"}, {"type": "image", …}].
func (m Message) AppendContent(dst []byte) []byte {
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
