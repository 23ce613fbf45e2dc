package clickhouse

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"vantage/internal/testkit/filetest"
)

// proxy stands between a client and a server.
type proxy struct {
	port     string
	requests atomic.Int64 // writes of the client
	limit    atomic.Int64 // bytes of the server after which a connection is cut; 0 is none
}

// startProxy starts a proxy to a port of this machine, on TLS if a certificate is given.
func startProxy(t *testing.T, to string, certificate *tls.Certificate) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if certificate != nil {
		l = tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{*certificate}})
	}
	t.Cleanup(func() { _ = l.Close() })
	p := &proxy{}
	_, p.port, _ = net.SplitHostPort(l.Addr().String())
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(client, to)
		}
	}()
	return p
}

func (p *proxy) serve(client net.Conn, to string) {
	defer client.Close()
	server, err := net.Dial("tcp", "127.0.0.1:"+to)
	if err != nil {
		return
	}
	defer server.Close()
	go func() {
		buf := make([]byte, 64<<10)
		for {
			n, err := client.Read(buf)
			if n > 0 {
				p.requests.Add(1)
				_, _ = server.Write(buf[:n])
			}
			if err != nil {
				_ = server.Close()
				return
			}
		}
	}()
	if limit := p.limit.Load(); limit > 0 {
		_, _ = io.CopyN(client, server, limit)
		return
	}
	_, _ = io.Copy(client, server)
}

// selfSigned returns a certificate for 127.0.0.1 and the file of its authority.
func selfSigned(t *testing.T) (*tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "ca.pem")
	filetest.Write(t, path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, path
}
