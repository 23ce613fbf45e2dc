package decode

import (
	"vantage/loaders/jsonscan"
)

// Conversation is what some turns say, each {role, content}: the text of one turn, or all of
// them as a list; absent if there are none.
func Conversation(turns []jsonscan.Value) jsonscan.Value {
	if len(turns) == 1 {
		var only jsonscan.Value
		_ = jsonscan.ScanObject(turns[0].Raw, func(key, v jsonscan.Value) {
			if string(key.Raw) == "content" {
				only = v
			}
		})
		if only.Kind == jsonscan.String {
			return only
		}
	}
	if len(turns) == 0 {
		return jsonscan.Value{}
	}
	all := []byte{'['}
	for i, turn := range turns {
		if i > 0 {
			all = append(all, ',')
		}
		all = append(all, turn.Raw...)
	}
	return jsonscan.Value{Kind: jsonscan.Array, Raw: append(all, ']')}
}

// FromAssistant are the turns from the first of the assistant on, in a list of {role, content}.
func FromAssistant(all jsonscan.Value) []jsonscan.Value {
	var turns []jsonscan.Value
	all.EachElement(func(turn jsonscan.Value) {
		if len(turns) > 0 || turn.Kind == jsonscan.Object && roleOf(turn) == "assistant" {
			turns = append(turns, turn)
		}
	})
	return turns
}

func roleOf(turn jsonscan.Value) (role string) {
	_ = jsonscan.ScanObject(turn.Raw, func(key, v jsonscan.Value) {
		if string(key.Raw) == "role" && v.Kind == jsonscan.String {
			role = string(v.Raw)
		}
	})
	return role
}

// Paragraphs is a text of several.
func Paragraphs(texts []jsonscan.Value) jsonscan.Value {
	var all []byte
	for i, one := range texts {
		if i > 0 {
			all = append(all, `\n\n`...)
		}
		all = append(all, one.Raw...)
	}
	if len(texts) == 0 {
		return jsonscan.Value{}
	}
	return jsonscan.Value{Kind: jsonscan.String, Raw: all}
}
