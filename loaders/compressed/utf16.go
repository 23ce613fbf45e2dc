package compressed

import (
	"encoding/binary"
	"errors"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// utf16Reader is the text of a file in UTF-16, as UTF-8: tables that Excel and PowerShell write. The mark at its start tells the order of
// its bytes.
type utf16Reader struct {
	file  io.Reader
	order binary.ByteOrder // nil before the mark was read
	units []byte           // as they are read
	text  []byte           // decoded, and not returned yet
	high  rune             // the first half of a character whose second half follows; 0 if there is none
	err   error            // after the text
}

const utf16Buffer = 16 << 10

func newUTF16Reader(file io.Reader) *utf16Reader {
	return &utf16Reader{file: file, units: make([]byte, utf16Buffer)}
}

func (u *utf16Reader) Read(p []byte) (int, error) {
	for len(u.text) == 0 {
		if u.err != nil {
			return 0, u.err
		}
		u.fill()
	}
	n := copy(p, u.text)
	u.text = u.text[n:]
	return n, nil
}

// fill decodes the next units of the file.
func (u *utf16Reader) fill() {
	n, err := io.ReadFull(u.file, u.units)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) && n%2 == 0:
		u.err = io.EOF
	case err != nil:
		u.err = err // half a unit is no end
	}
	units := u.units[:n&^1]
	if u.order == nil && len(units) > 0 {
		u.order = binary.LittleEndian
		if units[0] == 0xfe {
			u.order = binary.BigEndian
		}
		units = units[2:]
	}
	u.text = u.text[:0]
	for ; len(units) > 0; units = units[2:] {
		u.add(rune(u.order.Uint16(units)))
	}
	if u.err != nil && u.high != 0 {
		u.text, u.high = utf8.AppendRune(u.text, utf8.RuneError), 0
	}
}

// add decodes one unit. Half a character without its other half becomes U+FFFD.
func (u *utf16Reader) add(unit rune) {
	const firstHalves, secondHalves = 0xd800, 0xdc00
	if u.high != 0 {
		whole := utf16.DecodeRune(u.high, unit)
		u.text, u.high = utf8.AppendRune(u.text, whole), 0
		if whole != utf8.RuneError {
			return
		}
	}
	if firstHalves <= unit && unit < secondHalves {
		u.high = unit
		return
	}
	u.text = utf8.AppendRune(u.text, unit) // a second half alone is none
}
