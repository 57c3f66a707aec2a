package provider_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

var local = provider.Service{
	BaseURL: "http://127.0.0.1:7/v1", BaseURLVariable: "LOCAL_HOST", KeyHeader: "Authorization", Start: "local serve MODEL", Load: "local pull MODEL",
}

// refusing returns the address of a port of this machine at which nobody listens.
func refusing(t *testing.T) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	return l.Addr().String()
}

// hangingUp returns the address of a server that closes each connection at once.
func hangingUp(t *testing.T) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_ = c.Close()
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
	return l.Addr().String()
}

// asked returns the error of a request.
func asked(t *testing.T, s *provider.Service, o provider.Options) *model.Error {
	t.Helper()
	o.Name, o.Model, o.Limits.MaxRetries = "test", "m:1b", -1
	if o.LookupEnv == nil {
		o.LookupEnv = lookup("ACME_KEY=secret-1")
	}
	e, err := s.Connect(&o)
	require.NoError(t, err)
	defer e.CloseIdleConnections()
	_, err = e.Ask(t.Context(), provider.Call{Path: "chat/completions"})
	require.NotContains(t, err.Error(), "s3cret")
	return failure(t, err)
}

// failing is a client whose connections fail with an error.
func failing(err error) *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return nil, err }}}
}

// An error of a connection says who cannot be reached, why, and what to do. The error of the network stays reachable.
func TestConnectionErrorsInPlainWords(t *testing.T) {
	t.Parallel()
	nobody := refusing(t)
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	hangs := hangingUp(t)
	var operation *net.OpError
	dial := func(err error) *http.Client { return failing(&net.OpError{Op: "dial", Net: "tcp", Err: err}) }
	const firewall = "; check that the server is running and that base_url is right, and look for a firewall, VPN or proxy in between"
	for name, test := range map[string]struct {
		of   *provider.Service
		o    provider.Options
		says string
		last bool // it is not retried
	}{
		"nobody listens": {&acme, provider.Options{BaseURL: "http://me:s3cret@" + nobody + "/v1?key=s3cret"}, "no server listens at " + nobody +
			" (connection refused); check that the server is running, and correct base_url if it runs elsewhere", false},
		"a server of one's own": {&local, provider.Options{LookupEnv: lookup("LOCAL_HOST=http://" + nobody)}, "no server listens at " + nobody +
			" (connection refused); start the server with 'local serve m:1b', or correct LOCAL_HOST if it runs elsewhere", false},
		"its usual address": {&local, provider.Options{HTTPClient: dial(syscall.ECONNREFUSED)}, "no server listens at 127.0.0.1:7" +
			" (connection refused); start the server with 'local serve m:1b', or correct base_url or LOCAL_HOST if it runs elsewhere", false},
		"Windows": {&acme, provider.Options{BaseURL: "http://box/v1", HTTPClient: dial(errors.New("the target machine actively refused it"))}, "no server listens at box:80" +
			" (connection refused); check that the server is running, and correct base_url if it runs elsewhere", false},
		"no such host": {
			&acme,
			provider.Options{BaseURL: "https://llm.invalid/v1", HTTPClient: dial(&net.DNSError{IsNotFound: true, Name: "llm.invalid"})},
			"cannot find llm.invalid:443: no such host; correct base_url, or check the network connection", false,
		},
		"no name server": {
			&acme,
			provider.Options{BaseURL: "https://llm.example/v1", HTTPClient: dial(&net.DNSError{IsTemporary: true, Name: "llm.example"})},
			"cannot find llm.example:443: the name server does not answer" + firewall, false,
		},
		"the provider itself": {
			&acme,
			provider.Options{HTTPClient: dial(&net.DNSError{IsNotFound: true, Name: "api.acme.com"})},
			"cannot find api.acme.com:443: no such host; check the network connection and, if your network needs a proxy, the key proxy of the model or HTTPS_PROXY", false,
		},
		"no route":         {&acme, provider.Options{BaseURL: "http://10.0.0.1/v1", HTTPClient: dial(syscall.EHOSTUNREACH)}, "10.0.0.1:80 cannot be reached from this network" + firewall, false},
		"another error":    {&acme, provider.Options{BaseURL: "http://10.0.0.1/v1", HTTPClient: dial(errors.New("too many open files"))}, "10.0.0.1:80 cannot be reached: too many open files" + firewall, false},
		"no TLS":           {&acme, provider.Options{BaseURL: "https://" + plain.Listener.Addr().String() + "/v1"}, plain.Listener.Addr().String() + " does not speak TLS; if the server has no TLS, write http:// in place of https:// in base_url", true},
		"it hangs up":      {&acme, provider.Options{BaseURL: "http://" + hangs + "/v1"}, hangs + " closed the connection without an answer; check that the server is running, and correct base_url if it runs elsewhere", false},
		"it hangs up, TLS": {&acme, provider.Options{BaseURL: "https://" + hangs + "/v1"}, hangs + " closed the connection without an answer; check that the server is running, and correct base_url if it runs elsewhere", false},
		"no proxy": {
			&acme,
			provider.Options{BaseURL: "https://llm.example/v1", Network: model.Network{Proxy: "http://me:s3cret@" + nobody}},
			"no server listens at the proxy " + nobody + " (connection refused); correct the key proxy of the model or the variable HTTPS_PROXY or HTTP_PROXY, or name this server in NO_PROXY", false,
		},
		"no SOCKS proxy": {
			&acme,
			provider.Options{BaseURL: "http://llm.example/v1", Network: model.Network{Proxy: "socks5://me:s3cret@" + nobody}},
			"no server listens at the proxy " + nobody + " (connection refused); correct the key proxy of the model or the variable HTTPS_PROXY or HTTP_PROXY, or name this server in NO_PROXY", false,
		},
		"a proxy that refuses": {
			&acme,
			provider.Options{BaseURL: "https://llm.example/v1", Network: model.Network{Proxy: plain.URL}},
			"the proxy " + plain.Listener.Addr().String() + " does not connect to llm.example:443, and answers 404 Not Found; correct the key proxy of the model or the variable HTTPS_PROXY or HTTP_PROXY, or name this server in NO_PROXY", true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failed := asked(t, test.of, test.o)
			require.EqualError(t, failed.Err, test.says)
			require.Equal(t, model.ErrorConnection, failed.Kind)
			require.Equal(t, !test.last, failed.Retryable)
			require.Error(t, errors.Unwrap(failed.Err), "the cause")
		})
	}
	failed := asked(t, &acme, provider.Options{BaseURL: "http://" + nobody})
	require.ErrorAs(t, failed, &operation)
	require.ErrorIs(t, failed, syscall.ECONNREFUSED)
}

// timeout is an error of a connection that takes too long.
type timeout struct{}

func (timeout) Error() string   { return "i/o timeout" }
func (timeout) Timeout() bool   { return true }
func (timeout) Temporary() bool { return true }

func TestTimeoutsInPlainWords(t *testing.T) {
	t.Parallel()
	failed := asked(t, &acme, provider.Options{BaseURL: "http://10.0.0.1/v1", HTTPClient: failing(&net.OpError{Op: "dial", Net: "tcp", Err: timeout{}})})
	require.Equal(t, model.ErrorTimeout, failed.Kind)
	require.ErrorContains(t, failed, "10.0.0.1:80 does not answer (the connection timed out); check that the server is running")

	ctx, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	e, err := acme.Connect(&provider.Options{Name: "test", BaseURL: "http://10.0.0.1", LookupEnv: lookup()})
	require.NoError(t, err)
	_, err = e.Ask(ctx, provider.Call{Path: "x"})
	require.ErrorContains(t, err, "test: timeout: no answer came in the time that the call had")
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestAConnectionThatBreaksInPlainWords(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "half")
	}))
	t.Cleanup(s.Close)
	failed := asked(t, &acme, provider.Options{BaseURL: s.URL})
	require.EqualError(t, failed.Err, "the connection broke before the answer was complete: unexpected EOF")
	require.Equal(t, model.ErrorConnection, failed.Kind)
	require.ErrorIs(t, failed, io.ErrUnexpectedEOF)
}

// Servers answer what they like; the error says what is probably wrong.
func TestAdviceAboutResponses(t *testing.T) {
	t.Parallel()
	const unknown = "the server does not have the model m:1b; "
	for name, test := range map[string]struct {
		of     *provider.Service
		o      provider.Options
		path   string
		status int
		body   string
		kind   model.ErrorKind
		says   string // "": nothing but the server's words
	}{
		"no /v1":                    {&acme, provider.Options{}, "", 404, `404 page not found`, model.ErrorNotFound, "the request was POST /chat/completions; the address of most servers ends with /v1, so add it to base_url"},
		"/v1 twice":                 {&acme, provider.Options{}, "/v1/v1", 404, `{"detail":"Not Found"}`, model.ErrorNotFound, "the request was POST /v1/v1/chat/completions, with /v1 twice; remove /v1 from base_url"},
		"another path":              {&acme, provider.Options{}, "/llm/v1", 404, ``, model.ErrorNotFound, "the request was POST /llm/v1/chat/completions; check base_url"},
		"another model":             {&acme, provider.Options{}, "/v1", 404, "{\"object\":\"error\",\"message\":\"The model `m:1b` does not exist.\",\"type\":\"NotFoundError\",\"code\":404}", model.ErrorNotFound, unknown + "correct the name of the model"},
		"another model, 400":        {&acme, provider.Options{}, "/v1", 400, `{"error":{"message":"x","code":"model_not_found"}}`, model.ErrorNotFound, unknown + "correct the name of the model"},
		"another model, DeepSeek":   {&acme, provider.Options{}, "/v1", 400, `{"error":{"message":"Model Not Exist","type":"invalid_request_error","code":"invalid_request_error"}}`, model.ErrorNotFound, unknown + "correct the name of the model"},
		"another model, Mistral":    {&acme, provider.Options{}, "/v1", 400, `{"object":"error","message":"Invalid model: m:1b","type":"invalid_model","code":"1500"}`, model.ErrorNotFound, unknown + "correct the name of the model"},
		"another model, OpenRouter": {&acme, provider.Options{}, "/v1", 400, `{"error":{"message":"m:1b is not a valid model ID","code":400}}`, model.ErrorNotFound, unknown + "correct the name of the model"},
		"no images":                 {&acme, provider.Options{}, "/v1", 400, `{"error":{"message":"m:1b is not a multimodal model"}}`, model.ErrorInvalidRequest, ""},
		"another model, Ollama":     {&local, provider.Options{}, "/v1", 404, `{"error":{"message":"model \"m:1b\" not found","type":"not_found_error"}}`, model.ErrorNotFound, unknown + "load it with 'local pull m:1b', or correct the name of the model"},
		"a wrong key":               {&acme, provider.Options{APIKeyEnv: "ACME_KEY"}, "/v1", 401, `{"error":"no"}`, model.ErrorAuthentication, "the key is from the environment variable ACME_KEY; check that it is a valid key for 127.0.0.1"},
		"a wrong key, file":         {&acme, provider.Options{APIKeyEnv: "ACME_KEY", InFile: func(string) bool { return true }}, "/v1", 401, `{"error":"no"}`, model.ErrorAuthentication, "the key is from the variable ACME_KEY in env_file; check that it is a valid key for 127.0.0.1"},
		"a wrong key, header":       {&acme, provider.Options{Headers: map[string]string{"X-Api-Key": "s3cret-key"}}, "/v1", 401, `{"error":"no"}`, model.ErrorAuthentication, "the key is from the headers of the model; check that it is a valid key for 127.0.0.1"},
		"a wrong key, LiteLLM":      {&acme, provider.Options{APIKeyEnv: "ACME_KEY"}, "/v1", 400, `{"error":{"message":"No connected db.","type":"no_db_connection","param":null,"code":"400"}}`, model.ErrorAuthentication, "a LiteLLM proxy without a database answers so to a wrong key; the key is from the environment variable ACME_KEY; check that it is a valid key for 127.0.0.1"},
		"no key, LiteLLM":           {&lite, provider.Options{}, "/v1", 500, `Internal Server Error`, model.ErrorAuthentication, "a LiteLLM proxy without a database answers so to a request without a key; ACME_KEY was not sent to "},
		"no key, perhaps LiteLLM":   {&acme, provider.Options{}, "/v1", 500, `Internal Server Error`, model.ErrorServer, "a LiteLLM proxy without a database answers so to a request without a key; ACME_KEY is only sent to "},
		"an error of another":       {&local, provider.Options{}, "/v1", 500, `Internal Server Error`, model.ErrorServer, ""},
		"an error that says why":    {&acme, provider.Options{}, "/v1", 500, `out of memory`, model.ErrorServer, ""},
		"an error, LiteLLM":         {&lite, provider.Options{APIKeyEnv: "ACME_KEY"}, "/v1", 500, `Internal Server Error`, model.ErrorServer, ""},
		"a wrong key of a proxy":    {&acme, provider.Options{APIKeyEnv: "ACME_KEY"}, "/v1", 407, `no`, model.ErrorAuthentication, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(test.status)
				_, _ = io.WriteString(w, test.body)
			}))
			t.Cleanup(s.Close)
			test.o.BaseURL = s.URL + test.path
			failed := asked(t, test.of, test.o)
			require.Equal(t, test.kind, failed.Kind)
			if test.says == "" {
				require.NotContains(t, failed.Error(), ";")
				return
			}
			require.ErrorContains(t, failed, "; "+test.says)
		})
	}
}

var lite = provider.Service{Variables: []string{"ACME_KEY"}, KeyHeader: "Authorization", BaseURLVariable: "LITE_BASE", LiteLLM: true}

// The password of an address is in no error, whatever the server says.
func TestTheAddressInErrorsHasNoPassword(t *testing.T) {
	t.Parallel()
	address, err := url.Parse("http://me:s3cret@" + refusing(t))
	require.NoError(t, err)
	failed := asked(t, &acme, provider.Options{BaseURL: address.String()})
	require.ErrorContains(t, failed, address.Host)
	require.NotContains(t, failed.Error(), "me:")
}
