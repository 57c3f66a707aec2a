package modeltest_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/anthropic"
	"github.com/agenthost/agenthost/host/model/gemini"
	"github.com/agenthost/agenthost/host/model/openai"
	"github.com/agenthost/agenthost/test/testservers"
)

// said is what the answers of the file come to. Of a broken call only OpenAI's language can tell.
var said = map[string]string{
	"[text]":   "Hello from Zürich.",
	"[call]":   `weather {"city":"Bern"} weather {"city":"Chur"}`,
	"[broken]": `weather {}`,
}

// incomplete are streams that begin in the middle or do not say that they are whole, and so are not answers.
var incomplete = map[string][]string{
	"anthropic streamed": {"[text]", "[call]", "[broken]"}, "gemini streamed": {"[call]", "[broken]"},
}

// Another server that says less than the providers do, as some that are compatible with them.
func TestAgainstStubllm(t *testing.T) {
	t.Parallel()
	address := testservers.Stubllm(t, filepath.Join("testdata", "stubllm.yaml"))
	for name, m := range map[string]model.Streamer{
		"openai":    &openai.Model{Name: "gpt-5.2", BaseURL: address + "/v1"},
		"anthropic": &anthropic.Model{Name: "claude-haiku-4-5", BaseURL: address},
		"gemini":    &gemini.Model{Name: "gemini-3-flash", BaseURL: address},
	} {
		for way, ask := range map[string]func(say string) (*model.Response, error){
			"whole": func(say string) (*model.Response, error) { return m.Generate(t.Context(), saying(say)) },
			"streamed": func(say string) (resp *model.Response, err error) {
				for chunk, failed := range m.Stream(t.Context(), saying(say)) {
					resp, err = chunk.Response, failed
				}
				return resp, err
			},
		} {
			t.Run(name+" "+way, func(t *testing.T) {
				t.Parallel()
				for _, say := range []string{"[text]", "[call]", "[broken]"} {
					resp, err := ask(say)
					if slices.Contains(incomplete[name+" "+way], say) {
						require.Equal(t, model.ErrorResponse, failure(t, err).Kind)
						continue
					}
					require.NoError(t, err)
					want := said[say]
					if name == "openai" && say == "[broken]" {
						want = `malformed weather {"city": "Be`
					}
					require.Equal(t, want, shown(resp.AI()))
				}
				for say, kind := range map[string]model.ErrorKind{"[429]": model.ErrorRateLimit, "[500]": model.ErrorServer} {
					_, err := ask(say)
					require.Equal(t, kind, failure(t, err).Kind)
					require.True(t, failure(t, err).Retryable)
				}
			})
		}
	}
}

func shown(m *abi.Message) string {
	parts := []string{}
	if text := m.Content.Text(); text != "" {
		parts = append(parts, text)
	}
	for _, c := range m.ToolCalls {
		parts = append(parts, c.Name, c.Args.JSON())
	}
	for _, c := range m.InvalidToolCalls {
		parts = append(parts, "malformed", c.Name, c.Args)
	}
	return strings.Join(parts, " ")
}

func failure(t *testing.T, err error) *model.Error {
	t.Helper()
	var failed *model.Error
	require.ErrorAs(t, err, &failed)
	return failed
}

func saying(text string) *model.Request {
	return &model.Request{Messages: history.Of(abi.Human(text))}
}
