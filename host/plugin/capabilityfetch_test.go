package plugin_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/fetch"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
	"github.com/agenthost/agenthost/host/tracecontext"
)

// served starts a server and returns its URL and a grant of it.
func served(t *testing.T, handler http.HandlerFunc) (string, plugin.Grant) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	secret := fetch.Secret{Value: "hunter2hunter2", Hosts: []string{server.URL}}
	return server.URL, plugin.Grant{HTTPFetch: &fetch.Policy{
		Hosts: []string{server.URL}, Private: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Secrets: map[string]fetch.Secret{"KEY": secret},
	}}
}

func TestFetchCapability(t *testing.T) {
	t.Parallel()
	var got *http.Request
	var body []byte
	url, grant := served(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
		w.Header()["Date"] = nil
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, "key was "+r.Header.Get("Authorization"))
	})
	g := capable(abi.OpHTTPFetch)
	g.On("before_agent", show(g, abi.OpHTTPFetch, guestkit.Document(&abi.FetchRequest{
		URL: url + "/path", Method: "POST", Body: []byte("hello"),
		Headers: []abi.Header{{Name: "Authorization", Value: "Bearer ${secret:KEY}"}},
	})))
	_, events := grants(t, g, grant)
	require.Equal(t, "POST /path hello", got.Method+" "+got.URL.Path+" "+string(body))
	require.Equal(t, "Bearer hunter2hunter2", got.Header.Get("Authorization"))
	require.Contains(t, shown(t, events), `"status":418`)
	require.NotContains(t, shown(t, events), "hunter2")
	for _, e := range events {
		require.NotContains(t, e.State.Raw().JSON(), "hunter2")
	}
}

// The hosts learn which span a request belongs to.
func TestFetchCapabilityNamesTheSpan(t *testing.T) {
	t.Parallel()
	var got string
	url, grant := served(t, func(_ http.ResponseWriter, r *http.Request) { got = r.Header.Get("Traceparent") })
	g := capable(abi.OpHTTPFetch)
	g.On("before_agent", show(g, abi.OpHTTPFetch, guestkit.Document(&abi.FetchRequest{URL: url})))
	b := setup(t, plugin.Wasm{Bytes: g.Bytes(), Grant: grant})
	span := tracecontext.Context{Parent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
	_, err := b.agent.Run(tracecontext.With(t.Context(), span), host.Input{Messages: []abi.Message{abi.Human("hi")}})
	require.NoError(t, err)
	require.Equal(t, span.Parent, got)
}

func TestFetchCapabilityRefusals(t *testing.T) {
	t.Parallel()
	url, grant := served(t, func(w http.ResponseWriter, _ *http.Request) {
		http.Redirect(w, &http.Request{}, "https://elsewhere.example/", http.StatusFound)
	})
	g := capable(abi.OpHTTPFetch)
	ask := func(url, method string, header string) []byte {
		return guestkit.Document(&abi.FetchRequest{URL: url, Method: method, Headers: []abi.Header{{Name: "x", Value: header}}})
	}
	g.On("before_agent",
		g.HostCall(abi.OpHTTPFetch, ask("https://elsewhere.example/", "", ""), abi.EDENIED),
		g.HostCall(abi.OpHTTPFetch, ask(url, "DELETE", ""), abi.EDENIED),
		g.HostCall(abi.OpHTTPFetch, ask(url, "", "${secret:OTHER}"), abi.EDENIED),
		g.HostCall(abi.OpHTTPFetch, ask("file:///etc/passwd", "", ""), abi.EDENIED),
		show(g, abi.OpHTTPFetch, ask(url, "", "")))
	b := setup(t, plugin.Wasm{Bytes: g.Bytes(), Grant: grant})
	events, err := b.run(t)
	require.NoError(t, err, b.logged.texts())
	require.Contains(t, shown(t, events), `"type":"http_denied"`)
	require.Contains(t, strings.Join(b.logged.texts(), "\n"), "https://elsewhere.example is not granted", "the operator learns what the guest does not")
}

// The time in which the guest waits for a server is not its own.
func TestFetchCapabilityDoesNotCountAgainstTheDeadline(t *testing.T) {
	t.Parallel()
	url, grant := served(t, func(http.ResponseWriter, *http.Request) { time.Sleep(300 * time.Millisecond) })
	g := capable(abi.OpHTTPFetch)
	work := guestkit.Turns(1<<21, 0)
	g.On("before_agent", work, g.HostCall(abi.OpHTTPFetch, guestkit.Document(&abi.FetchRequest{URL: url}), abi.StatusOK), work, guestkit.Nothing)
	b := setup(t, plugin.Wasm{Bytes: g.Bytes(), Grant: grant, Limits: plugin.Limits{Deadline: 200 * time.Millisecond}})
	_, err := b.run(t)
	require.NoError(t, err)
}

func TestFetchCapabilityIsCancelledWithTheRun(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{})
	url, grant := served(t, func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done()
	})
	g := capable(abi.OpHTTPFetch)
	g.On("before_agent",
		g.HostCall(abi.OpHTTPFetch, guestkit.Document(&abi.FetchRequest{URL: url}), abi.StatusCancelled),
		g.HostCall(abi.OpHTTPFetch, nil, abi.StatusCancelled),
		g.Say(guestkit.Document(&abi.Result{Error: &abi.Error{Type: "mine", Message: "not this"}})))
	b := setup(t, plugin.Wasm{Bytes: g.Bytes(), Grant: grant})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-arrived
		cancel()
	}()
	result, err := b.agent.Run(ctx, host.Input{Messages: []abi.Message{abi.Human("hi")}})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, host.Cancelled, result.Status)
	require.NotContains(t, err.Error(), "not this")
}
