package openai_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/test/clientscript"
	"github.com/agenthost/agenthost/test/programs"
	"github.com/agenthost/agenthost/test/testservers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "sk-0123456789abcdef"

func TestPythonClient(t *testing.T) {
	t.Parallel()
	run(t, testservers.PythonDoorClient(t, filepath.Join("testdata", "openai_client.py")))
}

func TestJavaScriptClient(t *testing.T) {
	t.Parallel()
	run(t, testservers.NodeClient(t, filepath.Join("testdata", "openai_client.mjs")))
}

func TestLiteLLM(t *testing.T) {
	t.Parallel()
	python := testservers.Tool(t, "litellm/bin/python", "python3")
	run(t, []string{python, filepath.Join("testdata", "litellm_client.py")})
}

func TestBehindALiteLLMProxy(t *testing.T) {
	t.Parallel()
	url := serve(t, clientscript.Tools(t, nil), "agent")
	config := filepath.Join(t.TempDir(), "litellm.yaml")
	require.NoError(t, os.WriteFile(config, []byte(`
model_list:
  - {model_name: helper, litellm_params: {model: openai/agent, api_base: "`+url+`/v1", api_key: `+key+`}}
general_settings: {master_key: `+testservers.LiteLLMKey+`}
`), 0o600))
	proxy := testservers.LiteLLM(t, config)
	require.Equal(t, "I look.\n\nThe tool said: sunny in Bern", ask(t, proxy, testservers.LiteLLMKey, "helper", "weather Bern"))
}

// The model of an agent is an agent of another agenthost, which gets the tools of the first one as those of its client.
func TestTheModelsOfAnotherAgenthost(t *testing.T) {
	t.Parallel()
	tools := clientscript.Tools(t, nil)
	inner := serve(t, tools, "agent")
	outer := serve(t, tools, "outer", "INNER="+inner, "INNER_KEY="+key)
	require.Equal(t, "You said: hello", ask(t, outer, key, "outer", "hello"))
	require.Equal(t, "The tool said: sunny in Bern", ask(t, outer, key, "outer", "locate Bern"))
}

// ask returns the answer to a message.
func ask(t *testing.T, url, key, model, text string) string {
	t.Helper()
	body, err := json.Marshal(map[string]any{"model": model, "messages": []any{map[string]string{"role": "user", "content": text}}})
	require.NoError(t, err)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v1/chat/completions", strings.NewReader(string(body)))
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+key)
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	response, err := client.Do(request)
	require.NoError(t, err)
	defer func() { require.NoError(t, response.Body.Close()) }()
	said, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode, "%s", said)
	var completion struct {
		Choices []struct {
			Message struct {
				Content string `json:"content"`
			} `json:"message"`
		} `json:"choices"`
	}
	require.NoError(t, json.Unmarshal(said, &completion), "%s", said)
	require.Len(t, completion.Choices, 1)
	return completion.Choices[0].Message.Content
}

// run runs a client against a server of its own. The client's arguments are the address of the server, its key, and the address of the tools.
func run(t *testing.T, command []string) {
	t.Helper()
	tools := clientscript.Tools(t, nil)
	command = append(command, serve(t, tools, "agent"), key, tools)
	clientscript.Run(t, command, "LITELLM_LOCAL_MODEL_COST_MAP=True")
}

// serve starts `agenthost serve` with an agent, and one with structured answers beside the agent "agent", and returns its address. One run of an
// owner takes place at a time.
func serve(t *testing.T, tools, agent string, env ...string) string {
	t.Helper()
	arguments := []string{"--config", "serve.yaml", "-f", agent}
	if agent == "agent" {
		arguments = append(arguments, "-f", "structured")
	}
	return programs.Serve(t, directory(t), append(env, "TOOLS="+tools), arguments...).URL
}

// directory makes a directory with the agents and the configuration of a server.
func directory(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "agents"))))
	sum := sha256.Sum256([]byte(key))
	config := "auth: {keys: [{sha256: " + hex.EncodeToString(sum[:]) + ", owner: ann, scopes: [runs, threads]}]}\nlimits: {runs_per_owner: 1}\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "serve.yaml"), []byte(config), 0o600))
	return dir
}
