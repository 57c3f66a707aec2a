package oauth_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool/mcp"
	"github.com/agenthost/agenthost/host/tool/mcp/oauth"
)

func say(text string) sdk.ToolHandler {
	return func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil
	}
}

func login(t *testing.T, client *oauth.Client) *oauth.Entry {
	t.Helper()
	e, err := client.Login(t.Context(), browse(t, client.Transport))
	require.NoError(t, err)
	return e
}

func source(t *testing.T, client *oauth.Client) *oauth.Source {
	t.Helper()
	s, err := oauth.NewSource(*client)
	require.NoError(t, err)
	return s
}

func token(t *testing.T, s *oauth.Source, rejected string) string {
	t.Helper()
	token, err := s.Token(t.Context(), rejected)
	require.NoError(t, err)
	return token
}

// hello calls the tool of the server in a run, and returns the answer.
func hello(t *testing.T, s *mcp.Server) string {
	t.Helper()
	a, err := host.New(host.Config{Model: scripted.NewTurns(scripted.CallTools(abi.Call("1", "hello", nil)), scripted.Say("done")), Tools: s.Tools()})
	require.NoError(t, err)
	defer func() { require.NoError(t, a.Close()) }()
	result, err := a.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
	require.NoError(t, err)
	return result.Messages.At(2).Content.Text()
}

func TestALoginOpensTheServer(t *testing.T) {
	t.Parallel()
	w := onThisMachine(t)
	client := &oauth.Client{Server: w.mcp, Store: oauth.OpenFiles(t.TempDir())}
	_, err := mcp.Connect(t.Context(), mcp.Config{Name: "s", URL: w.mcp, Auth: source(t, client)})
	require.ErrorContains(t, err, "it wants a login by OAuth; run 'agenthost login s'")

	e := login(t, client)
	require.Equal(t, w.mcp, e.Resource)
	require.Equal(t, w.auth, e.Issuer)
	require.Len(t, w.clients, 1)
	require.Equal(t, []any{"authorization_code", "refresh_token"}, w.clients[e.ClientID]["grant_types"])
	require.Equal(t, "none", w.clients[e.ClientID]["token_endpoint_auth_method"])
	require.Equal(t, "read write offline_access", w.clients[e.ClientID]["scope"])
	require.Equal(t, w.mcp, w.tokens[0].Get("resource"))

	s, err := mcp.Connect(t.Context(), mcp.Config{Name: "s", URL: w.mcp, Auth: source(t, client)})
	require.NoError(t, err)
	defer s.Close()
	require.Equal(t, "hi", hello(t, s))

	w.mu.Lock()
	w.access = map[string]bool{} // the server forgets the token before it ends
	w.mu.Unlock()
	require.Equal(t, "hi", hello(t, s), "it is renewed, and the request sent again")
	require.Equal(t, 1, w.renewed)

	w.mu.Lock()
	w.access, w.refresh = map[string]bool{}, map[string]bool{}
	w.mu.Unlock()
	said := hello(t, s)
	require.Contains(t, said, "the login has expired")
	require.Contains(t, said, "run 'agenthost login s'")
	require.NotContains(t, said, "access-token-")
}

func TestARefusedTokenIsNotShown(t *testing.T) {
	t.Parallel()
	w := onThisMachine(t)
	w.token = func(m map[string]any) { delete(m, "refresh_token") }
	client := &oauth.Client{Server: w.mcp, Store: &oauth.Memory{}}
	e := login(t, client)
	w.mu.Lock()
	w.access = map[string]bool{}
	w.mu.Unlock()
	_, err := mcp.Connect(t.Context(), mcp.Config{Name: "s", URL: w.mcp, Auth: source(t, client)})
	require.ErrorContains(t, err, "agenthost login s")
	require.NotContains(t, err.Error(), e.AccessToken)
}

// Sources in several processes share the store: each refresh token is used once.
func TestATokenIsRenewedOnce(t *testing.T) {
	t.Parallel()
	w := onThisMachine(t)
	dir := t.TempDir()
	var now atomic.Int64
	clock := func() time.Time { return time.Unix(now.Load(), 0) }
	client := &oauth.Client{Server: w.mcp, Store: oauth.OpenFiles(dir), Clock: clock}
	first := login(t, client).AccessToken
	for round := range 3 {
		now.Add(3600 - 10) // it ends in a few seconds
		var all sync.WaitGroup
		var got sync.Map
		for range 4 {
			other := source(t, &oauth.Client{Server: w.mcp, Store: oauth.OpenFiles(dir), Clock: clock})
			for range 4 {
				all.Go(func() {
					token, err := other.Token(context.Background(), "")
					got.Store(fmt.Sprint(token, err), true)
				})
			}
		}
		all.Wait()
		var different []string
		got.Range(func(k, _ any) bool { different = append(different, fmt.Sprint(k)); return true })
		require.Len(t, different, 1)
		require.NotContains(t, different[0], first)
		require.Equal(t, round+1, w.renewed)
	}
	require.Zero(t, w.reused)
	require.Equal(t, w.mcp, w.tokens[len(w.tokens)-1].Get("resource"))
}

func TestARenewalThatKeepsTheRefreshToken(t *testing.T) {
	t.Parallel()
	w, through := remote()
	client := &oauth.Client{Server: w.mcp, Store: &oauth.Memory{}, Transport: through}
	e := login(t, client)
	w.token = func(m map[string]any) { delete(m, "refresh_token") }
	s := source(t, client)
	require.Equal(t, e.AccessToken, token(t, s, ""))
	require.NotEqual(t, e.AccessToken, token(t, s, e.AccessToken))
	kept, err := client.Store.Load(w.mcp)
	require.NoError(t, err)
	require.Equal(t, e.RefreshToken, kept.RefreshToken)
}

func TestWithoutALoginThereIsNoToken(t *testing.T) {
	t.Parallel()
	w, through := remote()
	client := &oauth.Client{Server: w.mcp, Store: &oauth.Memory{}, Transport: through}
	login(t, client)
	require.NotEmpty(t, token(t, source(t, client), ""))
	for _, other := range []string{"https://mcp.example.com/mcp2", "https://evil.example.com/mcp", "https://mcp.example.com:8443/mcp", "https://mcp.example.com/mcp?a=b"} {
		require.Empty(t, token(t, source(t, &oauth.Client{Server: other, Store: client.Store, Transport: through}), ""), other)
	}
	require.NotEmpty(t, token(t, source(t, &oauth.Client{Server: "HTTPS://MCP.example.com:443/mcp", Store: client.Store, Transport: through}), ""))
}

func TestAConfiguredClient(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		methods []string
		basic   bool
	}{"basic": {nil, true}, "post": {[]string{"client_secret_post"}, false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, through := remote()
			w.metadata = func(m map[string]any) {
				delete(m, "registration_endpoint")
				m["token_endpoint_auth_methods_supported"] = test.methods
			}
			client := &oauth.Client{Server: w.mcp, Store: &oauth.Memory{}, Transport: through, ClientID: "my client", Scopes: []string{"read"}}
			if test.basic {
				client.ClientSecret = "secret-of-mine"
				w.answer = func(url.Values) { // the id is in the header then
					for _, asked := range w.codes {
						asked.Del("client_id")
					}
				}
			}
			login(t, client)
			require.Empty(t, w.clients)
			require.Equal(t, test.basic, w.seen["auth.example.com"]["Basic bXkrY2xpZW50OnNlY3JldC1vZi1taW5l"])
			require.Equal(t, !test.basic, w.tokens[0].Get("client_id") == "my client")
			w.metadata = func(m map[string]any) { delete(m, "registration_endpoint") }
			client.ClientID, client.ClientSecret = "", ""
			_, err := client.Login(t.Context(), func(string) {})
			require.ErrorContains(t, err, "registers no clients by itself; register one there, and set its client_id")
		})
	}
}

func TestAServerOfTheOlderProtocol(t *testing.T) {
	t.Parallel()
	w, through := remote()
	w.auth, w.header = "https://mcp.example.com", "Bearer"
	w.instead["/.well-known/oauth-protected-resource/mcp"] = http.NotFound
	login(t, &oauth.Client{Server: w.mcp, Store: &oauth.Memory{}, Transport: through})
}

func TestAnOpenIDProvider(t *testing.T) {
	t.Parallel()
	w, through := remote()
	w.instead["/.well-known/oauth-authorization-server/tenant"] = http.NotFound
	w.instead["/.well-known/openid-configuration/tenant"] = http.NotFound
	w.instead["/tenant/.well-known/openid-configuration"] = func(out http.ResponseWriter, _ *http.Request) {
		w.document(out, nil, map[string]any{
			"issuer": "https://auth.example.com/tenant", "authorization_endpoint": w.auth + "/authorize", "token_endpoint": w.auth + "/token",
			"registration_endpoint": w.auth + "/register", "code_challenge_methods_supported": []string{"S256"},
		})
	}
	w.resource = func(m map[string]any) { m["authorization_servers"] = []string{"https://auth.example.com/tenant"} }
	w.answer = func(v url.Values) { v.Del("iss") }
	e := login(t, &oauth.Client{Server: w.mcp, Store: &oauth.Memory{}, Transport: through})
	require.Equal(t, "https://auth.example.com/tenant", e.Issuer)
}

func TestHostileServers(t *testing.T) {
	t.Parallel()
	redirect := func(to string) http.HandlerFunc {
		return func(out http.ResponseWriter, r *http.Request) {
			http.Redirect(out, r, to, http.StatusTemporaryRedirect)
		}
	}
	for name, test := range map[string]struct {
		change func(*world)
		want   string
	}{
		"metadata elsewhere": {func(w *world) {
			w.header = `Bearer resource_metadata="https://evil.example.com/.well-known/oauth-protected-resource"`
		}, "the server names metadata of another server, evil.example.com"},
		"metadata without TLS": {func(w *world) { w.header = `Bearer resource_metadata="http://mcp.example.com/x"` }, "does not begin with https://"},
		"another resource": {func(w *world) {
			w.resource = func(m map[string]any) { m["resource"] = "https://bank.example.com/mcp" }
		}, "about another resource"},
		"a longer path": {func(w *world) {
			w.resource = func(m map[string]any) { m["resource"] = "https://mcp.example.com/mc" }
		}, "about another resource"},
		"no authorization server": {func(w *world) {
			w.resource = func(m map[string]any) { delete(m, "authorization_servers") }
		}, "names no authorization server"},
		"an authorization server on this machine": {func(w *world) {
			w.resource = func(m map[string]any) { m["authorization_servers"] = []string{"http://127.0.0.1:8080"} }
		}, "is on this machine, but the server is not"},
		"an authorization server without TLS": {func(w *world) {
			w.resource = func(m map[string]any) { m["authorization_servers"] = []string{"http://auth.example.com"} }
		}, "does not begin with https://"},
		"another issuer": {func(w *world) {
			w.metadata = func(m map[string]any) { m["issuer"] = "https://bank.example.com" }
		}, "its metadata is about another issuer"},
		"a token endpoint on this machine": {func(w *world) {
			w.metadata = func(m map[string]any) { m["token_endpoint"] = "https://localhost/token" }
		}, "token_endpoint: \"https://localhost/token\" is on this machine"},
		"an authorization endpoint that is a script": {func(w *world) {
			w.metadata = func(m map[string]any) { m["authorization_endpoint"] = "javascript:alert(1)" }
		}, "authorization_endpoint"},
		"no PKCE": {func(w *world) { w.metadata = func(m map[string]any) { delete(m, "code_challenge_methods_supported") } }, "PKCE with S256"},
		"plain PKCE": {func(w *world) {
			w.metadata = func(m map[string]any) { m["code_challenge_methods_supported"] = []string{"plain"} }
		}, "PKCE with S256"},
		"an answer of another issuer": {func(w *world) {
			w.answer = func(v url.Values) { v.Set("iss", "https://bank.example.com") }
		}, "from another authorization server"},
		"an answer without the issuer": {func(w *world) { w.answer = func(v url.Values) { v.Del("iss") } }, "does not name the authorization server"},
		"a refusal": {func(w *world) {
			w.answer = func(v url.Values) {
				v.Del("code")
				v.Set("error", "access_denied")
				v.Set("error_description", "no\x1b[2J")
			}
		}, `refuses the login: it answers "access_denied": no [2J`},
		"no code":            {func(w *world) { w.answer = func(v url.Values) { v.Del("code") } }, "has no code"},
		"a redirected token": {func(w *world) { w.instead["/token"] = redirect("https://evil.example.com/token") }, "redirects to another place"},
		"a redirected token, same host": {func(w *world) {
			w.instead["/token"] = redirect("https://auth.example.com/other")
		}, "redirects to another place"},
		"redirected metadata": {func(w *world) {
			w.instead["/.well-known/oauth-authorization-server"] = redirect("https://evil.example.com/x")
		}, "redirects to another place"},
		"a redirected registration": {func(w *world) { w.instead["/register"] = redirect("https://evil.example.com/register") }, "redirects to another place"},
		"an endless document": {func(w *world) {
			w.resource = func(m map[string]any) { m["x"] = strings.Repeat("x", 2<<20) }
		}, "more than 1048576 bytes"},
		"a page": {func(w *world) {
			w.instead["/.well-known/oauth-protected-resource/mcp"] = func(out http.ResponseWriter, _ *http.Request) { _, _ = out.Write([]byte("<html>")) }
		}, "does not answer with JSON"},
		"another kind of token": {func(w *world) { w.token = func(m map[string]any) { m["token_type"] = "DPoP" } }, `of the type "DPoP"`},
		"no token":              {func(w *world) { w.token = func(m map[string]any) { delete(m, "access_token") } }, "without a usable token"},
		"a token with a break":  {func(w *world) { w.token = func(m map[string]any) { m["access_token"] = "a\r\nX-Evil: b" } }, "without a usable token"},
		"an endless token":      {func(w *world) { w.token = func(m map[string]any) { m["access_token"] = strings.Repeat("x", 100<<10) } }, "without a usable token"},
		"many scopes": {func(w *world) {
			w.resource = func(m map[string]any) { m["scopes_supported"] = make([]string, 1000) }
		}, "more than 100 scopes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, through := remote()
			test.change(w)
			client := &oauth.Client{Server: w.mcp, Store: &oauth.Memory{}, Transport: through}
			_, err := client.Login(t.Context(), browse(t, through))
			require.ErrorContains(t, err, test.want)
			kept, err := client.Store.Load(w.mcp)
			require.NoError(t, err)
			require.Nil(t, kept)
			for host := range w.seen {
				require.NotContains(t, host, "evil")
			}
		})
	}
}

// Any program, and any web page, can visit the address of the browser's return.
func TestOtherVisitorsDoNotEndALogin(t *testing.T) {
	t.Parallel()
	w, through := remote()
	client := &oauth.Client{Server: w.mcp, Store: &oauth.Memory{}, Transport: through}
	_, err := client.Login(t.Context(), func(address string) {
		u, err := url.Parse(address)
		require.NoError(t, err)
		require.Equal(t, "a", u.Query().Get("tenant"))
		back := u.Query().Get("redirect_uri")
		for _, visited := range []string{"?code=evil&state=x", "?code=evil", "?error=access_denied", "x"} {
			require.Equal(t, http.StatusBadRequest, visit(t, back+visited))
		}
		browse(t, through)(address)
	})
	require.NoError(t, err)
}

func TestAnotherIssuerIsRefused(t *testing.T) {
	t.Parallel()
	w, through := remote()
	client := &oauth.Client{Server: w.mcp, Store: &oauth.Memory{}, Transport: through, ClientID: "a", ClientSecret: "secret-of-mine", Issuer: "https://login.example.com"}
	_, err := client.Login(t.Context(), func(string) {})
	require.ErrorContains(t, err, "names the authorization server https://auth.example.com, and not the configured issuer https://login.example.com")
	client.Issuer = w.auth + "/"
	client.ClientSecret = ""
	login(t, client)
}

func TestALoginEndsWithItsContext(t *testing.T) {
	t.Parallel()
	w, through := remote()
	ctx, stop := context.WithCancel(t.Context())
	_, err := (&oauth.Client{Server: w.mcp, Store: &oauth.Memory{}, Transport: through}).Login(ctx, func(string) { stop() })
	require.ErrorIs(t, err, context.Canceled)
}

func TestADeviceCode(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, through := remote()
		w.slow = true
		client := &oauth.Client{Server: w.mcp, Store: &oauth.Memory{}, Transport: through}
		start := time.Now()
		e, err := client.LoginDevice(t.Context(), func(code oauth.DeviceCode) {
			require.Equal(t, oauth.DeviceCode{Address: "https://auth.example.com/activate", Code: "ABCD [2J"}, code)
			time.AfterFunc(20*time.Second, func() {
				w.mu.Lock()
				defer w.mu.Unlock()
				w.approved = true
			})
		})
		require.NoError(t, err)
		require.Equal(t, 23*time.Second, time.Since(start), "after 2 seconds, and then each 7")
		require.Equal(t, 4, w.polls)
		require.Equal(t, e.AccessToken, token(t, source(t, client), ""))
		require.Equal(t, []any{"urn:ietf:params:oauth:grant-type:device_code", "refresh_token"}, w.clients[e.ClientID]["grant_types"])
	})
}

func TestADeviceCodeExpires(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, through := remote()
		_, err := (&oauth.Client{Server: w.mcp, Store: &oauth.Memory{}, Transport: through}).LoginDevice(t.Context(), func(oauth.DeviceCode) {})
		require.EqualError(t, err, "the device code has expired; log in again")
		w.metadata = func(m map[string]any) { delete(m, "device_authorization_endpoint") }
		_, err = (&oauth.Client{Server: w.mcp, Store: &oauth.Memory{}, Transport: through}).LoginDevice(t.Context(), nil)
		require.ErrorContains(t, err, "offers no login with a device code")
	})
}

func TestALogoutRevokes(t *testing.T) {
	t.Parallel()
	w, through := remote()
	client := &oauth.Client{Server: w.mcp, Store: &oauth.Memory{}, Transport: through}
	e := login(t, client)
	found, err := client.Logout(t.Context())
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, []string{e.RefreshToken}, w.revoked)
	found, err = client.Logout(t.Context())
	require.NoError(t, err)
	require.False(t, found)

	login(t, client)
	w.instead["/revoke"] = http.NotFound
	found, err = client.Logout(t.Context())
	require.True(t, found)
	require.ErrorContains(t, err, "the tokens were removed here, but the authorization server https://auth.example.com did not revoke them")
	require.Empty(t, token(t, source(t, client), ""))
}

func TestFilesAreTheirOwnersOnly(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "b")
	files := oauth.OpenFiles(dir)
	e, err := files.Load("https://x/mcp")
	require.NoError(t, err)
	require.Nil(t, e)
	require.NoError(t, files.Save("https://x/mcp", &oauth.Entry{Server: "https://x/mcp", AccessToken: "secret-token"}))
	made, err := os.ReadDir(dir)
	require.NoError(t, err)
	path := filepath.Join(dir, made[0].Name())
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	folder, err := os.Stat(dir)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), folder.Mode().Perm())

	require.NoError(t, os.Chmod(path, 0o644))
	_, err = files.Load("https://x/mcp")
	require.ErrorContains(t, err, "others can read it")
	require.NoError(t, os.Chmod(path, 0o600))
	for _, text := range []string{`{"server":"https://y/mcp","access_token":"secret-token"}`, `{"server":"https://x/mcp"}`, "secret-token", strings.Repeat("x", 1<<20)} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err = files.Load("https://x/mcp")
		require.ErrorContains(t, err, "log in again")
		require.NotContains(t, err.Error(), "secret-token")
	}
}

func TestALockWaitsForItsHolder(t *testing.T) {
	t.Parallel()
	for name, store := range map[string]oauth.Store{"files": oauth.OpenFiles(t.TempDir()), "memory": &oauth.Memory{}} {
		unlock, err := store.Lock(t.Context(), "k")
		require.NoError(t, err, name)
		ended, stop := context.WithCancel(t.Context())
		stop()
		_, err = store.Lock(ended, "k")
		require.ErrorIs(t, err, context.Canceled, name)
		unlock()
		unlock, err = store.Lock(t.Context(), "k")
		require.NoError(t, err, name)
		unlock()
	}
}

func TestClientsThatAreWrong(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		client oauth.Client
		want   string
	}{
		{oauth.Client{Server: "http://mcp.example.com"}, "needs a URL that begins with https://"},
		{oauth.Client{Server: "https://a:b@mcp.example.com"}, "the URL is invalid"},
		{oauth.Client{Server: "https://x", ClientSecret: "x"}, "client_secret: it needs a client_id"},
		{oauth.Client{Server: "https://x", RedirectPort: 70000}, "redirect_port"},
		{oauth.Client{Server: "https://x", Scopes: []string{"a b"}}, "scopes"},
	} {
		require.ErrorContains(t, test.client.Check(), test.want)
		_, err := oauth.NewSource(test.client)
		require.ErrorContains(t, err, test.want)
	}
}
