// Package httptransport makes HTTP transports with the settings of the standard library's default one.
package httptransport

import (
	"net"
	"net/http"
	"time"
)

// New returns a copy of [http.DefaultTransport]. If the embedding program has replaced that by a transport of another type, the copy has
// the standard library's usual settings, among them the proxies of the environment.
func New() *http.Transport {
	if usual, ok := http.DefaultTransport.(*http.Transport); ok {
		return usual.Clone()
	}
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:     true,
		MaxIdleConns:          100,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second,
	}
}
