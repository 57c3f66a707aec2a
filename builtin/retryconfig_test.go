package builtin_test

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

func TestRetryConfiguration(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ yaml, want string }{
		{"{max_retries: -1}", "max_retries must be >= 0"},
		{"{max_retries: 1000001}", "max_retries must be <= 1000000"},
		{"{initial_delay: -0.1}", "initial_delay must be >= 0"},
		{"{initial_delay: -1s}", "initial_delay must be >= 0"},
		{"{max_delay: -1}", "max_delay must be >= 0"},
		{"{backoff_factor: -0.5}", "backoff_factor must be >= 0"},
		{"{retry_on: []}", "retry_on is empty; name the errors to retry, or leave it out to retry all"},
		{"{on_failure: never}", `on_failure is "never"; use continue, error or {format: "{type}: {message}"}`},
		{"{on_failure: {behavior: error, format: x}}", "on_failure is error and has a text, which would never be used; use one of them"},
		{"{on_failure: {format: '{eror}'}}", "on_failure.format has no placeholder {eror}; use {type}, {message}, {attempts}"},
	} {
		for _, middleware := range []host.Middleware{&builtin.ModelRetry{}, &builtin.ToolRetry{}} {
			require.NoError(t, strictyaml.Decode("x.yaml", []byte(test.yaml), middleware), test.yaml)
			_, err := middleware.Hooks(t.Context(), host.Env{Logger: slog.New(slog.DiscardHandler)})
			require.ErrorContains(t, err, test.want)
		}
	}
	for _, yaml := range []string{"{on_failure: 1}", "{on_failure: [error]}", "{on_failure: {text: x}}", "{max_delay: soon}", "{max_retries: 1.5}"} {
		require.Error(t, strictyaml.Decode("x.yaml", []byte(yaml), &builtin.ModelRetry{}), yaml)
	}
	never := func(error) bool { return false }
	for _, retry := range []builtin.ModelRetry{
		{Retry: builtin.Retry{RetryOn: []string{"x"}, RetryOnFunc: never}},
		{Retry: builtin.Retry{OnFailure: builtin.OnFailure{Format: "x", Func: func(error) string { return "" }}}},
	} {
		_, err := retry.Hooks(t.Context(), host.Env{})
		require.ErrorContains(t, err, "use one of them")
	}
}

func TestModelRetryIsDecoded(t *testing.T) {
	t.Parallel()
	var retry builtin.ModelRetry
	require.NoError(t, strictyaml.Decode("x.yaml", []byte(`{max_retries: 3, retry_on: [rate_limit, ValueError], on_failure: {format: "{message}"},
		backoff_factor: 1.5, initial_delay: 250ms, max_delay: 30, jitter: false}`), &retry))
	require.Equal(t, builtin.ModelRetry{Retry: builtin.Retry{MaxRetries: new(3), RetryOn: []string{"rate_limit", "ValueError"}, OnFailure: builtin.OnFailure{Format: "{message}"}, BackoffFactor: new(1.5), InitialDelay: new(builtin.Seconds(0.25)), MaxDelay: new(builtin.Seconds(30)), Jitter: new(false)}}, retry)
	retry = builtin.ModelRetry{}
	require.NoError(t, strictyaml.Decode("x.yaml", []byte("{on_failure: error}"), &retry))
	require.Equal(t, builtin.ModelRetry{Retry: builtin.Retry{OnFailure: builtin.OnFailure{Behavior: "error"}}}, retry)
}

func TestOnFailureSchema(t *testing.T) {
	t.Parallel()
	described := builtin.OnFailure{}.JSONSchema()
	require.Equal(t, "continue", described["default"])
	require.Len(t, described["oneOf"], 2)
}
