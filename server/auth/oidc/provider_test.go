package oidc_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// provider is an OpenID Connect provider.
type provider struct {
	issuer string

	mu        sync.Mutex
	keys      []map[string]any
	down      bool // answers 500, or not at all
	discovers int
	fetches   int
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var answer map[string]any
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		p.discovers++
		answer = map[string]any{"issuer": p.issuer, "jwks_uri": p.issuer + "/keys", "id_token_signing_alg_values_supported": []string{"HS256", "none"}}
	case "/keys":
		p.fetches++
		answer = map[string]any{"keys": p.keys}
	default:
		http.NotFound(w, r)
		return
	}
	if p.down {
		http.Error(w, "down", http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	text, err := json.Marshal(answer)
	if err != nil {
		panic(err)
	}
	_, _ = w.Write(text)
}

// set replaces the keys.
func (p *provider) set(keys ...map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keys = keys
}

func (p *provider) setDown(down bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = down
}

func (p *provider) counts() (discovers, fetches int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.discovers, p.fetches
}

// startProvider starts a provider with one RSA key named k1.
func startProvider(t *testing.T) (*provider, *rsa.PrivateKey) {
	t.Helper()
	p := &provider{}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	p.issuer = server.URL
	key, _ := rsaKeys()
	p.set(jwk(t, "k1", key.Public()))
	return p, key
}

// RoundTrip lets a provider answer without a network, for tests in a bubble.
func (p *provider) RoundTrip(r *http.Request) (*http.Response, error) {
	p.mu.Lock()
	down := p.down
	p.mu.Unlock()
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	if down {
		return nil, errors.New("connection refused")
	}
	return w.Result(), nil
}

// rsaKeys makes the two keys of all tests: to make one takes a while.
var rsaKeys = sync.OnceValues(func() (first, second *rsa.PrivateKey) {
	keys := [2]*rsa.PrivateKey{}
	for i := range keys {
		key, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			panic(err)
		}
		keys[i] = key
	}
	return keys[0], keys[1]
})

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// jwk returns a public key as a provider publishes it.
func jwk(t *testing.T, id string, key crypto.PublicKey) map[string]any {
	t.Helper()
	switch k := key.(type) {
	case *rsa.PublicKey:
		return map[string]any{"kty": "RSA", "kid": id, "use": "sig", "n": encode(k.N.Bytes()), "e": encode(big.NewInt(int64(k.E)).Bytes())}
	case *ecdsa.PublicKey:
		point, err := k.Bytes()
		require.NoError(t, err)
		return map[string]any{"kty": "EC", "kid": id, "crv": "P-256", "x": encode(point[1:33]), "y": encode(point[33:])}
	case ed25519.PublicKey:
		return map[string]any{"kty": "OKP", "kid": id, "crv": "Ed25519", "x": encode(k)}
	default:
		require.FailNow(t, "no such key")
		return nil
	}
}

// object is a part of a token.
type object map[string]any

// sign makes a token. The key decides on the algorithm; a []byte is a secret of HS256, and nil signs nothing.
func sign(t *testing.T, header, claims object, key any) string {
	t.Helper()
	all := object{"typ": "JWT", "kid": "k1"}
	switch key.(type) {
	case *rsa.PrivateKey:
		all["alg"] = "RS256"
	case *ecdsa.PrivateKey:
		all["alg"] = "ES256"
	case ed25519.PrivateKey:
		all["alg"] = "EdDSA"
	case []byte:
		all["alg"] = "HS256"
	case nil:
		all["alg"] = "none"
	}
	maps.Copy(all, header)
	text := encode(marshal(t, all)) + "." + encode(marshal(t, claims))
	sum := sha256.Sum256([]byte(text))
	var signature []byte
	var err error
	switch k := key.(type) {
	case *rsa.PrivateKey:
		signature, err = k.Sign(rand.Reader, sum[:], crypto.SHA256)
	case *ecdsa.PrivateKey:
		var r, s *big.Int
		r, s, err = ecdsa.Sign(rand.Reader, k, sum[:])
		signature = append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
	case ed25519.PrivateKey:
		signature = ed25519.Sign(k, []byte(text))
	case []byte:
		mac := hmac.New(sha256.New, k)
		mac.Write([]byte(text))
		signature = mac.Sum(nil)
	}
	require.NoError(t, err)
	return text + "." + encode(signature)
}

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return b
}

func ecKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	return key
}
