package httptool_test

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/tool/httptool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve starts a server on 127.0.0.1.
func serve(t testing.TB, handler http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewUnstartedServer(handler)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Start()
	t.Cleanup(s.Close)
	return s.URL
}

// newTool makes a tool that is right.
func newTool(t testing.TB, c httptool.Config) *httptool.Tool {
	t.Helper()
	if c.Name == "" {
		c.Name = "x"
	}
	made, err := httptool.New(c)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, made.Close()) })
	return made
}

// call calls a tool outside of an agent.
func call(t testing.TB, made host.Tool, args map[string]any) *host.ToolOutput {
	t.Helper()
	c := abi.Call("1", made.Spec().Name, args)
	out, err := made.Call(t.Context(), nil, &c)
	require.NoError(t, err)
	return out
}

// succeeds calls a tool and returns the text of its result.
func succeeds(t testing.TB, made host.Tool, args map[string]any) string {
	t.Helper()
	out := call(t, made, args)
	require.False(t, out.Failed, out.Content.Text())
	return out.Content.Text()
}

// fails calls a tool and returns how it failed.
func fails(t testing.TB, made host.Tool, args map[string]any) string {
	t.Helper()
	out := call(t, made, args)
	require.True(t, out.Failed, out.Content.Text())
	return out.Content.Text()
}

// echo answers with the line of the request, its headers and its body.
func echo(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "text/plain")
	_, _ = io.WriteString(w, r.Method+" "+r.RequestURI+"\n")
	_ = r.Header.Write(w)
	_, _ = w.Write(body)
}

// firstLine is the line of the request that echo answers with.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// unreachable is a handler that must not be called.
func unreachable(t *testing.T) http.HandlerFunc {
	t.Helper()
	return func(_ http.ResponseWriter, r *http.Request) { t.Errorf("%s %s reached the server", r.Method, r.URL) }
}

// answering is a handler that always answers so.
func answering(kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, body)
	}
}

// raw is a JSON text as a value.
func raw(t testing.TB, text string) wire.Raw {
	t.Helper()
	v, err := wire.FromJSON([]byte(text), wire.DefaultLimits)
	require.NoError(t, err)
	return v
}
