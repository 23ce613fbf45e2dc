package wire

import (
	"context"
	"errors"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/ch-go/compress"
	"github.com/ClickHouse/ch-go/proto"
)

// serve answers one connection with bytes, a part of them after each message that comes.
func serve(t *testing.T, answers ...[]byte) Options {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		message := make([]byte, 1<<16)
		for _, answer := range answers {
			if _, err := c.Read(message); err != nil {
				break
			}
			_, _ = c.Write(answer)
		}
		time.Sleep(100 * time.Millisecond)
		_ = c.Close()
	}()
	return Options{Address: l.Addr().String(), Timeout: 5 * time.Second}
}

// hello is what a server says first.
func hello() []byte {
	var b proto.Buffer
	(&proto.ServerHello{Name: "x", Revision: protocol}).EncodeAware(&b, protocol)
	return b.Buf
}

// dataOf is a packet with a block of one column of texts, whose rows are given as they are sent.
func dataOf(t *testing.T, rows int, sent func(*proto.Buffer)) []byte {
	t.Helper()
	var b, packet proto.Buffer
	proto.Block{Columns: 1, Rows: rows}.EncodeAware(&b, protocol)
	b.PutString("v")
	b.PutString("String")
	sent(&b)
	w := compress.NewWriter(0, compress.None)
	if err := w.Compress(b.Buf); err != nil {
		t.Fatal(err)
	}
	proto.ServerCodeData.Encode(&packet)
	packet.PutString("")
	return append(packet.Buf, w.Data...)
}

func newBuffer(write func(*proto.Buffer)) []byte {
	var b proto.Buffer
	write(&b)
	return b.Buf
}

// Whatever lengths a server claims, no memory is taken for them, and the connection serves no other query.
func TestClaimedLengths(t *testing.T) {
	const huge = 1 << 40
	for name, answers := range map[string][][]byte{
		"name of the server": {newBuffer(func(b *proto.Buffer) { b.PutUVarInt(0); b.PutUVarInt(huge) })},
		"message":            {newBuffer(func(b *proto.Buffer) { b.PutUVarInt(2); b.PutInt32(1); b.PutUVarInt(huge) })},
		"name of a block":    {hello(), newBuffer(func(b *proto.Buffer) { b.PutUVarInt(1); b.PutUVarInt(huge) })},
		"text":               {hello(), dataOf(t, 1, func(b *proto.Buffer) { b.PutUVarInt(huge) })},
		"text that ends":     {hello(), dataOf(t, 1, func(b *proto.Buffer) { b.PutUVarInt(maxText) })},
		"number of texts":    {hello(), dataOf(t, 90_000_000, func(b *proto.Buffer) { b.PutString("x") })},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			conn, err := Dial(context.Background(), serve(t, answers...))
			if err == nil {
				var text proto.ColStr
				err = conn.Do(context.Background(), Query{SQL: "SELECT v", Columns: proto.Results{{Name: "v", Data: &text}}, OnBlock: func(int) error { return nil }})
				if conn.Usable() {
					t.Error("the connection is used again")
				}
			}
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; err == nil || took > 64<<20 {
				t.Errorf("%v after %d bytes", err, took)
			}
		})
	}
}

// A server of before 2020 would take settings for something else.
func TestOldServer(t *testing.T) {
	var b proto.Buffer
	(&proto.ServerHello{Name: "ClickHouse", Major: 18, Minor: 16, Revision: 54412, Timezone: "UTC", DisplayName: "x", Patch: 1}).EncodeAware(&b, 54412)
	_, err := Dial(context.Background(), serve(t, b.Buf))
	if !errors.Is(err, ErrTooOld) || err.Error() != "ClickHouse 18.16 is too old" {
		t.Error(err)
	}
}

// A mistake in what handles a block is not the server's, and does not leave a connection in the middle of an answer.
func TestUnusableAfterPanic(t *testing.T) {
	block := dataOf(t, 1, func(b *proto.Buffer) { b.PutString("x") })
	conn, err := Dial(context.Background(), serve(t, hello(), block))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if p := recover(); p != "mistake" || conn.Usable() {
			t.Errorf("%v, usable %t", p, conn.Usable())
		}
	}()
	var text proto.ColStr
	err = conn.Do(context.Background(), Query{SQL: "SELECT v", Columns: proto.Results{{Name: "v", Data: &text}}, OnBlock: func(int) error { panic("mistake") }})
	t.Errorf("it returned %v", err)
}

// A panic while an answer is decoded is the server's: it sent what is none.
func TestPanicOfDecoding(t *testing.T) {
	conn, err := Dial(context.Background(), serve(t, hello(), dataOf(t, 1, func(b *proto.Buffer) { b.PutString("x") })))
	if err != nil {
		t.Fatal(err)
	}
	err = conn.Do(context.Background(), Query{SQL: "SELECT v", Columns: proto.Results{{Name: "v", Data: panicking{}}}, OnBlock: func(int) error { return nil }})
	if !errors.Is(err, ErrNotClickHouse) || !strings.Contains(err.Error(), "lengths") || conn.Usable() {
		t.Errorf("%v, usable %t", err, conn.Usable())
	}
}

// panicking is a column that trusts what it is told.
type panicking struct{ proto.ColStr }

func (panicking) Type() proto.ColumnType                { return proto.ColumnTypeString }
func (panicking) Rows() int                             { return 0 }
func (panicking) Reset()                                {}
func (panicking) DecodeColumn(*proto.Reader, int) error { panic("lengths") }
