package cloudservers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// Azure is an account of Azure.
type Azure struct {
	Deployment string
	APIKey     string
	Version    string // the dated version of the API that the server has; "": the API v1

	mu     sync.Mutex
	tokens map[string]bool
}

// Admit makes the server accept a token.
func (a *Azure) Admit(token string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.tokens == nil {
		a.tokens = map[string]bool{}
	}
	a.tokens[token] = true
}

// AzureOpenAI starts a server of Azure OpenAI. It checks the key or the token of each request.
func AzureOpenAI(t testing.TB, upstream string, account *Azure) *Server {
	t.Helper()
	return start(t, upstream, azure{account})
}

// Entra starts a token server of Entra ID over TLS. It gives tokens for one client secret.
func Entra(t testing.TB, account *Azure, tenant, client, secret string) *httptest.Server {
	t.Helper()
	var s *httptest.Server
	given := 0
	s = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		base := s.URL + "/" + tenant
		switch r.URL.Path {
		case "/" + tenant + "/v2.0/.well-known/openid-configuration":
			writeJSON(w, map[string]string{
				"issuer": base + "/v2.0", "authorization_endpoint": base + "/oauth2/v2.0/authorize", "token_endpoint": base + "/oauth2/v2.0/token",
			})
		case "/" + tenant + "/oauth2/v2.0/token":
			if r.PostFormValue("client_id") != client || r.PostFormValue("client_secret") != secret ||
				!strings.Contains(r.PostFormValue("scope"), "https://cognitiveservices.azure.com/.default") {
				w.WriteHeader(http.StatusUnauthorized)
				_, _ = fmt.Fprint(w, `{"error":"invalid_client","error_description":"AADSTS7000215: Invalid client secret provided."}`)
				return
			}
			given++
			token := fmt.Sprintf("eyJ0eXAi.token-%d", given)
			account.Admit(token)
			_, _ = fmt.Fprintf(w, `{"token_type":"Bearer","expires_in":3599,"ext_expires_in":3599,"access_token":%q}`, token)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

type azure struct{ account *Azure }

var deployed = regexp.MustCompile(`^/openai/deployments/([^/]+)/(chat/completions)$`)

func (a azure) admit(r *http.Request, body []byte) (string, []byte, *refusal) {
	token, isToken := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	a.account.mu.Lock()
	known := a.account.tokens[token]
	a.account.mu.Unlock()
	if key := r.Header.Get("Api-Key"); (key == "" || key != a.account.APIKey) && (!isToken || !known) {
		return "", nil, refuse(http.StatusUnauthorized, "401", "Access denied due to invalid subscription key or wrong API endpoint.")
	}
	var asked struct {
		Model string `json:"model"`
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		return "", nil, refuse(http.StatusBadRequest, "BadRequest", "%v", err)
	}
	version := r.URL.Query().Get("api-version")
	var path string
	deployment := asked.Model
	switch match := deployed.FindStringSubmatch(r.URL.Path); {
	case version != a.account.Version:
		return "", nil, refuse(http.StatusNotFound, "404", "Resource not found")
	case version == "" && strings.HasPrefix(r.URL.Path, "/openai/v1/"):
		path = strings.TrimPrefix(r.URL.Path, "/openai")
	case match != nil:
		path, deployment = "/v1/"+match[2], match[1]
	case version != "" && r.URL.Path == "/openai/responses":
		path = "/v1/responses"
	default:
		return "", nil, refuse(http.StatusNotFound, "404", "Resource not found")
	}
	if deployment != a.account.Deployment {
		return "", nil, refuse(http.StatusNotFound, "DeploymentNotFound", "The API deployment for this resource does not exist.")
	}
	return path, body, nil
}

func (azure) fail(w http.ResponseWriter, r *refusal) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(r.status)
	failure := map[string]any{"message": r.text}
	if r.code != "" {
		failure["code"] = r.code
	}
	writeJSON(w, map[string]any{"error": failure})
}

func (azure) pass(w http.ResponseWriter, resp *http.Response) error { return copied(w, resp) }
