package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/tck/certify"
	"github.com/agenthost/agenthost/tck/internal/emit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// file writes a guest to a file.
func file(t *testing.T, m *emit.Module) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "guest.wasm")
	require.NoError(t, os.WriteFile(path, m.Bytes(), 0o600))
	return path
}

func TestCommand(t *testing.T) {
	t.Parallel()
	good := file(t, emit.Hooked(abi.BeforeModel, abi.HookSpec{}).On("before_model", emit.Number(0)))
	bad := file(t, emit.Hooked(abi.BeforeModel, abi.HookSpec{}).On("before_model", emit.Number(7)))
	picky := emit.Describing(abi.BeforeModel, abi.HookSpec{})
	picky.ConfigSchema = emit.Value(map[string]any{"type": "object", "required": []any{"x"}, "properties": map[string]any{"x": map[string]any{"type": "string", "pattern": "^very special$"}}})
	needs := file(t, emit.New(picky).On("before_model", emit.Number(0)))
	refusing := emit.New(picky).On("before_model", emit.Number(0))
	no := refusing.Say(emit.Value(map[string]any{"error": map[string]any{"type": "config", "message": "not that one"}}))
	refuses := file(t, refusing.On("configure", no))
	for name, c := range map[string]struct {
		args []string
		code int
		says []string
	}{
		"certified":        {[]string{good}, exitCertified, []string{"guest 1.0.0: CERTIFIED", "covers hooks: before_model", " 0 failed"}},
		"everything":       {[]string{good, "-v"}, exitCertified, []string{"ok   call.minimal", "n/a  wrap.ok: no wrap hook calls next", "§14"}},
		"not certified":    {[]string{bad}, exitNot, []string{"FAIL frame.return: before_model: it returned 7", "SPEC.md §4: Any other value", "NOT CERTIFIED"}},
		"no configuration": {[]string{needs}, exitNot, []string{"FAIL configure.accepts", "give one"}},
		"a configuration":  {[]string{needs, "--config", `{"x":"very special"}`}, exitCertified, []string{"CERTIFIED"}},
		"a refusal":        {[]string{refuses, "--config", `{"x":"very special"}`}, exitNot, []string{" 0 failed", "this configuration was refused", "not that one", "NOT CERTIFIED"}},
		"a misfit":         {[]string{needs, "--config", `{"x":"plain"}`}, exitNot, []string{" 0 failed", "this configuration was refused", "does not fit config_schema"}},
		"must refuse":      {[]string{refuses, "--refused-config", `{"x":"very special"}`, "-v"}, exitNot, []string{"ok   configure.refuses"}},
		"does not refuse":  {[]string{needs, "--refused-config", `{"x":"very special"}`}, exitNot, []string{"FAIL configure.refuses: configure did not refuse"}},
		"no list":          {[]string{needs, "--refused-config", `1`}, exitUsage, []string{"--refused-config"}},
		"no object":        {[]string{needs, "--config", `[]`}, exitUsage, []string{"--config"}},
		"no file":          {[]string{filepath.Join(t.TempDir(), "none.wasm")}, exitUsage, []string{"none.wasm"}},
		"no arguments":     {nil, exitUsage, []string{"accepts 1 arg"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			require.Equal(t, c.code, run(t.Context(), append(c.args, "--random", "3"), &out, &out), out.String())
			for _, text := range c.says {
				require.Contains(t, out.String(), text)
			}
		})
	}
}

func TestReportAsJSON(t *testing.T) {
	t.Parallel()
	good := file(t, emit.Hooked(abi.AfterModel, abi.HookSpec{}).On("after_model", emit.Number(0)))
	var out bytes.Buffer
	require.Equal(t, exitCertified, run(t.Context(), []string{good, "--json", "--random", "3"}, &out, &out))
	var report certify.Report
	require.NoError(t, json.Unmarshal(out.Bytes(), &report))
	require.True(t, report.Certified)
	require.Equal(t, []string{"after_model"}, report.Coverage.Hooks)
	require.Len(t, report.Outcomes, len(certify.Checks()))
}
