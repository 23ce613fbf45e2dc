package loaders

import "bytes"

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

// Conversation is what some turns say, each {role, content}: the text of one turn, or all of
// them as a list; absent if there are none.
func Conversation(turns []Value) Value {
	if len(turns) == 1 {
		var only Value
		_ = ScanObject(turns[0].Raw, func(key, v Value) {
			if string(key.Raw) == "content" {
				only = v
			}
		})
		if only.Kind == String {
			return only
		}
	}
	if len(turns) == 0 {
		return Value{}
	}
	all := []byte{'['}
	for i, turn := range turns {
		if i > 0 {
			all = append(all, ',')
		}
		all = append(all, turn.Raw...)
	}
	return Value{Kind: Array, Raw: append(all, ']')}
}

// FromAssistant are the turns from the first of the assistant on, in a list of {role, content}.
func FromAssistant(all Value) []Value {
	var turns []Value
	EachElement(all, func(turn Value) {
		if len(turns) > 0 || turn.Kind == Object && roleOf(turn) == "assistant" {
			turns = append(turns, turn)
		}
	})
	return turns
}

func roleOf(turn Value) (role string) {
	_ = ScanObject(turn.Raw, func(key, v Value) {
		if string(key.Raw) == "role" && v.Kind == String {
			role = string(v.Raw)
		}
	})
	return role
}

// Paragraphs is a text of several.
func Paragraphs(texts []Value) Value {
	var all []byte
	for i, one := range texts {
		if i > 0 {
			all = append(all, `\n\n`...)
		}
		all = append(all, one.Raw...)
	}
	if len(texts) == 0 {
		return Value{}
	}
	return Value{Kind: String, Raw: all}
}
