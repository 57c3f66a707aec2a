package manifest

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// freeTexts are keys of mappings with names and texts of the author's choice that hold no secrets. Whoever adds such a mapping must decide
// whether its values may be secrets.
var freeTexts = []string{"custom_tool_descriptions", "tool_description_overrides"}

func TestEveryMappingOfTextsIsKnownToHoldSecretsOrNot(t *testing.T) {
	t.Parallel()
	schema, err := Schema(func(reflect.Type, string) string { return "" })
	require.NoError(t, err)
	found := map[string]bool{}
	var walk func(name string, value any)
	walk = func(name string, value any) {
		switch v := value.(type) {
		case map[string]any:
			if of, ok := v["additionalProperties"].(map[string]any); ok && (of["type"] == "string" || name == "headers") {
				found[name] = true
			}
			properties, _ := v["properties"].(map[string]any)
			for key, inner := range properties {
				if key == "secrets" {
					found[key] = true
				}
				walk(key, inner)
			}
			for key, inner := range v {
				if key != "properties" {
					walk(name, inner)
				}
			}
		case []any:
			for _, inner := range v {
				walk(name, inner)
			}
		}
	}
	walk("", schema)
	for name := range found {
		require.True(t, slices.Contains(secretKeys, name) || slices.Contains(freeTexts, name), "the mapping %q", name)
	}
	require.Subset(t, found, map[string]bool{"headers": true, "env": true, "secrets": true})
}

func TestWhichKeysHoldSecrets(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"model.api_key": true, "model.apiKey": true, "model.API-KEY": true, "model.headers.X": true, "tools.mcp.env.A": true,
		"middleware.config.auth.user": true, "middleware.grant.http.fetch.secrets.K": true, "middleware.grant.http.fetch.secrets.K.value": true,
		"middleware.config.slack_token": true, "tools.http.query.appid": true, "PASSWORD": true,
		"model.api_key_env": true, "model.max_tokens": false, "middleware.grant.http.fetch.secrets.K.hosts": false, "model.name": false,
		"models.small.provider": false, "tool_calls.max_total_tokens": false, "env_file": false,
	} {
		require.Equal(t, want, isSecret(strings.Split(path, "."), ""), path)
	}
}

// The name of a variable is no secret, and a key in its place is.
func TestTheNameOfAVariableIsShown(t *testing.T) {
	t.Parallel()
	path := []string{"models", "small", "api_key_env"}
	for value, want := range map[string]bool{
		"OPENAI_API_KEY": false, "MY_2ND_KEY": false, "LLM_KEY": false,
		"": true, "KEY": true, "sk-or-v1-1234": true, "gsk_abcdef123456": true, "AKIAIOSFODNN7EXAMPLE": true, "Open_Key": true,
	} {
		require.Equal(t, want, isSecret(path, value), value)
	}
	require.True(t, isSecret([]string{"headers", "api_key_env"}, "OPENAI_API_KEY"))
	require.True(t, HidesIn("model.api_key_env=gsk_abcdef123456"))
	require.False(t, HidesIn("model.api_key_env=OPENAI_API_KEY"))
	require.True(t, HidesIn("model={name: x, api_key_env: gsk_abcdef123456}"))
}
