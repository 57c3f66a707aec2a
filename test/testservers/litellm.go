package testservers

import (
	"strings"
	"testing"
)

// LiteLLMKey is the key of the proxy that LiteLLM starts, if its configuration says so.
const LiteLLMKey = "sk-litellm-key"

// LiteLLM starts a LiteLLM proxy with a configuration, and returns its address. The proxy asks nothing of the network.
func LiteLLM(t *testing.T, config string) string {
	t.Helper()
	const running = "Uvicorn running on "
	command := []string{installed(t, "litellm/bin/litellm", "python3"), "--config", config, "--host", "127.0.0.1", "--port", "0", "--telemetry", "False"}
	return start(t, command, []string{"LITELLM_LOCAL_MODEL_COST_MAP=True", "NO_PROXY=*"}, func(line string) (string, bool) {
		_, address, ok := strings.Cut(line, running)
		address, _, _ = strings.Cut(address, " ")
		return address, ok
	})
}
