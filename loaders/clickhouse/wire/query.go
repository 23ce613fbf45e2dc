package wire

import (
	"context"

	"github.com/ClickHouse/ch-go/compress"
	"github.com/ClickHouse/ch-go/proto"
)

// Setting is a setting of a query.
type Setting struct{ Name, Value string }

// Query is a query and where its result goes.
type Query struct {
	SQL      string
	Settings []Setting     // none for a user whom the server allows to set none
	Columns  proto.Results // filled by each block, in the order and of the types of the query
	OnBlock  func(rows int) error
	OnLimit  func() // the server applied a LIMIT, its own or of a shard's answer, cut or not; may be nil
}

// Do runs a query and calls OnBlock for each block of its result. It returns nil only if the server said that
// the result is complete. If ctx ends, the server is told to stop, and the connection is closed.
func (c *Conn) Do(ctx context.Context, q Query) error {
	var b proto.Buffer
	if err := c.encode(&b, q); err != nil {
		return err
	}
	return c.exchange(ctx, &b, newResults(q.Columns), q.onPacket)
}

// encode writes a query and the empty block after it: no data is sent.
func (c *Conn) encode(b *proto.Buffer, q Query) error {
	query := proto.Query{
		Body: q.SQL, Stage: proto.StageComplete, Compression: proto.CompressionEnabled,
		Info: proto.ClientInfo{
			ProtocolVersion: c.version, Major: 1, Interface: proto.InterfaceTCP, Query: proto.ClientQueryInitial,
			InitialAddress: c.net.LocalAddr().String(), ClientName: "vantage",
		},
	}
	for _, s := range q.Settings {
		query.Settings = append(query.Settings, proto.Setting{Key: s.Name, Value: s.Value, Important: true})
	}
	query.EncodeAware(b, c.version)
	proto.ClientCodeData.Encode(b)
	proto.ClientData{}.EncodeAware(b, c.version)
	start := len(b.Buf)
	proto.Block{}.EncodeAware(b, c.version)
	w := compress.NewWriter(0, compress.None)
	if err := w.Compress(b.Buf[start:]); err != nil {
		return err
	}
	b.Buf = append(b.Buf[:start], w.Data...)
	return nil
}

// exchange sends a request and handles the packets of the answer until one is the last.
func (c *Conn) exchange(ctx context.Context, request *proto.Buffer, columns results, handle func(packet) (last bool, err error)) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, c.cancel)
	returned := false
	defer func() {
		if !returned { // a mistake in handle: the stream is in the middle of an answer
			stop()
			_ = c.Close()
		}
	}()
	err = c.answer(request, columns, handle)
	returned = true
	_, answered := err.(*ServerError)       //nolint:errorlint // only one that nothing wraps leaves the stream at its end
	if !stop() || err != nil && !answered { // cancel may still be about to close it
		_ = c.Close()
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return cut(err)
}

// answer is exchange without regard to the end of a context.
func (c *Conn) answer(request *proto.Buffer, columns results, handle func(packet) (last bool, err error)) error {
	err := c.send(request)
	for last := false; err == nil && !last; {
		var p packet
		if p, err = c.receive(columns); err == nil {
			last, err = handle(p)
		}
	}
	return err
}

// cancel tells the server to stop and closes the connection.
func (c *Conn) cancel() {
	var b proto.Buffer
	proto.ClientCodeCancel.Encode(&b)
	_ = c.send(&b)
	_ = c.Close()
}

// onPacket handles a packet of the answer to a query.
func (q Query) onPacket(p packet) (last bool, err error) {
	switch {
	case p.code == proto.ServerCodeEndOfStream:
		return true, nil
	case p.code == proto.ServerCodeData && p.rows > 0:
		return false, q.OnBlock(p.rows)
	case p.code == proto.ServerCodeProfile && p.limited && q.OnLimit != nil:
		q.OnLimit()
	}
	return false, nil
}
