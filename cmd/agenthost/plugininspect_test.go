package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/anatomy"
	"github.com/agenthost/agenthost/host/plugin/author"
	"github.com/agenthost/agenthost/host/plugin/hostile"
	"github.com/agenthost/agenthost/internal/terminal"
)

// requireTame checks that a text cannot control a terminal.
func requireTame(t *testing.T, text string) {
	t.Helper()
	for _, r := range text {
		bad := (unicode.IsControl(r) && r != '\n') || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
		require.False(t, bad, "%U in %q", r, text[:min(len(text), 500)])
	}
}

func TestPluginInspect(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	require.Equal(t, exitOK, b.runWith(t.Context(), "", "plugin", "inspect", redact), &b.err)
	out := b.out.String()
	require.Regexp(t, `^\S+redact\.wasm: redact 1\.0\.0, ABI 1\n  sha256        [0-9a-f]{64}\n  made by       .*TinyGo \S+`, out)
	require.Regexp(t, `\n  size          \d+ bytes: code \d+, data \d+, debug information 0; \d+ functions\n  memory        \d+ KiB at the start; stack 65536 bytes\n`, out)
	require.Regexp(t, `\n  imports       agenthost_v1: .*result_write`, out)
	require.Regexp(t, `\n  exports       memory, .*describe`, out)
	require.Regexp(t, `\n  sections      name \d+, producers \d+, `, out)
	require.Regexp(t, `\n  hooks\n    before_model         sees new messages.*\n    wrap_tool_call       sees no messages`, out)
	require.Regexp(t, `\n  fields\n    redactions           thread; add; no input.*\n`, out)
	require.Regexp(t, `\n  configuration\n(    .*\n)*    strategy             \{"default":"redact".*\n`, out)
	require.NotContains(t, out, "warning")
	requireTame(t, out)
}

// descriptionJSON is a part of a Description in JSON.
type descriptionJSON struct {
	Name  string         `json:"name"`
	Hooks map[string]any `json:"hooks"`
}

func TestPluginInspectPrintsJSON(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	b.write("bad.wasm", "\x1b[31mno module")
	require.Equal(t, exitPlugin, b.runWith(t.Context(), "", "plugin", "inspect", "--json", redact, filepath.Join(b.dir, "bad.wasm"), filepath.Join(b.dir, "gone.wasm")))
	lines := strings.Split(strings.TrimSuffix(b.out.String(), "\n"), "\n")
	require.Len(t, lines, 3)
	var good struct {
		OK          bool            `json:"ok"`
		SHA256      string          `json:"sha256"`
		Module      anatomy.Module  `json:"module"`
		Description descriptionJSON `json:"description"`
		Embedded    author.Embedded `json:"embedded_description"`
	}
	require.NoError(t, json.Unmarshal([]byte(lines[0]), &good))
	require.True(t, good.OK)
	require.Equal(t, "redact", good.Description.Name)
	require.Len(t, good.SHA256, 64)
	require.Equal(t, author.EmbeddedNone, good.Embedded)
	require.Contains(t, good.Description.Hooks, "wrap_tool_call")
	require.Positive(t, good.Module.Size)
	require.Contains(t, lines[1], `"ok":false,"stage":"preflight","kind":"malformed"`)
	require.Contains(t, lines[2], `"ok":false,"stage":"read","message":"plugin file: `)

	require.Equal(t, exitPlugin, b.runWith(t.Context(), "", "plugin", "inspect", filepath.Join(b.dir, "bad.wasm"), filepath.Join(b.dir, "gone.wasm")))
	require.Regexp(t, `bad.wasm: FAILED malformed \(preflight\): .*\n  sha256 .*\n\S+gone.wasm: FAILED: plugin file: .*no such file`, b.out.String())
}

// TestInspectionsOfHostileModulesAreTame inspects the hostile corpus: each guest ends with a report or an error, and none can
// control the terminal.
func TestInspectionsOfHostileModulesAreTame(t *testing.T) {
	t.Parallel()
	engine, err := plugin.NewEngine(plugin.EngineConfig{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, engine.Close()) })
	for _, g := range hostile.Guests() {
		if slices.Contains(g.Kinds, plugin.KindFuel) && g.Stage != "before_model" && g.Name != "describe that loops" {
			continue // each takes seconds, and inspecting is loading
		}
		t.Run(g.Name, func(t *testing.T) {
			t.Parallel()
			in := author.Inspect(t.Context(), plugin.Wasm{Path: g.File(), Bytes: g.Module(), Engine: engine})
			var out bytes.Buffer
			require.NoError(t, printInspection(&out, in))
			require.NoError(t, terminal.PrintLine(&out, in))
			requireTame(t, out.String())
			loads := []string{"preflight", "link", "compile", "instantiate", "init", "describe"}
			fails := slices.Contains(loads, g.Stage) && !slices.Contains(g.Kinds, plugin.KindDenied) // what is not granted need not be
			require.Equal(t, !fails, in.OK, "%s: %s", in.Stage, in.Message)
			if !in.OK {
				require.Equal(t, g.Stage, in.Stage)
				require.Contains(t, out.String(), "FAILED "+string(in.Kind))
			}
		})
	}
}

// TestEveryTextOfADescriptionIsTame prints a Description whose texts are all hostile.
func TestEveryTextOfADescriptionIsTame(t *testing.T) {
	t.Parallel()
	const dirty = "\x1b[2J\r\n\x00\x7f\u0085\u2028\u2029\u202e\u2066 fake: ok\nanother.wasm: redact 1.0.0"
	schema, err := wire.Of(map[string]any{"properties": map[string]any{dirty: map[string]any{"description": dirty}}, "required": []any{dirty}})
	require.NoError(t, err)
	d := &abi.Description{
		ABI: 1, Name: dirty, Version: dirty, ConfigSchema: schema,
		Capabilities: []abi.Capability{{Op: dirty, Reason: dirty, Required: true}},
		Fields:       []abi.FieldSpec{{Name: dirty, Lifetime: "run", Schema: schema, HideOutput: true}},
		Tools:        []abi.ToolSpec{{Name: dirty, Description: dirty, Dynamic: true, ReturnDirect: true, Idempotent: true}},
		Hooks: abi.HookSpecs{
			WrapToolCall:  &abi.HookSpec{Reads: []string{dirty}, Writes: []string{dirty}, CanJumpTo: []string{dirty}, Tools: []string{dirty}},
			WrapModelCall: &abi.HookSpec{Messages: abi.ViewLast(3), PassesTokens: true},
		},
	}
	said, err := d.MarshalMsg(nil)
	require.NoError(t, err)
	in := &author.Inspection{
		File: dirty, OK: true, Signature: dirty, SHA256: "00", Description: said, Described: d, Embedded: author.EmbeddedDiffers,
		Warnings: []author.Warning{{Code: "x", Text: dirty}},
		Module: &anatomy.Module{
			Custom: []anatomy.Section{{Name: dirty}}, Exports: []anatomy.Export{{Name: dirty, Kind: "function"}}, Tables: []anatomy.Table{{Initial: 1, Maximum: 2}},
			Imports: []anatomy.Imports{{Module: dirty, Names: slices.Repeat([]string{dirty}, 100)}}, Memory: &anatomy.Memory{Initial: 1, Maximum: 1 << 20},
			Producers: []anatomy.Producer{{Role: dirty, Name: dirty, Version: dirty}, {Role: "language", Name: dirty}},
		},
	}
	var out bytes.Buffer
	require.NoError(t, printInspection(&out, in))
	requireTame(t, out.String())
	require.NotRegexp(t, `(?m)^another`, out.String(), "no text begins a line")
	require.Contains(t, out.String(), "and 40 more")
	require.Contains(t, out.String(), "sees messages: last 3; lets tokens pass")
	out.Reset()
	require.NoError(t, terminal.PrintLine(&out, in))
	requireTame(t, out.String())
	require.Equal(t, 1, strings.Count(out.String(), "\n"))
	var doc struct {
		Description descriptionJSON `json:"description"`
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &doc))
	require.Equal(t, dirty, doc.Description.Name, "nothing is lost in JSON")
}
