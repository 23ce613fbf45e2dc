package decode

import (
	"math"
	"unicode/utf8"

	"vantage/loaders/jsonscan"
	"vantage/model"
)

// length returns the length of the response in the unit of the log, -1 if the row does not tell it.
func (r *RowDecoder) length() int32 {
	n, ok := 0, false
	switch r.LengthUnit {
	case model.LengthTokens:
		n, ok = r.tokens()
	case model.LengthCharacters:
		n, ok = CountCharacters(r.Values[RoleResponse]), r.Has(RoleResponse)
	case model.LengthUnknown:
	}
	if !ok {
		return -1
	}
	return int32(min(n, math.MaxInt32))
}

// tokens returns the number of tokens of the response, if the row tells it.
func (r *RowDecoder) tokens() (n int, ok bool) {
	if n, ok := r.Values[RoleLength].ToInt(); ok {
		return int(n), true
	}
	if v := r.Values[RoleTokens]; v.Kind == jsonscan.Array {
		return v.Len(), true
	}
	total, hasTotal := r.Values[RoleTotalTokens].ToInt()
	prompt, hasPrompt := r.Values[RolePromptLength].ToInt()
	return int(total - prompt), hasTotal && hasPrompt && total >= prompt
}

// CountCharacters returns the characters of a text, or of the contents of a list of {role, content}.
func CountCharacters(v jsonscan.Value) int {
	if messages := v.Messages(); len(messages) > 0 {
		n := 0
		for _, m := range messages {
			n += utf8.RuneCount(m.AppendContent(nil))
		}
		return n
	}
	switch v.Kind {
	case jsonscan.String:
		return jsonscan.CountRunes(v.Raw)
	case jsonscan.CountedText:
		return int(v.Float)
	default:
		return 0
	}
}
