package provider_test

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
	"github.com/agenthost/agenthost/test/ratio"
)

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// endpoint is one that the function answers.
func endpoint(t testing.TB, base string, answer roundTrip) *provider.Endpoint {
	t.Helper()
	address, err := provider.Address("test", base, "https://example.com")
	require.NoError(t, err)
	return provider.NewEndpoint("test", address, &http.Client{Transport: answer}, http.Header{"X-Api-Key": {"key"}}, nil)
}

func failure(t testing.TB, err error) *model.Error {
	t.Helper()
	var out *model.Error
	require.ErrorAs(t, err, &out)
	require.Equal(t, "test", out.Provider)
	return out
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ base, path, query, want string }{
		{"http://localhost", "v1/chat", "", "http://localhost/v1/chat"},
		{"http://localhost/", "v1/chat", "a=b", "http://localhost/v1/chat?a=b"},
		{"http://localhost/x/y", "v1/chat", "", "http://localhost/x/y/v1/chat"},
		{"http://localhost/x?k=1&k=2", "v1", "a=b", "http://localhost/x/v1?a=b&k=1&k=2"},
		{"http://localhost/?k=%20", "v1", "", "http://localhost/v1?k=%20"},
		{"http://localhost/a%2Fb", "v1", "", "http://localhost/a%2Fb/v1"},
		{"http://localhost/to/https://example.com/v1", "chat", "", "http://localhost/to/https://example.com/v1/chat"},
		{"http://localhost", "v1/m x:ask?#%", "", "http://localhost/v1/m%20x:ask%3F%23%25"},
	} {
		var got string
		resp, err := endpoint(t, test.base, func(r *http.Request) (*http.Response, error) {
			got = r.URL.String()
			return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: r}, nil
		}).Send(t.Context(), provider.Call{Path: test.path, Query: test.query})
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, test.want, got)
	}
	for _, base := range []string{"", "localhost:1", "ftp://localhost", "http://", "http://key@%zz", "://", "/v1"} {
		_, err := provider.Address("test", base, "https://example.com")
		require.EqualError(t, failure(t, err).Err, `the base URL must be an http or https URL, such as "https://example.com"`)
		require.Equal(t, model.ErrorInvalidRequest, failure(t, err).Kind)
	}
}

func TestRequests(t *testing.T) {
	t.Parallel()
	var got *http.Request
	var text string
	client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		body, err := io.ReadAll(r.Body)
		got, text = r, string(body)
		return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: r}, err
	})}
	own, set := http.Header{"X-Api-Key": {"key"}}, map[string]string{"x-api-key": "mine", "X-Title": "t"}
	e := provider.NewEndpoint("test", &url.URL{Scheme: "http", Host: "localhost", Path: "/"}, client, own, set)
	for range 2 {
		_, err := e.Ask(t.Context(), provider.Call{Path: "x", Header: http.Header{"X-Once": {"1"}}, Body: map[string]any{"a": "<b> & \u2028"}})
		require.NoError(t, err)
		require.Equal(t, http.MethodPost, got.Method)
		require.Equal(t, http.Header{
			"Content-Type": {"application/json"}, "User-Agent": {"agenthost"}, "X-Api-Key": {"mine"}, "X-Once": {"1"}, "X-Title": {"t"},
		}, got.Header)
		require.Equal(t, `{"a":"<b> & \u2028"}`+"\n", text)
		require.EqualValues(t, len(text), got.ContentLength)
	}
	require.Equal(t, http.Header{"X-Api-Key": {"key"}}, own)
	_, err := e.Ask(t.Context(), provider.Call{Path: "x"})
	require.NoError(t, err)
	require.NotContains(t, got.Header, "X-Once")
	require.Nil(t, client.CheckRedirect, "the client is the caller's")
}

func TestRequestsThatCannotBeSent(t *testing.T) {
	t.Parallel()
	never := func(*http.Request) (*http.Response, error) { return nil, errors.New("it was sent") }
	_, err := endpoint(t, "http://localhost", never).Ask(t.Context(), provider.Call{Body: map[string]any{"a": 1, "top_p": math.NaN()}})
	require.Equal(t, model.ErrorInvalidRequest, failure(t, err).Kind)
	require.ErrorContains(t, err, `the field "top_p" cannot be encoded as JSON`)
}

func TestRedirectionsAreNotFollowed(t *testing.T) {
	t.Parallel()
	for _, location := range []string{"", "/x", "https://example.com/secret?key=1"} {
		n := 0
		_, err := endpoint(t, "http://localhost", func(r *http.Request) (*http.Response, error) {
			n++
			return &http.Response{
				StatusCode: http.StatusTemporaryRedirect, Header: http.Header{"Location": {location}}, Body: http.NoBody, Request: r,
			}, nil
		}).Ask(t.Context(), provider.Call{})
		require.ErrorContains(t, err, "the server redirects")
		require.NotContains(t, err.Error(), "secret")
		require.Equal(t, http.StatusTemporaryRedirect, failure(t, err).Status)
		require.Equal(t, 1, n)
	}
}

func TestAResponseThatComesTooLate(t *testing.T) {
	t.Parallel()
	why := errors.New("why")
	ctx, cancel := context.WithCancelCause(t.Context())
	closed := &closing{}
	_, err := endpoint(t, "http://localhost", func(r *http.Request) (*http.Response, error) {
		cancel(why)
		return &http.Response{StatusCode: http.StatusOK, Body: closed, Request: r}, nil
	}).Ask(ctx, provider.Call{})
	require.Equal(t, why, err)
	require.Positive(t, closed.times)
}

// closing is a body that says whether it was closed.
type closing struct{ times int }

func (*closing) Read([]byte) (int, error) { return 0, io.EOF }
func (c *closing) Close() error           { c.times++; return nil }

// What is limited is what a response unpacks to.
func TestCompressedResponses(t *testing.T) {
	t.Parallel()
	for size, fits := range map[int]bool{1 << 20: true, provider.MaxResponse + 1: false} {
		if !fits && ratio.Race {
			continue // it takes long
		}
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			packed := gzip.NewWriter(w)
			_, _ = packed.Write(make([]byte, size))
			_ = packed.Close()
		}))
		t.Cleanup(s.Close)
		address, err := provider.Address("test", s.URL, "")
		require.NoError(t, err)
		text, err := provider.NewEndpoint("test", address, s.Client(), nil, nil).Ask(t.Context(), provider.Call{})
		if !fits {
			require.ErrorContains(t, failure(t, err), "the response is longer than 64 MiB")
			require.False(t, failure(t, err).Retryable)
			continue
		}
		require.NoError(t, err)
		require.Len(t, text, size)
	}
}
