package modeltest_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/anthropic"
	"github.com/agenthost/agenthost/host/model/gemini"
	"github.com/agenthost/agenthost/host/model/openai"
	"github.com/agenthost/agenthost/test/testservers"
)

// A third server, which also has the Responses API, cuts streams off and resets connections.
func TestAgainstLlmposter(t *testing.T) {
	t.Parallel()
	address := testservers.Llmposter(t, filepath.Join("testdata", "llmposter.yaml"))
	once := model.Limits{MaxRetries: -1}
	for name, m := range map[string]model.Streamer{
		"openai":    &openai.Model{Name: "gpt-5.2", BaseURL: address + "/v1", Limits: once},
		"responses": &openai.Model{Name: "gpt-5.2", BaseURL: address + "/v1", API: openai.Responses, Limits: once},
		"anthropic": &anthropic.Model{Name: "claude-haiku-4-5", BaseURL: address, Limits: once},
		"gemini":    &gemini.Model{Name: "gemini-3-flash", BaseURL: address, Limits: once},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := func(say string) (*model.Response, error) { return m.Generate(t.Context(), saying(say)) }
			streamed := func(say string) (resp *model.Response, err error) {
				for chunk, failed := range m.Stream(t.Context(), saying(say)) {
					resp, err = chunk.Response, failed
				}
				return resp, err
			}
			for way, ask := range map[string]func(string) (*model.Response, error){"whole": whole, "streamed": streamed} {
				for say, want := range map[string]string{"[text]": "Hello from Zürich.", "[call]": `weather {"city":"Bern"} weather {"city":"Chur"}`} {
					resp, err := ask(say)
					require.NoError(t, err, way)
					require.Equal(t, want, shown(resp.AI()), way)
				}
				for say, kind := range map[string]model.ErrorKind{"[429]": model.ErrorRateLimit, "[500]": model.ErrorServer} {
					_, err := ask(say)
					require.Equal(t, kind, failure(t, err).Kind, way)
					require.Equal(t, say == "[429]", failure(t, err).RetryAfter == time.Second, way)
				}
				_, err := ask("[garbage]")
				require.Equal(t, model.ErrorResponse, failure(t, err).Kind, way)
			}
			for _, say := range []string{"[cut]", "[reset]"} {
				resp, err := streamed(say)
				require.Error(t, err, "%s: %v", say, resp)
				require.NotEmpty(t, failure(t, err).Kind)
			}
		})
	}
}
