package client_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/agenthost/agenthost/server/client"
)

// FuzzAnswers has a server answer anything.
func FuzzAnswers(f *testing.F) {
	for _, seed := range []string{
		`{"run_id":"r","status":"success","error":{"a":1},"thread_id":"t","interrupts":{"x":[{"id":1,"value":null}]}}`, `[]`, `null`, `{"detail":[1]}`,
		`{"thread_id":"t","interrupts":[[{}]],"values":7}`, "", "\xff", `[{"run_id":"r","status":"running"}]`,
	} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	type reply struct {
		status int
		body   []byte
	}
	var next atomic.Pointer[reply]
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(next.Load().status)
		_, _ = w.Write(next.Load().body)
	}))
	defer server.Close()
	c, err := client.New(client.Config{URL: server.URL})
	if err != nil {
		f.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	f.Fuzz(func(t *testing.T, said []byte, fine bool) {
		next.Store(&reply{http.StatusOK, said})
		if !fine {
			next.Store(&reply{http.StatusBadRequest, said})
		}
		run, err := c.Run(t.Context(), "t", "r")
		if err == nil && (run.ID == "" || run.Status == "") {
			t.Fatal("a run without id or status")
		}
		if thread, err := c.Thread(t.Context(), "t"); err == nil && thread.ID == "" {
			t.Fatal("a thread without id")
		}
		_, _ = c.LatestRun(t.Context(), "t")
		_ = c.CancelRun(t.Context(), "t", "r")
	})
}
