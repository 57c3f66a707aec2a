package mcp_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// startProvider starts an OpenID Connect provider that gives the client carol a token, and returns its issuer.
func startProvider(t *testing.T) string {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	encode := base64.RawURLEncoding.EncodeToString
	mux := http.NewServeMux()
	provider := httptest.NewServer(mux)
	t.Cleanup(provider.Close)
	type object = map[string]any
	answer := func(w http.ResponseWriter, document any) {
		w.Header().Set("Content-Type", "application/json")
		text, err := json.Marshal(document)
		if err != nil {
			panic(err)
		}
		_, _ = w.Write(text)
	}
	describe := func(w http.ResponseWriter, _ *http.Request) {
		answer(w, object{
			"issuer": provider.URL, "jwks_uri": provider.URL + "/keys", "authorization_endpoint": provider.URL + "/authorize",
			"token_endpoint": provider.URL + "/token", "response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"},
			"grant_types_supported": []string{"client_credentials"}, "token_endpoint_auth_methods_supported": []string{"client_secret_basic"},
			"id_token_signing_alg_values_supported": []string{"EdDSA"}, "code_challenge_methods_supported": []string{"S256"},
		})
	}
	mux.HandleFunc("GET /.well-known/openid-configuration", describe)
	mux.HandleFunc("GET /.well-known/oauth-authorization-server", describe)
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, object{"keys": []object{{"kty": "OKP", "kid": "k1", "crv": "Ed25519", "use": "sig", "x": encode(public)}}})
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		if name, secret, ok := r.BasicAuth(); !ok || name != "carol" || secret != "secret" {
			w.WriteHeader(http.StatusUnauthorized)
			answer(w, object{"error": "invalid_client"})
			return
		}
		header, _ := json.Marshal(object{"typ": "JWT", "alg": "EdDSA", "kid": "k1"})
		claims, _ := json.Marshal(object{
			"iss": provider.URL, "sub": "carol", "aud": "agenthost", "scope": r.FormValue("scope"),
			"iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix(),
		})
		signed := encode(header) + "." + encode(claims)
		answer(w, object{
			"access_token": signed + "." + encode(ed25519.Sign(private, []byte(signed))), "token_type": "Bearer", "expires_in": 3600,
			"scope": r.FormValue("scope"),
		})
	})
	return provider.URL
}
