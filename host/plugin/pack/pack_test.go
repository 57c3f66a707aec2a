package pack_test

import (
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/anatomy"
	"github.com/agenthost/agenthost/host/plugin/author"
	"github.com/agenthost/agenthost/host/plugin/hostile"
	"github.com/agenthost/agenthost/host/plugin/pack"
	"github.com/agenthost/agenthost/host/plugin/preflight"
)

var description = wire.AppendMapHeader(nil, 0)

// essence returns the sections that affect how a module runs, and the custom sections that must stay, byte for byte.
func essence(t require.TestingT, module []byte) []string {
	m, err := preflight.Check(module, preflight.Default())
	require.NoError(t, err)
	var sections []string
	at := 8
	for _, s := range m.Sections {
		if s.ID != preflight.SectionCustom || (s.Name != anatomy.DescriptionSection && !anatomy.IsDebug(s.Name)) {
			sections = append(sections, string(module[at:s.End]))
		}
		at = s.End
	}
	return sections
}

// requirePacked checks the properties of every packed module.
func requirePacked(t require.TestingT, module, packed, description []byte) {
	require.Equal(t, essence(t, module), essence(t, packed))
	require.Equal(t, description, anatomy.Description(packed))
	m, err := anatomy.Of(packed)
	require.NoError(t, err)
	require.Zero(t, m.Debug)
	again, err := pack.Pack(packed, description)
	require.NoError(t, err)
	require.Equal(t, packed, again)
}

// TestEveryAdmittedModule packs the guests of the hostile corpus, and the real ones.
func TestEveryAdmittedModule(t *testing.T) {
	t.Parallel()
	for _, g := range hostile.Guests() {
		module := g.Module()
		packed, err := pack.Pack(module, description)
		if _, refused := preflight.Check(module, preflight.Default()); refused != nil {
			require.Equal(t, refused, err, g.Name)
			continue
		}
		require.NoError(t, err, g.Name)
		requirePacked(t, module, packed, description)
	}
	for _, path := range []string{"../../../plugins/redact/redact.wasm", "../meter/testdata/scan.rust.wasm", "../testdata/bench.tinygo.wasm"} {
		module, err := os.ReadFile(path)
		require.NoError(t, err)
		packed, err := pack.Pack(module, description)
		require.NoError(t, err)
		requirePacked(t, module, packed, description)
	}
}

// TestCustomSectionsAnywhere puts custom sections with any name between the sections of a module.
func TestCustomSectionsAnywhere(t *testing.T) {
	t.Parallel()
	base := hostile.Good()
	m, err := preflight.Check(base, preflight.Default())
	require.NoError(t, err)
	names := rapid.OneOf(rapid.SampledFrom([]string{
		".debug_info", ".debug_line", "reloc..debug_info", "sourceMappingURL", "external_debug_info", "producers", "target_features",
		"linking", anatomy.DescriptionSection, "agenthost", "",
	}), rapid.StringN(0, 20, 60))
	rapid.Check(t, func(t *rapid.T) {
		module := slices.Clone(base[:8])
		at := 8
		custom := func() {
			for range rapid.IntRange(0, 3).Draw(t, "sections") {
				name := names.Filter(func(s string) bool { return s != "name" }).Draw(t, "name")
				content := rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "content")
				module = append(module, section(name, content)...)
			}
		}
		custom()
		for _, s := range m.Sections {
			module = append(module, base[at:s.End]...)
			at = s.End
			custom()
		}
		said := append(wire.AppendMapHeader(nil, 1), wire.AppendBin(wire.AppendString(nil, "a"), rapid.SliceOf(rapid.Byte()).Draw(t, "said"))...)
		packed, err := pack.Pack(module, said)
		require.NoError(t, err)
		requirePacked(t, module, packed, said)
	})
}

func section(name string, content []byte) []byte {
	number := func(n int) []byte { return []byte{byte(n) | 0x80, byte(n>>7) | 0x80, byte(n >> 14)} } // padded, as linkers write it
	inside := slices.Concat(number(len(name)), []byte(name), content)
	return slices.Concat([]byte{0}, number(len(inside)), inside)
}

// TestPackedPluginsBehaveTheSame loads a plugin and calls its hooks before and after it is packed.
func TestPackedPluginsBehaveTheSame(t *testing.T) {
	t.Parallel()
	module, err := os.ReadFile("../../../plugins/redact/redact.wasm")
	require.NoError(t, err)
	module = append(module, section(".debug_info", make([]byte, 100_000))...)
	before := author.Inspect(t.Context(), plugin.Wasm{Bytes: module})
	require.True(t, before.OK, before.Message)
	packed, err := pack.Pack(module, before.Description)
	require.NoError(t, err)
	requirePacked(t, module, packed, before.Description)
	require.Less(t, len(packed), len(module)-90_000)

	after := author.Inspect(t.Context(), plugin.Wasm{Bytes: packed})
	require.True(t, after.OK, after.Message)
	require.Equal(t, before.Description, after.Description)
	require.Equal(t, author.EmbeddedNone, before.Embedded)
	require.Equal(t, author.EmbeddedSame, after.Embedded)

	try := func(module []byte) []author.Finding {
		records := author.Check(t.Context(), plugin.Wasm{Bytes: module, Isolation: plugin.IsolateCall})
		for i := range records {
			records[i].WallMS = 0
		}
		return records
	}
	require.Equal(t, try(module), try(packed), "fuel and memory included")
}

func TestWhatCannotBePacked(t *testing.T) {
	t.Parallel()
	_, err := pack.Pack([]byte("no module"), description)
	require.ErrorContains(t, err, "does not begin as a Wasm module")
	_, err = pack.Pack(hostile.Good(), make([]byte, preflight.Default().Module))
	require.ErrorContains(t, err, "can be loaded as it is, but not once it is packed")
}
