package decode

import (
	"bytes"

	"vantage/loaders/jsonscan"
)

// Conversation returns turns, each {role, content}, as the value of a prompt or a response: the text
// of a single turn, or the list of several. It is absent if there are none.
func Conversation(turns []jsonscan.Value) jsonscan.Value {
	if len(turns) == 0 {
		return jsonscan.Value{}
	}
	content, reasoning := turns[0].Field("content"), turns[0].Field("reasoning_content")
	if len(turns) == 1 && content.Kind == jsonscan.String && reasoning.Kind != jsonscan.String {
		return content
	}
	list := []byte{'['}
	for i, turn := range turns {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, turn.Raw...)
	}
	return jsonscan.Value{Kind: jsonscan.Array, Raw: append(list, ']')}
}

// FromAssistant returns the turns of a list of {role, content} from the assistant's first on.
func FromAssistant(conversation jsonscan.Value) []jsonscan.Value {
	turns := conversation.Elements()
	for i, turn := range turns {
		if role := turn.Field("role"); role.Kind == jsonscan.String && string(role.Raw) == "assistant" {
			return turns[i:]
		}
	}
	return nil
}

// Paragraphs joins strings with a blank line between them. It is absent if there are none.
func Paragraphs(texts []jsonscan.Value) jsonscan.Value {
	if len(texts) == 0 {
		return jsonscan.Value{}
	}
	raw := make([][]byte, len(texts))
	for i, text := range texts {
		raw[i] = text.Raw
	}
	return jsonscan.Value{Kind: jsonscan.String, Raw: bytes.Join(raw, []byte(`\n\n`))}
}

// splitConversation moves the answer at the end of a prompt to the response, if the prompt may be
// a whole conversation: otherwise each answer would make a prompt of its own.
func (r *RowDecoder) splitConversation() {
	prompt := r.Values[RolePrompt]
	if prompt.Kind != jsonscan.Array || r.Has(RoleResponse) || r.FieldName(RolePrompt) != ConversationField {
		return
	}
	turns := prompt.Elements()
	if n := len(FromAssistant(prompt)); 0 < n && n < len(turns) {
		r.Values[RolePrompt] = Conversation(turns[:len(turns)-n])
		r.Values[RoleResponse], r.Ranks[RoleResponse] = Conversation(turns[len(turns)-n:]), derivedRank
	}
}
