package overhttp

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"os"
	"time"

	"vantage/loaders/fileio"
)

// How long a step of a request may take.
const (
	dialTimeout   = 5 * time.Second
	answerTimeout = 10 * time.Second // to the first byte
	maxIdle       = 32               // connections that are kept for the next request
)

// NewTransport returns what makes requests. It trusts the authorities of a file, as that of AWS_CA_BUNDLE, beside those that
// the machine trusts; "" is no file.
func NewTransport(authorities string) (http.RoundTripper, error) {
	t := &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: dialTimeout, KeepAlive: 15 * time.Second}).DialContext,
		TLSHandshakeTimeout: dialTimeout, ResponseHeaderTimeout: answerTimeout, MaxIdleConnsPerHost: maxIdle, IdleConnTimeout: time.Minute,
		DisableCompression: true, // a range is of the bytes as they are stored
	}
	if authorities == "" {
		return t, nil
	}
	text, err := os.ReadFile(authorities)
	if err != nil {
		return nil, &fileio.Failure{What: "cannot be asked for: the file of certificates " + authorities + " cannot be read", Do: "correct AWS_CA_BUNDLE, or unset it", Err: err}
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	roots.AppendCertsFromPEM(text)
	t.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	return t, nil
}
