// Package wire is a connection to a ClickHouse server by its native protocol.
//
// In: an address, a user, queries. Out: the blocks of their results, column by column. Package clickhouse calls it.
// The codec is that of github.com/ClickHouse/ch-go; what speaks it is here, since ch-go's own client links
// loggers and tracers for 2 MB.
//
// A result is whole or an error: a stream that ends without its last packet is [io.ErrUnexpectedEOF].
package wire

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ClickHouse/ch-go/compress"
	"github.com/ClickHouse/ch-go/proto"

	"vantage/model/fault"
)

// protocol is the version that is spoken. It is an old one, which every server since 2020 knows: with later ones
// servers send columns of mostly equal values in a form of their own, and profiles that nobody reads.
const protocol = 54450

// Options say where a server is and who asks.
type Options struct {
	Address  string // host:port
	User     string
	Password string
	TLS      *tls.Config // nil: plain

	// Timeout is how long to wait for a connection, and then for anything from the server, which says every
	// 100 ms how far a query has come; 0 means 20 s.
	Timeout time.Duration
}

// Conn is a connection. Its methods are called from one goroutine at a time, but for Bytes and Close.
type Conn struct {
	net     timedConn
	reader  *proto.Reader
	version int
	failed  atomic.Bool // no query can follow
}

// Dial connects and logs in. Errors of the server are of type [*ServerError].
func Dial(ctx context.Context, o Options) (*Conn, error) {
	o.Timeout = cmp.Or(o.Timeout, 20*time.Second)
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	dial := (&net.Dialer{}).DialContext
	if o.TLS != nil {
		dial = (&tls.Dialer{Config: o.TLS}).DialContext
	}
	raw, err := dial(ctx, "tcp", o.Address)
	if err != nil {
		return nil, err
	}
	c := &Conn{net: timedConn{Conn: raw, timeout: o.Timeout}, version: protocol}
	c.reader = proto.NewReader(&c.net)
	stop := context.AfterFunc(ctx, func() { _ = raw.Close() })
	err = c.logIn(o)
	if !stop() { // it is closed, or about to be
		err = ctx.Err()
	}
	if err != nil {
		_ = raw.Close()
		return nil, err
	}
	return c, nil
}

// ErrNotClickHouse says that what answers speaks another protocol.
var ErrNotClickHouse = errors.New("what answers does not speak ClickHouse's native protocol")

// ErrTooOld says that the server does not know this protocol yet.
var ErrTooOld = errors.New("too old")

func (c *Conn) logIn(o Options) (err error) {
	defer fault.Catch(misled(&err))
	var b proto.Buffer
	proto.ClientHello{Name: "vantage", Major: 1, ProtocolVersion: protocol, User: o.User, Password: o.Password}.Encode(&b)
	if err := c.send(&b); err != nil {
		return err
	}
	code, err := c.reader.UVarInt()
	switch {
	case err != nil:
		return cut(err)
	case proto.ServerCode(code) == proto.ServerCodeException:
		return c.exception()
	case proto.ServerCode(code) != proto.ServerCodeHello:
		return ErrNotClickHouse
	}
	return cut(c.readHello())
}

func (c *Conn) readHello() (err error) {
	var s proto.ServerHello
	if s.Name, err = word(c.reader); err != nil {
		return err
	}
	for _, number := range []*int{&s.Major, &s.Minor, &s.Revision} {
		if *number, err = c.reader.Int(); err != nil {
			return err
		}
	}
	c.version = min(c.version, s.Revision)
	if err := words(c.reader, &s.Timezone, &s.DisplayName); err != nil {
		return err
	}
	if s.Patch, err = c.reader.Int(); err == nil && !proto.FeatureSettingsSerializedAsStrings.In(c.version) {
		return fmt.Errorf("%s %d.%d is %w", s.Name, s.Major, s.Minor, ErrTooOld)
	}
	return err
}

// Ping asks for an answer, and returns how long it took.
func (c *Conn) Ping(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	var b proto.Buffer
	b.PutByte(byte(proto.ClientCodePing))
	err := c.exchange(ctx, &b, nil, func(p packet) (bool, error) { return p.code == proto.ServerCodePong, nil })
	return time.Since(began), err
}

// Usable reports whether another query can be sent.
func (c *Conn) Usable() bool { return !c.failed.Load() }

// Bytes returns how many bytes have come so far.
func (c *Conn) Bytes() int64 { return c.net.read.Load() }

// Close closes the connection. A query that runs ends on the server too.
func (c *Conn) Close() error {
	c.failed.Store(true)
	return c.net.Close()
}

func (c *Conn) send(b *proto.Buffer) error {
	_, err := c.net.Write(b.Buf)
	return err
}

// timedConn gives each read and write so long, and counts what is read.
type timedConn struct {
	net.Conn
	timeout time.Duration
	read    atomic.Int64
}

func (c *timedConn) Read(p []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(c.timeout)); err != nil {
		return 0, err
	}
	n, err := c.Conn.Read(p)
	c.read.Add(int64(n))
	return n, err
}

func (c *timedConn) Write(p []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(c.timeout)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// cut makes io.ErrUnexpectedEOF of a stream that ends: within a packet, or without the last one.
func cut(err error) error {
	var corrupt *compress.CorruptedDataErr
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return io.ErrUnexpectedEOF
	case errors.As(err, &corrupt):
		return errors.New("what came is damaged: its checksum is another")
	}
	return err
}

// misled makes an error of a panic: ch-go trusts lengths that it is told.
func misled(err *error) func(*fault.Fault) {
	return func(f *fault.Fault) { *err = fmt.Errorf("%w: %v", ErrNotClickHouse, f.Cause) }
}

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
func (c *Conn) exchange(ctx context.Context, request *proto.Buffer, columns results,
	handle func(packet) (last bool, err error),
) (err error) {
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

func (c *Conn) cancel() {
	var b proto.Buffer
	proto.ClientCodeCancel.Encode(&b)
	_ = c.send(&b)
	_ = c.Close()
}

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

// ServerError is what a server says that it cannot do.
type ServerError struct {
	Code    int    // as [proto.Error] names them
	Message string // its first line, without the names of classes around it
}

func (e *ServerError) Error() string { return e.Message }

func (c *Conn) exception() error {
	code, err := c.reader.Int32()
	if err != nil {
		return cut(err)
	}
	var name, message, stack string
	if err := words(c.reader, &name, &message, &stack); err != nil {
		return cut(err)
	}
	if _, err := c.reader.Bool(); err != nil { // whether another is within, which none is any more
		return cut(err)
	}
	return &ServerError{Code: int(code), Message: firstSentence(message, name)}
}

// maxMessage is how much of a message is kept, in bytes: some repeat the query.
const maxMessage = 300

// firstSentence returns what a message says: "Table rl.rollout does not exist".
func firstSentence(message, name string) string {
	message = strings.TrimPrefix(strings.TrimSpace(message), name+": ")
	message = strings.TrimPrefix(message, "DB::Exception: ")
	message, _, _ = strings.Cut(message, "\n")
	if i := strings.LastIndex(message, ". ("); i > 0 && strings.HasSuffix(message, ")") {
		message = message[:i] // the name of the code
	}
	if len(message) > maxMessage {
		message = strings.ToValidUTF8(message[:maxMessage], "") + "…"
	}
	return strings.TrimSuffix(strings.TrimSpace(message), ".")
}

// packet is what a server sends at a time.
type packet struct {
	code    proto.ServerCode
	rows    int  // of a block
	limited bool // a LIMIT was applied
}

// receive reads a packet, and its block into columns. An exception is an error. What panics here is the decoding
// alone, and what it was told.
func (c *Conn) receive(columns results) (p packet, err error) {
	defer fault.Catch(misled(&err))
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
		if text, ok := c.Data.(*proto.ColStr); ok {
			c.Data = textColumn{text}
		}
		bounded[i] = c
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
