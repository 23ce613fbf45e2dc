package overhttp

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"

	"vantage/loaders/fileio"
)

// Failure says what is wrong with the network between here and a server. Nothing of the request is in it but the address.
func Failure(err error, address string) *fileio.Failure {
	f := &fileio.Failure{Lost: true, Err: inner(err)}
	var dns *net.DNSError
	var timeout net.Error
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, os.ErrClosed):
		f.What, f.Do, f.Err = "is closed", "open it again", os.ErrClosed
	case errors.As(err, &dns) && dns.IsNotFound:
		f.What, f.Do = "cannot be reached: no host is named "+dns.Name, "check the endpoint, and whether a VPN is needed"
	case errors.As(err, &dns):
		f.What, f.Do = "cannot be reached: the name server does not answer", "look at the network"
	case isTLS(err):
		f.What, f.Do, f.Lost = "cannot be asked for: the certificate of "+address+" is not trusted here ("+f.Err.Error()+")", "name the file of its authority in AWS_CA_BUNDLE or SSL_CERT_FILE", false
	case strings.Contains(err.Error(), "HTTP response to HTTPS client"):
		f.What, f.Do, f.Lost = "cannot be asked for: "+address+" does not speak TLS", "write the endpoint with http://", false
	case errors.Is(err, syscall.ECONNREFUSED):
		f.What, f.Do = "cannot be reached: nothing listens at "+address, "check the endpoint and its port, or start the server"
	case errors.As(err, &timeout) && timeout.Timeout(), errors.Is(err, context.DeadlineExceeded):
		f.What, f.Do = "cannot be reached: "+address+" does not answer in time", "look at the network, and whether a VPN is needed"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), strings.Contains(err.Error(), "EOF"), strings.Contains(err.Error(), "closed by foreign host"):
		f.What, f.Do = "cannot be read on: "+address+" ended the connection", "read it again"
	default:
		f.What, f.Do = "cannot be read from "+address, f.Err.Error()
	}
	return f
}

// inner returns the error of a request without its method and address.
func inner(err error) error {
	var u *url.Error
	for errors.As(err, &u) {
		err = u.Err
	}
	return err
}

func isTLS(err error) bool {
	var verify *tls.CertificateVerificationError
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	return errors.As(err, &verify) || errors.As(err, &unknown) || errors.As(err, &name) || errors.As(err, &alert) || errors.As(err, &record) && !strings.Contains(err.Error(), "HTTP response")
}
