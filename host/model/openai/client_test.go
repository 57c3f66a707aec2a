package openai_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/openai"
)

func TestInfo(t *testing.T) {
	t.Parallel()
	require.Equal(t, model.Lookup("openai", "gpt-5.2"), openai.New("gpt-5.2").Info())
	require.Equal(t, model.Info{Name: "llama", Provider: "mine"}, (&openai.Model{Name: "llama", Provider: "mine"}).Info())
	m := openai.Model{Name: "llama", Profile: &model.Info{Name: "x", Images: model.SupportYes}}
	require.Equal(t, model.Info{Name: "llama", Provider: "openai", Images: model.SupportYes}, m.Info())
}

// The tests that set the environment cannot be parallel.

func TestKeys(t *testing.T) {
	for name, test := range map[string]struct {
		variable, key, base string
		named               string // APIKeyEnv
		headers             map[string]string
		want                string // "": no header at all
		refused             bool
	}{
		"OpenAI with a key":                   {key: "a", want: "Bearer a"},
		"OpenAI with a key of spaces around":  {key: " a\n", want: "Bearer a"},
		"OpenAI with the variable":            {variable: "b", want: "Bearer b"},
		"the key wins":                        {variable: "b", key: "a", want: "Bearer a"},
		"OpenAI without":                      {refused: true},
		"OpenAI without, in Europe":           {base: "https://eu.api.openai.com/v1", refused: true},
		"OpenAI's address without":            {base: "https://API.openai.com", refused: true},
		"OpenAI with a header":                {headers: map[string]string{"authorization": "Bearer c"}, want: "Bearer c"},
		"another server without":              {base: "http://localhost:11434/v1"},
		"one whose name begins like OpenAI's": {base: "https://api.openai.com.example.com/v1"},
		"OpenAI in Europe":                    {base: "https://eu.api.openai.com/v1", variable: "b", want: "Bearer b"},
		"another server with the variable":    {base: "http://localhost:11434/v1", variable: "b"},
		"OpenAI's address without TLS":        {base: "http://api.openai.com/v1", variable: "b"},
		"another server with its variable":    {base: "http://localhost:11434/v1", variable: "b", named: openai.APIKeyVariable, want: "Bearer b"},
		"another server with a key":           {base: "http://localhost:11434/v1/", key: "a", want: "Bearer a"},
		"a header wins":                       {base: "http://localhost:11434/v1", key: "a", headers: map[string]string{"Authorization": "Basic x"}, want: "Basic x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(openai.APIKeyVariable, test.variable)
			for _, api := range apis {
				var got *recorded
				m := &openai.Model{Name: "m", APIKey: test.key, APIKeyEnv: test.named, BaseURL: test.base, API: api, Headers: test.headers, HTTPClient: client(func(r recorded) string {
					got = &r
					return hello[api]
				})}
				_, err := m.Generate(t.Context(), request(hi))
				if test.refused {
					require.Equal(t, model.ErrorAuthentication, failure(t, err).Kind)
					require.ErrorContains(t, err, "set the environment variable OPENAI_API_KEY")
					require.Equal(t, err, stream(t.Context(), m, request(hi)).err)
					require.Nil(t, got, "nothing is sent")
					continue
				}
				require.NoError(t, err)
				require.Equal(t, test.want, got.header.Get("Authorization"))
				if _, there := got.header["Authorization"]; test.want == "" {
					require.False(t, there)
				}
			}
		})
	}
}

// Only the variables with the key and the address change a request.
func TestEnvironment(t *testing.T) {
	send := func() (out []recorded) {
		for _, api := range apis {
			m := &openai.Model{Name: "m", API: api, HTTPClient: client(func(r recorded) string {
				out = append(out, r)
				return hello[api]
			})}
			_, err := m.Generate(t.Context(), request(hi))
			require.NoError(t, err)
		}
		return out
	}
	t.Setenv(openai.APIKeyVariable, "key")
	want := send()
	for name, value := range map[string]string{
		"OPENAI_ORG_ID": "org", "OPENAI_PROJECT_ID": "project", "OPENAI_ADMIN_KEY": "admin",
		"OPENAI_WEBHOOK_SECRET": "secret", "OPENAI_CUSTOM_HEADERS": "X-Custom: 1", "OPENAI_LOG": "debug", "OPENAI_API_BASE": "http://localhost:1",
		"OPENAI_ORGANIZATION": "org", "AZURE_OPENAI_API_KEY": "azure",
	} {
		t.Setenv(name, value)
	}
	require.Equal(t, want, send())
	t.Setenv(openai.BaseURLVariable, "http://localhost:1/v9/")
	for i, got := range send() {
		require.Equal(t, "http://localhost:1/v9/"+strings.TrimPrefix(want[i].path, "https://api.openai.com/v1/"), got.path)
		require.Equal(t, "Bearer key", got.header.Get("Authorization"), "the user set both variables")
		require.Equal(t, want[i].body, got.body)
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"":                             "https://api.openai.com/v1/chat/completions",
		"https://eu.api.openai.com/v1": "https://eu.api.openai.com/v1/chat/completions",
		"http://localhost:8080":        "http://localhost:8080/chat/completions",
		"http://localhost:8080/a/b/":   "http://localhost:8080/a/b/chat/completions",
		"https://x.openai.azure.com/openai/v1?api-version=preview&x=1&x=2": "https://x.openai.azure.com/openai/v1/chat/completions?api-version=preview&x=1&x=2",
	} {
		t.Run(base, func(t *testing.T) {
			t.Parallel()
			m := &openai.Model{Name: "m", BaseURL: base, APIKey: "key", HTTPClient: client(func(r recorded) string {
				if r.path != want {
					return `{"error":"wrong address: ` + r.path + `"}`
				}
				return hello[openai.ChatCompletions]
			})}
			_, err := m.Generate(t.Context(), request(hi))
			require.NoError(t, err)
		})
	}
	for _, base := range []string{"localhost:8080", "ftp://localhost", "http://", "://", "http://a b/", "/v1"} {
		t.Run("not "+base, func(t *testing.T) {
			t.Parallel()
			m := &openai.Model{Name: "m", BaseURL: base, APIKey: "key"}
			_, err := m.Generate(t.Context(), request(hi))
			require.ErrorContains(t, err, `the base URL must be an http or https URL, such as "https://api.openai.com/v1/"`)
			require.Equal(t, model.ErrorInvalidRequest, failure(t, err).Kind)
			require.False(t, failure(t, err).Retryable)
		})
	}
}

// OpenAI's newer models refuse max_tokens; the newer name wins.
func TestMaxTokensOfOpenAI(t *testing.T) {
	t.Parallel()
	for settings, want := range map[string]string{
		`{"max_tokens":5}`: `5`, `{"max_tokens":5,"max_completion_tokens":6}`: `6`, `{"max_completion_tokens":7}`: `7`,
	} {
		var got recorded
		m := &openai.Model{Name: "m", APIKey: "key", Settings: mapOf(t, settings), HTTPClient: client(func(r recorded) string {
			got = r
			return hello[openai.ChatCompletions]
		})}
		_, err := m.Generate(t.Context(), request(hi))
		require.NoError(t, err)
		require.NotContains(t, got.body, "max_tokens")
		require.Equal(t, parsed(t, want), got.body["max_completion_tokens"])
	}
}

func TestAnAPIThatIsNone(t *testing.T) {
	t.Parallel()
	_, err := (&openai.Model{Name: "m", APIKey: "key", API: "assistants"}).Generate(t.Context(), request(hi))
	require.ErrorContains(t, err, `the API "assistants" does not exist`)
	require.Equal(t, model.ErrorInvalidRequest, failure(t, err).Kind)
}

func TestErrorsNameTheProvider(t *testing.T) {
	t.Parallel()
	for _, api := range apis {
		m := modelAt(t, saying(t, "{}"), api)
		m.Provider = "ollama"
		_, err := m.Generate(t.Context(), request(hi))
		require.ErrorContains(t, err, "ollama: response: ")
		m = modelAt(t, saying(t, hello[api]), api)
		m.Provider = "ollama"
		resp, err := m.Generate(t.Context(), request(hi))
		require.NoError(t, err)
		require.Equal(t, `"ollama"`, resp.AI().Meta.Get("provider").JSON())
	}
}

// A redirection is not followed: the key would go along.
func TestRedirections(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, api openai.API, streaming bool) {
		t.Helper()
		elsewhere := saying(t, hello[api])
		for status, location := range map[int]string{301: elsewhere.URL + "/secret?key=1", 302: "", 307: "/v1/other", 308: elsewhere.URL} {
			s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				if location != "" {
					w.Header().Set("Location", location)
				}
				w.WriteHeader(status)
			})
			_, err := ask(t, modelAt(t, s, api), request(hi), streaming)
			require.ErrorContains(t, err, "the server redirects")
			require.NotContains(t, err.Error(), "secret")
			require.Equal(t, status, failure(t, err).Status)
			require.Equal(t, model.ErrorResponse, failure(t, err).Kind)
			require.False(t, failure(t, err).Retryable)
			require.Equal(t, 1, s.count())
		}
		require.Zero(t, elsewhere.count())
	})
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	s := saying(t, hello[openai.ChatCompletions])
	m := modelAt(t, s, openai.ChatCompletions)
	m.Headers = map[string]string{"X-Title": "agenthost", "user-agent": "mine"}
	_, err := m.Generate(t.Context(), request(hi))
	require.NoError(t, err)
	require.Equal(t, "agenthost", s.last(t).header.Get("X-Title"))
	require.Equal(t, []string{"mine"}, s.last(t).header["User-Agent"])
}

func TestRequestsAreNotRepeatedWithoutRetries(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, api openai.API, streaming bool) {
		t.Helper()
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Should-Retry", "true")
			w.WriteHeader(http.StatusServiceUnavailable)
		})
		_, err := ask(t, modelAt(t, s, api), request(hi), streaming)
		require.Equal(t, model.ErrorOverloaded, failure(t, err).Kind)
		require.Equal(t, 1, s.count())
	})
}

func TestServersThatAreNotThere(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())
	eachWay(t, func(t *testing.T, api openai.API, streaming bool) {
		t.Helper()
		m := &openai.Model{Name: "m", BaseURL: "http://" + address + "/v1?secret=1", API: api, Limits: model.Limits{MaxRetries: -1}}
		_, err := ask(t, m, request(hi), streaming)
		require.Equal(t, model.ErrorConnection, failure(t, err).Kind)
		require.True(t, failure(t, err).Retryable)
		require.NotContains(t, err.Error(), "secret")
	})
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	for _, api := range apis {
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			said := hello[api]
			if body, _ := io.ReadAll(r.Body); strings.Contains(string(body), `"stream":true`) {
				said = helloStream[api]
			}
			_, _ = io.WriteString(w, said)
		})
		m := modelAt(t, s, api)
		var all sync.WaitGroup
		errs := make(chan error, 40)
		for i := range cap(errs) {
			all.Go(func() {
				_, err := ask(t, m, request(hi), i%2 == 0)
				errs <- err
			})
		}
		all.Wait()
		close(errs)
		for err := range errs {
			require.NoError(t, err)
		}
	}
}

// A client's timeout holds for the whole answer.
func TestTimeouts(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, api openai.API, streaming bool) {
		t.Helper()
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, helloStream[api][:20])
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		})
		m := modelAt(t, s, api)
		m.HTTPClient.Timeout = 100 * time.Millisecond
		_, err := ask(t, m, request(hi), streaming)
		require.Equal(t, model.ErrorTimeout, failure(t, err).Kind)
		require.True(t, failure(t, err).Retryable)

		m = modelAt(t, s, api)
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if streaming {
			err = stream(ctx, m, request(hi)).err
		} else {
			_, err = m.Generate(ctx, request(hi))
		}
		require.Equal(t, model.ErrorTimeout, failure(t, err).Kind)
	})
}

// Cancelling closes the connection, which the server sees, and returns the cause.
func TestCancellation(t *testing.T) {
	t.Parallel()
	cause := errors.New("enough")
	eachWay(t, func(t *testing.T, api openai.API, streaming bool) {
		t.Helper()
		closed, begun := make(chan struct{}), make(chan struct{})
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if streaming {
				event, _, _ := strings.Cut(helloStream[api], "\n\n")
				_, _ = io.WriteString(w, event+"\n\n")
			}
			_ = http.NewResponseController(w).Flush()
			close(begun)
			<-r.Context().Done()
			close(closed)
		})
		m := modelAt(t, s, api)
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		if streaming {
			var errs []error
			for chunk, err := range m.Stream(ctx, request(hi)) {
				if err != nil {
					errs = append(errs, err)
					continue
				}
				require.Equal(t, "hel", chunk.Text)
				cancel(cause)
			}
			require.Equal(t, []error{cause}, errs)
		} else {
			go func() {
				<-begun
				cancel(cause)
			}()
			_, err := m.Generate(ctx, request(hi))
			require.Equal(t, cause, err)
		}
		<-closed
	})
}

// What has come already is not said behind a cancellation, though the answer may be whole.
func TestCancellationOfWhatHasCome(t *testing.T) {
	t.Parallel()
	for _, api := range apis {
		m := modelAt(t, saying(t, helloStream[api]), api)
		ctx, cancel := context.WithCancelCause(t.Context())
		t.Cleanup(func() { cancel(nil) })
		cause, chunks := errors.New("enough"), 0
		var last error
		for _, err := range m.Stream(ctx, request(hi)) {
			chunks++
			last = err
			cancel(cause)
		}
		require.Equal(t, 2, chunks)
		require.Equal(t, cause, last)
		_, err := m.Generate(ctx, request(hi))
		require.Equal(t, cause, err)
		require.Equal(t, cause, stream(ctx, m, request(hi)).err)
	}
}

// A consumer that stops closes the connection too.
func TestConsumersThatStop(t *testing.T) {
	t.Parallel()
	for _, api := range apis {
		closed := make(chan struct{})
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			event, _, _ := strings.Cut(helloStream[api], "\n\n")
			_, _ = io.WriteString(w, event+"\n\n")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
			close(closed)
		})
		for chunk, err := range modelAt(t, s, api).Stream(t.Context(), request(hi)) {
			require.NoError(t, err)
			require.Equal(t, "hel", chunk.Text)
			break
		}
		<-closed
		for _, said := range []string{helloStream[api], hello[api]} {
			for chunk, err := range modelAt(t, saying(t, said), api).Stream(t.Context(), request(hi)) { // at the last chunk
				require.NoError(t, err)
				if chunk.Response != nil {
					break
				}
			}
			for _, err := range modelAt(t, saying(t, said), api).Stream(t.Context(), request(hi)) {
				require.NoError(t, err)
				break
			}
		}
		for _, err := range modelAt(t, saying(t, "{}"), api).Stream(t.Context(), request(hi)) { // at the error
			require.Error(t, err)
			break
		}
	}
}

func TestRequestsAreNotChanged(t *testing.T) {
	t.Parallel()
	for _, api := range apis {
		req := request(hi, abi.AI("x", abi.Call("c", "t", map[string]any{"a": 1})))
		req.Settings = mapOf(t, `{"text":{"a":1},"tools":[{"type":"function","name":"weather","strict":true}]}`)
		req.Tools = []abi.ToolSpec{{Name: "weather", Parameters: rawOf(t, `{"type":"object"}`)}}
		req.Format = &model.Format{Name: "f", Schema: wire.Map(nil).Raw()}
		before := *req
		settings, parameters := req.Settings.Raw().Clone(), req.Tools[0].Parameters.Clone()
		m := modelAt(t, saying(t, hello[api]), api)
		m.Settings = mapOf(t, `{"a":1}`)
		_, err := m.Generate(t.Context(), req)
		require.NoError(t, err)
		require.Equal(t, before, *req)
		require.Equal(t, settings, req.Settings.Raw())
		require.Equal(t, parameters, req.Tools[0].Parameters)
		require.Equal(t, mapOf(t, `{"a":1}`), m.Settings)
	}
}
