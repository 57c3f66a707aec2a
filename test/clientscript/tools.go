package clientscript

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// Tools starts the server of an agent's tools, and returns its address. A call of /wait lasts until somebody calls /go. More adds what else the
// server answers; nil: nothing.
func Tools(t *testing.T, more func(mux *http.ServeMux)) string {
	t.Helper()
	passes, ended := make(chan struct{}), make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /weather/{city}", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "sunny in "+r.PathValue("city")) //nolint:gosec // for tests
	})
	mux.HandleFunc("POST /file", func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(io.LimitReader(r.Body, 1<<20))
		_, _ = io.WriteString(w, "wrote "+string(text))
	})
	mux.HandleFunc("GET /wait", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-passes:
			_, _ = io.WriteString(w, "waited")
		case <-r.Context().Done():
		case <-ended:
		}
	})
	mux.HandleFunc("POST /go", func(_ http.ResponseWriter, r *http.Request) {
		select {
		case passes <- struct{}{}:
		case <-r.Context().Done():
		case <-ended:
		}
	})
	if more != nil {
		more(mux)
	}
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		close(ended)
		server.Close()
	})
	return server.URL
}
