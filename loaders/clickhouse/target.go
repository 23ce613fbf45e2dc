package clickhouse

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"os"

	"vantage/loaders/clickhouse/address"
)

// target is where the table is.
type target struct{ address.Target }

// tls returns how the connection is encrypted, nil if it is not.
func (t target) tls() (*tls.Config, error) {
	if t.Plain {
		return nil, nil
	}
	config := &tls.Config{ServerName: t.Host, InsecureSkipVerify: t.Unproved, MinVersion: tls.VersionTLS12}
	if t.CAFile == "" {
		return config, nil
	}
	pem, err := os.ReadFile(t.CAFile)
	if err != nil {
		return nil, fmt.Errorf("the certificates of ca= cannot be read: %w", err)
	}
	config.RootCAs = x509.NewCertPool()
	if !config.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s of ca= holds no certificates in PEM", t.CAFile)
	}
	return config, nil
}

// name is the table as a person reads it.
func (t target) name() string { return t.Database + "." + t.Table }

func (t target) address() string { return net.JoinHostPort(t.Host, t.Port) }
