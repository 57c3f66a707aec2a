//go:build !no_cloud

package vertex_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/anthropic"
	"github.com/agenthost/agenthost/host/model/gemini"
	"github.com/agenthost/agenthost/host/model/vertex"
	"github.com/agenthost/agenthost/test/cloudservers"
)

func TestARequest(t *testing.T) {
	t.Parallel()
	account := cloudservers.GoogleAccount(t)
	upstream := answering(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v1beta/") {
			_, _ = io.WriteString(w, saidByGoogle)
			return
		}
		_, _ = io.WriteString(w, saidByAnthropic)
	})
	s := cloudservers.Vertex(t, upstream, account)
	for provider, m := range map[string]model.Model{
		vertex.Provider: google(t, s.URL, account.Variables()), vertex.AnthropicProvider: claude(t, s.URL, account.Variables()),
	} {
		for range 2 {
			resp, err := m.Generate(t.Context(), hello())
			require.NoError(t, err)
			require.Equal(t, "Hi.", resp.AI().Content.Text())
			by, _ := resp.AI().Meta.Get("provider").AsString()
			require.Equal(t, provider, by)
		}
		require.Equal(t, provider, m.Info().Provider)
	}
	tokens := map[string]int{}
	for _, r := range s.Requests() {
		require.Empty(t, r.Refused)
		tokens[r.Header.Get("Authorization")]++
	}
	require.Len(t, tokens, 2, "each model fetches one token")
}

func TestATokenIsHidden(t *testing.T) {
	t.Parallel()
	account := cloudservers.GoogleAccount(t)
	m := google(t, answering(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, `{"candidates":[{"finishReason":"STOP","content":{"parts":[{"text":"You sent %s."}]}}]}`, r.Header.Get("Authorization"))
	}), account.Variables())
	resp, err := m.Generate(t.Context(), hello())
	require.NoError(t, err)
	require.Equal(t, "You sent Bearer ***.", resp.AI().Content.Text())
}

func TestFailuresNameTheWayOut(t *testing.T) {
	t.Parallel()
	account := cloudservers.GoogleAccount(t)
	account.Refuse("invalid_grant")
	_, err := google(t, "http://localhost:1", account.Variables()).Generate(t.Context(), hello())
	require.Equal(t, model.ErrorAuthentication, failure(t, err).Kind)
	require.ErrorContains(t, err, `google_vertexai: authentication: the token server refuses the credentials: invalid_grant: Token has been expired or revoked.; run "gcloud auth application-default login"`)

	for _, test := range []struct {
		status int
		body   string
		kind   model.ErrorKind
		says   string
	}{
		{401, `{"error":{"code":401,"status":"UNAUTHENTICATED","message":"No"}}`, model.ErrorAuthentication, "gcloud auth application-default login"},
		{403, `{"error":{"code":403,"status":"PERMISSION_DENIED","message":"Permission denied"}}`, model.ErrorPermission, "roles/aiplatform.user"},
		{403, `{"error":{"code":403,"message":"Vertex AI API has not been used in project 1 before or it is disabled."}}`, model.ErrorPermission, "gcloud services enable"},
		{404, `{"error":{"code":404,"message":"Publisher Model was not found"}}`, model.ErrorNotFound, "location europe-west4 offers it; Anthropic's models must first be enabled in the Model Garden"},
		{429, `{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"Resource exhausted"}}`, model.ErrorRateLimit, "Resource exhausted"},
	} {
		fine := cloudservers.GoogleAccount(t)
		_, err := claude(t, answering(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(test.status)
			_, _ = io.WriteString(w, test.body)
		}), fine.Variables()).Generate(t.Context(), hello())
		require.Equal(t, test.kind, failure(t, err).Kind)
		require.Equal(t, vertex.AnthropicProvider, failure(t, err).Provider)
		require.ErrorContains(t, err, test.says)
	}
}

// A file that only the manifest's env_file names may be from anyone.
func TestCredentialsFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, test := range map[string]struct{ content, says string }{
		"an external account": {`{"type":"external_account","credential_source":{"file":"/etc/passwd"},"token_url":"http://evil.example/"}`, "only the key of a service account is accepted"},
		"a person":            {`{"type":"authorized_user","client_id":"1"}`, "only the key of a service account is accepted"},
		"not JSON":            {"key", "is not valid JSON"},
		"no key":              {`{"type":"service_account","token_uri":"http://localhost:1"}`, "there is no access token"},
	} {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(test.content), 0o600))
		m := google(t, "http://localhost:1", map[string]string{"GOOGLE_APPLICATION_CREDENTIALS": file, "GOOGLE_CLOUD_PROJECT": "my-project"})
		_, err := m.Generate(t.Context(), hello())
		require.ErrorContains(t, err, test.says, name)
		require.Equal(t, model.ErrorAuthentication, failure(t, err).Kind)
	}
	_, err := google(t, "http://localhost:1", map[string]string{"GOOGLE_APPLICATION_CREDENTIALS": filepath.Join(dir, "none")}).Generate(t.Context(), hello())
	require.ErrorContains(t, err, "GOOGLE_APPLICATION_CREDENTIALS")
}

func TestWhereTokensGo(t *testing.T) {
	t.Parallel()
	token := map[string]string{vertex.TokenVariable: "ya29.a-token", "GOOGLE_CLOUD_PROJECT": "my-project"}
	file := map[string]string{"GOOGLE_APPLICATION_CREDENTIALS": "key.json", "GOOGLE_CLOUD_PROJECT": "my-project"}
	of := model.Account{Own: true, Key: model.CredentialPlatform, Variable: "GOOGLE_APPLICATION_CREDENTIALS", Source: "GOOGLE_APPLICATION_CREDENTIALS"}
	at := func(host string, a model.Account) model.Account { a.Host = host; return a }
	for name, test := range map[string]struct {
		location, address string
		trust             bool
		variables         map[string]string
		want              model.Account
	}{
		"global":           {"", "", false, file, at("aiplatform.googleapis.com", of)},
		"a region":         {"us-east5", "", false, file, at("us-east5-aiplatform.googleapis.com", of)},
		"Europe":           {"eu", "", false, file, at("aiplatform.eu.rep.googleapis.com", of)},
		"a token":          {"", "", false, token, model.Account{Host: "aiplatform.googleapis.com", Own: true, Key: model.CredentialVariable, Variable: vertex.TokenVariable, Source: "an access token"}},
		"another":          {"", "https://llm.example.com", false, file, model.Account{Host: "llm.example.com", Variable: vertex.TokenVariable}},
		"another's token":  {"", "https://llm.example.com", false, token, model.Account{Host: "llm.example.com", Key: model.CredentialWithheld, Variable: vertex.TokenVariable}},
		"another, trusted": {"", "https://llm.example.com", true, file, model.Account{Host: "llm.example.com", Key: model.CredentialPlatform, Variable: of.Variable, Source: of.Source}},
		"Google's storage": {"", "https://storage.googleapis.com", false, file, model.Account{Host: "storage.googleapis.com", Variable: vertex.TokenVariable}},
	} {
		m := &gemini.Model{
			Name: "gemini-2.5-flash", BaseURL: test.address, LookupEnv: lookup(test.variables),
			Platform: &vertex.Platform{Location: test.location, TrustBaseURL: test.trust, ProcessEnv: lookup(nil)},
		}
		got, err := m.Account()
		require.NoError(t, err)
		require.NotEmpty(t, got.ID)
		got.ID, got.BaseURL = "", ""
		require.Equal(t, test.want, got, name)
		require.NoError(t, m.Check())
	}
}

func TestMistakesInTheConfiguration(t *testing.T) {
	t.Parallel()
	for says, m := range map[string]model.Checker{
		"its provider on Vertex AI is google_anthropic_vertex": &gemini.Model{Name: "claude-haiku-4-5", Platform: &vertex.Platform{}},
		"is not a model of Anthropic":                          &anthropic.Model{Name: "gemini-2.5-flash", Platform: &vertex.Platform{}},
		"is not a location of Google Cloud":                    &gemini.Model{Name: "gemini-2.5-flash", Platform: &vertex.Platform{Location: "evil.example/"}},
		"is not the id of a project":                           &gemini.Model{Name: "gemini-2.5-flash", Platform: &vertex.Platform{Project: "a/../b"}},
		"is not the name of a model":                           &anthropic.Model{Name: "claude/../x", Platform: &vertex.Platform{}},
	} {
		require.ErrorContains(t, m.Check(), says)
	}
}
