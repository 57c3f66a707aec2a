package oidc_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/server/auth"
	"github.com/agenthost/agenthost/server/auth/oidc"
)

func open(t *testing.T, config oidc.Config) *oidc.Authenticator {
	t.Helper()
	if config.Audience == "" {
		config.Audience = "agenthost"
	}
	a, err := oidc.New(config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	return a
}

func authenticate(t *testing.T, a auth.Authenticator, token string) (auth.Principal, error) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/threads", http.NoBody)
	r.Header.Set("Authorization", "Bearer "+token)
	return a.Authenticate(r)
}

// claims are those of a good token, with changes: a nil removes a claim.
func claims(issuer string, changes object) object {
	now := time.Now().Unix()
	all := object{"iss": issuer, "aud": "agenthost", "sub": "ada", "iat": now, "exp": now + 300}
	maps.Copy(all, changes)
	maps.DeleteFunc(all, func(_ string, value any) bool { return value == nil })
	return all
}

func TestToken(t *testing.T) {
	t.Parallel()
	p, key := startProvider(t)
	_, edKey, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	ec := ecKey(t)
	p.set(jwk(t, "k1", key.Public()), jwk(t, "k2", ec.Public()), jwk(t, "k3", edKey.Public()), map[string]any{"kty": "oct", "kid": "k4", "k": "c2VjcmV0"},
		map[string]any{"kty": "what"})
	config := oidc.Config{Issuer: p.issuer, ScopePrefix: "agenthost:", Scopes: []auth.Scope{auth.ScopeThreads}}
	discovered := open(t, config)
	config.KeysURL = p.issuer + "/keys"
	given := open(t, config)
	for name, test := range map[string]struct {
		token  string
		scopes []auth.Scope
	}{
		"RSA":              {sign(t, nil, claims(p.issuer, nil), key), nil},
		"ECDSA":            {sign(t, object{"kid": "k2"}, claims(p.issuer, nil), ec), nil},
		"Ed25519":          {sign(t, object{"kid": "k3"}, claims(p.issuer, nil), edKey), nil},
		"without a key id": {sign(t, object{"kid": ""}, claims(p.issuer, nil), ec), nil},
		"audiences":        {sign(t, nil, claims(p.issuer, object{"aud": []string{"x", "agenthost"}}), key), nil},
		"scope text":       {sign(t, nil, claims(p.issuer, object{"scope": "openid agenthost:runs store agenthost:root"}), key), []auth.Scope{auth.ScopeRuns}},
		"scope list":       {sign(t, nil, claims(p.issuer, object{"scope": []string{"agenthost:store"}}), key), []auth.Scope{auth.ScopeStore}},
		"scope number":     {sign(t, nil, claims(p.issuer, object{"scope": 7}), key), nil},
		"expired just now": {sign(t, nil, claims(p.issuer, object{"exp": time.Now().Unix() - 5}), key), nil},
		"issued soon":      {sign(t, nil, claims(p.issuer, object{"iat": time.Now().Unix() + 5}), key), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, a := range []auth.Authenticator{discovered, given} {
				got, err := authenticate(t, a, test.token)
				require.NoError(t, err)
				require.Equal(t, auth.Principal{Owner: "ada", Scopes: append(test.scopes, auth.ScopeThreads), Kind: "oidc", Name: "ada"}, got)
			}
		})
	}
}

func TestHostileTokens(t *testing.T) {
	t.Parallel()
	p, key := startProvider(t)
	a := open(t, oidc.Config{Issuer: p.issuer})
	_, other := rsaKeys()
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	require.NoError(t, err)
	good := sign(t, nil, claims(p.issuer, nil), key)
	part := strings.Split(good, ".")
	now := time.Now().Unix()
	changed := func(changes object) string { return sign(t, nil, claims(p.issuer, changes), key) }
	for name, token := range map[string]string{
		"alg none":              sign(t, nil, claims(p.issuer, nil), nil),
		"alg None":              sign(t, object{"alg": "None"}, claims(p.issuer, nil), nil),
		"no signature":          part[0] + "." + part[1] + ".",
		"HS256, public key":     sign(t, nil, claims(p.issuer, nil), pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})),
		"HS256, DER":            sign(t, nil, claims(p.issuer, nil), public),
		"HS256 said to be RSA":  sign(t, object{"alg": "RS256"}, claims(p.issuer, nil), public),
		"another key":           sign(t, nil, claims(p.issuer, nil), other),
		"another key, its jwk":  sign(t, object{"jwk": jwk(t, "k1", other.Public())}, claims(p.issuer, nil), other),
		"another key, jku":      sign(t, object{"jku": "http://127.0.0.1:1/keys"}, claims(p.issuer, nil), other),
		"kid is a path":         sign(t, object{"kid": "../../../../dev/null"}, claims(p.issuer, nil), []byte("")),
		"kid is a query":        sign(t, object{"kid": "k1' OR '1'='1"}, claims(p.issuer, nil), key),
		"kid is a URL":          sign(t, object{"kid": "http://127.0.0.1:1/"}, claims(p.issuer, nil), other),
		"kid is not a string":   sign(t, object{"kid": []int{1}}, claims(p.issuer, nil), key),
		"crit":                  sign(t, object{"crit": []string{"x"}, "x": 1}, claims(p.issuer, nil), key),
		"other claims":          part[0] + "." + encode(marshal(t, claims(p.issuer, object{"sub": "eve"}))) + "." + part[2],
		"expired":               changed(object{"exp": now - 60}),
		"no exp":                changed(object{"exp": nil}),
		"exp is a text":         changed(object{"exp": "never"}),
		"exp is beyond years":   changed(object{"exp": 1e300}),
		"not yet valid":         changed(object{"nbf": now + 60}),
		"issued tomorrow":       changed(object{"iat": now + 86400}),
		"audience of another":   changed(object{"aud": "grafana"}),
		"no audience":           changed(object{"aud": nil}),
		"issuer of another":     changed(object{"iss": p.issuer + "/"}),
		"no issuer":             changed(object{"iss": nil}),
		"no owner":              changed(object{"sub": nil}),
		"empty owner":           changed(object{"sub": ""}),
		"owner is a number":     changed(object{"sub": 7}),
		"owner with a line":     changed(object{"sub": "a\nb"}),
		"huge":                  changed(object{"x": strings.Repeat("x", 1<<20)}),
		"claims are a list":     part[0] + "." + encode([]byte("[]")) + "." + part[2],
		"header is not JSON":    encode([]byte("{")) + "." + part[1] + "." + part[2],
		"four parts":            good + ".x",
		"deep":                  encode([]byte(strings.Repeat("[", 8000))) + "." + part[1] + "." + part[2],
		"distributed claims":    changed(object{"_claim_names": map[string]string{"sub": "x"}}),
		"a zip bomb for a part": sign(t, object{"zip": "DEF", "enc": "A256GCM"}, claims(p.issuer, nil), other),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := authenticate(t, a, token)
			if name == "four parts" { // is not a token, so it may be a key
				require.ErrorIs(t, err, auth.ErrNoCredential)
				return
			}
			require.ErrorIs(t, err, auth.ErrBadCredential)
			require.Empty(t, got)
			require.NotContains(t, err.Error(), part[2])
		})
	}
	t.Run("two tokens", func(t *testing.T) {
		t.Parallel()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
		r.Header["Authorization"] = []string{"Bearer " + good, "Bearer " + good}
		_, err := a.Authenticate(r)
		require.ErrorIs(t, err, auth.ErrBadCredential)
	})
	t.Run("a key", func(t *testing.T) {
		t.Parallel()
		_, err := authenticate(t, a, "0123456789abcdef")
		require.ErrorIs(t, err, auth.ErrNoCredential)
	})
}

func TestOwnerClaim(t *testing.T) {
	t.Parallel()
	p, key := startProvider(t)
	for _, test := range []struct {
		claim  string
		token  object
		owner  string
		scopes string
	}{
		{"user.id", object{"user": object{"id": "u1"}}, "u1", ""},
		{"user.id", object{"user.id": "u2", "user": object{"id": "u1"}}, "u2", ""},
		{"user.id", object{"user": "u1"}, "", ""},
		{"https://x.example/id", object{"https://x.example/id": "u3"}, "u3", ""},
		{"email", object{"email": "a@x.example", "email_verified": true}, "a@x.example", ""},
		{"email", object{"email": "a@x.example", "email_verified": false}, "", ""},
		{"email", object{"email": "a@x.example"}, "", ""},
	} {
		a := open(t, oidc.Config{Issuer: p.issuer, OwnerClaim: test.claim})
		got, err := authenticate(t, a, sign(t, nil, claims(p.issuer, test.token), key))
		require.Equal(t, test.owner, got.Owner)
		require.Equal(t, test.owner == "", err != nil)
		require.Empty(t, got.Scopes, "a token without scopes allows nothing")
	}
	a := open(t, oidc.Config{Issuer: p.issuer, ScopesClaim: "realm_access.roles"})
	got, err := authenticate(t, a, sign(t, nil, claims(p.issuer, object{"realm_access": object{"roles": []string{"runs", "offline_access"}}}), key))
	require.NoError(t, err)
	require.Equal(t, []auth.Scope{auth.ScopeRuns}, got.Scopes)
}

func TestConfigurationsThatAreRefused(t *testing.T) {
	t.Parallel()
	good := oidc.Config{Issuer: "https://login.example.com", Audience: "agenthost"}
	for want, change := range map[string]func(*oidc.Config){
		"must be an https URL":        func(c *oidc.Config) { c.Issuer = "http://login.example.com" },
		"must be a URL":               func(c *oidc.Config) { c.Issuer = "login.example.com" },
		"URL of the keys":             func(c *oidc.Config) { c.KeysURL = "file:///etc/keys" },
		"the audience is missing":     func(c *oidc.Config) { c.Audience = "" },
		"is not asymmetric":           func(c *oidc.Config) { c.Algorithms = []string{"HS256"} },
		"or unknown":                  func(c *oidc.Config) { c.Algorithms = []string{"none"} },
		`did you mean "RS256"`:        func(c *oidc.Config) { c.Algorithms = []string{"rs256"} },
		"at most 5m0s":                func(c *oidc.Config) { c.ClockSkew = time.Hour },
		`did you mean "threads"`:      func(c *oidc.Config) { c.Scopes = []auth.Scope{"thread"} },
		`issuer "http://127.0.0.1.x"`: func(c *oidc.Config) { c.Issuer = "http://127.0.0.1.x" },
	} {
		config := good
		change(&config)
		_, err := oidc.New(config)
		require.ErrorContains(t, err, want)
	}
}

func TestAProviderThatLies(t *testing.T) {
	t.Parallel()
	key, _ := rsaKeys()
	for name, handler := range map[string]http.HandlerFunc{
		"another issuer": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"issuer":"https://evil.example"}`))
		},
		"keys elsewhere": func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write([]byte(`{"issuer":"http://` + r.Host + `","jwks_uri":"http://evil.example/keys"}`))
		},
		"endless": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"x":"` + strings.Repeat("x", 2<<20) + `"}`))
		},
		"redirects for ever": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/x", http.StatusFound) },
		"redirects away": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://evil.example/", http.StatusFound)
		},
		"is a page": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) },
		"no keys": func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write([]byte(`{"issuer":"http://` + r.Host + `","jwks_uri":"http://` + r.Host + `/keys"}`))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(handler)
			t.Cleanup(server.Close)
			_, err := authenticate(t, open(t, oidc.Config{Issuer: server.URL}), sign(t, nil, claims(server.URL, nil), key))
			require.ErrorIs(t, err, auth.ErrUnavailable)
		})
	}
}

// inBubble calls a test in a bubble, with a provider that needs no network.
func inBubble(t *testing.T, test func(t *testing.T, p *provider, a *oidc.Authenticator, key *rsa.PrivateKey)) {
	t.Helper()
	key, _ := rsaKeys()
	synctest.Test(t, func(t *testing.T) {
		p := &provider{issuer: "https://login.example.com"}
		p.set(jwk(t, "k1", key.Public()))
		test(t, p, open(t, oidc.Config{Issuer: p.issuer, Client: &http.Client{Transport: p}}), key)
	})
}

func TestStartsWhileTheProviderIsDown(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, p *provider, a *oidc.Authenticator, key *rsa.PrivateKey) {
		t.Helper()
		p.setDown(true)
		token := sign(t, nil, claims(p.issuer, nil), key)
		for range 600 { // two requests a second
			_, err := authenticate(t, a, token)
			require.ErrorIs(t, err, auth.ErrUnavailable)
			time.Sleep(500 * time.Millisecond)
		}
		asked, _ := p.counts()
		require.Equal(t, 14, asked, "1 s, 2, 4, 8, 16, and then every 30 s")
		p.setDown(false)
		time.Sleep(30 * time.Second)
		got, err := authenticate(t, a, sign(t, nil, claims(p.issuer, nil), key))
		require.NoError(t, err)
		require.Equal(t, "ada", got.Owner)
	})
}

func TestManyFirstRequestsAskOnce(t *testing.T) {
	t.Parallel()
	p, key := startProvider(t)
	a := open(t, oidc.Config{Issuer: p.issuer})
	token := sign(t, nil, claims(p.issuer, nil), key)
	errs := make(chan error)
	for range 50 {
		go func() {
			_, err := authenticate(t, a, token)
			errs <- err
		}()
	}
	for range 50 {
		require.NoError(t, <-errs)
	}
	discovers, fetches := p.counts()
	require.Equal(t, 1, discovers)
	require.Equal(t, 1, fetches)
}

func TestKeyRotation(t *testing.T) {
	t.Parallel()
	_, next := rsaKeys()
	inBubble(t, func(t *testing.T, p *provider, a *oidc.Authenticator, key *rsa.PrivateKey) {
		t.Helper()
		_, err := authenticate(t, a, sign(t, nil, claims(p.issuer, nil), key))
		require.NoError(t, err)
		p.set(jwk(t, "k2", next.Public()))
		_, err = authenticate(t, a, sign(t, object{"kid": "k2"}, claims(p.issuer, nil), next))
		require.ErrorIs(t, err, auth.ErrBadCredential, "keys are not fetched again within five seconds")
		time.Sleep(5 * time.Second)
		_, err = authenticate(t, a, sign(t, object{"kid": "k2"}, claims(p.issuer, nil), next))
		require.NoError(t, err)
		_, err = authenticate(t, a, sign(t, nil, claims(p.issuer, nil), key))
		require.ErrorIs(t, err, auth.ErrBadCredential, "the old key is withdrawn")
	})
}

func TestForgedTokensDoNotFloodTheProvider(t *testing.T) {
	t.Parallel()
	_, other := rsaKeys()
	inBubble(t, func(t *testing.T, p *provider, a *oidc.Authenticator, key *rsa.PrivateKey) {
		t.Helper()
		for range 100 {
			_, err := authenticate(t, a, sign(t, object{"kid": rand.Text()}, claims(p.issuer, nil), other))
			require.ErrorIs(t, err, auth.ErrBadCredential)
			_, err = authenticate(t, a, sign(t, nil, claims(p.issuer, nil), key))
			require.NoError(t, err)
			time.Sleep(100 * time.Millisecond)
		}
		_, fetches := p.counts()
		require.LessOrEqual(t, fetches, 3)
	})
}

func TestWithdrawnKeysAndOutages(t *testing.T) {
	t.Parallel()
	_, next := rsaKeys()
	inBubble(t, func(t *testing.T, p *provider, a *oidc.Authenticator, key *rsa.PrivateKey) {
		t.Helper()
		old := func() error {
			_, err := authenticate(t, a, sign(t, nil, claims(p.issuer, nil), key))
			return err
		}
		require.NoError(t, old())
		p.setDown(true)
		time.Sleep(2 * time.Hour)
		require.NoError(t, old(), "known keys outlast an outage")
		_, err := authenticate(t, a, sign(t, object{"kid": "k2"}, claims(p.issuer, nil), next))
		require.ErrorIs(t, err, auth.ErrUnavailable, "the key may be new")
		time.Sleep(23 * time.Hour)
		require.ErrorIs(t, old(), auth.ErrUnavailable, "but not for more than a day")
		p.setDown(false)
		time.Sleep(time.Minute)
		require.NoError(t, old())
		p.set(jwk(t, "k2", next.Public()))
		time.Sleep(30 * time.Minute)
		require.NoError(t, old())
		time.Sleep(31 * time.Minute)
		require.ErrorIs(t, old(), auth.ErrBadCredential, "a withdrawn key is trusted for an hour at most")
	})
}

func TestKeysAndTokensTogether(t *testing.T) {
	t.Parallel()
	p, key := startProvider(t)
	hash, err := auth.HashKey("0123456789abcdef")
	require.NoError(t, err)
	keys, err := auth.Keys(auth.Key{SHA256: hash, Owner: "eve"})
	require.NoError(t, err)
	tokens := open(t, oidc.Config{Issuer: p.issuer})
	for _, both := range []auth.Authenticator{auth.First(keys, tokens), auth.First(tokens, keys)} {
		for credential, want := range map[string]string{
			"0123456789abcdef": "eve", sign(t, nil, claims(p.issuer, nil), key): "ada", "0123456789abcdeF": "", sign(t, nil, claims("x", nil), key): "",
		} {
			got, err := authenticate(t, both, credential)
			require.Equal(t, want, got.Owner)
			if want == "" {
				require.ErrorIs(t, err, auth.ErrBadCredential)
			}
		}
	}
}
