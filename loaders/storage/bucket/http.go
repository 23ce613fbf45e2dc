package bucket

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"vantage/loaders/fileio"
	"vantage/model"
)

// How long a step of a request may take.
const (
	dialTimeout   = 5 * time.Second
	answerTimeout = 10 * time.Second // to the first byte
	maxIdle       = 32               // connections that are kept for the next request
)

// An answer that is no range of an object, as a page of a listing, may be so long and take so long: all of it is read.
const (
	maxAnswer  = 64 << 20
	answerTime = time.Minute
)

const (
	askAgain    = 900 * time.Millisecond // for what may have changed
	maxAttempts = 3                      // at what the server is too busy for, or what gets no answer
)

var errLongAnswer = &fileio.Failure{
	What: "cannot be listed: its store answers with more than 64 MB for 1000 keys", Do: "look at the endpoint",
}

// server is what a storage asks over HTTP. It ends what the server does not end by itself, and everything when the storage is
// closed, and measures by the requests that are made anyway how the link is. It implements [http.RoundTripper], and of
// [fileio.Storage] what buckets and hubs have in common.
type server struct {
	name     string // "s3://bucket", as a person named it
	base     http.RoundTripper
	patience time.Duration   // how long calls wait for a server that was there
	troubled atomic.Int64    // since when it does not answer, Unix nanoseconds; 0 while it does
	ctx      context.Context // done when the storage is closed
	cancel   context.CancelFunc
	wasUp    atomic.Bool // it has answered, and not only that it cannot

	link    sync.Mutex // of what follows
	asked   bool
	latency time.Duration // the shortest of the last answers, with weight on the newest
	lost    string        // why; "" if the last request was answered
}

// newServer returns a server. It trusts the authorities of a file, as that of AWS_CA_BUNDLE, beside those that the machine
// trusts; "" is no file.
func newServer(disk *fileio.Disk, name, authorities string, patience time.Duration) (*server, error) {
	t := &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: dialTimeout, KeepAlive: 15 * time.Second}).DialContext,
		TLSHandshakeTimeout: dialTimeout, ResponseHeaderTimeout: answerTimeout, MaxIdleConnsPerHost: maxIdle, IdleConnTimeout: time.Minute,
		DisableCompression: true, // a range is of the bytes as they are stored
	}
	if authorities != "" {
		text, err := disk.ReadFile(authorities)
		if err != nil {
			return nil, &fileio.Failure{
				What: "cannot be asked for: the file of certificates " + authorities + " cannot be read",
				Do:   "correct AWS_CA_BUNDLE, or unset it", Err: err,
			}
		}
		roots, err := x509.SystemCertPool()
		if err != nil {
			roots = x509.NewCertPool()
		}
		roots.AppendCertsFromPEM(text)
		t.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	}
	s := &server{name: name, base: t, patience: patience}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s, nil
}

// Link says how the link is. Who lost it makes the next request soon.
func (s *server) Link() model.Link {
	s.link.Lock()
	defer s.link.Unlock()
	l := model.Link{Host: s.name, Latency: s.latency.Round(time.Millisecond)}
	switch {
	case s.lost != "":
		l.State, l.Reason = model.LinkLost, s.lost
	case !s.asked:
		l.State = model.LinkConnecting
	}
	return l
}

// WillRead does nothing: what fetches ahead is the cache around this storage.
func (s *server) WillRead([]string) {}

// Close ends all requests.
func (s *server) Close() error {
	s.cancel()
	return nil
}

// RoundTrip bounds answers but for ranges, which are bounded by who asks for them.
func (s *server) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := s.ctx.Err(); err != nil {
		return nil, err
	}
	if r.Header.Get("Range") != "" {
		return s.measured(r)
	}
	ctx, cancel := context.WithTimeout(r.Context(), answerTime)
	stop := context.AfterFunc(s.ctx, cancel)
	end := func() { stop(); cancel() }
	answer, err := s.measured(r.WithContext(ctx))
	if err != nil {
		end()
		return nil, err
	}
	answer.Body = &boundedBody{answer.Body, maxAnswer, end}
	return answer, nil
}

// boundedBody is an answer of which at most so many bytes are left to read.
type boundedBody struct {
	io.ReadCloser
	left int64
	end  func()
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errLongAnswer
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

func (b *boundedBody) Close() error {
	defer b.end()
	return b.ReadCloser.Close()
}

// measured makes a request, and notes how long the answer took, or that there was none. An answer that says no is one.
func (s *server) measured(r *http.Request) (*http.Response, error) {
	start := time.Now()
	answer, err := s.base.RoundTrip(r)
	if err != nil && errors.Is(r.Context().Err(), context.Canceled) {
		return answer, err // nobody waits for it any more
	}
	if err == nil && answer.StatusCode < http.StatusInternalServerError {
		s.wasUp.Store(true)
	}
	took := time.Since(start)
	s.link.Lock()
	defer s.link.Unlock()
	s.asked, s.lost = true, ""
	switch {
	case err != nil:
		s.lost = networkFailure(err, r.URL.Host).What
	case s.latency == 0 || took < s.latency:
		s.latency = took
	default:
		s.latency += (took - s.latency) / 8
	}
	return answer, err
}

// persist calls ask until it is answered, as long as the patience allows, which is one for all that is asked: an object that is never
// answered is not waited for longer because others are. A connection that never was there is not waited for.
func (s *server) persist(ask func() error) error {
	for began := time.Now().UnixNano(); ; {
		err := ask()
		if !fileio.IsLost(err) || !s.wasUp.Load() {
			s.troubled.Store(0)
			return err
		}
		s.troubled.CompareAndSwap(0, time.Now().UnixNano())
		if since := cmp.Or(s.troubled.Load(), began); time.Since(time.Unix(0, min(since, began))) >= s.patience {
			return err
		}
		select {
		case <-time.After(time.Second):
		case <-s.ctx.Done():
			return err
		}
	}
}

// readRange fills p with what lies at an offset. If the connection is lost on the way, the rest is asked for once more.
func readRange(p []byte, offset int64, ask func(p []byte, offset int64) (int, error)) (n int, err error) {
	for attempt := 1; n < len(p); attempt++ {
		got, err := ask(p[n:], offset+int64(n))
		if n += got; err != nil && (!fileio.IsLost(err) || attempt == maxAttempts) {
			return n, err
		}
	}
	return n, nil
}

// networkFailure says what is wrong with the network between here and a server. Nothing of the request is in it but the
// address.
func networkFailure(err error, address string) *fileio.Failure {
	f := &fileio.Failure{Lost: true, Err: err}
	var request *url.Error
	for errors.As(f.Err, &request) { // it names the method and the whole address
		f.Err = request.Err
	}
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
		f.What, f.Do, f.Lost = "cannot be asked for: the certificate of "+address+" is not trusted here ("+f.Err.Error()+")",
			"name the file of its authority in AWS_CA_BUNDLE or SSL_CERT_FILE", false
	case strings.Contains(err.Error(), "HTTP response to HTTPS client"):
		f.What, f.Do, f.Lost = "cannot be asked for: "+address+" does not speak TLS", "write the endpoint with http://", false
	case errors.Is(err, syscall.ECONNREFUSED):
		f.What, f.Do = "cannot be reached: nothing listens at "+address, "check the endpoint and its port, or start the server"
	case errors.As(err, &timeout) && timeout.Timeout(), errors.Is(err, context.DeadlineExceeded):
		f.What, f.Do = "cannot be reached: "+address+" does not answer in time", "look at the network, and whether a VPN is needed"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), strings.Contains(err.Error(), "EOF"),
		strings.Contains(err.Error(), "closed by foreign host"):
		f.What, f.Do = "cannot be read on: "+address+" ended the connection", "read it again"
	default:
		f.What, f.Do = "cannot be read from "+address, f.Err.Error()
	}
	return f
}

func isTLS(err error) bool {
	var verify *tls.CertificateVerificationError
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	isOfCertificate := errors.As(err, &verify) || errors.As(err, &unknown) || errors.As(err, &name)
	speaksPlain := strings.Contains(err.Error(), "HTTP response")
	return isOfCertificate || errors.As(err, &alert) || errors.As(err, &record) && !speaksPlain
}
