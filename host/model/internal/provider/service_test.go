package provider_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

var acme = provider.Service{
	BaseURL: "https://api.acme.com/v1/", Regions: true, Variables: []string{"ACME_API_KEY", "ACME_KEY"}, KeyHeader: "X-Api-Key",
}

// lookup returns the variables NAME=VALUE.
func lookup(set ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for _, s := range set {
			if value, ok := strings.CutPrefix(s, name+"="); ok {
				return value, true
			}
		}
		return "", false
	}
}

// The provider's own key goes to the provider alone, unless the configuration names it.
func TestWhereAKeyGoes(t *testing.T) {
	t.Parallel()
	both := lookup("ACME_KEY=second", "OTHER=other ")
	for name, test := range map[string]struct {
		options provider.Options
		want    model.Account
		sent    string
	}{
		"own":              {provider.Options{LookupEnv: both}, model.Account{Host: "api.acme.com", Own: true, Key: "variable", Variable: "ACME_KEY"}, "second"},
		"own, first":       {provider.Options{LookupEnv: lookup("ACME_KEY=b", "ACME_API_KEY=a")}, model.Account{Host: "api.acme.com", Own: true, Key: "variable", Variable: "ACME_API_KEY"}, "a"},
		"own, with a port": {provider.Options{BaseURL: "https://API.acme.com:443", LookupEnv: both}, model.Account{Host: "API.acme.com:443", Own: true, Key: "variable", Variable: "ACME_KEY"}, "second"},
		"a region":         {provider.Options{BaseURL: "https://eu.api.acme.com", LookupEnv: both}, model.Account{Host: "eu.api.acme.com", Own: true, Key: "variable", Variable: "ACME_KEY"}, "second"},
		"another host":     {provider.Options{BaseURL: "https://acme.com", LookupEnv: both}, model.Account{Host: "acme.com", Key: "withheld", Variable: "ACME_KEY"}, ""},
		"a longer name":    {provider.Options{BaseURL: "https://api.acme.com.evil.example", LookupEnv: both}, model.Account{Host: "api.acme.com.evil.example", Key: "withheld", Variable: "ACME_KEY"}, ""},
		"a name before it": {provider.Options{BaseURL: "https://evilapi.acme.com", LookupEnv: both}, model.Account{Host: "evilapi.acme.com", Key: "withheld", Variable: "ACME_KEY"}, ""},
		"a user":           {provider.Options{BaseURL: "https://api.acme.com@evil.example", LookupEnv: both}, model.Account{Host: "evil.example", Key: "withheld", Variable: "ACME_KEY"}, ""},
		"no TLS":           {provider.Options{BaseURL: "http://api.acme.com", LookupEnv: both}, model.Account{Host: "api.acme.com", Key: "withheld", Variable: "ACME_KEY"}, ""},
		"another port":     {provider.Options{BaseURL: "https://api.acme.com:8443", LookupEnv: both}, model.Account{Host: "api.acme.com:8443", Key: "withheld", Variable: "ACME_KEY"}, ""},
		"none set":         {provider.Options{BaseURL: "http://localhost", LookupEnv: lookup()}, model.Account{Host: "localhost", Variable: "ACME_API_KEY"}, ""},
		"named":            {provider.Options{BaseURL: "http://localhost", APIKeyEnv: "ACME_KEY", LookupEnv: both}, model.Account{Host: "localhost", Key: "variable", Variable: "ACME_KEY", Named: true}, "second"},
		"another one":      {provider.Options{BaseURL: "http://localhost", APIKeyEnv: "OTHER", LookupEnv: both}, model.Account{Host: "localhost", Key: "variable", Variable: "OTHER", Named: true}, "other"},
		"named, unset":     {provider.Options{BaseURL: "http://localhost", APIKeyEnv: "NONE", LookupEnv: both}, model.Account{Host: "localhost", Variable: "NONE", Named: true}, ""},
		"given":            {provider.Options{BaseURL: "http://localhost", APIKey: " given ", LookupEnv: both}, model.Account{Host: "localhost", Key: "given", Variable: "ACME_KEY"}, "given"},
		"a header":         {provider.Options{BaseURL: "http://localhost", Headers: map[string]string{"x-api-key": "h"}, LookupEnv: both}, model.Account{Host: "localhost", Key: "header", Variable: "ACME_KEY"}, "h"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got http.Header
			test.options.Name = "acme"
			test.options.HTTPClient = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				got = r.Header
				return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: r}, nil
			})}
			account, err := acme.Account(&test.options)
			require.NoError(t, err)
			account.BaseURL = "" // see TestAddressesFromTheEnvironment
			require.Len(t, account.ID, 32)
			account.ID = ""
			require.Equal(t, test.want, account)
			e, err := acme.Connect(&test.options)
			require.NoError(t, err)
			require.Equal(t, account.Own, e.Own())
			_, err = e.Ask(t.Context(), provider.Call{Path: "x"})
			require.NoError(t, err)
			require.Equal(t, test.sent, got.Get("X-Api-Key"))
		})
	}
}

// An address that the user has set in the environment gets the key, and one from a file of a project gets nothing.
func TestAddressesFromTheEnvironment(t *testing.T) {
	t.Parallel()
	proxied := provider.Service{
		BaseURL: "https://api.acme.com/v1/", Variables: []string{"ACME_API_KEY"}, KeyHeader: "X-Api-Key", BaseURLVariable: "ACME_BASE_URL",
	}
	local := provider.Service{
		BaseURL: "http://127.0.0.1:7/v1", BaseURLVariable: "LOCAL_HOST",
		ReadBaseURL: func(value string) string { return "http://" + value + ":7/v1" },
	}
	env := lookup("ACME_API_KEY=k", "OTHER=o", "ACME_BASE_URL= http://me:pw@proxy.example/x/?key=secret ", "LOCAL_HOST=box")
	inFile := func(name string) bool { return strings.HasSuffix(name, "_BASE_URL") || name == "LOCAL_HOST" }
	const address = "http://proxy.example/x"
	for name, test := range map[string]struct {
		of      *provider.Service
		options provider.Options
		want    model.Account
		sent    string
	}{
		"environment": {&proxied, provider.Options{LookupEnv: env}, model.Account{
			Host: "proxy.example", Key: "variable", Variable: "ACME_API_KEY", BaseURL: address, BaseURLVariable: "ACME_BASE_URL",
		}, "k"},
		"environment, another key": {&proxied, provider.Options{LookupEnv: env, APIKeyEnv: "OTHER"}, model.Account{
			Host: "proxy.example", Key: "variable", Variable: "OTHER", Named: true, BaseURL: address, BaseURLVariable: "ACME_BASE_URL",
		}, "o"},
		"configured": {&proxied, provider.Options{LookupEnv: env, BaseURL: "https://other.example"}, model.Account{
			Host: "other.example", Key: "withheld", Variable: "ACME_API_KEY", BaseURL: "https://other.example",
		}, ""},
		"empty": {&proxied, provider.Options{LookupEnv: lookup("ACME_API_KEY=k", "ACME_BASE_URL= ")}, model.Account{
			Host: "api.acme.com", Own: true, Key: "variable", Variable: "ACME_API_KEY", BaseURL: "https://api.acme.com/v1",
		}, "k"},
		"a file": {&proxied, provider.Options{LookupEnv: env, InFile: inFile}, model.Account{
			Host: "proxy.example", Key: "withheld", Variable: "ACME_API_KEY", BaseURL: address, BaseURLVariable: "ACME_BASE_URL", BaseURLInFile: true,
		}, ""},
		"a file, a key that is named": {&proxied, provider.Options{LookupEnv: env, InFile: inFile, APIKeyEnv: "OTHER"}, model.Account{
			Host: "proxy.example", Key: "withheld", Variable: "OTHER", Named: true, BaseURL: address, BaseURLVariable: "ACME_BASE_URL", BaseURLInFile: true,
		}, ""},
		"a file, a key that is given": {&proxied, provider.Options{LookupEnv: env, InFile: inFile, APIKey: "given"}, model.Account{
			Host: "proxy.example", Key: "withheld", Variable: "ACME_API_KEY", BaseURL: address, BaseURLVariable: "ACME_BASE_URL", BaseURLInFile: true,
		}, ""},
		"a file with the provider's own address": {
			&proxied,
			provider.Options{LookupEnv: lookup("ACME_API_KEY=k", "ACME_BASE_URL=https://api.acme.com/v2"), InFile: inFile},
			model.Account{
				Host: "api.acme.com", Own: true, Key: "variable", Variable: "ACME_API_KEY", BaseURL: "https://api.acme.com/v2", BaseURLVariable: "ACME_BASE_URL",
				BaseURLInFile: true,
			},
			"k",
		},
		"no key":           {&local, provider.Options{LookupEnv: lookup()}, model.Account{Host: "127.0.0.1:7", BaseURL: "http://127.0.0.1:7/v1"}, ""},
		"a value to read":  {&local, provider.Options{LookupEnv: env}, model.Account{Host: "box:7", BaseURL: "http://box:7/v1", BaseURLVariable: "LOCAL_HOST"}, ""},
		"no key, but more": {&local, provider.Options{LookupEnv: env, InFile: inFile}, model.Account{Host: "box:7", BaseURL: "http://box:7/v1", BaseURLVariable: "LOCAL_HOST", BaseURLInFile: true}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got *http.Request
			test.options.Name = "acme"
			test.options.HTTPClient = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				got = r
				return &http.Response{StatusCode: http.StatusUnauthorized, Body: http.NoBody, Request: r}, nil
			})}
			account, err := test.of.Account(&test.options)
			require.NoError(t, err)
			account.ID = ""
			require.Equal(t, test.want, account)
			e, err := test.of.Connect(&test.options)
			require.NoError(t, err)
			_, err = e.Ask(t.Context(), provider.Call{Path: "x"})
			require.Equal(t, test.sent, got.Header.Get("X-Api-Key"))
			require.Equal(t, account.Host, got.URL.Host)
			if account.Key == model.CredentialWithheld && account.BaseURLInFile {
				require.ErrorContains(t, err, "ACME_BASE_URL is set in env_file, so proxy.example gets no key; set ACME_BASE_URL in the environment, or set base_url and api_key_env")
			}
		})
	}

	_, err := proxied.Connect(&provider.Options{Name: "acme", LookupEnv: env, InFile: inFile, Headers: map[string]string{"X-Auth-Token": "secret"}})
	require.ErrorContains(t, err, `from ACME_BASE_URL in env_file, which may not redirect the header "X-Auth-Token"`)
	_, err = proxied.Connect(&provider.Options{Name: "acme", LookupEnv: lookup("ACME_BASE_URL=localhost:1?key=secret")})
	require.ErrorContains(t, err, "the value of ACME_BASE_URL is not the address of a server, which begins with http:// or https://; correct it or unset it")
	require.NotContains(t, err.Error(), "secret")

	nowhere := provider.Service{Variables: []string{"ACME_API_KEY"}, KeyHeader: "X-Api-Key", BaseURLVariable: "ACME_BASE_URL"}
	_, err = nowhere.Connect(&provider.Options{Name: "acme", LookupEnv: lookup("ACME_API_KEY=k")})
	require.ErrorContains(t, err, "the address of the server is not set; set base_url in the manifest, or ACME_BASE_URL in the environment")
	require.NoError(t, nowhere.Check(&provider.Options{Name: "acme", LookupEnv: lookup()}), "it may be set later")
}

func TestTheIDOfAnAccountDependsOnItsCredentials(t *testing.T) {
	t.Parallel()
	ids := map[string]bool{}
	all := []provider.Options{
		{},
		{APIKey: "key-1"},
		{APIKey: "key-2"},
		{Headers: map[string]string{"Authorization": "key-1"}},
		{Headers: map[string]string{"X-Api-Key": "key-1"}},
		{BaseURL: "https://me:pw@acme.com"},
		{BaseURL: "https://me@acme.com"},
		{BaseURL: "https://acme.com?key=k"},
	}
	for range 2 {
		for i := range all {
			account, err := acme.Account(&all[i])
			require.NoError(t, err)
			ids[account.ID] = true
		}
	}
	require.Len(t, ids, len(all))
	first, err := acme.Account(&provider.Options{APIKey: "key-1", Headers: map[string]string{"X-Team": "a"}})
	require.NoError(t, err)
	require.True(t, ids[first.ID], "other headers do not matter")
}

func TestTheOwnServerRequiresAKey(t *testing.T) {
	t.Parallel()
	_, err := acme.Connect(&provider.Options{Name: "test", LookupEnv: lookup("ACME_KEY= ")})
	require.Equal(t, model.ErrorAuthentication, failure(t, err).Kind)
	require.ErrorContains(t, err, "there is no API key; set the environment variable ACME_API_KEY")
	_, err = acme.Account(&provider.Options{Name: "test", BaseURL: "nowhere"})
	require.Equal(t, model.ErrorInvalidRequest, failure(t, err).Kind)
}

// A server that wants a key says so, and the error says why it got none.
func TestTheErrorForAKeyThatIsNotSent(t *testing.T) {
	t.Parallel()
	answering := func(status int) *http.Client {
		return &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: status, Body: http.NoBody, Request: r}, nil
		})}
	}
	const says = "ACME_KEY is only sent to api.acme.com over https; to send it to proxy.example:8080, set api_key_env: ACME_KEY"
	const sent, path = "; the key is from the environment variable ACME_KEY; check that it is a valid key for proxy.example",
		"; the request was POST /x; the address of most servers ends with /v1, so add it to base_url"
	for status, text := range map[int][2]string{401: {"; " + says, sent}, 403: {"; " + says, ""}, 404: {path, path}} {
		o := provider.Options{Name: "test", BaseURL: "https://me:pw@proxy.example:8080/?key=k", LookupEnv: lookup("ACME_KEY=secret-1"), HTTPClient: answering(status)}
		e, err := acme.Connect(&o)
		require.NoError(t, err)
		_, err = e.Ask(t.Context(), provider.Call{Path: "x"})
		require.EqualError(t, failure(t, err).Err, http.StatusText(status)+text[0])

		o.APIKeyEnv = "ACME_KEY"
		e, err = acme.Connect(&o)
		require.NoError(t, err)
		_, err = e.Ask(t.Context(), provider.Call{Path: "x"})
		require.EqualError(t, failure(t, err).Err, http.StatusText(status)+text[1])
	}

	o := provider.Options{Name: "test", BaseURL: "https://proxy.example", APIKeyEnv: "PROXY_KEY", LookupEnv: lookup("ACME_KEY=secret-1"), HTTPClient: answering(401)}
	e, err := acme.Connect(&o)
	require.NoError(t, err)
	_, err = e.Ask(t.Context(), provider.Call{Path: "x"})
	require.EqualError(t, failure(t, err).Err, "Unauthorized; no key was sent, because PROXY_KEY is not set; set it in the environment or in the manifest's env_file")
}

// A redirect is not followed, whoever made the client, so that no other server gets the key.
func TestARedirectDoesNotTakeTheKeyAlong(t *testing.T) {
	t.Parallel()
	asked := 0
	e, err := acme.Connect(&provider.Options{
		Name: "test", LookupEnv: lookup("ACME_KEY=secret-1"), HTTPClient: &http.Client{
			CheckRedirect: func(*http.Request, []*http.Request) error { return nil },
			Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				asked++
				return &http.Response{
					StatusCode: http.StatusTemporaryRedirect, Header: http.Header{"Location": {"https://evil.example/?" + r.Header.Get("X-Api-Key")}},
					Body: http.NoBody, Request: r,
				}, nil
			}),
		},
	})
	require.NoError(t, err)
	_, err = e.Ask(t.Context(), provider.Call{Path: "x"})
	require.ErrorContains(t, err, `the server redirects to "https://evil.example"; redirects are not followed`)
	require.NotContains(t, err.Error(), "secret-1")
	require.Equal(t, 1, asked)
}

// An error of the connection can quote what the server sent.
func TestErrorsOfAConnectionHideTheKey(t *testing.T) {
	t.Parallel()
	e, err := acme.Connect(&provider.Options{
		Name: "test", BaseURL: "http://localhost", APIKey: "secret-1", HTTPClient: &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
			return nil, errors.New(`malformed HTTP response "X-Api-Key: secret-1"`)
		})},
	})
	require.NoError(t, err)
	_, err = e.Ask(t.Context(), provider.Call{Path: "x"})
	require.EqualError(t, failure(t, err).Err, `malformed HTTP response "X-Api-Key: ***"`)
}
