package author_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/anatomy"
	"github.com/agenthost/agenthost/host/plugin/author"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
	"github.com/agenthost/agenthost/host/plugin/pack"
	"github.com/agenthost/agenthost/internal/wasmbin"
)

func inspect(t *testing.T, module []byte) *author.Inspection {
	t.Helper()
	return author.Inspect(t.Context(), plugin.Wasm{Bytes: module, Engine: compiled})
}

func codes(in *author.Inspection) []string {
	var out []string
	for _, w := range in.Warnings {
		out = append(out, w.Code)
	}
	return out
}

// TestInspectGrantsNothing shows that what a plugin asks for is told, and neither needed nor given.
func TestInspectGrantsNothing(t *testing.T) {
	t.Parallel()
	d := abi.Description{
		Capabilities: []abi.Capability{{Op: "http.fetch", Reason: "to look around", Required: true}, {Op: "of.tomorrow", Reason: "who knows"}},
		Hooks:        abi.HookSpecs{BeforeModel: &abi.HookSpec{Reads: []string{"todos"}, Writes: []string{"plan"}}},
	}
	g := guestkit.New(d).On("before_model", guestkit.Trap).On("configure", guestkit.Trap)
	in := inspect(t, g.Bytes())
	require.True(t, in.OK, in.Message)
	require.Empty(t, in.Stage)
	require.Equal(t, d.Capabilities, in.Described.Capabilities)
	require.Equal(t, []string{"todos"}, in.Described.Hooks.BeforeModel.Reads)
	require.JSONEq(t, `{"abi":1,"capabilities":[{"op":"http.fetch","reason":"to look around","required":true},{"op":"of.tomorrow","reason":"who knows"}],
		"hooks":{"before_model":{"reads":["todos"],"writes":["plan"]}},"name":"guest","version":"1.0.0"}`, in.Description.JSON())
	require.Len(t, in.SHA256, 64)
	require.Equal(t, author.EmbeddedNone, in.Embedded)
	require.Empty(t, in.Warnings)
}

func TestInspectTellsOfFaults(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		module []byte
		stage  string
		kind   plugin.Kind
		says   string
		shown  bool // what it consists of
		wrote  bool // a Description
	}{
		"no module":          {[]byte("\x1b[2J"), "preflight", plugin.KindMalformed, "does not begin as a Wasm module", false, false},
		"no plugin":          {guestkit.New(abi.Description{}).Without(abi.Marker).Bytes(), "link", plugin.KindLink, "not an agenthost plugin", true, false},
		"trap":               {described(guestkit.Trap), "describe", plugin.KindTrap, "unreachable", true, false},
		"nothing":            {described(guestkit.I32(0)), "describe", plugin.KindProtocol, "it returned 0", true, false},
		"unexported hook":    {guestkit.New(abi.Description{Hooks: abi.HookSpecs{AfterAgent: &abi.HookSpec{}}}).Bytes(), "describe", plugin.KindProtocol, "listed, but not exported", true, true},
		"schema of nonsense": {guestkit.New(abi.Description{ConfigSchema: guestkit.MapOf(map[string]any{"$ref": "#"})}).Bytes(), "describe", plugin.KindProtocol, "config_schema", true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := inspect(t, test.module)
			require.False(t, in.OK)
			require.Equal(t, test.stage, in.Stage)
			require.Equal(t, test.kind, in.Kind)
			require.Contains(t, in.Message, test.says)
			require.Nil(t, in.Described)
			require.Equal(t, test.shown, in.Module != nil)
			require.Equal(t, test.wrote, in.Description != nil)
		})
	}
	in := author.Inspect(t.Context(), plugin.Wasm{Path: filepath.Join(t.TempDir(), "gone.wasm"), Engine: compiled})
	require.Equal(t, "read", in.Stage)
	require.Empty(t, in.Kind)
	require.Empty(t, in.SHA256)
}

// described is a module with this describe.
func described(body guestkit.Code) []byte {
	return guestkit.New(abi.Description{}).Describe(body).Bytes()
}

func TestInspectComparesAnEmbeddedDescription(t *testing.T) {
	t.Parallel()
	module := guestkit.Fine().Bytes()
	packed, err := pack.Pack(module, inspect(t, module).Description)
	require.NoError(t, err)
	in := inspect(t, packed)
	require.Equal(t, author.EmbeddedSame, in.Embedded)
	require.Empty(t, in.Warnings)

	lie, err := pack.Pack(module, guestkit.Document(&abi.Description{ABI: 1, Name: "harmless", Version: "1.0.0"}))
	require.NoError(t, err)
	in = inspect(t, lie)
	require.True(t, in.OK, "a lie there changes nothing of what is loaded")
	require.Equal(t, author.EmbeddedDiffers, in.Embedded)
	require.Equal(t, []string{author.WarnDescription}, codes(in))

	broken, err := pack.Pack(described(guestkit.Trap), nil)
	require.NoError(t, err)
	require.Equal(t, author.EmbeddedUnchecked, inspect(t, broken).Embedded)
}

func TestInspectWarns(t *testing.T) {
	t.Parallel()
	asyncify := guestkit.Fine()
	asyncify.Add(wasmbin.Function{Name: "asyncify_start_unwind", Params: wasmbin.I32})
	require.Equal(t, []string{author.WarnAsyncify}, codes(inspect(t, asyncify.Bytes())))
	large := guestkit.Fine()
	large.Memory = guestkit.Pages(65)
	require.Equal(t, []string{author.WarnMemory}, codes(inspect(t, large.Bytes())))
	debug := slices.Concat(guestkit.Fine().Bytes(), []byte("\x00\x0d\x0b.debug_infox"))
	in := inspect(t, debug)
	require.Equal(t, []string{author.WarnDebug}, codes(in))
	require.Equal(t, []anatomy.Section{{Name: ".debug_info", Size: 1}}, in.Module.Custom)
	rust, err := os.ReadFile("../meter/testdata/scan.rust.wasm")
	require.NoError(t, err)
	require.Equal(t, []string{author.WarnStack}, codes(inspect(t, rust)))
}

func TestInspectFindsASignature(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "p.wasm")
	require.NoError(t, os.WriteFile(path, guestkit.New(abi.Description{}).Bytes(), 0o600))
	require.Empty(t, author.Inspect(t.Context(), plugin.Wasm{Path: path, Engine: compiled}).Signature)
	require.NoError(t, os.WriteFile(path+".minisig", nil, 0o600))
	in := author.Inspect(t.Context(), plugin.Wasm{Path: path, Engine: compiled})
	require.Equal(t, path+".minisig", in.Signature)
	findings := author.Check(t.Context(), plugin.Wasm{Path: path, SHA256: in.SHA256, Engine: compiled})
	require.True(t, findings[0].OK, "a manifest takes this digest: %s", findings[0].Message)
}

// TestRead examines modules without running them.
func TestRead(t *testing.T) {
	t.Parallel()
	module, err := os.ReadFile(filepath.Join("..", "..", "..", "plugins", "redact", "redact.wasm"))
	require.NoError(t, err)
	in := author.Read("redact", module)
	require.False(t, in.OK)
	require.Contains(t, in.Message, "it was not packed")
	require.NotEmpty(t, in.Module.Exports)

	described := author.Inspect(t.Context(), plugin.Wasm{Bytes: module})
	require.True(t, described.OK, described.Message)
	packed, err := pack.Pack(module, described.Description)
	require.NoError(t, err)
	in = author.Read("redact", packed)
	require.True(t, in.OK, in.Message)
	require.Equal(t, described.Described.Name, in.Described.Name)
	require.Equal(t, author.EmbeddedUnchecked, in.Embedded)
	require.Len(t, in.SHA256, 64)

	for says, wrong := range map[string][]byte{"": []byte("no module"), "its embedded Description is malformed": nil} {
		if wrong == nil {
			wrong, err = pack.Pack(module, []byte("nonsense"))
			require.NoError(t, err)
		}
		in = author.Read("wrong", wrong)
		require.False(t, in.OK)
		require.NotEmpty(t, in.Kind)
		require.Contains(t, in.Message, says)
		require.Nil(t, in.Described)
	}
}
