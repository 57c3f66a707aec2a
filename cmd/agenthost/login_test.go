package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/tool/mcp/oauth"
	"github.com/agenthost/agenthost/test/testservers"
)

// protected serves an MCP server with the tool "hello" that needs a token, and an authorization server that gives it.
func protected(t *testing.T) (address string) {
	t.Helper()
	server := sdk.NewServer(&sdk.Implementation{Name: "x", Version: "1"}, nil)
	sdk.AddTool(server, &sdk.Tool{Name: "hello"}, sdk.ToolHandlerFor[struct{}, any](sayHi))
	serve := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
	mux := http.NewServeMux()
	web := httptest.NewServer(mux)
	t.Cleanup(web.Close)
	document := func(w http.ResponseWriter, fields map[string]any) {
		w.Header().Set("Content-Type", "application/json")
		text, err := json.Marshal(fields)
		if err != nil {
			panic(err)
		}
		_, _ = w.Write(text) // the client may be gone
	}
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer token-of-ada" {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+web.URL+`/.well-known/oauth-protected-resource/mcp"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		serve.ServeHTTP(w, r)
	})
	mux.HandleFunc("/.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		document(w, map[string]any{"resource": web.URL + "/mcp", "authorization_servers": []string{web.URL}})
	})
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		document(w, map[string]any{
			"issuer": web.URL, "authorization_endpoint": web.URL + "/authorize", "token_endpoint": web.URL + "/token",
			"registration_endpoint": web.URL + "/register", "device_authorization_endpoint": web.URL + "/device",
			"code_challenge_methods_supported": []string{"S256"},
		})
	})
	mux.HandleFunc("/register", func(w http.ResponseWriter, _ *http.Request) { document(w, map[string]any{"client_id": "c"}) })
	mux.HandleFunc("/authorize", func(w http.ResponseWriter, r *http.Request) {
		back := url.Values{"code": {"code-1"}, "state": {r.URL.Query().Get("state")}}
		http.Redirect(w, r, r.URL.Query().Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
	})
	mux.HandleFunc("/device", func(w http.ResponseWriter, _ *http.Request) {
		document(w, map[string]any{
			"device_code": "d", "user_code": "ABCD", "verification_uri": web.URL + "/activate", "verification_uri_complete": web.URL + "/a?c=ABCD",
			"interval": 0.01,
		})
	})
	mux.HandleFunc("/token", func(w http.ResponseWriter, _ *http.Request) {
		document(w, map[string]any{"access_token": "token-of-ada", "token_type": "bearer"})
	})
	return web.URL + "/mcp"
}

func sayHi(_ context.Context, _ *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "hi Ada"}}}, nil, nil
}

// loggedIn runs the command with a terminal, these logins, and a browser that follows the login.
func (b *bundle) loggedIn(logins oauth.Store, args ...string) int {
	b.t.Helper()
	b.out.Reset()
	b.err.Reset()
	return execute(b.t.Context(), args, streams{
		in: bytes.NewReader(nil), out: &b.out, err: &b.err, terminal: true, logins: logins, browse: func(address string) error {
			client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
			req, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, address, http.NoBody)
			if err != nil {
				return err
			}
			response, err := client.Do(req)
			if err != nil {
				return err
			}
			_, err = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
			return err
		},
	})
}

func TestLoginAndLogout(t *testing.T) {
	t.Parallel()
	address := protected(t)
	b := setup(t, "apiVersion: agenthost/v1\nmodel: {provider: scripted, turns: [{tool_calls: [{name: hello}]}, {content: done}]}\n"+
		fmt.Sprintf("tools: [{mcp: {name: search, url: '%s'}}]\n", address))
	logins := &oauth.Memory{}
	file := b.path("agenthost.yaml")
	run := func(args ...string) int {
		return b.loggedIn(logins, append([]string{args[0], "-f", file}, args[1:]...)...)
	}

	require.Equal(t, exitUsage, run("run", "go"), b.out.String())
	require.Contains(t, b.err.String(), "it wants a login by OAuth; run 'agenthost login search'")

	require.Equal(t, exitOK, run("login", "search"), b.err.String())
	require.Equal(t, "Logged in to "+address+" with "+strings.TrimSuffix(address, "/mcp")+".\n", b.out.String())
	require.Contains(t, b.err.String(), "To log in, open this address in a browser on this machine:\n\n  http")
	require.NotContains(t, b.out.String()+b.err.String(), "token-of-ada")

	require.Equal(t, exitOK, run("run", "--output", "json", "go"), b.err.String())
	require.Contains(t, b.out.String(), "hi Ada")

	require.Equal(t, exitOK, run("logout", "search"), b.err.String())
	require.Equal(t, "Logged out from "+address+".\n", b.out.String())
	require.Equal(t, exitFailed, run("logout", "search"))
	require.Contains(t, b.err.String(), "logout from search: there is no login to remove")

	require.Equal(t, exitOK, b.loggedIn(logins, "login", "--device", address), "by its URL, without a manifest")
	require.Contains(t, b.err.String(), "type the code ABCD:\n\n  http")
	require.Contains(t, b.err.String(), "This address already has the code")
	require.Equal(t, exitOK, run("run", "go"), b.err.String())
}

// The server and the authorization server are those of the protocol's own SDK.
func TestLoginToTheServerOfTheSDK(t *testing.T) {
	t.Parallel()
	address := testservers.OAuthMCP(t)
	b := setup(t, "apiVersion: agenthost/v1\nmodel: {provider: scripted, turns: [{tool_calls: [{name: greet, args: {name: Ada}}]}, {content: done}]}\n"+
		"tools: [{mcp: {name: demo, url: '"+address+"'}}]\n")
	logins := &oauth.Memory{}
	file := b.path("agenthost.yaml")
	require.Equal(t, exitUsage, b.loggedIn(logins, "run", "-f", file, "go"))
	require.Contains(t, b.err.String(), "it wants a login by OAuth; run 'agenthost login demo'")
	require.Equal(t, exitOK, b.loggedIn(logins, "login", "-f", file, "demo"), &b.err)
	require.Contains(t, b.out.String(), "Logged in to "+address+" with http://localhost:")
	require.Equal(t, exitOK, b.loggedIn(logins, "run", "-f", file, "--output", "json", "go"), &b.err)
	require.Contains(t, b.out.String(), "Hello, Ada!")
}

func TestLoginToAServerThatIsNotThere(t *testing.T) {
	t.Parallel()
	b := setup(t, say+"tools: [{mcp: {name: search, url: 'https://mcp.example.com/mcp'}}, {mcp: {name: local, command: [x]}}]\n")
	file := b.path("agenthost.yaml")
	for server, want := range map[string]string{
		"serch":                   `has no remote MCP server "serch"; did you mean "search"?`,
		"other":                   `has no remote MCP server "other"; it has search`,
		"local":                   `the MCP server "local" in ` + file + ` has no login`,
		"http://mcp.example.com/": "a login needs a URL that begins with https://",
	} {
		require.Equal(t, exitUsage, b.loggedIn(&oauth.Memory{}, "login", "-f", file, server))
		require.Contains(t, b.err.String(), want)
	}
	require.Equal(t, "search\n:4\n", b.completed("login", "-f", file, ""))
	require.Equal(t, ":4\n", b.completed("logout", "-f", file, "search", ""))
}
