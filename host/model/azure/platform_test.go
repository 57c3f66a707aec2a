//go:build !no_cloud

package azure_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/azure"
	"github.com/agenthost/agenthost/host/model/openai"
	"github.com/agenthost/agenthost/test/cloudservers"
)

func TestARequest(t *testing.T) {
	t.Parallel()
	upstream := answering(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/responses") {
			_, _ = io.WriteString(w, saidByResponses)
			return
		}
		_, _ = io.WriteString(w, saidByChat)
	})
	for name, test := range map[string]struct {
		api           openai.API
		version, path string
		want          string
	}{
		"chat, v1":                {openai.ChatCompletions, "", "", "/openai/v1/chat/completions"},
		"chat, v1, whole address": {openai.ChatCompletions, "", "/openai/v1/", "/openai/v1/chat/completions"},
		"chat, dated":             {openai.ChatCompletions, "2024-10-21", "/", "/openai/deployments/my-gpt/chat/completions?api-version=2024-10-21"},
		"responses, v1":           {openai.Responses, "", "", "/openai/v1/responses"},
		"responses, dated":        {openai.Responses, "2025-04-01-preview", "/openai", "/openai/responses?api-version=2025-04-01-preview"},
	} {
		of := account()
		of.Version = test.version
		s := cloudservers.AzureOpenAI(t, upstream, of)
		m := modelAt(t, s.URL+test.path, &azure.Platform{APIVersion: test.version})
		m.API = test.api
		resp, err := m.Generate(t.Context(), hello())
		require.NoError(t, err, name)
		require.Equal(t, "Hi.", resp.AI().Content.Text())
		by, _ := resp.AI().Meta.Get("provider").AsString()
		require.Equal(t, azure.Provider, by)
		require.Equal(t, test.want, s.Requests()[0].URI, name)
	}
}

// The tokens are those of azidentity, from a server of Entra ID.
func TestATokenOfEntraID(t *testing.T) {
	t.Parallel()
	const tenant, client, secret = "11111111-2222-3333-4444-555555555555", "66666666-7777-8888-9999-000000000000", "client-secret"
	of := account()
	entra := cloudservers.Entra(t, of, tenant, client, secret)
	options := azcore.ClientOptions{
		Cloud: cloud.Configuration{ActiveDirectoryAuthorityHost: entra.URL}, Transport: entra.Client(), Retry: policy.RetryOptions{MaxRetries: -1},
	}
	for _, given := range []string{secret, "wrong-secret"} {
		credential, err := azidentity.NewClientSecretCredential(tenant, client, given, &azidentity.ClientSecretCredentialOptions{
			ClientOptions: options, DisableInstanceDiscovery: true,
		})
		require.NoError(t, err)
		s := cloudservers.AzureOpenAI(t, answering(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, saidByChat) }), of)
		m := modelAt(t, s.URL, &azure.Platform{Credential: credential})
		m.LookupEnv = lookup(nil)
		account, err := m.Account()
		require.NoError(t, err)
		require.Equal(t, model.CredentialPlatform, account.Key)
		for range 2 {
			_, err = m.Generate(t.Context(), hello())
			if given == secret {
				require.NoError(t, err)
				continue
			}
			require.ErrorContains(t, err, "there is no token of Entra ID")
			require.ErrorContains(t, err, `run "az login"`)
			require.Equal(t, model.ErrorAuthentication, failure(t, err).Kind)
		}
	}
	credential, err := azidentity.NewClientSecretCredential(tenant, client, "wrong-secret", &azidentity.ClientSecretCredentialOptions{
		ClientOptions: options, DisableInstanceDiscovery: true,
	})
	require.NoError(t, err)
	misspelt := modelAt(t, "http://127.0.0.1:1", &azure.Platform{Credential: credential})
	misspelt.LookupEnv = lookup(map[string]string{"AZURE_OPENAI_KEY": "s3cret-key"})
	_, err = misspelt.Generate(t.Context(), hello())
	require.ErrorContains(t, err, "AZURE_OPENAI_KEY is set, but the name must be AZURE_OPENAI_API_KEY: rename it")
	require.NotContains(t, err.Error(), "s3cret")

	m := modelAt(t, answering(t, func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "bad token "+r.Header.Get("Authorization"), http.StatusUnauthorized)
	}), &azure.Platform{})
	m.LookupEnv = lookup(map[string]string{azure.TokenVariable: "eyJ0eXAi.of-a-variable"})
	_, err = m.Generate(t.Context(), hello())
	require.ErrorContains(t, err, "bad token Bearer ***")
}

func TestWhereCredentialsGo(t *testing.T) {
	t.Parallel()
	own, key := "https://res.openai.azure.com", map[string]string{azure.KeyVariable: "azure-key-1"}
	variable := model.Account{Own: true, Key: model.CredentialVariable, Variable: azure.KeyVariable, Source: "an API key"}
	secret := map[string]string{"AZURE_TENANT_ID": "t", "AZURE_CLIENT_ID": "c", "AZURE_CLIENT_SECRET": "s"}
	at := func(host string, a model.Account) model.Account { a.Host = host; return a }
	for name, test := range map[string]struct {
		address   string
		trust     bool
		keyFrom   string
		variables map[string]string
		want      model.Account
	}{
		"a key":          {own, false, "", key, at("res.openai.azure.com", variable)},
		"Foundry":        {"https://res.services.ai.azure.com", false, "", key, at("res.services.ai.azure.com", variable)},
		"the government": {"https://res.openai.azure.us", false, "", key, at("res.openai.azure.us", variable)},
		"a token":        {own, false, "", map[string]string{azure.TokenVariable: "token"}, model.Account{Host: "res.openai.azure.com", Own: true, Key: model.CredentialVariable, Variable: azure.TokenVariable, Source: "a token of Entra ID"}},
		"a secret":       {own, false, "", secret, model.Account{Host: "res.openai.azure.com", Own: true, Key: model.CredentialPlatform, Source: "AZURE_CLIENT_SECRET"}},
		"an identity":    {own, false, "", nil, model.Account{Host: "res.openai.azure.com", Own: true, Key: model.CredentialPlatform, Source: "an identity of Azure"}},
		"another":        {"https://res.openai.azure.com.example.com", false, "", key, model.Account{Host: "res.openai.azure.com.example.com", Key: model.CredentialWithheld, Variable: azure.KeyVariable}},
		"a website":      {"https://evil.azurewebsites.net", false, "", secret, model.Account{Host: "evil.azurewebsites.net", Variable: azure.KeyVariable}},
		"a gateway":      {"https://apim.example.com/llm", true, "", key, at("apim.example.com", model.Account{Key: model.CredentialVariable, Variable: azure.KeyVariable, Source: "an API key"})},
		"a named key":    {"https://apim.example.com/llm", false, "APIM_KEY", map[string]string{"APIM_KEY": "apim-key-1"}, model.Account{Host: "apim.example.com", Key: model.CredentialVariable, Variable: "APIM_KEY", Named: true, Source: "an API key"}},
	} {
		m := &openai.Model{
			Name: "my-gpt", BaseURL: test.address, APIKeyEnv: test.keyFrom, LookupEnv: lookup(test.variables),
			Platform: &azure.Platform{TrustBaseURL: test.trust, ProcessEnv: lookup(nil)},
		}
		got, err := m.Account()
		require.NoError(t, err, name)
		require.NotEmpty(t, got.ID)
		got.ID, got.BaseURL = "", ""
		require.Equal(t, test.want, got, name)
	}
}

// A file of variables, which may be from anyone, cannot send the credentials of the process elsewhere.
func TestAFileCannotRedirectCredentials(t *testing.T) {
	t.Parallel()
	const endpoint = "https://evil.openai.azure.com"
	for name, test := range map[string]struct {
		file, process map[string]string
		refused       bool
	}{
		"all in the file":      {map[string]string{azure.EndpointVariable: endpoint, azure.KeyVariable: "key"}, nil, false},
		"all in the process":   {nil, map[string]string{azure.EndpointVariable: endpoint, azure.KeyVariable: "key"}, false},
		"the process's key":    {map[string]string{azure.EndpointVariable: endpoint}, map[string]string{azure.KeyVariable: "key"}, true},
		"the process's token":  {map[string]string{azure.EndpointVariable: endpoint}, map[string]string{azure.TokenVariable: "token"}, true},
		"the process's secret": {map[string]string{azure.EndpointVariable: endpoint}, map[string]string{"AZURE_TENANT_ID": "t", "AZURE_CLIENT_ID": "c", "AZURE_CLIENT_SECRET": "s"}, true},
		"the machine's":        {map[string]string{azure.EndpointVariable: endpoint}, nil, true},
	} {
		process := lookup(test.process)
		m := &openai.Model{
			Name: "my-gpt", Platform: &azure.Platform{ProcessEnv: process},
			LookupEnv: func(name string) (string, bool) {
				if value, ok := process(name); ok {
					return value, true
				}
				return lookup(test.file)(name)
			},
		}
		if !test.refused {
			require.NoError(t, m.Check(), name)
			continue
		}
		require.ErrorContains(t, m.Check(), "AZURE_OPENAI_ENDPOINT is set in env_file only", name)
		_, err := m.Generate(t.Context(), hello())
		require.ErrorContains(t, err, "AZURE_OPENAI_ENDPOINT is set in env_file only", name)
	}
}

func TestMistakesInTheConfiguration(t *testing.T) {
	t.Parallel()
	const own = "https://res.openai.azure.com"
	for says, m := range map[string]*openai.Model{
		"is not a version of the API":     {Name: "my-gpt", BaseURL: own, Platform: &azure.Platform{APIVersion: "latest&x=y"}},
		"is not the name of a deployment": {Name: "a/../b", BaseURL: own, Platform: &azure.Platform{}},
	} {
		require.ErrorContains(t, m.Check(), says)
	}
	nowhere := &openai.Model{Name: "my-gpt", LookupEnv: lookup(nil), Platform: &azure.Platform{}}
	require.NoError(t, nowhere.Check(), "the environment may have an endpoint later")
	_, err := nowhere.Generate(t.Context(), hello())
	require.ErrorContains(t, err, "the endpoint of Azure OpenAI is not set")
}

func TestTheContentFilter(t *testing.T) {
	t.Parallel()
	prompt := `{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.","type":null,"param":"prompt",` +
		`"code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation","content_filter_result":{"hate":{"filtered":true,"severity":"high"},` +
		`"jailbreak":{"filtered":true,"detected":true},"violence":{"filtered":false,"severity":"safe"}}}}}`
	_, err := modelAt(t, answering(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, prompt)
	}), &azure.Platform{}).Generate(t.Context(), hello())
	require.Equal(t, model.ErrorContentFilter, failure(t, err).Kind)
	require.ErrorContains(t, err, "the filter found hate (high), jailbreak")

	found := `"content_filter_results":{"hate":{"filtered":false,"severity":"safe"},"self_harm":{"filtered":true,"severity":"medium"}}`
	for _, text := range []string{"", "Once"} {
		whole := `{"id":"1","model":"m","choices":[{"index":0,"finish_reason":"content_filter","message":{"role":"assistant","content":"` + text + `"},` + found + `}]}`
		pieces := `data: {"choices":[],"prompt_filter_results":[{"prompt_index":0}]}` + "\n\n" +
			`data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"` + text + `"}}]}` + "\n\n" +
			`data: {"choices":[{"index":0,"finish_reason":"content_filter","delta":{},` + found + `}]}` + "\n\ndata: [DONE]\n\n"
		m := modelAt(t, answering(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if strings.Contains(string(body), `"stream":true`) {
				_, _ = io.WriteString(w, pieces)
				return
			}
			_, _ = io.WriteString(w, whole)
		}), &azure.Platform{})
		resp, err := m.Generate(t.Context(), hello())
		var streamed *model.Response
		var failed error
		for chunk, err := range m.Stream(t.Context(), hello()) {
			streamed, failed = chunk.Response, err
		}
		if text == "" {
			for _, err := range []error{err, failed} {
				require.Equal(t, model.ErrorContentFilter, failure(t, err).Kind)
				require.ErrorContains(t, err, "because it found self_harm (medium)")
			}
			continue
		}
		require.NoError(t, err)
		require.NoError(t, failed)
		for _, resp := range []*model.Response{resp, streamed} {
			require.Equal(t, "content_filter", resp.StopReason)
			require.Equal(t, `["self_harm (medium)"]`, resp.AI().Meta.Get(openai.MetaFiltered).JSON())
		}
	}
}

func TestRefusalsNameTheWayOut(t *testing.T) {
	t.Parallel()
	s := cloudservers.AzureOpenAI(t, "http://localhost:1", account())
	m := modelAt(t, s.URL, &azure.Platform{})
	m.Name = "other"
	_, err := m.Generate(t.Context(), hello())
	require.Equal(t, model.ErrorNotFound, failure(t, err).Kind)
	require.ErrorContains(t, err, `"other" must be the name of a deployment of 127.0.0.1`)
	m = modelAt(t, s.URL, &azure.Platform{})
	m.LookupEnv = lookup(map[string]string{azure.KeyVariable: "wrong-key"})
	_, err = m.Generate(t.Context(), hello())
	require.Equal(t, model.ErrorAuthentication, failure(t, err).Kind)
	require.ErrorContains(t, err, "check AZURE_OPENAI_API_KEY")
}
