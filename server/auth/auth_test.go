package auth_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/server/auth"
)

const (
	adaKey = "ada-0123456789abcdef"
	eveKey = "eve-0123456789abcdef"
)

// request makes a request with headers, which are given as pairs.
func request(t *testing.T, pairs ...string) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/threads", http.NoBody)
	for i := 0; i < len(pairs); i += 2 {
		r.Header.Add(pairs[i], pairs[i+1])
	}
	return r
}

func hash(t *testing.T, key string) string {
	t.Helper()
	sum, err := auth.HashKey(key)
	require.NoError(t, err)
	return sum
}

func twoKeys(t *testing.T) auth.Authenticator {
	t.Helper()
	keys, err := auth.Keys(
		auth.Key{SHA256: hash(t, adaKey), Owner: "ada", Scopes: []auth.Scope{auth.ScopeThreads, auth.ScopeRuns}, Name: "laptop"},
		auth.Key{SHA256: strings.ToUpper(hash(t, eveKey)), Owner: "eve"},
	)
	require.NoError(t, err)
	return keys
}

func TestKeys(t *testing.T) {
	t.Parallel()
	keys := twoKeys(t)
	ada := auth.Principal{Owner: "ada", Scopes: []auth.Scope{auth.ScopeThreads, auth.ScopeRuns}, Kind: "keys", Name: "laptop"}
	for name, test := range map[string]struct {
		headers []string
		want    auth.Principal
		err     error
	}{
		"x-api-key":               {[]string{"x-api-key", adaKey}, ada, nil},
		"bearer":                  {[]string{"Authorization", "bearer  " + adaKey}, ada, nil},
		"no scopes, no name":      {[]string{"x-api-key", eveKey}, auth.Principal{Owner: "eve", Kind: "keys", Name: hash(t, eveKey)[:8]}, nil},
		"bearer before x-api-key": {[]string{"x-api-key", "lsv2_of_another_service", "Authorization", "Bearer " + adaKey}, ada, nil},
		"basic is for others":     {[]string{"x-api-key", adaKey, "Authorization", "Basic YTpi"}, ada, nil},
		"none":                    {nil, auth.Principal{}, auth.ErrNoCredential},
		"wrong":                   {[]string{"x-api-key", adaKey + "x"}, auth.Principal{}, auth.ErrBadCredential},
		"the hash":                {[]string{"x-api-key", hash(t, adaKey)}, auth.Principal{}, auth.ErrBadCredential},
		"empty":                   {[]string{"x-api-key", ""}, auth.Principal{}, auth.ErrBadCredential},
		"empty bearer":            {[]string{"Authorization", "Bearer ", "x-api-key", adaKey}, auth.Principal{}, auth.ErrBadCredential},
		"twice":                   {[]string{"x-api-key", adaKey, "x-api-key", adaKey}, auth.Principal{}, auth.ErrBadCredential},
		"two bearers":             {[]string{"Authorization", "Basic YTpi", "Authorization", "Bearer " + adaKey}, auth.Principal{}, auth.ErrBadCredential},
		"a list":                  {[]string{"Authorization", "Bearer " + adaKey + ",Bearer x"}, auth.Principal{}, auth.ErrBadCredential},
		"huge":                    {[]string{"x-api-key", strings.Repeat("x", 1<<20)}, auth.Principal{}, auth.ErrBadCredential},
		"a token":                 {[]string{"Authorization", "Bearer eyJh.e30.c2ln"}, auth.Principal{}, auth.ErrNoCredential},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := keys.Authenticate(request(t, test.headers...))
			require.ErrorIs(t, err, test.err)
			require.Equal(t, test.want, p)
			if err != nil {
				require.NotContains(t, err.Error(), adaKey)
			}
		})
	}
}

func TestKeysRefuseBadConfigurations(t *testing.T) {
	t.Parallel()
	sum := hash(t, adaKey)
	for want, keys := range map[string][]auth.Key{
		"key 1: sha256 must be":           {{SHA256: adaKey, Owner: "ada"}},
		"64 hexadecimal digits":           {{SHA256: sum[:32], Owner: "ada"}},
		"key 1: the owner is missing":     {{SHA256: sum}},
		"control characters":              {{SHA256: sum, Owner: "a\nb"}},
		`did you mean "assistants:write"`: {{SHA256: sum, Owner: "ada", Scopes: []auth.Scope{"assistant:write"}}},
		"the scopes are threads, runs":    {{SHA256: sum, Owner: "ada", Scopes: []auth.Scope{"*"}}},
		"the keys 1 and 2 are the same":   {{SHA256: sum, Owner: "ada"}, {SHA256: strings.ToUpper(sum), Owner: "eve"}},
	} {
		_, err := auth.Keys(keys...)
		require.ErrorContains(t, err, want)
	}
	for want, key := range map[string]string{"at least 16": "short", "cannot be sent": "0123456789abcde\n", "letters and digits": "eyJhbGciOiJub25lIn0.e30.c2ln"} {
		_, err := auth.HashKey(key)
		require.ErrorContains(t, err, want)
	}
}

func TestScopesFailClosed(t *testing.T) {
	t.Parallel()
	none, err := twoKeys(t).Authenticate(request(t, "x-api-key", eveKey))
	require.NoError(t, err)
	admin := auth.Principal{Scopes: []auth.Scope{auth.ScopeAdmin}}
	some := auth.Principal{Scopes: []auth.Scope{auth.ScopeThreads}}
	for _, scope := range auth.Scopes() {
		require.False(t, none.Can(scope))
		require.ErrorIs(t, none.Need(scope), auth.ErrForbidden)
		require.NoError(t, admin.Need(scope))
		require.Equal(t, scope == auth.ScopeThreads, some.Can(scope))
	}
	nobody, ok := auth.FromContext(t.Context())
	require.False(t, ok)
	require.False(t, nobody.Can(auth.ScopeThreads))
	p, ok := auth.FromContext(auth.WithPrincipal(t.Context(), some))
	require.True(t, ok)
	require.Equal(t, some, p)
}

func TestHeader(t *testing.T) {
	t.Parallel()
	header, err := auth.Header(auth.HeaderConfig{
		Name: "X-Forwarded-User", Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/30"), netip.MustParsePrefix("fd00::7/128")},
		Scopes: []auth.Scope{auth.ScopeThreads}, ScopesHeader: "X-Scopes",
	})
	require.NoError(t, err)
	for name, test := range map[string]struct {
		from    string
		headers []string
		scopes  []auth.Scope
		err     error
	}{
		"proxy":                     {"10.0.0.2:4711", []string{"X-Forwarded-User", "ada"}, []auth.Scope{auth.ScopeThreads}, nil},
		"proxy, mapped":             {"[::ffff:10.0.0.2]:4711", []string{"X-Forwarded-User", "ada"}, []auth.Scope{auth.ScopeThreads}, nil},
		"proxy, IPv6, scopes":       {"[fd00::7]:1", []string{"x-forwarded-user", "ada", "X-Scopes", "runs, store"}, []auth.Scope{auth.ScopeThreads, auth.ScopeRuns, auth.ScopeStore}, nil},
		"proxy without the header":  {"10.0.0.2:4711", nil, nil, auth.ErrNoCredential},
		"others without the header": {"10.0.0.4:4711", nil, nil, auth.ErrNoCredential},
		"others":                    {"10.0.0.4:4711", []string{"X-Forwarded-User", "ada"}, nil, auth.ErrBadCredential},
		"others, scopes":            {"10.0.0.4:4711", []string{"X-Scopes", "admin"}, nil, auth.ErrBadCredential},
		"a Unix socket":             {"@", []string{"X-Forwarded-User", "ada"}, nil, auth.ErrBadCredential},
		"no address":                {"10.0.0.2", []string{"X-Forwarded-User", "ada"}, nil, auth.ErrBadCredential},
		"empty":                     {"10.0.0.2:4711", []string{"X-Forwarded-User", ""}, nil, auth.ErrBadCredential},
		"scopes alone":              {"10.0.0.2:4711", []string{"X-Scopes", "admin"}, nil, auth.ErrBadCredential},
		"twice":                     {"10.0.0.2:4711", []string{"X-Forwarded-User", "ada", "X-Forwarded-User", "eve"}, nil, auth.ErrBadCredential},
		"unknown scope":             {"10.0.0.2:4711", []string{"X-Forwarded-User", "ada", "X-Scopes", "everything"}, nil, auth.ErrBadCredential},
		"long":                      {"10.0.0.2:4711", []string{"X-Forwarded-User", strings.Repeat("a", 256)}, nil, auth.ErrBadCredential},
		"not UTF-8":                 {"10.0.0.2:4711", []string{"X-Forwarded-User", "a\xff"}, nil, auth.ErrBadCredential},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := request(t, test.headers...)
			r.RemoteAddr = test.from
			p, err := header.Authenticate(r)
			require.ErrorIs(t, err, test.err)
			require.Equal(t, test.scopes, p.Scopes)
			require.Equal(t, err == nil, p.Owner == "ada")
		})
	}
}

func TestHeaderOverAUnixSocket(t *testing.T) {
	t.Parallel()
	header, err := auth.Header(auth.HeaderConfig{Name: "X-Forwarded-User", UnixSocket: true})
	require.NoError(t, err)
	for from, want := range map[string]error{"@": nil, "": nil, "/run/proxy.sock": nil, "127.0.0.1:1": auth.ErrBadCredential, "x": auth.ErrBadCredential} {
		r := request(t, "X-Forwarded-User", "ada")
		r.RemoteAddr = from
		_, err := header.Authenticate(r)
		require.ErrorIs(t, err, want, from)
	}
}

func TestHeaderRefusesBadConfigurations(t *testing.T) {
	t.Parallel()
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	for want, config := range map[string]auth.HeaderConfig{
		"no proxy is trusted":    {Name: "X-User"},
		"a header's name":        {Name: "X User", Proxies: proxies},
		"has another meaning":    {Name: "authorization", Proxies: proxies},
		"both the owner and":     {Name: "X-User", ScopesHeader: "x-user", Proxies: proxies},
		"without bits after":     {Name: "X-User", Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.1/8")}},
		`did you mean "threads"`: {Name: "X-User", Proxies: proxies, Scopes: []auth.Scope{"thread"}},
	} {
		_, err := auth.Header(config)
		require.ErrorContains(t, err, want)
	}
}

// fixed is an authenticator that always returns the same.
type fixed struct {
	p   auth.Principal
	err error
}

func (f fixed) Authenticate(*http.Request) (auth.Principal, error) { return f.p, f.err }

func TestFirstHasTheLastWord(t *testing.T) {
	t.Parallel()
	none, yes := fixed{err: auth.ErrNoCredential}, fixed{p: auth.Principal{Owner: "ada"}}
	for _, test := range []struct {
		all []auth.Authenticator
		err error
	}{
		{nil, auth.ErrNoCredential},
		{[]auth.Authenticator{none, none}, auth.ErrNoCredential},
		{[]auth.Authenticator{none, yes}, nil},
		{[]auth.Authenticator{fixed{err: auth.ErrBadCredential}, yes}, auth.ErrBadCredential},
		{[]auth.Authenticator{none, fixed{err: auth.ErrUnavailable}, yes}, auth.ErrUnavailable},
	} {
		p, err := auth.First(test.all...).Authenticate(request(t))
		require.ErrorIs(t, err, test.err)
		require.Equal(t, err == nil, p.Owner == "ada")
	}
}

func TestAnonymous(t *testing.T) {
	t.Parallel()
	everybody, err := auth.Anonymous(auth.ScopeThreads)
	require.NoError(t, err)
	p, err := everybody.Authenticate(request(t, "x-api-key", "anything"))
	require.NoError(t, err)
	require.Equal(t, auth.Principal{Scopes: []auth.Scope{auth.ScopeThreads}, Kind: "anonymous", Name: "anonymous"}, p)
	_, err = auth.Anonymous("thread")
	require.ErrorContains(t, err, `did you mean "threads"`)
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]int{
		auth.ErrNoCredential: 401, auth.ErrBadCredential: 401, auth.ErrForbidden: 403, auth.ErrUnavailable: 503, errors.New("secret"): 500,
	} {
		status, detail := auth.Answer(err)
		require.Equal(t, want, status)
		require.NotContains(t, detail, "secret")
	}
	_, detail := auth.Answer(auth.ErrNoCredential)
	require.Equal(t, "Invalid token", detail)
}

func FuzzCredential(f *testing.F) {
	f.Add("Bearer x", "y")
	f.Add("", "a.b.c")
	f.Add("Bearer\t a, b", "\x00")
	f.Fuzz(func(t *testing.T, authorization, key string) {
		credential, err := auth.Credential(request(t, "Authorization", authorization, "x-api-key", key))
		if err != nil {
			require.Empty(t, credential)
			return
		}
		require.NotEmpty(t, credential)
		require.NotContains(t, credential, " ")
		auth.IsToken(credential)
	})
}
