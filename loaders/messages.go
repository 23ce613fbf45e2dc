package loaders

import "bytes"

// message is one turn of a conversation.
type message struct {
	role, content value
}

// messagesText is how a text begins that may hold messages as JSON.
const messagesText = `[{`

// toMessages reads a conversation: a list of {role, content}, also where it
// was written as JSON inside a string. It returns nil if v is none.
func (v value) toMessages() []message {
	if v.kind == text && bytes.HasPrefix(v.raw, []byte(messagesText)) {
		s := scanner{data: v.text()}
		inner, err := s.value()
		if err != nil {
			return nil
		}
		v = inner
	}
	var all []message
	proper := v.kind == list
	eachElement(v, func(e value) {
		var m message
		if e.kind == object {
			_ = scanObject(e.raw, func(key, v value) {
				switch string(key.raw) {
				case "role":
					m.role = v
				case "content":
					m.content = v
				}
			})
		}
		proper = proper && m.role.kind == text
		all = append(all, m)
	})
	if !proper {
		return nil
	}
	return all
}

// appendContent appends a message's text, which may come in parts:
// [{"type": "text", "text": "…"}, {"type": "image", …}].
func (m message) appendContent(dst []byte) []byte {
	if m.content.kind == text {
		return appendText(dst, m.content.raw)
	}
	eachElement(m.content, func(part value) {
		if part.kind != object {
			return
		}
		_ = scanObject(part.raw, func(key, v value) {
			if string(key.raw) == "text" && v.kind == text {
				dst = appendText(dst, v.raw)
			}
		})
	})
	return dst
}

// conversation is what some turns say, each {role, content}: the text of one turn, or all of
// them as a list; absent if there are none.
func conversation(turns []value) value {
	if len(turns) == 1 {
		var only value
		_ = scanObject(turns[0].raw, func(key, v value) {
			if string(key.raw) == "content" {
				only = v
			}
		})
		if only.kind == text {
			return only
		}
	}
	if len(turns) == 0 {
		return value{}
	}
	all := []byte{'['}
	for i, turn := range turns {
		if i > 0 {
			all = append(all, ',')
		}
		all = append(all, turn.raw...)
	}
	return value{kind: list, raw: append(all, ']')}
}

// answered are the turns from the first of the assistant on, in a list of {role, content}.
func answered(all value) []value {
	var turns []value
	eachElement(all, func(turn value) {
		if len(turns) > 0 || turn.kind == object && roleOf(turn) == "assistant" {
			turns = append(turns, turn)
		}
	})
	return turns
}

func roleOf(turn value) (role string) {
	_ = scanObject(turn.raw, func(key, v value) {
		if string(key.raw) == "role" && v.kind == text {
			role = string(v.raw)
		}
	})
	return role
}

// paragraphs is a text of several.
func paragraphs(texts []value) value {
	var all []byte
	for i, one := range texts {
		if i > 0 {
			all = append(all, `\n\n`...)
		}
		all = append(all, one.raw...)
	}
	if len(texts) == 0 {
		return value{}
	}
	return value{kind: text, raw: all}
}
