//go:build unix

package replicas_test

import (
	"context"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"sync"
	"testing"
	"time"
)

// cutAfter is how long the proxy lets a stream live.
const cutAfter = 200 * time.Millisecond

// proxy passes each request to one of the replicas, and cuts every stream that takes longer.
type proxy struct {
	*httptest.Server

	mu       sync.Mutex
	replicas []*replica
}

func newProxy(t *testing.T, replicas ...*replica) *proxy {
	t.Helper()
	p := &proxy{replicas: replicas}
	reverse := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = "http", p.pick()
		},
		FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0), Transport: &http.Transport{DisableKeepAlives: true},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			ctx, cancel := context.WithTimeout(r.Context(), cutAfter)
			defer cancel()
			r = r.WithContext(ctx)
		}
		reverse.ServeHTTP(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *proxy) pick() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.replicas[rand.IntN(len(p.replicas))].address
}

// replace puts another replica in the place of one.
func (p *proxy) replace(i int, by *replica) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.replicas[i] = by
}

func (p *proxy) all() []*replica {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]*replica{}, p.replicas...)
}
