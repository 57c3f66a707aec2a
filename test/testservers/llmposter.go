package testservers

import (
	"strings"
	"testing"
)

// Llmposter starts llmposter, a server in Rust that imitates OpenAI, its Responses API, Anthropic and Gemini, with the fixtures of a file,
// and returns its address. It cuts streams off and resets connections. make llmposter installs it; make servers does not, so without it the
// test is skipped everywhere.
func Llmposter(t *testing.T, fixtures string) string {
	t.Helper()
	found, err := find("llmposter/bin/llmposter", "cargo")
	if err != nil {
		t.Skip("llmposter is not installed: run make llmposter, which needs cargo: ", err)
	}
	return start(t, []string{found, "--port", "0", "--fixtures", fixtures}, nil, func(line string) (string, bool) {
		_, address, ok := strings.Cut(line, "listening on ")
		return address, ok
	})
}
