// Package settingname translates the names of model settings that users of LangChain and of the providers' SDKs write into those of a
// manifest. The table in advice.go is the only place for them: errors about unknown keys use it, and docs/models.md is generated from it.
package settingname

import (
	"fmt"
	"slices"
	"strings"
)

// advice says what to write in place of a foreign name.
type advice struct {
	names []string          // the foreign names
	write map[string]string // by provider: what to write in a manifest; every: for all other providers
	notes string            // a sentence that follows; may be ""
}

// every is the key of advice for providers without advice of their own.
const every = ""

// table holds all foreign names. A name that a provider accepts as a key of its model is not looked up for that provider.
var table = []advice{
	{names: []string{"model", "model_name", "model_id"}, write: map[string]string{every: "name: NAME"}},
	{names: []string{"model_provider"}, write: map[string]string{every: "provider: NAME"}},
	{names: []string{"effort", "reasoning_effort", "thinking_level"}, write: map[string]string{
		"openai": "reasoning_effort: high", "anthropic": "output_config: {effort: high}",
		"gemini": "generationConfig: {thinkingConfig: {thinkingLevel: high}}",
	}},
	{names: []string{"thinking_budget", "budget_tokens", "max_thinking_tokens"}, write: map[string]string{
		"openai": "reasoning_effort: high", "anthropic": "thinking: {type: enabled, budget_tokens: 2000}",
		"gemini": "generationConfig: {thinkingConfig: {thinkingBudget: 2000}}",
	}},
	{names: []string{"thinking", "reasoning", "include_thoughts"}, write: map[string]string{
		"openai": "reasoning_effort: high", "anthropic": "thinking: {type: enabled, budget_tokens: 2000}",
		"gemini": "generationConfig: {thinkingConfig: {includeThoughts: true}}",
	}},
	{names: []string{"max_completion_tokens", "max_output_tokens", "max_tokens_to_sample", "max_new_tokens", "num_predict"}, write: map[string]string{
		every: "max_tokens: 8000",
	}},
	{names: []string{"stop_sequences", "stop_tokens"}, write: map[string]string{every: "stop: [TEXT]"}},
	{names: []string{"response_mime_type", "response_schema", "response_format", "structured_output"}, write: map[string]string{
		every: "response_format: {schema: FILE}",
	}, notes: "The key belongs to the manifest, not to the model."},
	{names: []string{"system", "system_prompt", "system_instruction"}, write: map[string]string{
		every: "system_prompt: TEXT",
	}, notes: "The key belongs to the manifest, not to the model."},
	{names: []string{"betas"}, write: map[string]string{
		"anthropic": "headers: {anthropic-beta: NAME}", every: "headers: {NAME: VALUE}",
	}},
	{names: []string{"extra_headers", "default_headers", "additional_headers"}, write: map[string]string{every: "headers: {NAME: VALUE}"}},
	{names: []string{"extra_body", "model_kwargs", "additional_kwargs", "kwargs"}, write: map[string]string{every: "settings: {KEY: VALUE}"}},
	{names: []string{"openai_api_base", "anthropic_api_url", "api_base", "endpoint", "azure_endpoint", "host"}, write: map[string]string{
		every: "base_url: ADDRESS",
	}},
	{names: []string{"region_name", "aws_region"}, write: map[string]string{"bedrock": "region: eu-central-1"}},
	{names: []string{"project_id", "google_cloud_project"}, write: map[string]string{
		"google_vertexai": "project: ID", "google_anthropic_vertex": "project: ID",
	}},
	{names: []string{"region", "google_cloud_location"}, write: map[string]string{
		"google_vertexai": "location: europe-west4", "google_anthropic_vertex": "location: europe-west4",
	}},
	{names: []string{"openai_api_version"}, write: map[string]string{"azure_openai": "api_version: 2025-04-01-preview"}},
	{names: []string{"azure_deployment", "deployment_name", "deployment"}, write: map[string]string{"azure_openai": "name: DEPLOYMENT"}},
	{names: []string{"num_ctx"}, write: map[string]string{
		"ollama": "",
	}, notes: "Set OLLAMA_CONTEXT_LENGTH where ollama serve runs, or num_ctx in a Modelfile."},
	{names: []string{"keep_alive"}, write: map[string]string{"ollama": ""}, notes: "Set OLLAMA_KEEP_ALIVE where ollama serve runs."},
	{names: []string{"credentials_profile_name"}, write: map[string]string{
		"bedrock": "",
	}, notes: "Set AWS_PROFILE in the environment or in env_file."},
	{names: []string{"use_responses_api", "output_version"}, write: map[string]string{
		"openai": "api: responses",
	}},
	{names: []string{"previous_response_id", "conversation"}, write: map[string]string{
		"openai": "use_previous_response_id: true",
	}},
	{names: []string{"request_timeout", "default_request_timeout"}, write: map[string]string{every: "timeout: 2m"}},
	{names: []string{"stream_chunk_timeout"}, write: map[string]string{every: "idle_timeout: 60s"}},
	{names: []string{"retries"}, write: map[string]string{every: "max_retries: 2"}},
	{names: []string{"openai_proxy", "anthropic_proxy", "http_proxy", "https_proxy", "proxy_url", "proxies"}, write: map[string]string{
		every: "proxy: ADDRESS",
	}},
	{names: []string{"ca_bundle", "ca_cert", "cafile", "ssl_cert_file", "verify", "ssl_verify"}, write: map[string]string{every: "ca_file: FILE"}},
	{names: []string{"cert", "client_certificate", "client_cert_file"}, write: map[string]string{every: "client_cert: FILE"}},
	{names: []string{
		"web_search", "code_execution", "code_interpreter", "google_search", "built_in_tools", "builtin_tools", "server_tools",
	}, write: map[string]string{
		every: "provider_tools: [web_search, code_execution]",
	}},
	{names: []string{"rate_limiter", "requests_per_second", "requests_per_minute", "rpm", "tokens_per_minute", "tpm"}, write: map[string]string{
		every: "rate_limit: {requests_per_minute: 60, tokens_per_minute: 30k}",
	}},
	{names: []string{"streaming", "disable_streaming"}, write: map[string]string{every: "stream: false"}},
	{names: []string{"stream_usage", "n", "candidate_count"}, write: map[string]string{
		every: "",
	}, notes: "The agent sets it itself; leave it out."},
}

// Advice says what to write in a model of a provider in place of a foreign name, as the end of an error. It reports false if the table
// has nothing to say. A service with OpenAI's API gets the advice for OpenAI if has reports that it has the setting.
func Advice(provider, name string, has func(setting string) bool) (string, bool) {
	for i := range table {
		a := &table[i]
		if !slices.Contains(a.names, name) {
			continue
		}
		write, ok := a.replacement(provider)
		if !ok {
			write = a.write["openai"]
			setting, _, _ := strings.Cut(write, ":")
			ok = write != "" && has(setting)
		}
		switch {
		case !ok:
			return "", false
		case write == "":
			return lowerFirst(strings.TrimSuffix(a.notes, ".")), true
		case a.notes == "":
			return "write " + write, true
		default:
			return "write " + write + "; " + lowerFirst(strings.TrimSuffix(a.notes, ".")), true
		}
	}
	return "", false
}

// replacement returns what to write for a provider; "" if nothing replaces the name. It reports false if there is no advice.
func (a *advice) replacement(provider string) (write string, ok bool) {
	for _, of := range []string{provider, apis[provider], every} {
		if write, ok = a.write[of]; ok {
			break
		}
	}
	return write, ok
}

// apis maps the clouds to the providers whose settings their models have.
var apis = map[string]string{
	"bedrock": "anthropic", "google_anthropic_vertex": "anthropic", "google_vertexai": "gemini", "azure_openai": "openai",
}

// has reports whether there is advice for a provider.
func (a *advice) has(provider string) bool {
	_, ok := a.replacement(provider)
	return ok
}

func lowerFirst(text string) string { return strings.ToLower(text[:1]) + text[1:] }

// Markdown returns the table for docs/models.md, with a column for each of the providers.
func Markdown(providers []string) string {
	var b strings.Builder
	b.WriteString("| name elsewhere | " + strings.Join(providers, " | ") + " | |\n|---|---|" + strings.Repeat("---|", len(providers)) + "\n")
	for i := range table {
		a := &table[i]
		if !slices.ContainsFunc(providers, a.has) {
			continue
		}
		fmt.Fprintf(&b, "| `%s` |", strings.Join(a.names, "`, `"))
		for _, provider := range providers {
			b.WriteString(" " + a.cell(provider) + " |")
		}
		b.WriteString(" " + a.notes + " |\n")
	}
	return b.String()
}

func (a *advice) cell(provider string) string {
	write, _ := a.replacement(provider)
	if write == "" {
		return ""
	}
	return "`" + write + "`"
}
