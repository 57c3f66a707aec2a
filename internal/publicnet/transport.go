package publicnet

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"time"
)

// Transport returns a transport that connects to nothing but public addresses and those of the networks, and that takes nothing from the
// environment: it speaks HTTP/1.1, and TLS from version 1.2, without proxies and without compression. To connect may take as long as the
// timeout, and the TLS handshake again. A nil resolver, and nil roots, are the system's.
func (n Networks) Transport(timeout time.Duration, resolver *net.Resolver, roots *x509.CertPool) *http.Transport {
	dialer := &net.Dialer{Timeout: timeout, Resolver: resolver, ControlContext: n.Control}
	t := &http.Transport{
		DialContext:         dialer.DialContext,
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots},
		TLSHandshakeTimeout: timeout,
		DisableCompression:  true,
		Protocols:           new(http.Protocols),
	}
	t.Protocols.SetHTTP1(true)
	return t
}
