package manifest_test

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/manifest"
	"github.com/agenthost/agenthost/test/cloudservers"
)

func TestModelsOnClouds(t *testing.T) {
	t.Parallel()
	aws := &cloudservers.AWS{KeyID: "AKIDEXAMPLE", Secret: "secret-access-key", Region: "eu-central-1"}
	google := cloudservers.GoogleAccount(t)
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case !strings.Contains(string(body), "0.5"): // the setting
			http.Error(w, "there is no temperature", http.StatusBadRequest)
		case r.URL.Path == "/v1/messages":
			_, _ = io.WriteString(w, `{"type":"message","content":[{"type":"text","text":"Hi."}],"stop_reason":"end_turn"}`)
		case r.URL.Path == "/v1/responses":
			_, _ = io.WriteString(w, `{"status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hi.","annotations":[]}]}]}`)
		default:
			_, _ = io.WriteString(w, `{"candidates":[{"finishReason":"STOP","content":{"parts":[{"text":"Hi."}]}}]}`)
		}
	}))
	t.Cleanup(upstream.Close)
	of := &cloudservers.Azure{Deployment: "my-gpt", APIKey: "azure-key-1", Version: "2025-04-01-preview"}
	for lines, test := range map[string]struct {
		server *cloudservers.Server
		env    map[string]string
	}{
		"{provider: bedrock, name: 'eu.anthropic.claude-haiku-4-5-20251001-v1:0', region: eu-central-1, temperature: 0.5, base_url: BASE, trust_base_url: true}":                     {cloudservers.Bedrock(t, upstream.URL, aws), aws.Variables()},
		"{provider: google_vertexai, name: gemini-2.5-flash, location: europe-west4, temperature: 0.5, base_url: BASE, trust_base_url: true}":                                        {cloudservers.Vertex(t, upstream.URL, google), google.Variables()},
		"{provider: google_anthropic_vertex, name: claude-haiku-4-5, project: my-project, location: europe-west4, temperature: 0.5, base_url: BASE, trust_base_url: true}":           {cloudservers.Vertex(t, upstream.URL, google), google.Variables()},
		"{provider: azure_openai, name: my-gpt, api: responses, api_version: 2025-04-01-preview, temperature: 0.5, base_url: BASE, trust_base_url: true}":                            {cloudservers.AzureOpenAI(t, upstream.URL, of), map[string]string{"AZURE_OPENAI_API_KEY": of.APIKey}},
		"{provider: azure_openai, name: my-gpt, api: responses, api_version: 2025-04-01-preview, temperature: 0.5, base_url: BASE, api_key_env: OTHER_KEY, settings: {store: true}}": {cloudservers.AzureOpenAI(t, upstream.URL, of), map[string]string{"OTHER_KEY": of.APIKey}},
	} {
		m, err := modelOf(t, "model: "+strings.ReplaceAll(lines, "BASE", test.server.URL), test.env)
		require.NoError(t, err, lines)
		resp, err := m.Generate(t.Context(), &model.Request{Messages: history.Of(abi.Human("Hello"))})
		require.NoError(t, err, lines)
		require.Equal(t, "Hi.", resp.AI().Content.Text())
	}
}

func TestMistakesInModelsOnClouds(t *testing.T) {
	t.Parallel()
	for lines, says := range map[string]string{
		"vertexai:gemini-2.5-flash":                                                                   `the provider "vertexai" is unknown; its name is google_vertexai here`,
		"{provider: bedrock_converse, name: x}":                                                       `the provider "bedrock_converse" is unknown; its name is bedrock here`,
		"{provider: bedrock, name: x, region_name: us-east-1}":                                        `unknown key "region_name"; for bedrock, write region: eu-central-1`,
		"{provider: bedrock, name: x, credentials_profile_name: dev}":                                 "set AWS_PROFILE in the environment or in env_file",
		"{provider: bedrock, name: x, effort: high}":                                                  "write output_config: {effort: high}",
		"{provider: bedrock, name: x, project: p}":                                                    `unknown key "project"`,
		"{provider: openai, name: x, region: r}":                                                      `unknown key "region"`,
		"{provider: anthropic, name: x, trust_base_url: true}":                                        `unknown key "trust_base_url"`,
		"{provider: bedrock, name: x, regoin: r}":                                                     `did you mean "region"`,
		"{provider: bedrock, name: x, api: responses}":                                                `unknown key "api"`,
		"{provider: google_vertexai, name: x, max_tokens: many}":                                      "max_tokens",
		"{provider: google_vertexai, name: x, project: ''}":                                           "project is empty",
		"{provider: azure_openai, name: x, azure_deployment: d}":                                      "write name: DEPLOYMENT",
		"{provider: azure_openai, name: x, trust_base_url: maybe}":                                    "trust_base_url",
		"{provider: azure_openai, name: x, api_key: sk}":                                              "set AZURE_OPENAI_API_KEY in the environment",
		"{provider: bedrock, name: claude-haiku-4-5, region: us-east-1}":                              "is not a model of Anthropic on Bedrock",
		"{provider: bedrock, name: anthropic.claude, region: nowhere.evil}":                           "is not an AWS region",
		"{provider: google_vertexai, name: claude-haiku-4-5}":                                         "its provider on Vertex AI is google_anthropic_vertex",
		"{provider: azure_openai, name: x, base_url: 'https://a.openai.azure.com', api_version: new}": "is not a version of the API",
	} {
		_, err := checkedModel(t, lines, "", nil)
		require.ErrorContains(t, err, says, lines)
	}
}

// An env_file cannot send credentials of the process elsewhere.
func TestAnEnvFileCannotRedirectCredentials(t *testing.T) {
	t.Parallel()
	file := "AZURE_OPENAI_ENDPOINT=https://evil.openai.azure.com\n"
	_, err := checkedModel(t, "azure_openai:my-gpt", file, map[string]string{"AZURE_OPENAI_API_KEY": "key-of-the-process"})
	require.ErrorContains(t, err, "AZURE_OPENAI_ENDPOINT is set in env_file only, and would get AZURE_OPENAI_API_KEY of the environment")
	m, err := checkedModel(t, "azure_openai:my-gpt", file+"AZURE_OPENAI_API_KEY=key\n", nil)
	require.NoError(t, err)
	accountant, ok := model.As[model.Accountant](m)
	require.True(t, ok)
	account, err := accountant.Account()
	require.NoError(t, err)
	require.Equal(t, "evil.openai.azure.com", account.Host)

	m, err = checkedModel(t, "bedrock:anthropic.claude-haiku-4-5-v1:0", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME=https://evil.example\nAWS_ENDPOINT_URL=https://evil.example\n",
		map[string]string{"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "s", "AWS_REGION": "us-east-1"})
	require.NoError(t, err)
	accountant, ok = model.As[model.Accountant](m)
	require.True(t, ok)
	account, err = accountant.Account()
	require.NoError(t, err)
	require.Equal(t, "bedrock-runtime.us-east-1.amazonaws.com", account.Host)
}

// checkedModel returns the model of a manifest with an env_file.
func checkedModel(t *testing.T, line, file string, env map[string]string) (model.Model, error) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "agenthost.yaml")
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".env"), []byte(file), 0o600))
	require.NoError(t, os.WriteFile(path, []byte("apiVersion: agenthost/v1\nenv_file: .env\nmodel: "+line+"\n"), 0o600))
	env = maps.Clone(env)
	m, err := manifest.Load(path, manifest.Options{LookupEnv: func(name string) (string, bool) { value, ok := env[name]; return value, ok }})
	if err != nil {
		return nil, err
	}
	var built model.Model
	agent, err := m.Build(t.Context(), nil, func(c *host.Config) { built = c.Model })
	if err != nil {
		return nil, err
	}
	return built, agent.Close()
}
