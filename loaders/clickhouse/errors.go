package clickhouse

import (
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
	"syscall"

	"vantage/loaders/clickhouse/wire"
)

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
	switch e.Code {
	case wire.LoginFailed, wire.WrongPassword, wire.UnknownUser:
		return fmt.Sprintf("%s does not let %s in: the user or the password is wrong; give the password in CLICKHOUSE_PASSWORD or with --password-file", t.Host, t.User)
	case wire.UnknownDatabase:
		return fmt.Sprintf("%s has no database %s that %s may see: check the address", t.Host, t.Database, t.User)
	case wire.UnknownTable:
		return fmt.Sprintf("%s has no table %s that %s may see: check the address", t.Host, t.name(), t.User)
	case wire.UnknownColumn:
		return fmt.Sprintf("a column of %s is not there any more: open it again (%s)", t.name(), e.Message)
	case wire.NoGrant:
		return fmt.Sprintf("%s may not read %s on %s: ask for GRANT SELECT ON %s TO %s", t.User, t.name(), t.Host, t.name(), t.User)
	case wire.AllShardsFailed, wire.NetworkError, wire.SocketTimeout:
		return fmt.Sprintf("a shard behind %s does not answer, and without it rows would be missing: %s", t.Host, e.Message)
	case wire.Timeout, wire.TooManyRows, wire.TooManyBytes, wire.TooManyResultRows, wire.NotEnoughMemory:
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
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, net.ErrClosed):
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
		return fmt.Sprintf("%s on %s has no rows of run %s: check the name; without run= in the address the runs are listed", t.name(), t.Host, t.Run)
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
		return fmt.Sprintf("the certificate of %s is not signed by anybody this machine trusts: give the authority's with ca=FILE in the address", t.Host)
	case errors.As(err, &name):
		return fmt.Sprintf("the certificate of %s is for another name: %v", t.Host, name)
	case errors.As(err, &header):
		return fmt.Sprintf("%s does not speak TLS: give its port for TLS, which is mostly 9440, or secure=0 if the way there is safe", t.address())
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
		return slices.Contains([]int{wire.AllShardsFailed, wire.NetworkError, wire.SocketTimeout}, server.Code)
	}
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, syscall.EPIPE) || errors.Is(err, net.ErrClosed) || errors.Is(err, context.DeadlineExceeded) || isTLS(err)
}
