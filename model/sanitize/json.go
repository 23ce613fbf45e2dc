package sanitize

import (
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"
)

// JSON returns a writer of JSON that escapes the characters which encoders leave as they are although a
// terminal obeys them: the control characters above ASCII, and marks of direction. They stand in
// strings only, so the values remain the same.
func JSON(w io.Writer) io.Writer { return &jsonWriter{out: w} }

type jsonWriter struct {
	out  io.Writer
	part []byte // the first bytes of a character whose others were not written yet
	buf  []byte
}

// Write implements [io.Writer].
func (w *jsonWriter) Write(p []byte) (int, error) {
	text := p
	if len(w.part) > 0 {
		text = append(w.part, p...)
	}
	w.buf, w.part = w.buf[:0], nil
	from := 0 // of what is not in buf yet
	for i := 0; i < len(text); {
		if text[i] < 0x7f {
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		switch {
		case !utf8.FullRune(text[i:]):
			w.part = append([]byte(nil), text[i:]...)
			size, text = 0, text[:i]
		case obeyed(r):
			w.buf = fmt.Appendf(append(w.buf, text[from:i]...), `\u%04x`, r)
			from = i + size
		}
		i += size
	}
	w.buf = append(w.buf, text[from:]...)
	if _, err := w.out.Write(w.buf); err != nil {
		return 0, err
	}
	return len(p), nil
}

// obeyed reports whether a terminal may do something else than show r.
func obeyed(r rune) bool {
	return r >= 0x7f && r <= 0x9f || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Bidi_Control, r)
}
