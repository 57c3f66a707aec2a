package anatomy_test

import (
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/plugin/anatomy"
	"github.com/agenthost/agenthost/host/plugin/hostile"
	"github.com/agenthost/agenthost/host/plugin/preflight"
	"github.com/agenthost/agenthost/internal/wasmbin"
)

func read(t *testing.T, path string) []byte {
	t.Helper()
	module, err := os.ReadFile(path)
	require.NoError(t, err)
	return module
}

func TestTinyGoModule(t *testing.T) {
	t.Parallel()
	module := read(t, "../../../plugins/redact/redact.wasm")
	m, err := anatomy.Of(module)
	require.NoError(t, err)
	require.Equal(t, len(module), m.Size)
	require.Less(t, m.Size-m.Code-m.Data, 30_000)
	require.Zero(t, m.Debug)
	require.Positive(t, m.Functions)
	require.Equal(t, 64<<10, m.Stack, "TinyGo's linker puts 64 KiB of stack before the data")
	require.GreaterOrEqual(t, m.Memory.Initial, int64(128<<10))
	require.Zero(t, m.Memory.Maximum)
	require.True(t, m.Exported("describe"))
	require.False(t, m.Exported("memory"), "that is not a function")
	require.False(t, m.Asyncify())
	at := slices.IndexFunc(m.Imports, func(i anatomy.Imports) bool { return i.Module == "agenthost_v1" })
	require.GreaterOrEqual(t, at, 0)
	require.Contains(t, m.Imports[at].Names, "result_write")
	require.True(t, slices.ContainsFunc(m.Producers, func(p anatomy.Producer) bool {
		return p.Role == "processed-by" && p.Name == "TinyGo" && p.Version != ""
	}), "%+v", m.Producers)
	require.True(t, slices.ContainsFunc(m.Custom, func(s anatomy.Section) bool { return s.Name == "name" && s.Size > 1_000 }))
}

func TestRustModule(t *testing.T) {
	t.Parallel()
	m, err := anatomy.Of(read(t, "../meter/testdata/scan.rust.wasm"))
	require.NoError(t, err)
	require.Equal(t, 1<<20, m.Stack, "what its linker gives")
	require.Equal(t, "rustc", m.Producers[0].Name)
}

func TestEveryHostileModule(t *testing.T) {
	t.Parallel()
	for _, g := range hostile.Guests() {
		module := g.Module()
		m, err := anatomy.Of(module)
		_, refused := preflight.Check(module, preflight.Default())
		if refused != nil {
			require.Equal(t, refused, err, g.Name)
			require.Nil(t, anatomy.Description(module))
			continue
		}
		require.NoError(t, err, g.Name)
		require.Equal(t, len(module), m.Size)
		require.LessOrEqual(t, m.Code+m.Data+m.Debug, m.Size)
	}
}

func TestCustomSections(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		sections    []byte
		debug       int
		producers   []anatomy.Producer
		description []byte
	}{
		"none":                   {},
		"debug":                  {sections: slices.Concat(wasmbin.Custom(".debug_info", 1, 2), wasmbin.Custom("sourceMappingURL", 3), wasmbin.Custom("name"), wasmbin.Custom("x.debug_y", 1)), debug: 3},
		"producers":              {sections: wasmbin.Custom("producers", 1, 8, 'l', 'a', 'n', 'g', 'u', 'a', 'g', 'e', 1, 1, 'C', 0), producers: []anatomy.Producer{{Role: "language", Name: "C"}}},
		"producers cut":          {sections: wasmbin.Custom("producers", 1, 1, 'l', 1, 1)},
		"producers without end":  {sections: wasmbin.Custom("producers", 0xff, 0xff, 0xff, 0xff, 0x0f)},
		"producers of no text":   {sections: wasmbin.Custom("producers", 1, 1, 0xff, 1, 1, 'C', 0)},
		"description":            {sections: wasmbin.Custom(anatomy.DescriptionSection, 0x80), description: []byte{0x80}},
		"description of nothing": {sections: wasmbin.Custom(anatomy.DescriptionSection), description: []byte{}},
		"two descriptions":       {sections: slices.Concat(wasmbin.Custom(anatomy.DescriptionSection, 0x80), wasmbin.Custom(anatomy.DescriptionSection, 0x80))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			module := wasmbin.Binary(test.sections)
			m, err := anatomy.Of(module)
			require.NoError(t, err)
			require.Equal(t, test.debug, m.Debug)
			require.Equal(t, test.producers, m.Producers)
			require.Equal(t, test.description, anatomy.Description(module))
		})
	}
}

func TestStack(t *testing.T) {
	t.Parallel()
	const (
		memory  = "\x05\x03\x01\x00\x02"
		pointer = "\x06\x08\x01\x7f\x01\x41\x80\x80\x04\x0b" // a variable that begins with 65536
	)
	for name, test := range map[string]struct {
		module string
		want   int
	}{
		"stack first":          {memory + pointer + "\x0b\x09\x01\x00\x41\x80\x80\x04\x0b\x01x", 65536},
		"without data":         {memory + pointer, 65536},
		"data first":           {memory + pointer + "\x0b\x07\x01\x00\x41\x10\x0b\x01x", 0},
		"passive data":         {memory + pointer + "\x0b\x04\x01\x01\x01x", 65536},
		"data of memory 0":     {memory + pointer + "\x0b\x08\x01\x02\x00\x41\x10\x0b\x01x", 0},
		"a constant":           {memory + "\x06\x08\x01\x7f\x00\x41\x80\x80\x04\x0b", 0},
		"another type":         {memory + "\x06\x06\x01\x7e\x01\x42\x10\x0b", 0},
		"beyond the memory":    {"\x05\x03\x01\x00\x01" + "\x06\x08\x01\x7f\x01\x41\x80\x80\x08\x0b", 0},
		"no memory":            {pointer, 0},
		"no globals":           {memory + "\x06\x01\x00", 0},
		"an address above 2GB": {memory + "\x06\x0a\x01\x7f\x01\x41\x80\x80\x80\x80\x78\x0b", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, err := anatomy.Of(wasmbin.Binary([]byte(test.module)))
			require.NoError(t, err)
			require.Equal(t, test.want, m.Stack)
		})
	}
}
