package testservers

import (
	"strings"
	"testing"
)

// Stubllm starts stubllm, another server that speaks the languages of OpenAI, Anthropic and Gemini, with the fixtures of a
// file. Its streams leave out much of what a provider says, as those of some compatible servers do. It returns its address.
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
