package cloudservers

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Google is an account of Google Cloud with a token server of its own.
type Google struct {
	Project  string
	Location string
	KeyFile  string // of a service account, whose tokens come from the account's server

	mu     sync.Mutex
	tokens map[string]bool
	refuse string // the error that the token server answers with; "": it gives tokens
}

// Variables returns the environment variables for the account.
func (g *Google) Variables() map[string]string {
	return map[string]string{"GOOGLE_APPLICATION_CREDENTIALS": g.KeyFile, "GOOGLE_CLOUD_LOCATION": g.Location}
}

// Refuse makes the token server answer with an error, such as "invalid_grant".
func (g *Google) Refuse(code string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.refuse = code
}

// Admit makes the server accept a token that the account's token server has not given.
func (g *Google) Admit(token string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.tokens == nil {
		g.tokens = map[string]bool{}
	}
	g.tokens[token] = true
}

// GoogleAccount makes an account with a new key, and starts its token server.
func GoogleAccount(t testing.TB) *Google {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	encoded, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	g := &Google{Project: "my-project", Location: "europe-west4", tokens: map[string]bool{}}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { g.token(w, r, &key.PublicKey) }))
	t.Cleanup(s.Close)
	content, err := json.Marshal(map[string]string{
		"type": "service_account", "project_id": g.Project, "private_key_id": "1", "client_email": "agent@my-project.iam.gserviceaccount.com",
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded})), "token_uri": s.URL + "/token",
	})
	require.NoError(t, err)
	g.KeyFile = filepath.Join(t.TempDir(), "key.json")
	require.NoError(t, os.WriteFile(g.KeyFile, content, 0o600))
	return g
}

// token gives a token for an assertion that the account's key has signed: https://datatracker.ietf.org/doc/html/rfc7523.
func (g *Google) token(w http.ResponseWriter, r *http.Request, key *rsa.PublicKey) {
	g.mu.Lock()
	defer g.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if why := g.refuse; why != "" || !asserted(r, key) {
		if why == "" {
			why = "invalid_grant"
		}
		w.WriteHeader(http.StatusBadRequest)
		writeJSON(w, map[string]string{"error": why, "error_description": "Token has been expired or revoked.", "echo": r.PostFormValue("assertion")})
		return
	}
	token := fmt.Sprintf("ya29.token-%d", len(g.tokens)+1)
	g.tokens[token] = true
	_, _ = fmt.Fprintf(w, `{"access_token":%q,"token_type":"Bearer","expires_in":3600}`, token)
}

// asserted checks the signature and the time of an assertion.
func asserted(r *http.Request, key *rsa.PublicKey) bool {
	parts := strings.Split(r.PostFormValue("assertion"), ".")
	if len(parts) != 3 {
		return false
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil {
		return false
	}
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	var claims struct {
		Scope string `json:"scope"`
		Exp   int64  `json:"exp"`
	}
	content, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || json.Unmarshal(content, &claims) != nil {
		return false
	}
	return rsa.VerifyPKCS1v15(key, crypto.SHA256, sum[:], signature) == nil && strings.Contains(claims.Scope, "cloud-platform") &&
		time.Now().Unix() < claims.Exp
}

// Vertex starts a server of Vertex AI for the models of Google and Anthropic. It checks the token of each request.
func Vertex(t testing.TB, upstream string, account *Google) *Server {
	t.Helper()
	return start(t, upstream, vertex{account})
}

type vertex struct{ account *Google }

var prediction = regexp.MustCompile(`^/(v1|v1beta1)/projects/([^/]+)/locations/([^/]+)/publishers/(google|anthropic)/models/([^/:]+):([A-Za-z]+)$`)

func (v vertex) admit(r *http.Request, body []byte) (string, []byte, *refusal) {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	v.account.mu.Lock()
	known := v.account.tokens[token]
	v.account.mu.Unlock()
	if !known {
		return "", nil, refuse(http.StatusUnauthorized, "UNAUTHENTICATED", "Request had invalid authentication credentials.")
	}
	match := prediction.FindStringSubmatch(r.URL.Path)
	switch {
	case match == nil:
		return "", nil, refuse(http.StatusNotFound, "NOT_FOUND", "The requested URL %s was not found", r.RequestURI)
	case match[2] != v.account.Project:
		return "", nil, refuse(http.StatusForbidden, "PERMISSION_DENIED", "Permission 'aiplatform.endpoints.predict' denied on resource %q", match[2])
	case match[3] != v.account.Location:
		return "", nil, refuse(http.StatusNotFound, "NOT_FOUND", "Publisher Model %q was not found in %s", match[5], match[3])
	}
	if match[4] == "google" {
		path := "/v1beta/models/" + match[5] + ":" + match[6]
		if r.URL.RawQuery != "" {
			path += "?" + r.URL.RawQuery
		}
		return path, body, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		return "", nil, refuse(http.StatusBadRequest, "INVALID_ARGUMENT", "%v", err)
	}
	streams := map[string]string{"rawPredict": "", "streamRawPredict": "true"}
	want, ok := streams[match[6]]
	if !ok || string(fields["stream"]) != want || fields["model"] != nil || string(fields["anthropic_version"]) != `"vertex-2023-10-16"` {
		return "", nil, refuse(http.StatusBadRequest, "INVALID_ARGUMENT", "anthropic_version, model or stream")
	}
	name, _, _ := strings.Cut(match[5], "@")
	out, err := edited(body, map[string]any{"model": name, "anthropic_version": nil})
	if err != nil {
		return "", nil, refuse(http.StatusBadRequest, "INVALID_ARGUMENT", "%v", err)
	}
	return "/v1/messages", out, nil
}

func (vertex) fail(w http.ResponseWriter, r *refusal) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(r.status)
	failure := map[string]any{"code": r.status, "message": r.text}
	if r.code != "" {
		failure["status"] = r.code
	}
	writeJSON(w, map[string]any{"error": failure})
}

func (vertex) pass(w http.ResponseWriter, resp *http.Response) error { return copied(w, resp) }
