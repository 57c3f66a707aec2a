package testservers

import (
	"strings"
	"testing"
)

// Stubllm starts stubllm, another imitation of OpenAI, Anthropic and Gemini, with the fixtures of a file, and returns its address.
// Its streams omit many fields that a provider sends, as those of some compatible servers do.
func Stubllm(t *testing.T, fixtures string) string {
	t.Helper()
	const running = "Uvicorn running on "
	command := []string{installed(t, "venv/bin/stubllm", "python3"), "serve", "--port", "0", "--fixture-file", fixtures}
	return start(t, command, nil, func(line string) (string, bool) {
		_, address, ok := strings.Cut(line, running)
		address, _, _ = strings.Cut(address, " ")
		return address, ok
	})
}
