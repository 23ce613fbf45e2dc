package wire

import (
	"fmt"

	"github.com/ClickHouse/ch-go/proto"
)

// packet is what a server sends at a time.
type packet struct {
	code    proto.ServerCode
	rows    int  // of a block
	limited bool // a LIMIT was applied
}

// receive reads a packet, and its block into columns. An exception is an error. What panics here is the decoding
// alone, and what it was told.
func (c *Conn) receive(columns results) (p packet, err error) {
	defer recoverAs(&err)
	code, err := c.reader.UVarInt()
	if err != nil {
		return p, err
	}
	switch p.code = proto.ServerCode(code); p.code {
	case proto.ServerCodeEndOfStream, proto.ServerCodePong:
	case proto.ServerCodeException:
		err = c.exception()
	case proto.ServerCodeData, proto.ServerCodeTotals, proto.ServerCodeExtremes:
		p.rows, err = c.block(columns, proto.CompressionEnabled)
	case proto.ServerCodeLog: // of a user whose profile sets send_logs_level
		var logs proto.Logs
		_, err = c.block(newResults(logs.Result()), proto.CompressionDisabled)
	case proto.ServerCodeProgress:
		var progress proto.Progress
		err = progress.DecodeAware(c.reader, c.version)
	case proto.ServerCodeProfile:
		var profile proto.Profile
		err = profile.DecodeAware(c.reader, c.version)
		p.limited = profile.AppliedLimit
	default:
		err = fmt.Errorf("%w: it sent a packet of kind %d", ErrNotClickHouse, code)
	}
	return p, err
}

// block reads a block and returns how many rows it has.
func (c *Conn) block(columns results, compression proto.Compression) (rows int, err error) {
	if _, err := word(c.reader); err != nil { // a name that is empty
		return 0, err
	}
	if compression == proto.CompressionEnabled {
		c.reader.EnableCompression()
		defer c.reader.DisableCompression()
	}
	var b proto.Block
	err = b.DecodeBlock(c.reader, c.version, columns)
	return b.Rows, err
}

// A server may claim any length, and ch-go takes the memory for it before a byte has come: what is read by a length
// is read here, within bounds.
const (
	maxWord = 1 << 20   // bytes of names, kinds and messages
	maxText = 256 << 20 // bytes of a value
	maxStep = 1 << 20   // bytes taken before they come
)

func word(r *proto.Reader) (string, error) {
	text, err := appendText(nil, r, maxWord)
	return string(text), err
}

func words(r *proto.Reader, to ...*string) (err error) {
	for _, text := range to {
		if *text, err = word(r); err != nil {
			return err
		}
	}
	return nil
}

// appendText reads a text of at most so many bytes.
func appendText(text []byte, r *proto.Reader, most int) ([]byte, error) {
	n, err := r.StrLen()
	if err != nil {
		return text, err
	}
	if n > most {
		return text, fmt.Errorf("%w: it claims a text of %d bytes", ErrNotClickHouse, n)
	}
	for n > 0 && err == nil {
		part := min(n, maxStep)
		text = append(text, make([]byte, part)...)
		err = r.ReadFull(text[len(text)-part:])
		n -= part
	}
	return text, err
}

type results []proto.ResultColumn

// newResults returns columns whose texts are bounded, in place of those of ch-go.
func newResults(columns proto.Results) results {
	bounded := make(results, len(columns))
	for i, c := range columns {
		bounded[i] = c
		switch data := c.Data.(type) {
		case *proto.ColStr:
			bounded[i].Data = textColumn{data}
		case *proto.ColNullable[string]:
			if values, ok := data.Values.(*proto.ColStr); ok {
				data.Values = textColumn{values}
			}
		}
	}
	return bounded
}

// DecodeResult implements [proto.Result]. A block may have no rows, and then no columns.
func (s results) DecodeResult(r *proto.Reader, _ int, b proto.Block) error {
	if b.Columns != len(s) && (b.Rows > 0 || len(s) > 0) {
		return fmt.Errorf("%w: %d columns came, and %d were asked for", ErrNotClickHouse, b.Columns, len(s))
	}
	for i := range b.Columns {
		var name, kind string
		if err := words(r, &name, &kind); err != nil {
			return err
		}
		if len(s) == 0 {
			continue
		}
		if c := s[i]; name != c.Name || proto.ColumnType(kind).Conflicts(c.Data.Type()) {
			return fmt.Errorf("%w: column %d is %s %s, and not %s %s", ErrNotClickHouse, i+1, name, kind, c.Name, c.Data.Type())
		}
		s[i].Data.Reset()
		if b.Rows > 0 {
			if err := s[i].Data.DecodeColumn(r, b.Rows); err != nil {
				return fmt.Errorf("column %s: %w", name, err)
			}
		}
	}
	return nil
}

type textColumn struct{ *proto.ColStr }

func (c textColumn) DecodeColumn(r *proto.Reader, rows int) (err error) {
	c.Reset()
	for range rows {
		start := len(c.Buf)
		if c.Buf, err = appendText(c.Buf, r, maxText); err != nil {
			return err
		}
		c.Pos = append(c.Pos, proto.Position{Start: start, End: len(c.Buf)})
	}
	return nil
}
