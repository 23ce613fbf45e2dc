package decode

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"vantage/loaders/jsonscan"
)

// maxPreview is how many bytes of a prompt are kept to recognise it by.
const maxPreview = 160

// maxMemo bounds what a decoder remembers; beyond it, it starts over.
const maxMemo = 1 << 15

// PromptCache turns prompts into hash and preview. A prompt comes once per sample
// of its group, so what was found for the same bytes is remembered.
type PromptCache struct {
	memo map[promptKey]Prompt
	buf  []byte
}

type promptKey struct{ prompt, truth uint64 }

type Prompt struct {
	Hash    uint64
	Preview string
}

// Get returns the zero prompt if there is none.
func (p *PromptCache) Get(v, truth jsonscan.Value) Prompt {
	if v.Kind != jsonscan.String && v.Kind != jsonscan.Array || len(v.Raw) == 0 {
		return Prompt{}
	}
	key := promptKey{prompt: jsonscan.Hash64(v.Raw)}
	if truth.Kind != jsonscan.Absent {
		key.truth = jsonscan.Hash64(truth.Raw)
	}
	if known, ok := p.memo[key]; ok {
		return known
	}
	if p.memo == nil || len(p.memo) >= maxMemo {
		p.memo = map[promptKey]Prompt{}
	}
	found := p.Compute(v, truth)
	p.memo[key] = found
	return found
}

// Compute is of without remembering.
func (p *PromptCache) Compute(v, truth jsonscan.Value) Prompt {
	if !isPlain(v) {
		return Prompt{Hash: p.hash(v, truth), Preview: p.preview(v)}
	}
	p.buf = append(append(p.buf[:0], v.Raw...), 0)
	p.buf = appendValue(p.buf, truth)
	return Prompt{Hash: max(1, jsonscan.Hash64(p.buf)), Preview: string(v.Raw)}
}

// hash covers prompt and ground truth: environments give different games the
// same prompt. 0 is kept for "no prompt".
func (p *PromptCache) hash(v, truth jsonscan.Value) uint64 {
	p.buf = append(appendValue(p.buf[:0], v), 0)
	p.buf = appendValue(p.buf, truth)
	return max(1, jsonscan.Hash64(p.buf))
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

func (p *PromptCache) preview(v jsonscan.Value) string {
	p.buf = p.buf[:0]
	if all := v.Messages(); len(all) > 0 {
		p.buf = lastOfUser(all).AppendContent(p.buf)
	} else {
		p.buf = appendValue(p.buf, v)
		return Shorten(Question(p.buf))
	}
	return Shorten(p.buf)
}

func lastOfUser(all []jsonscan.Message) jsonscan.Message {
	for i := len(all) - 1; i >= 0; i-- {
		if string(all[i].Role.Raw) == "user" {
			return all[i]
		}
	}
	return all[len(all)-1]
}

// chats are the ways in which chat templates mark a user's turn and the begin
// of the answer. The first is what is left when special tokens are stripped.
var chats = [...]struct{ user, end, answer string }{
	{"\nuser\n", "\nassistant\n", "\nassistant\n"},
	{"<|im_start|>user\n", "<|im_end|>", "<|im_start|>assistant\n"},
}

// Question returns what the user asked last in a decoded chat, or all of a text
// that is none.
func Question(b []byte) []byte {
	for _, c := range chats {
		if !bytes.Contains(b, []byte(c.user[1:])) {
			continue // a search from the end takes longer
		}
		i := bytes.LastIndex(b, []byte(c.user))
		switch {
		case i >= 0:
			b = b[i+len(c.user):]
		case bytes.HasPrefix(b, []byte(c.user[1:])):
			b = b[len(c.user)-1:]
		default:
			continue
		}
		if end := bytes.LastIndex(b, []byte(c.end)); end >= 0 && opening(b[end+len(c.end):], c.answer) {
			b = b[:end]
		}
		return b
	}
	return b
}

// opening reports whether b, after the user's turn, only opens the answer: some
// templates put a <think> there.
func opening(b []byte, answer string) bool {
	b = bytes.TrimPrefix(bytes.TrimSpace(b), bytes.TrimSpace([]byte(answer)))
	b = bytes.TrimSpace(b)
	return len(b) == 0 || bytes.HasPrefix(b, []byte("<think>"))
}

// Shorten makes one line of a text and cuts it.
func Shorten(b []byte) string {
	if len(b) <= maxPreview && isLine(b) {
		return string(b)
	}
	out := make([]byte, 0, maxPreview+utf8.UTFMax)
	for len(b) > 0 && len(out) <= maxPreview {
		r, size := utf8.DecodeRune(b)
		b = b[size:]
		if !unicode.IsSpace(r) {
			out = utf8.AppendRune(out, r)
		} else if n := len(out); n > 0 && out[n-1] != ' ' {
			out = append(out, ' ')
		}
	}
	return string(bytes.TrimRight(jsonscan.Clip(out, maxPreview), " "))
}

// isPlain reports whether a text is its own preview: a line of ASCII with nothing in it
// that stands for something else.
func isPlain(v jsonscan.Value) bool {
	return v.Kind == jsonscan.String && len(v.Raw) <= maxPreview && !bytes.HasPrefix(v.Raw, []byte(jsonscan.MessagesPrefix)) && isLine(v.Raw) && bytes.IndexByte(v.Raw, '\\') < 0
}

// isLine reports whether a text is words with one blank between them, in ASCII.
func isLine(b []byte) bool {
	blank := true // one before the first word would be one too many
	for _, c := range b {
		if c < ' ' || c >= utf8.RuneSelf || c == ' ' && blank {
			return false
		}
		blank = c == ' '
	}
	return !blank
}
