//go:build !no_cloud

package bedrock_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/test/cloudservers"
)

func write(t *testing.T, path, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status  int
		code    string
		message string
		kind    model.ErrorKind
		again   bool
		says    string
	}{
		{403, "AccessDeniedException", "You don't have access to the model with the specified model ID.", model.ErrorPermission, false, "request access to the model in the Bedrock console of eu-central-1"},
		{403, "ExpiredTokenException", "The security token included in the request is expired", model.ErrorAuthentication, false, `run "aws sso login"`},
		{403, "UnrecognizedClientException", "The security token included in the request is invalid.", model.ErrorAuthentication, false, "check the AWS credentials (AWS_ACCESS_KEY_ID)"},
		{404, "ResourceNotFoundException", "Could not resolve the foundation model", model.ErrorNotFound, false, "choose another region"},
		{429, "ThrottlingException", "Too many tokens, please wait before trying again.", model.ErrorRateLimit, true, "Too many tokens"},
		{400, "ThrottlingException", "Too many requests", model.ErrorRateLimit, true, "Too many requests"},
		{400, "ServiceQuotaExceededException", "Your request exceeds the service quota", model.ErrorQuota, false, "Service Quotas console"},
		{424, "ModelErrorException", "The model failed", model.ErrorServer, true, "The model failed"},
		{400, "ValidationException", "Invocation of model ID with on-demand throughput isn’t supported.", model.ErrorInvalidRequest, false, "use an inference profile"},
		{400, "ValidationException", "The provided model identifier is invalid.", model.ErrorNotFound, false, "check the model id"},
		{400, "ValidationException", "Input is too long for requested model.", model.ErrorContextLength, false, "Input is too long"},
		{503, "ServiceUnavailableException", "Bedrock is unable to process your request.", model.ErrorOverloaded, true, "unable to process"},
	} {
		t.Run(fmt.Sprint(test.status, test.code, test.message), func(t *testing.T) {
			t.Parallel()
			for _, inBody := range []bool{false, true} {
				s := answering(t, func(w http.ResponseWriter, _ *http.Request) {
					kind := ""
					if inBody {
						kind = fmt.Sprintf(`"__type":"com.amazon.coral.service#%s",`, test.code)
					} else {
						w.Header().Set("X-Amzn-Errortype", test.code+":http://internal.amazon.com/")
					}
					w.WriteHeader(test.status)
					_, _ = fmt.Fprintf(w, `{%s"message":%q}`, kind, test.message)
				})
				_, err := modelAt(t, s, account().Variables()).Generate(t.Context(), hello())
				failed := failure(t, err)
				require.Equal(t, test.kind, failed.Kind)
				require.Equal(t, test.again, failed.Retryable)
				require.ErrorContains(t, err, test.says)
			}
		})
	}
}

// streaming starts a server that answers with these messages.
func streaming(t *testing.T, messages ...[]byte) string {
	t.Helper()
	return answering(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/vnd.amazon.eventstream")
		for _, m := range messages {
			_, _ = w.Write(m)
		}
	})
}

// begin are the first events of an answer.
func begin() [][]byte {
	return [][]byte{
		cloudservers.Frame(`{"type":"message_start","message":{"id":"1","type":"message","content":[]}}`),
		cloudservers.Frame(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`),
		cloudservers.Frame("{\"type\":\"content_block_delta\",\"index\":0,\n\"delta\":{\"type\":\"text_delta\",\"text\":\"Hi.\"}}"),
	}
}

func end() [][]byte {
	return [][]byte{
		cloudservers.Frame(`{"type":"content_block_stop","index":0}`), cloudservers.Frame(`{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`),
		cloudservers.Frame(`{"type":"message_stop","amazon-bedrock-invocationMetrics":{"inputTokenCount":8}}`),
	}
}

func read(t *testing.T, address string) (text string, err error) {
	t.Helper()
	for chunk, failed := range modelAt(t, address, account().Variables()).Stream(t.Context(), hello()) {
		text += chunk.Text
		err = failed
	}
	return text, err
}

func TestAStream(t *testing.T) {
	t.Parallel()
	text, err := read(t, streaming(t, append(begin(), end()...)...))
	require.NoError(t, err)
	require.Equal(t, "Hi.", text)
}

func TestAStreamFails(t *testing.T) {
	t.Parallel()
	last := end()[0]
	wrong := append([]byte(nil), last...)
	wrong[len(wrong)-20] ^= 1
	for name, test := range map[string]struct {
		then  []byte
		kind  model.ErrorKind
		again bool
		says  string
	}{
		"throttled":      {cloudservers.Exception("throttlingException", "Too many requests"), model.ErrorRateLimit, true, "throttlingException: Too many requests"},
		"the model":      {cloudservers.Exception("modelStreamErrorException", "It broke"), model.ErrorServer, true, "It broke"},
		"invalid":        {cloudservers.Exception("validationException", "No"), model.ErrorInvalidRequest, false, "No"},
		"slow":           {cloudservers.Exception("modelTimeoutException", "Late"), model.ErrorTimeout, true, "Late"},
		"unknown":        {cloudservers.Exception("otherException", "Other"), model.ErrorServer, true, "otherException: Other"},
		"the end":        {nil, model.ErrorResponse, true, "ended before the answer was complete"},
		"a cut prelude":  {last[:5], model.ErrorConnection, true, "unexpected EOF"},
		"a cut message":  {last[:40], model.ErrorConnection, true, "unexpected EOF"},
		"a flipped bit":  {wrong, model.ErrorResponse, true, "a message of the stream cannot be read"},
		"a huge message": {[]byte{0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0}, model.ErrorResponse, false, "is longer than 17 MiB"},
		"a tiny message": {[]byte{0, 0, 0, 3, 0, 0, 0, 0}, model.ErrorResponse, true, "impossible lengths"},
		"long headers":   {[]byte{0, 0, 0, 99, 0, 0, 0, 98}, model.ErrorResponse, true, "impossible lengths"},
		"no JSON":        {cloudservers.Frame("event"), model.ErrorResponse, true, "cannot be read"},
		"Anthropic's":    {cloudservers.Frame(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), model.ErrorOverloaded, true, "Overloaded"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := read(t, streaming(t, append(begin(), test.then)...))
			require.Equal(t, "Hi.", text, "what came before shows")
			failed := failure(t, err)
			require.Equal(t, test.kind, failed.Kind, err)
			require.Equal(t, test.again, failed.Retryable, err)
			require.ErrorContains(t, err, test.says)
		})
	}
}

// A server that echoes the token of the session does not get it into an answer, also where the framing cuts it into Base64.
func TestCredentialsAreHidden(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := r.Header.Get("X-Amz-Security-Token")
		if r.Header.Get("Accept") == "application/json" {
			w.WriteHeader(http.StatusForbidden)
			_, _ = fmt.Fprintf(w, `{"message":"bad token %s"}`, token)
			return
		}
		w.Header().Set("Content-Type", "application/vnd.amazon.eventstream")
		for _, m := range append(append(begin(), cloudservers.Frame(fmt.Sprintf(
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" You sent %s."}}`, token))), end()...) {
			_, _ = w.Write(m)
		}
	}))
	t.Cleanup(s.Close)
	text, err := read(t, s.URL)
	require.NoError(t, err)
	require.Equal(t, "Hi. You sent ***.", text)
	_, err = modelAt(t, s.URL, account().Variables()).Generate(t.Context(), hello())
	require.ErrorContains(t, err, "bad token ***")
}

func FuzzStream(f *testing.F) {
	for _, m := range append(begin(), end()...) {
		f.Add(m)
	}
	f.Add(cloudservers.Exception("throttlingException", "Too many"))
	f.Add([]byte{0, 0, 0, 16, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, frame []byte) {
		m := modelAt(t, "http://bedrock.test", account().Variables())
		m.HTTPClient = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			return &http.Response{
				StatusCode: http.StatusOK, Request: r, Header: http.Header{"Content-Type": {"application/vnd.amazon.eventstream"}},
				Body: io.NopCloser(io.MultiReader(bytesReader(begin()), bytesReader([][]byte{frame}))),
			}, nil
		})}
		for _, err := range m.Stream(t.Context(), hello()) {
			if err != nil {
				require.NotEmpty(t, err.Error()) // whatever it is, it ends
			}
		}
	})
}

func bytesReader(all [][]byte) io.Reader {
	readers := make([]io.Reader, 0, len(all))
	for _, b := range all {
		readers = append(readers, bytes.NewReader(b))
	}
	return io.MultiReader(readers...)
}
