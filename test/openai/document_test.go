package openai_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/test/clientscript"
	"github.com/agenthost/agenthost/test/testservers"
)

// The programs in docs/openai.md work as they are, but for the address, the key and the name of the agent.
func TestTheProgramsOfTheDocument(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "openai.md"))
	require.NoError(t, err)
	url := serve(t, clientscript.Tools(t, nil), "agent")
	for _, one := range []struct{ language, file, says string }{
		{"python", "program.py", "You said: hello\nYou said: and again"}, {"js", "program.mjs", "You said: hello"},
	} {
		_, program, found := strings.Cut(string(text), "```"+one.language+"\n")
		require.True(t, found)
		program, _, found = strings.Cut(program, "```")
		require.True(t, found)
		program = strings.NewReplacer("http://127.0.0.1:8123", url, "YOUR-KEY", key, `"helper"`, `"agent"`).Replace(program)
		file := filepath.Join(t.TempDir(), one.file)
		require.NoError(t, os.WriteFile(file, []byte(program), 0o600))
		command := testservers.NodeClient
		if one.language == "python" {
			command = testservers.PythonDoorClient
		}
		words := command(t, file)
		ctx, cancel := context.WithTimeout(t.Context(), clientscript.Patience)
		said, err := exec.CommandContext(ctx, words[0], words[1:]...).CombinedOutput()
		cancel()
		require.NoError(t, err, "%s", said)
		require.Equal(t, one.says, strings.TrimSpace(string(said)))
	}
}
