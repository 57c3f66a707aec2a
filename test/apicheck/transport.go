package apicheck

import (
	"bytes"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/server"
)

// Load returns the description of the API, which is valid.
func Load(t testing.TB) *openapi3.T {
	t.Helper()
	text, err := server.OpenAPI()
	require.NoError(t, err)
	document, err := openapi3.NewLoader().LoadFromData(text)
	require.NoError(t, err)
	require.NoError(t, document.Validate(t.Context()))
	return document
}

// Transport returns a transport that fails the test if an exchange is not as described: a path that is not there, a request that the server
// accepts although it is not valid, an answer with another status or another document.
func Transport(t testing.TB, next http.RoundTripper) http.RoundTripper {
	t.Helper()
	shared.once.Do(func() {
		document := Load(t)
		shared.router, shared.err = gorillamux.NewRouter(document)
	})
	require.NoError(t, shared.err)
	return &transport{t, next}
}

var shared struct {
	once   sync.Once
	router routers.Router
	err    error
}

type transport struct {
	t    testing.TB
	next http.RoundTripper
}

// RoundTrip sends a request and checks the answer.
func (c *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := c.next.RoundTrip(r)
	if err != nil || r.Method == http.MethodOptions || r.Method == http.MethodHead {
		return response, err
	}
	route, parameters, err := shared.router.FindRoute(r)
	if err != nil {
		if response.StatusCode < http.StatusBadRequest {
			c.t.Errorf("%s %s: the description has no such operation: %v", r.Method, r.URL, err)
		}
		return response, nil
	}
	request := r.Clone(r.Context())
	if r.GetBody != nil {
		if request.Body, err = r.GetBody(); err != nil {
			return nil, err
		}
		if request.ContentLength > 0 && request.Header.Get("Content-Type") == "" {
			request.Header.Set("Content-Type", "application/json") // the server does not insist
		}
	}
	input := &openapi3filter.RequestValidationInput{
		Request: request, PathParams: parameters, Route: route,
		Options: &openapi3filter.Options{
			AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, IncludeResponseStatus: true, SkipSettingDefaults: true,
			RejectWhenRequestBodyNotSpecified: true,
		},
	}
	if response.StatusCode < http.StatusBadRequest {
		if err := openapi3filter.ValidateRequest(r.Context(), input); err != nil {
			c.t.Errorf("%s %s: the description forbids a request that the server accepts: %v", r.Method, r.URL, err)
		}
	}
	response.Body = &checkedBody{ReadCloser: response.Body, check: func(body []byte) { c.check(input, response, body) }}
	return response, nil
}

// check checks an answer that was read to its end.
func (c *transport) check(input *openapi3filter.RequestValidationInput, response *http.Response, body []byte) {
	options := *input.Options
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if options.ExcludeResponseBody = !strings.HasSuffix(kind, "json"); options.ExcludeResponseBody {
		success := input.Route.Operation.Responses.Status(response.StatusCode)
		if success == nil || success.Value.Content.Get(kind) == nil && len(body) > 0 {
			c.t.Errorf("%s %s: the description knows no answer %d of the type %q", input.Request.Method, input.Request.URL, response.StatusCode, kind)
		}
	}
	err := openapi3filter.ValidateResponse(input.Request.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input, Status: response.StatusCode, Header: response.Header, Options: &options,
		Body: io.NopCloser(bytes.NewReader(body)),
	})
	if err != nil {
		c.t.Errorf("%s %s: the answer is not as described: %v", input.Request.Method, input.Request.URL, err)
	}
}

// checkedBody is checked when it was read to its end. A client that leaves before that has seen no whole document.
type checkedBody struct {
	io.ReadCloser

	read  bytes.Buffer
	check func([]byte)
}

func (b *checkedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.read.Write(p[:n])
	if err == io.EOF && b.check != nil {
		b.check(b.read.Bytes())
		b.check = nil
	}
	return n, err
}

// CloseIdleConnections closes the connections that are kept for later requests.
func (c *transport) CloseIdleConnections() {
	if closer, ok := c.next.(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}
