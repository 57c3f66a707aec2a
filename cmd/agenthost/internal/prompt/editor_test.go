package prompt_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/prompt"
)

// editor returns an editor with these values of VISUAL and EDITOR.
func editor(visual, plain string) *prompt.Editor {
	return &prompt.Editor{Out: &bytes.Buffer{}, In: strings.NewReader(""), LookupEnv: func(name string) (string, bool) {
		value := map[string]string{"VISUAL": visual, "EDITOR": plain}[name]
		return value, value != ""
	}}
}

func TestTheEditorChangesAFileOfItsOwn(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "with a space")
	require.NoError(t, os.Mkdir(dir, 0o700))
	script := filepath.Join(dir, "edit")
	log := filepath.Join(dir, "log")
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\nstat -c '%a' \"$2\" >'"+log+"'\necho \"$1\" >>\"$2\"\necho \"$2\" >>'"+log+"'\n"), 0o700))
	held := 0
	e := editor("'"+script+"' --flag", "false")
	e.Hold = func() func() { held++; return func() { held-- } }
	edited, err := e.Edit(t.Context(), []byte("{}\n"))
	require.NoError(t, err)
	require.Equal(t, "{}\n--flag\n", string(edited))
	require.Zero(t, held)

	noted, err := os.ReadFile(log)
	require.NoError(t, err)
	mode, file, _ := strings.Cut(strings.TrimSpace(string(noted)), "\n")
	require.Equal(t, "600", mode)
	require.Equal(t, ".json", filepath.Ext(file))
	require.NoFileExists(t, file)
}

func TestAnEditorThatFails(t *testing.T) {
	t.Parallel()
	_, err := editor("", "false").Edit(t.Context(), nil)
	require.EqualError(t, err, `the editor "false" failed: exit status 1; set VISUAL or EDITOR to another editor`)
}
