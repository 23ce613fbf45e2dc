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
