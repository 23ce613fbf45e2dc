// Package clickhouse reads the samples of a run from a table of a ClickHouse server or cluster.
//
// In: an address, clickhouse://user@host:9440/database/table?run=NAME. Out: the same [model.Chunk]s as
// package loaders makes of a file of the same rows: a loaders.Table. Package commands gives it to package loaders.
//
//	address.go    where the table is, and how the way there is encrypted
//	mapping.go    which column plays which role, by the names that files have
//	query.go      the few statements that are sent, and with what settings: nothing is computed by the server but counts
//	attempts.go   how many rows each attempt and split has of a step, which are read, and what is said of the others
//	source.go     Source: Next, Text, Close; what a person is told if something fails
//	reader.go     what runs behind it: connect, count, read step after step, then look for changes
//	fetch.go      steps in portions, within the limits of the server → chunks
//	rows.go       a block of groups with an array per column → the rows of a step; rows that may have been written twice
//	texts.go      the texts of an opened group
//
// Rows are read in whole steps, at most two million at a time, and only the columns that are mapped. A step is
// handed over when all its rows have come; an error never becomes fewer rows. Nothing is ever written.
package clickhouse

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/ClickHouse/ch-go/proto"

	"vantage/loaders/clickhouse/wire"
	"vantage/loaders/decode"
	"vantage/loaders/discover"
	"vantage/loaders/fileio"
	"vantage/loaders/formats"
	"vantage/model"
	"vantage/model/fault"
)

// Options say how a table is read. The zero value reads everything that is there.
type Options struct {
	Follow   bool
	Disk     *fileio.Disk   // of the file of certificates
	Password string         // in place of one in the address
	Columns  decode.Columns // that a person named by flags; those of the address come before them

	Split   discover.Split // training if it is not given
	Attempt int            // which attempt to read of a run that was started again: its number from 1, 0 for the newest, or -1 for all

	// MemoryLimit is how many bytes the program may take for what is read; 0 is no limit. If the rows would take
	// more, one group in so many is read.
	MemoryLimit int64

	Poll      time.Duration // how often steps are counted when following; 0 means 2 s
	ChunkRows int           // at most so many rows are asked for at a time, but for a larger step; 0 means 2,000,000

	timeout time.Duration // of the connection: see wire.Options; for tests
	retry   time.Duration // the first wait after the connection was lost; 0 means 1 s; for tests
}

// Source reads the samples of a run. Next, Text and Close may be called from different goroutines, but Next from
// one at a time.
type Source struct {
	target  Target
	options Options
	fields  *decode.Fields

	begin   sync.Once
	ctx     context.Context // ends with Close
	cancel  context.CancelFunc
	answers chan answer
	free    chan *stepRows // whose memory can be used again
	lent    []*stepRows    // of the chunk that Next returned last
	ended   error          // what Next returns from now on
	texts   texts

	oneByOne sync.Mutex // of who reads many texts
}

// answer is a chunk with the memory of its blocks, or why nothing more comes.
type answer struct {
	chunk *model.Chunk
	rows  []*stepRows
	err   error
}

// Open returns a source of a table. It connects only when Next is called first. Its errors are [ErrUsage].
func Open(table string, o Options) (*Source, error) {
	t, err := ParseAddress(table)
	if err != nil {
		return nil, err
	}
	o.Poll, o.ChunkRows = cmp.Or(o.Poll, 2*time.Second), cmp.Or(o.ChunkRows, 2_000_000)
	t.Password = cmp.Or(o.Password, t.Password)
	for role, name := range map[string]*string{"step": &o.Columns.Step, "group": &o.Columns.Group, "prompt": &o.Columns.Prompt} {
		if *name = cmp.Or(t.Columns[role], *name); *name != "" {
			t.Columns[role] = *name
		}
	}
	s := &Source{
		target: t, options: o, fields: formats.UsualFields().WithColumns(o.Columns),
		answers: make(chan answer, 1), free: make(chan *stepRows, 64),
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.texts = texts{source: s, read: map[int64]stepRead{}}
	return s, nil
}

// Next returns the next chunk, of whole steps. A chunk without samples says that the progress changed. The error is
// [io.EOF] after everything has been read, [os.ErrClosed] after Close, or that of ctx; when following, Next waits
// for more instead of returning io.EOF. The blocks of a chunk are valid until the next call.
func (s *Source) Next(ctx context.Context) (*model.Chunk, error) {
	s.begin.Do(func() { fault.Go(func() { newReader(s).run(s.ctx) }) })
	for _, rows := range s.lent {
		select {
		case s.free <- rows:
		default: // there is enough
		}
	}
	s.lent = nil
	if s.ended != nil {
		return nil, s.ended
	}
	select {
	case got := <-s.answers:
		s.lent, s.ended = got.rows, got.err
		return got.chunk, got.err
	case <-s.ctx.Done():
		return nil, os.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Text reads the text of a sample.
func (s *Source) Text(ctx context.Context, place model.Place) (model.Text, error) {
	return s.texts.textOf(ctx, place)
}

// Texts passes the texts of samples to visit, by index, or why one cannot be read: one after the other, whoever asks.
func (s *Source) Texts(
	ctx context.Context, places []model.Place, _ func(record []byte) bool, visit func(i int, t model.Text, err error),
) error {
	s.oneByOne.Lock()
	defer s.oneByOne.Unlock()
	for i := 0; i < len(places) && ctx.Err() == nil; i++ {
		text, err := s.Text(ctx, places[i])
		visit(i, text, err)
	}
	return ctx.Err()
}

// Lines returns zeros: a row of a table has no line.
func (s *Source) Lines(_ context.Context, places []model.Place) ([]int64, error) {
	return make([]int64, len(places)), nil
}

// Name returns where the table is.
func (s *Source) Name() string { return "clickhouse://" + s.target.address() + "/" + s.target.name() }

// Close ends the reading, on the server too. A Next that waits returns [os.ErrClosed].
func (s *Source) Close() error {
	s.cancel()
	s.texts.close()
	return nil
}

func (s *Source) send(a answer) error {
	select {
	case s.answers <- a:
		return nil
	case <-s.ctx.Done():
		return os.ErrClosed
	}
}

// Error says in a sentence what is wrong with a table or the way to it, and what to do.
type Error struct {
	text string
	Err  error // the cause
}

func (e *Error) Error() string { return e.text }

func (e *Error) Unwrap() error { return e.Err }

// sentence makes an [*Error] of whatever failed, nil of nil.
func (t Target) sentence(err error) error {
	var known *Error
	if err == nil || errors.As(err, &known) || errors.Is(err, context.Canceled) || errors.Is(err, os.ErrClosed) {
		return err
	}
	var server *wire.ServerError
	if !errors.As(err, &server) {
		return &Error{t.networkSentence(err), err}
	}
	said := *server
	if t.Password != "" {
		said.Message = strings.ReplaceAll(said.Message, t.Password, "•••")
	}
	return &Error{t.serverSentence(&said), &said}
}

func (t Target) serverSentence(e *wire.ServerError) string {
	//exhaustive:ignore // these are the codes that a person can do something about
	switch proto.Error(e.Code) {
	case proto.ErrAuthenticationFailed, proto.ErrWrongPassword, proto.ErrUnknownUser:
		return fmt.Sprintf("%s does not let %s in: the user or the password is wrong; give the password in CLICKHOUSE_PASSWORD or "+
			"with --password-file", t.Host, t.User)
	case proto.ErrUnknownDatabase:
		return fmt.Sprintf("%s has no database %s that %s may see: check the address", t.Host, t.Database, t.User)
	case proto.ErrUnknownTable:
		return fmt.Sprintf("%s has no table %s that %s may see: check the address", t.Host, t.name(), t.User)
	case proto.ErrUnknownIdentifier:
		return fmt.Sprintf("a column of %s is not there any more: open it again (%s)", t.name(), e.Message)
	case proto.ErrAccessDenied:
		return fmt.Sprintf("%s may not read %s on %s: ask for GRANT SELECT ON %s TO %s", t.User, t.name(), t.Host, t.name(), t.User)
	case proto.ErrAllConnectionTriesFailed, proto.ErrNetworkError, proto.ErrSocketTimeout:
		return fmt.Sprintf("a shard behind %s does not answer, and without it rows would be missing: %s", t.Host, e.Message)
	case proto.ErrTimeoutExceeded, proto.ErrTooManyRows, proto.ErrTooManyBytes, proto.ErrTooManyRowsOrBytes, proto.ErrMemoryLimitExceeded:
		return fmt.Sprintf("%s allows %s too little for this table, even for one group in %d: %s", t.Host, t.User, maxOneIn, e.Message)
	}
	return fmt.Sprintf("%s refuses (code %d): %s", t.Host, e.Code, e.Message)
}

// networkSentence says why the server cannot be reached or understood, or what else is wrong.
func (t Target) networkSentence(err error) string {
	var dns *net.DNSError
	var timeout net.Error
	switch {
	case errors.As(err, &dns):
		return fmt.Sprintf("the host %s is not known: check its name", t.Host)
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Sprintf("nothing listens at %s: check the port; ClickHouse's own protocol has 9000, and 9440 with TLS", t.address())
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return fmt.Sprintf("there is no way to %s: check the network", t.Host)
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Sprintf("%s does not answer in time", t.address())
	case isTLS(err):
		return t.tlsSentence(err)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET),
		errors.Is(err, syscall.EPIPE), errors.Is(err, net.ErrClosed):
		text := t.address() + " closed the connection"
		if t.Plain {
			text += ": if it wants TLS, add secure=1 to the address"
		}
		return text
	case errors.Is(err, wire.ErrNotClickHouse):
		return fmt.Sprintf("%s: %v; its own protocol has port 9000, and 9440 with TLS, not 8123", t.address(), err)
	case errors.Is(err, wire.ErrTooOld):
		return fmt.Sprintf("%s: %v: this program reads from servers of 2020 and later", t.address(), err)
	case errors.Is(err, errNoRows) && t.Run != "":
		return fmt.Sprintf("%s on %s has no rows of run %s: check the name; without run= in the address the runs are listed", t.name(),
			t.Host, t.Run)
	case errors.Is(err, errNoRows):
		return fmt.Sprintf("%s on %s has no rows", t.name(), t.Host)
	case errors.Is(err, errCut):
		return t.leavesOut(wire.Setting{Name: "limit", Value: "0"}).Error()
	}
	return fmt.Sprintf("%s on %s: %v", t.name(), t.Host, err)
}

func isTLS(err error) bool {
	var header tls.RecordHeaderError
	var alert tls.AlertError
	var verify *tls.CertificateVerificationError
	return errors.As(err, &header) || errors.As(err, &alert) || errors.As(err, &verify) || strings.Contains(err.Error(), "tls: ")
}

func (t Target) tlsSentence(err error) string {
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var header tls.RecordHeaderError
	switch {
	case errors.As(err, &unknown):
		return fmt.Sprintf("the certificate of %s is not signed by anybody this machine trusts: give the authority's with ca=FILE in "+
			"the address", t.Host)
	case errors.As(err, &name):
		return fmt.Sprintf("the certificate of %s is for another name: %v", t.Host, name)
	case errors.As(err, &header):
		return fmt.Sprintf("%s does not speak TLS: give its port for TLS, which is mostly 9440, or secure=0 if the way there is safe",
			t.address())
	}
	return fmt.Sprintf("%s and this program do not agree on TLS: %v", t.address(), err)
}

// canReconnect reports whether what failed may work a moment later, and somebody waits.
func (r *reader) canReconnect(err error) bool {
	var server *wire.ServerError
	switch {
	case !r.source.options.Follow || !r.prepared && !r.waited:
		return false
	case errors.As(err, &server):
		return slices.Contains([]proto.Error{proto.ErrAllConnectionTriesFailed, proto.ErrNetworkError, proto.ErrSocketTimeout},
			proto.Error(server.Code))
	}
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) ||
		errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, syscall.EPIPE) || errors.Is(err, net.ErrClosed) || errors.Is(err, context.DeadlineExceeded) || isTLS(err)
}
