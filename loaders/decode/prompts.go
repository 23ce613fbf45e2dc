package decode

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"

	"vantage/loaders/jsonscan"
	"vantage/model"
)

// maxPreview is how many bytes of a prompt are kept for a person to recognise it by.
const maxPreview = 160

// maxCached is how many prompts, or group ids, a decoder keeps; then it starts over.
const maxCached = 1 << 15

// PromptCache computes hash and preview of prompts. A prompt comes once per sample of its group, so
// what was computed for the same bytes is kept. The zero PromptCache is empty.
type PromptCache struct {
	prompts map[promptKey]model.Prompt
	buf     []byte
}

// promptKey are the hashes of the undecoded bytes.
type promptKey struct{ prompt, truth uint64 }

// Get returns hash and preview of a prompt with its ground truth, zero if there is no prompt.
func (c *PromptCache) Get(prompt, truth jsonscan.Value) model.Prompt {
	if prompt.Kind != jsonscan.String && prompt.Kind != jsonscan.Array || len(prompt.Raw) == 0 {
		return model.Prompt{}
	}
	key := promptKey{prompt: jsonscan.Hash64(prompt.Raw)}
	if truth.Kind != jsonscan.Absent {
		key.truth = jsonscan.Hash64(truth.Raw)
	}
	if known, ok := c.prompts[key]; ok {
		return known
	}
	if c.prompts == nil || len(c.prompts) >= maxCached {
		c.prompts = map[promptKey]model.Prompt{}
	}
	computed := c.Compute(prompt, truth)
	c.prompts[key] = computed
	return computed
}

// Compute is Get without keeping the result, for a prompt that is a string or a list. The ground truth counts since environments
// give different games the same prompt.
func (c *PromptCache) Compute(prompt, truth jsonscan.Value) model.Prompt {
	isPlain := isOwnPreview(prompt)
	if isPlain {
		c.buf = append(c.buf[:0], prompt.Raw...)
	} else {
		c.buf = appendValue(c.buf[:0], prompt)
	}
	c.buf = appendValue(append(c.buf, 0), truth)
	hash := max(1, jsonscan.Hash64(c.buf)) // 0 means "no prompt"
	if isPlain {
		return model.Prompt{Hash: hash, Preview: string(prompt.Raw)}
	}
	return model.Prompt{Hash: hash, Preview: c.preview(prompt)}
}

func appendValue(dst []byte, v jsonscan.Value) []byte {
	switch v.Kind {
	case jsonscan.Absent, jsonscan.Null:
		return dst
	case jsonscan.String:
		return jsonscan.AppendUnescaped(dst, v.Raw)
	default:
		return append(dst, v.Raw...)
	}
}

func (c *PromptCache) preview(prompt jsonscan.Value) string {
	if messages := prompt.Messages(); len(messages) > 0 {
		last := messages[len(messages)-1] // or the user's last one
		for _, m := range slices.Backward(messages) {
			if string(m.Role.Raw) == "user" {
				last = m
				break
			}
		}
		c.buf = last.AppendContent(c.buf[:0])
		return shorten(c.buf)
	}
	c.buf = appendValue(c.buf[:0], prompt)
	return shorten(question(c.buf))
}

// chatTemplates are the marks of a user's turn, of its end and of the answer after it. The first ones
// are what is left if special tokens are stripped.
var chatTemplates = [...]struct{ user, end, answer string }{
	{"\nuser\n", "\nassistant\n", "\nassistant\n"},
	{"<|im_start|>user\n", "<|im_end|>", "<|im_start|>assistant\n"},
}

// question returns the user's last turn in a prompt made by a chat template, or all of another text.
func question(text []byte) []byte {
	for _, t := range chatTemplates {
		if !bytes.Contains(text, []byte(t.user[1:])) {
			continue // quicker than a search from the end
		}
		i := bytes.LastIndex(text, []byte(t.user))
		switch {
		case i >= 0:
			text = text[i+len(t.user):]
		case bytes.HasPrefix(text, []byte(t.user[1:])):
			text = text[len(t.user)-1:]
		default:
			continue
		}
		if end := bytes.LastIndex(text, []byte(t.end)); end >= 0 && isAnswerStart(text[end+len(t.end):], t.answer) {
			text = text[:end]
		}
		return text
	}
	return text
}

// isAnswerStart reports whether the text after the user's turn only opens the answer: some templates
// put a <think> there.
func isAnswerStart(text []byte, answer string) bool {
	text = bytes.TrimPrefix(bytes.TrimSpace(text), bytes.TrimSpace([]byte(answer)))
	text = bytes.TrimSpace(text)
	return len(text) == 0 || bytes.HasPrefix(text, []byte("<think>"))
}

// shorten returns the start of a text as one line of at most maxPreview bytes.
func shorten(text []byte) string {
	if len(text) <= maxPreview && isPlainLine(text) {
		return string(text)
	}
	line := make([]byte, 0, maxPreview+utf8.UTFMax)
	for len(text) > 0 && len(line) <= maxPreview {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		if !unicode.IsSpace(r) {
			line = utf8.AppendRune(line, r)
		} else if n := len(line); n > 0 && line[n-1] != ' ' {
			line = append(line, ' ')
		}
	}
	return string(bytes.TrimRight(jsonscan.Clip(line, maxPreview), " "))
}

// isOwnPreview reports whether the undecoded bytes of a prompt are its preview.
func isOwnPreview(prompt jsonscan.Value) bool {
	raw := prompt.Raw
	return prompt.Kind == jsonscan.String && len(raw) <= maxPreview && !bytes.HasPrefix(raw, []byte(jsonscan.MessagesPrefix)) &&
		isPlainLine(raw) && bytes.IndexByte(raw, '\\') < 0
}

// isPlainLine reports whether a text is words of ASCII with single spaces between them.
func isPlainLine(text []byte) bool {
	afterSpace := true // none may come first
	for _, c := range text {
		if c < ' ' || c >= utf8.RuneSelf || c == ' ' && afterSpace {
			return false
		}
		afterSpace = c == ' '
	}
	return !afterSpace
}
