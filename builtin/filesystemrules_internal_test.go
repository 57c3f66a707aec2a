package builtin

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Where a disk ignores case, so do the rules, whatever the spelling.
func TestFileRulesIgnoreCase(t *testing.T) {
	t.Parallel()
	rules, err := compileFileRules([]FilePermission{{Operations: []string{"read"}, Paths: []string{"/Secrets/**", "/größe/k"}, Mode: "deny"}}, true)
	require.NoError(t, err)
	for name, want := range map[string]fileMode{
		"/secrets/a": fileDeny, "/SECRETS/a": fileDeny, "/\u017fecrets/a": fileDeny, "/ſECRETſ": fileDeny, "/GRÖßE/\u212a": fileDeny,
		"/secret/a": fileAllow, "/grosse/k": fileAllow,
	} {
		require.Equal(t, want, rules.mode("read", name), name)
	}
}

func TestFileRulesOfARemovalIgnoreCase(t *testing.T) {
	t.Parallel()
	rules, err := compileFileRules([]FilePermission{{Operations: []string{"write"}, Paths: []string{"/Tasks/app"}, Mode: "deny"}}, true)
	require.NoError(t, err)
	for _, target := range []string{"/Tasks", "/tasks", "/TASKS"} {
		require.Equal(t, removal{fileDeny, []string{"/tasks/app"}}, rules.removing(target, true, nil), target)
	}
}
