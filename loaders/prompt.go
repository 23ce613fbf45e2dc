package loaders

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// maxPreview is how many bytes of a prompt are kept to recognise it by.
const maxPreview = 160

// maxMemo bounds what a decoder remembers; beyond it, it starts over.
const maxMemo = 1 << 15

// prompts turns prompts into hash and preview. A prompt comes once per sample
// of its group, so what was found for the same bytes is remembered.
type prompts struct {
	memo map[promptKey]prompt
	buf  []byte
}

type promptKey struct{ prompt, truth uint64 }

type prompt struct {
	hash    uint64
	preview string
}

// of returns the zero prompt if there is none.
func (p *prompts) of(v, truth value) prompt {
	if v.kind != text && v.kind != list || len(v.raw) == 0 {
		return prompt{}
	}
	key := promptKey{prompt: hash64(v.raw)}
	if truth.kind != absent {
		key.truth = hash64(truth.raw)
	}
	if known, ok := p.memo[key]; ok {
		return known
	}
	if p.memo == nil || len(p.memo) >= maxMemo {
		p.memo = map[promptKey]prompt{}
	}
	found := p.anew(v, truth)
	p.memo[key] = found
	return found
}

// anew is of without remembering.
func (p *prompts) anew(v, truth value) prompt {
	if !v.isPlain() {
		return prompt{hash: p.hash(v, truth), preview: p.preview(v)}
	}
	p.buf = append(append(p.buf[:0], v.raw...), 0)
	p.buf = appendValue(p.buf, truth)
	return prompt{hash: max(1, hash64(p.buf)), preview: string(v.raw)}
}

// hash covers prompt and ground truth: environments give different games the
// same prompt. 0 is kept for "no prompt".
func (p *prompts) hash(v, truth value) uint64 {
	p.buf = append(appendValue(p.buf[:0], v), 0)
	p.buf = appendValue(p.buf, truth)
	return max(1, hash64(p.buf))
}

func appendValue(dst []byte, v value) []byte {
	switch v.kind {
	case absent, null:
		return dst
	case text:
		return appendText(dst, v.raw)
	default:
		return append(dst, v.raw...)
	}
}

func (p *prompts) preview(v value) string {
	p.buf = p.buf[:0]
	if all := v.toMessages(); len(all) > 0 {
		p.buf = lastOfUser(all).appendContent(p.buf)
	} else {
		p.buf = appendValue(p.buf, v)
		return shorten(question(p.buf))
	}
	return shorten(p.buf)
}

func lastOfUser(all []message) message {
	for i := len(all) - 1; i >= 0; i-- {
		if string(all[i].role.raw) == "user" {
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

// question returns what the user asked last in a decoded chat, or all of a text
// that is none.
func question(b []byte) []byte {
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

// shorten makes one line of a text and cuts it.
func shorten(b []byte) string {
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
	return string(bytes.TrimRight(clip(out, maxPreview), " "))
}

// isPlain reports whether a text is its own preview: a line of ASCII with nothing in it
// that stands for something else.
func (v value) isPlain() bool {
	return v.kind == text && len(v.raw) <= maxPreview && !bytes.HasPrefix(v.raw, []byte(messagesText)) && isLine(v.raw) && bytes.IndexByte(v.raw, '\\') < 0
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
