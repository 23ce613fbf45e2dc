package wire

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"time"

	"github.com/ClickHouse/ch-go/compress"
	"github.com/ClickHouse/ch-go/proto"
)

// protocol is the version that is spoken. It is an old one, which every server since 2020 knows: with later ones
// servers send columns of mostly equal values in a form of their own, and profiles that nobody reads.
const protocol = 54450

// Options say where a server is and who asks.
type Options struct {
	Address  string // host:port
	User     string
	Password string
	Database string
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
	raw, err := dial(ctx, o)
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

func dial(ctx context.Context, o Options) (net.Conn, error) {
	if o.TLS != nil {
		return (&tls.Dialer{Config: o.TLS}).DialContext(ctx, "tcp", o.Address)
	}
	return (&net.Dialer{}).DialContext(ctx, "tcp", o.Address)
}

// ErrNotClickHouse says that what answers speaks another protocol.
var ErrNotClickHouse = errors.New("what answers does not speak ClickHouse's native protocol")

// ErrTooOld says that the server does not know this protocol yet.
var ErrTooOld = errors.New("too old")

// logIn says hello.
func (c *Conn) logIn(o Options) (err error) {
	defer recoverAs(&err)
	var b proto.Buffer
	proto.ClientHello{Name: "vantage", Major: 1, ProtocolVersion: protocol, Database: o.Database, User: o.User, Password: o.Password}.Encode(&b)
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

// readHello reads who the server is.
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

// recoverAs makes an error of a panic: ch-go trusts lengths that it is told.
func recoverAs(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%w: %v", ErrNotClickHouse, p)
	}
}
