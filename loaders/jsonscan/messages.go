package jsonscan

import (
	"bytes"
)

// Message is one turn of a conversation.
type Message struct {
	Role, Content Value
}

// MessagesPrefix is how a text begins that may hold messages as JSON.
const MessagesPrefix = `[{`

// Messages reads a conversation: a list of {role, content}, also where it
// was written as JSON inside a string. It returns nil if v is none.
func (v Value) Messages() []Message {
	if v.Kind == String && bytes.HasPrefix(v.Raw, []byte(MessagesPrefix)) {
		s := Scanner{Data: v.Text()}
		inner, err := s.Value()
		if err != nil {
			return nil
		}
		v = inner
	}
	var all []Message
	proper := v.Kind == Array
	EachElement(v, func(e Value) {
		var m Message
		if e.Kind == Object {
			_ = ScanObject(e.Raw, func(key, v Value) {
				switch string(key.Raw) {
				case "role":
					m.Role = v
				case "content":
					m.Content = v
				}
			})
		}
		proper = proper && m.Role.Kind == String
		all = append(all, m)
	})
	if !proper {
		return nil
	}
	return all
}

// AppendContent appends a message's text, which may come in parts:
// [{"type": "text", "text": "…"}, {"type": "image", …}].
func (m Message) AppendContent(dst []byte) []byte {
	if m.Content.Kind == String {
		return AppendUnescaped(dst, m.Content.Raw)
	}
	EachElement(m.Content, func(part Value) {
		if part.Kind != Object {
			return
		}
		_ = ScanObject(part.Raw, func(key, v Value) {
			if string(key.Raw) == "text" && v.Kind == String {
				dst = AppendUnescaped(dst, v.Raw)
			}
		})
	})
	return dst
}
