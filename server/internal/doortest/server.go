package doortest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/runs"
	runsmemory "github.com/agenthost/agenthost/runs/memory"
	"github.com/agenthost/agenthost/server"
	"github.com/agenthost/agenthost/server/config"
	"github.com/agenthost/agenthost/test/apicheck"
)

// Server is a server that listens on this machine. It stops when the test ends.
type Server struct {
	URL     string
	Handler http.Handler
	Service *runs.Service
	Client  *http.Client // checks that answers are as the description of the API says
	Streams func() int   // see [server.Server.Streams]
	Stop    func(context.Context)
}

// Serve starts a server. yaml is its serve.yaml. Without a store of runs, they are kept in memory.
func Serve(t testing.TB, yaml string, c server.Config) *Server {
	t.Helper()
	serve, err := config.Parse("serve.yaml", []byte(yaml), config.Options{})
	require.NoError(t, err)
	c.Serve, c.Version = serve, "test"
	if c.Runs == nil {
		c.Runs = runsmemory.New(runsmemory.Options{})
	}
	s, err := server.New(c)
	require.NoError(t, err)
	listening := httptest.NewServer(s.Handler())
	client := &http.Client{Transport: apicheck.Transport(t, &http.Transport{})}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		s.Close(ctx)
		client.CloseIdleConnections()
		listening.Close()
	})
	return &Server{URL: listening.URL, Handler: s.Handler(), Service: s.Service(), Client: client, Streams: s.Streams, Stop: s.Close}
}

// Key is a key of an owner.
type Key struct{ Key, Owner, Scopes string }

// Keys returns a serve.yaml with keys.
func Keys(keys ...Key) string {
	var out strings.Builder
	out.WriteString("auth:\n  keys:\n")
	for _, k := range keys {
		sum := sha256.Sum256([]byte(k.Key))
		fmt.Fprintf(&out, "    - {sha256: %s, owner: %s, scopes: [%s]}\n", hex.EncodeToString(sum[:]), k.Owner, k.Scopes)
	}
	return out.String()
}

// Block returns the tool block, which says that it was called and then waits.
func Block(began chan<- struct{}, let <-chan struct{}) host.Tool {
	return tool.Func("block", "Waits.", func(ctx context.Context, _ struct{}) (string, error) {
		began <- struct{}{}
		select {
		case <-let:
			return "done", nil
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	})
}
