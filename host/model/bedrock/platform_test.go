//go:build !no_cloud

package bedrock_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/anthropic"
	"github.com/agenthost/agenthost/host/model/bedrock"
	"github.com/agenthost/agenthost/test/cloudservers"
)

func TestARequestIsSigned(t *testing.T) {
	t.Parallel()
	upstream := answering(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) })
	for _, name := range []string{
		modelID, "anthropic.claude-3-5-sonnet-20241022-v2:0",
		"arn:aws:bedrock:eu-central-1:123456789012:inference-profile/eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := cloudservers.Bedrock(t, upstream, account())
			m := modelAt(t, s.URL, account().Variables())
			m.Name, m.Headers = name, map[string]string{"anthropic-beta": "one, two"}
			resp, err := m.Generate(t.Context(), hello())
			require.NoError(t, err)
			require.Equal(t, "Hi.", resp.AI().Content.Text())
			got := s.Requests()[0]
			require.Empty(t, got.Refused)
			require.Equal(t, "/model/"+strings.ReplaceAll(url.QueryEscape(name), "+", "%20")+"/invoke", got.URI)
			var body map[string]any
			require.NoError(t, json.Unmarshal(got.Body, &body))
			require.Equal(t, []any{"one", "two"}, body["anthropic_beta"], "Bedrock reads the betas in the body")
			require.Equal(t, "bedrock-2023-05-31", body["anthropic_version"])
			require.NotContains(t, body, "model")
		})
	}
}

// A retry is signed again: an old signature would expire, and its token may have changed.
func TestARetryIsSignedAgain(t *testing.T) {
	t.Parallel()
	calls := 0
	upstream := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		calls++
		if calls == 1 {
			w.Header().Set("Retry-After", "0")
			http.Error(w, `{"error":{"message":"Too many tokens, please wait before trying again."}}`, http.StatusTooManyRequests)
			return
		}
		_, _ = io.WriteString(w, text)
	})
	s := cloudservers.Bedrock(t, upstream, account())
	m := modelAt(t, s.URL, account().Variables())
	m.Limits.MaxRetries = 1
	_, err := m.Generate(t.Context(), hello())
	require.NoError(t, err)
	require.Len(t, s.Requests(), 2)
	for _, request := range s.Requests() {
		require.Empty(t, request.Refused)
	}
}

func TestABedrockAPIKey(t *testing.T) {
	t.Parallel()
	of := account()
	of.APIKey = "bedrock-api-key-YmVkcm9jaw"
	s := cloudservers.Bedrock(t, answering(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }), of)
	m := modelAt(t, s.URL, map[string]string{bedrock.KeyVariable: of.APIKey, "AWS_ACCESS_KEY_ID": "unused"})
	_, err := m.Generate(t.Context(), hello())
	require.NoError(t, err)
	require.Equal(t, "Bearer "+of.APIKey, s.Requests()[0].Header.Get("Authorization"))
}

func TestWhereCredentialsGo(t *testing.T) {
	t.Parallel()
	keys := map[string]string{"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "secret-access-key", "AWS_REGION": "us-east-1"}
	bearer := map[string]string{bedrock.KeyVariable: "bedrock-api-key", "AWS_REGION": "us-east-1"}
	signed := model.Account{Own: true, Key: model.CredentialPlatform, Variable: "AWS_ACCESS_KEY_ID", Source: "AWS_ACCESS_KEY_ID"}
	at := func(host string, a model.Account) model.Account { a.Host = host; return a }
	for name, test := range map[string]struct {
		address   string
		trust     bool
		keyFrom   string
		variables map[string]string
		want      model.Account
	}{
		"own":               {"", false, "", keys, at("bedrock-runtime.us-east-1.amazonaws.com", signed)},
		"FIPS":              {"https://bedrock-runtime-fips.us-east-1.amazonaws.com", false, "", keys, at("bedrock-runtime-fips.us-east-1.amazonaws.com", signed)},
		"a VPC":             {"https://vpce-1a2b-3c.bedrock-runtime.us-east-1.vpce.amazonaws.com", false, "", keys, at("vpce-1a2b-3c.bedrock-runtime.us-east-1.vpce.amazonaws.com", signed)},
		"another service":   {"https://s3.us-east-1.amazonaws.com", false, "", keys, model.Account{Host: "s3.us-east-1.amazonaws.com", Variable: bedrock.KeyVariable}},
		"a bucket":          {"https://bedrock-runtime.s3.us-east-1.amazonaws.com", false, "", keys, model.Account{Host: "bedrock-runtime.s3.us-east-1.amazonaws.com", Variable: bedrock.KeyVariable}},
		"no TLS":            {"http://bedrock-runtime.us-east-1.amazonaws.com", false, "", keys, model.Account{Host: "bedrock-runtime.us-east-1.amazonaws.com", Variable: bedrock.KeyVariable}},
		"another":           {"https://llm.example.com", false, "", keys, model.Account{Host: "llm.example.com", Variable: bedrock.KeyVariable}},
		"another, trusted":  {"https://llm.example.com", true, "", keys, model.Account{Host: "llm.example.com", Key: model.CredentialPlatform, Variable: "AWS_ACCESS_KEY_ID", Source: "AWS_ACCESS_KEY_ID"}},
		"a key":             {"", false, "", bearer, model.Account{Host: "bedrock-runtime.us-east-1.amazonaws.com", Own: true, Key: model.CredentialVariable, Variable: bedrock.KeyVariable, Source: "a Bedrock API key"}},
		"a key, another":    {"https://llm.example.com", false, "", bearer, model.Account{Host: "llm.example.com", Key: model.CredentialWithheld, Variable: bedrock.KeyVariable}},
		"a key, named":      {"https://llm.example.com", false, bedrock.KeyVariable, bearer, model.Account{Host: "llm.example.com", Key: model.CredentialVariable, Variable: bedrock.KeyVariable, Named: true, Source: "a Bedrock API key"}},
		"China's own cloud": {"", false, "", map[string]string{"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "secret-access-key", "AWS_REGION": "cn-north-1"}, at("bedrock-runtime.cn-north-1.amazonaws.com.cn", signed)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sent := false
			m := &anthropic.Model{
				Name: modelID, BaseURL: test.address, APIKeyEnv: test.keyFrom, LookupEnv: lookup(test.variables), Limits: model.Limits{MaxRetries: -1},
				Platform: &bedrock.Platform{TrustBaseURL: test.trust},
				HTTPClient: &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
					sent = r.Header.Get("Authorization") != ""
					return &http.Response{StatusCode: http.StatusForbidden, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
				})},
			}
			got, err := m.Account()
			require.NoError(t, err)
			require.NotEmpty(t, got.ID)
			got.ID, got.BaseURL = "", ""
			require.Equal(t, test.want, got)
			_, err = m.Generate(t.Context(), hello())
			require.Equal(t, test.want.Key != model.CredentialNone && test.want.Key != model.CredentialWithheld, sent)
			if !sent {
				require.ErrorContains(t, err, "trust_base_url: true")
			}
		})
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestMistakesInTheConfiguration(t *testing.T) {
	t.Parallel()
	region := map[string]string{"AWS_REGION": "us-east-1"}
	for name, test := range map[string]struct {
		name      string
		region    string
		variables map[string]string
		says      string
	}{
		"a model of another maker": {"amazon.nova-pro-v1:0", "", region, "is not a model of Anthropic on Bedrock"},
		"Anthropic's own name":     {"claude-sonnet-4-5", "", region, `such as "eu.anthropic.claude`},
		"a path":                   {"anthropic.claude/../../x?y", "", region, "is not a model of Anthropic"},
		"a region with a host":     {modelID, "evil.example.com/", nil, "is not an AWS region"},
		"a region of a variable":   {modelID, "", map[string]string{"AWS_REGION": "x.evil.example#"}, "is not an AWS region"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &anthropic.Model{Name: test.name, LookupEnv: lookup(test.variables), Platform: &bedrock.Platform{Region: test.region}}
			require.ErrorContains(t, m.Check(), test.says)
			_, err := m.Generate(t.Context(), hello())
			require.ErrorContains(t, err, test.says)
		})
	}
}

// The account says so before a request does, as doctor needs to know.
func TestHalfAPairOfKeys(t *testing.T) {
	t.Parallel()
	m := modelAt(t, "", map[string]string{"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_REGION": "eu-west-3"})
	_, err := m.Account()
	require.ErrorContains(t, err, "AWS_ACCESS_KEY_ID is set, but AWS_SECRET_ACCESS_KEY is not; set both")
	require.Equal(t, model.ErrorAuthentication, failure(t, err).Kind)
}

// The SDK reads the process's own environment and files.
func TestTheProfile(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "config"), "[profile dev]\nregion = eu-west-3\n[profile sso]\nregion = eu-west-3\nsso_session = corp\nsso_account_id = 1\nsso_role_name = r\n"+
		"[sso-session corp]\nsso_region = eu-west-3\nsso_start_url = https://example.awsapps.com/start\n")
	write(t, filepath.Join(dir, "credentials"), "[dev]\naws_access_key_id = AKIDOFTHEPROFILE\naws_secret_access_key = secret-of-the-profile\n")
	t.Setenv("AWS_CONFIG_FILE", filepath.Join(dir, "config"))
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(dir, "credentials"))
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	t.Setenv("HOME", dir)
	of := &cloudservers.AWS{KeyID: "AKIDOFTHEPROFILE", Secret: "secret-of-the-profile", Region: "eu-west-3"}
	s := cloudservers.Bedrock(t, answering(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }), of)
	m := modelAt(t, s.URL, map[string]string{"AWS_PROFILE": "dev"})
	account, err := m.Account()
	require.NoError(t, err)
	require.Equal(t, `the AWS profile "dev"`, account.Source)
	_, err = m.Generate(t.Context(), hello())
	require.NoError(t, err)

	_, err = modelAt(t, s.URL, map[string]string{"AWS_PROFILE": "sso"}).Generate(t.Context(), hello())
	require.ErrorContains(t, err, `run "aws sso login --profile sso"`)
	require.Equal(t, model.ErrorAuthentication, failure(t, err).Kind)

	_, err = modelAt(t, s.URL, map[string]string{"AWS_PROFILE": "none", "AWS_REGION": "eu-west-3"}).Account()
	require.ErrorContains(t, err, "there are no AWS credentials: failed to get shared config profile, none; set ")

	_, err = modelAt(t, s.URL, map[string]string{"AWS_REGION": "eu-west-3"}).Generate(t.Context(), hello())
	require.ErrorContains(t, err, "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE, or AWS_BEARER_TOKEN_BEDROCK")

	nowhere := &anthropic.Model{Name: modelID, LookupEnv: lookup(nil), Platform: &bedrock.Platform{}}
	require.NoError(t, nowhere.Check(), "the environment may have a region later")
	_, err = nowhere.Generate(t.Context(), hello())
	require.ErrorContains(t, err, "the AWS region is not set")
}
