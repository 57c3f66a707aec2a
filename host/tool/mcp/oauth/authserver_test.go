package oauth_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// world is an MCP server that needs a token, and an authorization server that gives tokens. Each refresh token works once.
type world struct {
	mcp, auth string // their addresses
	serve     http.Handler

	mu       sync.Mutex
	n        int
	codes    map[string]url.Values // the request for each code
	access   map[string]bool       // valid access tokens
	refresh  map[string]bool       // valid refresh tokens
	renewed  int
	reused   int // refresh tokens that were used twice
	revoked  []string
	polls    int
	clients  map[string]map[string]any
	tokens   []url.Values // requests for tokens
	approved bool         // the user has typed the device code
	slow     bool         // the device endpoint asks to slow down once

	// what the servers answer in another way
	metadata func(map[string]any)        // of the authorization server
	resource func(map[string]any)        // of the MCP server
	header   string                      // of the refusal by the MCP server
	answer   func(url.Values)            // the redirect back
	token    func(map[string]any)        // the answer with tokens
	instead  map[string]http.HandlerFunc // other handlers for paths
	seen     map[string]map[string]bool  // authorization headers by host
}

func newWorld(mcp, auth string) *world {
	return &world{
		mcp: mcp, auth: auth, codes: map[string]url.Values{}, access: map[string]bool{}, refresh: map[string]bool{},
		clients: map[string]map[string]any{}, instead: map[string]http.HandlerFunc{}, seen: map[string]map[string]bool{},
	}
}

// ServeHTTP serves both servers.
func (w *world) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	if h := r.Header.Get("Authorization"); h != "" {
		if w.seen[r.Host] == nil {
			w.seen[r.Host] = map[string]bool{}
		}
		w.seen[r.Host][h] = true
	}
	other := w.instead[r.URL.Path]
	w.mu.Unlock()
	if other != nil {
		other(out, r)
		return
	}
	switch r.URL.Path {
	case "/mcp":
		w.serveMCP(out, r)
	case "/.well-known/oauth-protected-resource/mcp":
		w.document(out, w.resource, map[string]any{
			"resource": w.mcp, "authorization_servers": []string{w.auth}, "scopes_supported": []string{"read", "write"},
		})
	case "/.well-known/oauth-authorization-server":
		w.document(out, w.metadata, map[string]any{
			"issuer": w.auth, "authorization_endpoint": w.auth + "/authorize?tenant=a", "token_endpoint": w.auth + "/token",
			"registration_endpoint": w.auth + "/register", "device_authorization_endpoint": w.auth + "/device",
			"revocation_endpoint": w.auth + "/revoke", "code_challenge_methods_supported": []string{"plain", "S256"},
			"authorization_response_iss_parameter_supported": true, "scopes_supported": []string{"read", "write", "offline_access"},
		})
	case "/register":
		w.register(out, r)
	case "/authorize":
		w.authorize(out, r)
	case "/token":
		w.giveToken(out, r)
	case "/device":
		w.document(out, nil, map[string]any{
			"device_code": "device-code-1", "user_code": "ABCD\x1b[2J", "verification_uri": w.auth + "/activate", "expires_in": 600, "interval": 2,
		})
	case "/revoke":
		_ = r.ParseForm()
		w.mu.Lock()
		defer w.mu.Unlock()
		w.revoked = append(w.revoked, r.PostForm.Get("token"))
	default:
		http.NotFound(out, r)
	}
}

func (w *world) document(out http.ResponseWriter, change func(map[string]any), document map[string]any) {
	if change != nil {
		change(document)
	}
	out.Header().Set("Content-Type", "application/json")
	text, err := json.Marshal(document)
	if err != nil {
		panic(err)
	}
	_, _ = out.Write(text) // the client may be gone
}

func (w *world) refuse(out http.ResponseWriter, code string) {
	out.Header().Set("Content-Type", "application/json")
	out.WriteHeader(http.StatusBadRequest)
	_, _ = fmt.Fprintf(out, `{"error":%q,"error_description":"because"}`, code)
}

func (w *world) serveMCP(out http.ResponseWriter, r *http.Request) {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	w.mu.Lock()
	valid := ok && w.access[token]
	w.mu.Unlock()
	if !valid {
		header := w.header
		if header == "" {
			header = `Bearer error="invalid_token", resource_metadata="` + strings.TrimSuffix(w.mcp, "/mcp") + `/.well-known/oauth-protected-resource/mcp"`
		}
		out.Header().Set("WWW-Authenticate", header)
		http.Error(out, "the token "+token+" is not valid", http.StatusUnauthorized)
		return
	}
	w.serve.ServeHTTP(out, r)
}

func (w *world) register(out http.ResponseWriter, r *http.Request) {
	var asked map[string]any
	_ = json.NewDecoder(r.Body).Decode(&asked)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.n++
	id := fmt.Sprint("client-", w.n)
	w.clients[id] = asked
	asked["client_id"] = id
	w.document(out, nil, asked)
}

func (w *world) authorize(out http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	w.mu.Lock()
	w.n++
	code := fmt.Sprint("code-", w.n)
	w.codes[code] = query
	w.mu.Unlock()
	back := url.Values{"code": {code}, "state": {query.Get("state")}, "iss": {w.auth}}
	if w.answer != nil {
		w.answer(back)
	}
	http.Redirect(out, r, query.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

func (w *world) giveToken(out http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	form := r.PostForm
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tokens = append(w.tokens, form)
	switch form.Get("grant_type") {
	case "authorization_code":
		asked, ok := w.codes[form.Get("code")]
		delete(w.codes, form.Get("code"))
		sum := sha256.Sum256([]byte(form.Get("code_verifier")))
		if !ok || asked.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]) || asked.Get("code_challenge_method") != "S256" ||
			asked.Get("redirect_uri") != form.Get("redirect_uri") || asked.Get("client_id") != form.Get("client_id") ||
			asked.Get("resource") != form.Get("resource") {
			w.refuse(out, "invalid_grant")
			return
		}
	case "refresh_token":
		if !w.refresh[form.Get("refresh_token")] {
			w.reused++
			w.refuse(out, "invalid_grant")
			return
		}
		delete(w.refresh, form.Get("refresh_token"))
		w.renewed++
	default:
		w.polls++
		switch {
		case w.slow:
			w.slow = false
			w.refuse(out, "slow_down")
			return
		case !w.approved:
			w.refuse(out, "authorization_pending")
			return
		}
	}
	w.n++
	access, refresh := fmt.Sprint("access-token-", w.n), fmt.Sprint("refresh-token-", w.n)
	w.access, w.refresh[refresh] = map[string]bool{access: true}, true
	w.document(out, w.token, map[string]any{
		"access_token": access, "token_type": "Bearer", "expires_in": 3600, "refresh_token": refresh, "scope": "read write",
	})
}

// onThisMachine serves the world over HTTP on this machine.
func onThisMachine(t *testing.T) *world {
	t.Helper()
	w := newWorld("", "")
	web := httptest.NewServer(w)
	t.Cleanup(web.Close)
	w.mcp, w.auth = web.URL+"/mcp", web.URL
	server := sdk.NewServer(&sdk.Implementation{Name: "x", Version: "1"}, nil)
	server.AddTool(&sdk.Tool{Name: "hello", InputSchema: map[string]any{"type": "object"}}, say("hi"))
	t.Cleanup(func() { // a client without a valid token cannot end its session
		for session := range server.Sessions() {
			_ = session.Close()
		}
	})
	w.serve = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
	return w
}

// remote is a world in a network of its own, on other machines: requests for its hosts go to it, and all others fail.
func remote() (*world, http.RoundTripper) {
	w := newWorld("https://mcp.example.com/mcp", "https://auth.example.com")
	return w, transport(func(req *http.Request) (*http.Response, error) {
		if req.URL.Scheme != "https" || !strings.HasSuffix(req.URL.Host, ".example.com") {
			return nil, errors.New("a request for " + req.URL.Host)
		}
		in := httptest.NewRequestWithContext(req.Context(), req.Method, req.URL.String(), req.Body)
		in.Header = req.Header.Clone()
		out := httptest.NewRecorder()
		w.ServeHTTP(out, in)
		response := out.Result()
		response.Request = req
		return response, nil
	})
}

type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(req *http.Request) (*http.Response, error) { return t(req) }

// browse is the user's browser: it visits the address and follows the redirect back.
func browse(t *testing.T, through http.RoundTripper) func(string) {
	t.Helper()
	client := &http.Client{Transport: through, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	t.Cleanup(client.CloseIdleConnections)
	return func(address string) {
		response := get(t, client, address)
		require.NoError(t, response.Body.Close())
		if back := response.Header.Get("Location"); back != "" {
			visit(t, back)
		}
	}
}

// visit requests an address on this machine.
func visit(t *testing.T, address string) (status int) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response := get(t, client, address)
	require.NoError(t, response.Body.Close())
	return response.StatusCode
}

func get(t *testing.T, client *http.Client, address string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	require.NoError(t, err)
	response, err := client.Do(req)
	require.NoError(t, err)
	return response
}
