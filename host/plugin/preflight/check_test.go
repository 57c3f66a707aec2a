package preflight_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/agenthost/agenthost/host/plugin/meter"
	"github.com/agenthost/agenthost/host/plugin/preflight"
	"github.com/agenthost/agenthost/internal/toolchain"
	"github.com/agenthost/agenthost/internal/wasmbin"
)

// refused checks that a rule refuses a module, with a text.
func refused(t *testing.T, code []byte, rule preflight.Rule, says string) {
	t.Helper()
	_, err := preflight.Check(code, preflight.Default())
	var e *preflight.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, rule, e.Rule, "%v", err)
	require.ErrorContains(t, err, says)
	require.LessOrEqual(t, e.Offset, len(code))
}

func TestRefused(t *testing.T) {
	t.Parallel()
	const many = "\xff\xff\xff\xff\x0f"
	types := section(1, vector(funcType(0, 0)))
	function := section(3, vector([]byte{0}))
	simple := section(10, vector(body(0)))
	code := func(instructions ...byte) []byte { return program(body(0, instructions...)) }
	text := func(parts ...string) []byte { return []byte(strings.Join(parts, "")) }
	for _, test := range []struct {
		name string
		code []byte
		rule preflight.Rule
		says string
	}{
		{"nothing", nil, preflight.Malformed, "offset 0x0"},
		{"text", []byte("#!/bin/sh"), preflight.Malformed, "does not begin as a Wasm module"},
		{"a component", []byte("\x00asm\x0d\x00\x01\x00"), preflight.Malformed, "components are not supported"},
		{"an unknown section", module(section(13)), preflight.Malformed, "the section 13 is unknown"},
		{"sections in disorder", module(function, types), preflight.Malformed, "the type 0 does not exist"},
		{"a section twice", module(types, types), preflight.Malformed, "the section 1 is in the wrong place"},
		{"a section that is too long", module([]byte{1, 5, 0}), preflight.Malformed, "inside of 5 bytes"},
		{"a section with a rest", module(section(1, vector(), []byte{0})), preflight.Malformed, "section 1 has 1 bytes more"},
		{"types that are not there", module(section(1, text(many))), preflight.Malformed, "claims 4294967295 types"},
		{"imports that are not there", module(section(2, text(many))), preflight.Malformed, "claims 4294967295 imports"},
		{"functions that are not there", module(types, section(3, text(many))), preflight.Malformed, "claims 4294967295 functions"},
		{"tables that are not there", module(section(4, text(many))), preflight.Malformed, "claims"},
		{"globals that are not there", module(section(6, text(many))), preflight.Malformed, "claims"},
		{"exports that are not there", module(section(7, text(many))), preflight.Malformed, "claims"},
		{"elements that are not there", module(section(9, text(many))), preflight.Malformed, "claims"},
		{"data that is not there", module(section(11, text(many))), preflight.Malformed, "claims"},
		{"locals that are not there", module(types, function, section(10, []byte{1, 6}, text(many), []byte{0x0b})), preflight.Malformed, "groups of local"},
		{"names that are not there", module(section(0, name("name"), []byte{1, 5}, text(many))), preflight.Malformed, "names"},
		{"a part of names with a rest", module(section(0, name("name"), []byte{1, 2, 0, 0})), preflight.Malformed, "a list of names has 1 bytes more"},
		{"names twice", module(section(0, name("name")), section(0, name("name"))), preflight.Malformed, "a second section with names"},
		{"a name of no UTF-8", module(section(0, name("\xff"))), preflight.Malformed, "is not UTF-8"},
		{"a long name", module(types, function, section(7, vector(slices.Concat(name(strings.Repeat("x", 5000)), []byte{0, 0}))), simple), preflight.Malformed, "4096 are allowed"},
		{"exports of one name", module(types, function, section(7, vector(slices.Concat(name("x"), []byte{0, 0}), slices.Concat(name("x"), []byte{0, 0}))), simple), preflight.Malformed, `two exports have the name "x"`},
		{"an export of nothing", module(section(7, vector(slices.Concat(name("x"), []byte{0, 0})))), preflight.Malformed, "exports an item that does not exist"},
		{"a start of nothing", module(section(8, []byte{0})), preflight.Malformed, "the function 0 does not exist"},
		{"functions without bodies", module(types, function), preflight.Malformed, "1 functions have 0 bodies"},
		{"bodies without functions", module(types, section(10, vector(body(0)))), preflight.Malformed, "0 functions have 1 bodies"},
		{"a recursive type", module(section(1, []byte{1, 0x4e, 0, 0})), preflight.Malformed, "the form 0x4e"},
		{"a type of references", module(section(1, []byte{1, 0x60, 1, 0x64, 0})), preflight.Malformed, "not a value type"},
		{"a shared memory", module(section(5, vector([]byte{3, 1, 2}))), preflight.Malformed, "threads are not supported"},
		{"a memory of 64 bits", module(section(5, vector([]byte{4, 1}))), preflight.Malformed, "64-bit"},
		{"two memories", module(section(5, vector([]byte{0, 1}, []byte{0, 1}))), preflight.Unsupported, "2 memories"},
		{"a memory above all", module(section(5, vector(slices.Concat([]byte{0}, leb(70_000))))), preflight.Limit, "70000 pages"},
		{"a maximum below the minimum", module(section(5, vector([]byte{1, 2, 1}))), preflight.Malformed, "below its minimum"},
		{"a table of 100 million", module(section(4, vector(slices.Concat([]byte{0x70, 0}, leb(100_000_000))))), preflight.Limit, "100000000 elements"},
		{"a global that is not there", code(0x23, 0, 0x1a), preflight.Malformed, "the global 0 does not exist"},
		{"a variable that is not there", code(0x20, 0, 0x1a), preflight.Malformed, "the local variable 0 does not exist"},
		{"a table that is not there", code(0x41, 0, 0x25, 1, 0x1a), preflight.Malformed, "the table 1 does not exist"},
		{"an imported memory", module(section(2, vector(slices.Concat(name("a"), name("memory"), []byte{2, 0, 1})))), preflight.Link, `it imports a memory, "memory" of "a"`},
		{"an imported table", module(section(2, vector(slices.Concat(name("a"), name("t"), []byte{1, 0x70, 0, 1})))), preflight.Link, "a table"},
		{"a command", module(types, function, section(7, vector(slices.Concat(name("_start"), []byte{0, 0}))), simple), preflight.Link, "-buildmode=c-shared"},
		{"a tail call", code(0x12, 0), preflight.Malformed, "0x12 is not one of WebAssembly 2.0"},
		{"an exception", code(0x08, 0), preflight.Malformed, "0x8 is not one of"},
		{"an atomic", code(0xfe, 0), preflight.Malformed, "0xfe is not one of"},
		{"a padded number of a conversion", code(0x43, 0, 0, 0, 0, 0xfc, 0x80, 0x00, 0x1a), preflight.Malformed, "as short as possible"},
		{"a padded number of a vector", code(slices.Concat([]byte{0xfd, 0x8c, 0x00}, times(16, 1), []byte{0x1a})...), preflight.Malformed, "as short as possible"},
		{"an unknown vector instruction", code(0xfd, 0x9a, 0x01), preflight.Malformed, "0xfd9a is not one of"},
		{"a padded index of a memory", code(0x3f, 0x80, 0x00, 0x1a), preflight.Malformed, "the index of the memory must be 0"},
		{"a number of 33 bits", code(slices.Concat([]byte{0x10}, []byte("\xff\xff\xff\xff\x1f"))...), preflight.Malformed, "more than 32 bits"},
		{"a signed number of 33 bits", code(slices.Concat([]byte{0x41}, []byte("\xff\xff\xff\xff\x4f"), []byte{0x1a})...), preflight.Malformed, "more than 32 bits"},
		{"a call of nothing", code(0x10, 7), preflight.Malformed, "it calls the function 7"},
		{"a reference to nothing", code(0xd2, 7, 0x1a), preflight.Malformed, "it refers to the function 7"},
		{"an element that refers to nothing", module(types, section(4, vector([]byte{0x70, 0, 1})), section(9, vector([]byte{4, 0x41, 0, 0x0b, 1, 0xd2, 7, 0x0b}))), preflight.Malformed, "it refers to the function 7"},
		{"a global that refers to nothing", module(section(6, vector([]byte{0x70, 0, 0xd2, 0, 0x0b}))), preflight.Malformed, "it refers to the function 0"},
		{"a global that begins as one that is not there", module(section(6, vector([]byte{0x7e, 0, 0x23, 1, 0x0b}))), preflight.Malformed, "the global 1 does not exist"},
		{"a call of no type", code(0x41, 0, 0x11, 9, 0), preflight.Malformed, "of the type 9"},
		{"a branch to nowhere", code(0x0c, 1), preflight.Malformed, "the label 1"},
		{"a block of no type", code(0x02, 9, 0x0b), preflight.Malformed, "the type 9"},
		{"a block of a reference type", code(0x02, 0x64, 0x70, 0x0b), preflight.Malformed, "not a block type"},
		{"an else without an if", code(0x02, 0x40, 0x05, 0x0b), preflight.Malformed, "an else without an if"},
		{"two elses", code(0x41, 0, 0x04, 0x40, 0x05, 0x05, 0x0b), preflight.Malformed, "an else without an if"},
		{"a body with a rest", code(0x0b), preflight.Malformed, "the body of a function has 1 bytes more"},
		{"a body without an end", module(types, function, section(10, []byte{1, 2, 0, 1})), preflight.Malformed, "ends too early"},
		{"select of two types", code(0x1c, 2, 0x7f, 0x7f), preflight.Malformed, "must be 1"},
		{"a large alignment", code(0x41, 0, 0x28, 0x40, 0, 0x1a), preflight.Malformed, "alignment"},
		{"a constant of two", module(section(6, vector([]byte{0x7f, 0, 0x41, 0, 0x41, 0, 0x0b}))), preflight.Malformed, "more than one constant"},
		{"a constant that computes", module(section(6, vector([]byte{0x7f, 0, 0x45, 0x0b}))), preflight.Malformed, "one constant is allowed"},
		{"data announced", module(section(5, vector([]byte{0, 1})), section(12, []byte{2}), section(11, vector([]byte{1, 0}))), preflight.Malformed, "but announced 2"},
		{"a large body", program(body(0, times(150_000, 0x01, 0x01)...)), preflight.Limit, "262144 are allowed"},
		{"many locals", program(body(10_001)), preflight.Limit, "10001 local variables"},
		{"locals in groups", module(types, function, section(10, vector(func() []byte {
			group := append(leb(6_000), 0x7f)
			return wasmbin.Body(slices.Concat([]byte{2}, group, group))
		}()))), preflight.Limit, "12000 local variables"},
		{"deep blocks", program(body(0, slices.Concat(times(4_097, 0x02, 0x40), times(4_097, 0x0b))...)), preflight.Limit, "4097 blocks inside each other"},
		{"many labels", program(body(0, slices.Concat([]byte{0x41, 0, 0x0e}, leb(8_192), times(8_193, 0))...)), preflight.Limit, "8193 labels"},
		{"a type of many values", module(section(1, vector(funcType(1_001, 0)))), preflight.Limit, "1001 parameters or results"},
		{"ifs in a row", program(body(0, times(20_000, 0x41, 0, 0x04, 0x40, 0x0b)...)), preflight.Limit, "too long to compile"},
		{"branches in a row", program(body(0, times(30_000, 0x41, 0, 0x0d, 0)...)), preflight.Limit, "too long to compile"},
		{"loops and locals", program(body(900, slices.Concat(times(300, 0x03, 0x40), times(300, 0x0b))...)), preflight.Limit, "too long to compile"},
		{"many that are slow together", program(slices.Repeat([][]byte{body(0, times(4_000, 0x41, 0, 0x0d, 0)...)}, 40)...), preflight.Limit, "too long to compile"},
		{"calls of many values", module(section(1, vector(funcType(0, 0), funcType(500, 500))), section(3, vector([]byte{0}, []byte{1})), section(10, vector(
			body(0, slices.Concat(times(500, 0x41, 0), times(2_000, 0x10, 1), times(500, 0x1a))...), body(0, 0x00)))), preflight.Limit, "too long to compile"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			refused(t, test.code, test.rule, test.says)
		})
	}
	t.Run("a large module", func(t *testing.T) {
		t.Parallel()
		refused(t, make([]byte, 33<<20), preflight.Limit, "33554432 are allowed")
	})
}

// TestEveryTruncation cuts a module that has every section at every byte.
func TestEveryTruncation(t *testing.T) {
	t.Parallel()
	whole := oddities()
	_, err := preflight.Check(whole, preflight.Default())
	require.NoError(t, err)
	for n := range whole {
		if _, err := preflight.Check(whole[:n], preflight.Default()); err != nil {
			var e *preflight.Error
			require.ErrorAs(t, err, &e)
			continue
		}
		require.NoError(t, compiles(whole[:n]), "cut at %d", n)
	}
}

// oddities returns a module with rare but valid code.
func oddities() []byte {
	segment := slices.Concat([]byte{0, 0x41}, []byte("\x80\x80\x80\x80\x00"), []byte{0x0b}, vector([]byte{0}))
	return module(
		section(0, name("producers"), []byte("anything")),
		section(1, vector(funcType(0, 0), funcType(1, 2))),
		section(2, vector(slices.Concat(name("env"), name(""), []byte{0, 0}))),
		slices.Concat([]byte{3}, padded(3), vector([]byte{0}, []byte{1})),
		section(4, vector([]byte{0x70, 1, 2, 10}, []byte{0x6f, 0, 0})),
		section(5, vector([]byte{1, 1, 2})),
		section(6, vector([]byte{0x7f, 1, 0x41, 0x7f, 0x0b}, []byte{0x70, 0, 0xd0, 0x70, 0x0b}, slices.Concat([]byte{0x7b, 0, 0xfd, 12}, times(16, 9), []byte{0x0b}))),
		section(7, vector(slices.Concat(name("f"), []byte{0, 1}), slices.Concat(name("memory"), []byte{2, 0}))),
		section(8, []byte{1}),
		section(9, vector(segment, []byte{1, 0, 1, 1}, []byte{3, 0, 1, 2}, []byte{5, 0x70, 1, 0xd2, 1, 0x0b})),
		section(12, []byte{2}),
		section(10, vector(
			body(2, slices.Concat(
				[]byte{0x10}, padded(0), // call of the import
				[]byte{0x41, 0, 0x04, 0x7f, 0x41, 1, 0x05, 0x41, 2, 0x0b, 0x1a}, // if with else
				[]byte{0x41, 0, 0x11}, padded(0), padded(0), // call_indirect
				[]byte{0x41, 5, 0xd0, 0x6f, 0xd1, 0x1a, 0x1a},
				[]byte{0x41, 0, 0x41, 0, 0x41, 0, 0xfc, 8, 0, 0, 0xfc, 9, 0},
				[]byte{0xd0, 0x70, 0x41, 1, 0xfc, 15, 0, 0x1a},
				[]byte{0xfd, 12}, times(16, 3), []byte{0xfd, 0x60, 0xfd, 0x83, 0x01, 0x1a}, // abs, all_true: a number of two bytes
				[]byte{0x42}, []byte("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f"), []byte{0x1a},
				[]byte{0x02, 0x40, 0x41, 0, 0x0e, 2, 0, 1, 0, 0x0b},
			)...),
			body(0, 0x41, 1, 0x41, 2, 0x0f),
		)),
		section(11, vector([]byte{1, 1, 7}, slices.Concat([]byte{2, 0, 0x41, 0, 0x0b}, name("data")))),
		section(0, name("name"), []byte{0, 2, 1, 'm', 1, 5, 1, 1, 2, 'f', 'n', 2, 6, 1, 1, 1, 0, 1, 'v', 9, 1, 0}),
	)
}

func compiles(code []byte) error {
	ctx := context.Background()
	runtime := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCoreFeatures(api.CoreFeaturesV2))
	_, err := runtime.CompileModule(ctx, code)
	return errors.Join(err, runtime.Close(ctx))
}

func TestOdditiesPass(t *testing.T) {
	t.Parallel()
	m, err := preflight.Check(oddities(), preflight.Default())
	require.NoError(t, err)
	require.NoError(t, compiles(oddities()), "wazero agrees")
	require.Len(t, m.Imports, 1)
	require.Len(t, m.Bodies, 2)
	require.Equal(t, 2, m.Bodies[0].Locals)
	require.EqualValues(t, 1, *m.Start)
	require.EqualValues(t, 1, m.Memory.Min)
	require.Len(t, m.Globals, 3)
	require.Equal(t, preflight.Global{Type: 0x7f, Mutable: true}, m.Globals[0])
	require.True(t, m.Lasting)
	empty, err := preflight.Check(module(), preflight.Default())
	require.NoError(t, err)
	require.Nil(t, empty.Memory)
}

// outlined checks that Outline returns the same module as Check, except for the parts that depend on functions.
func outlined(t *testing.T, code []byte, m *preflight.Module) {
	t.Helper()
	want := *m
	want.Lasting, want.Referenced, want.Bodies, want.Sections = false, nil, nil, nil
	got, err := preflight.Outline(code, preflight.Default())
	require.NoError(t, err)
	require.Equal(t, &want, got)
}

func TestOutline(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../../plugins/*/*.wasm")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	modules := [][]byte{oddities(), module()}
	for _, file := range files {
		code, err := os.ReadFile(file)
		require.NoError(t, err)
		modules = append(modules, code)
	}
	for _, code := range modules {
		m, err := preflight.Check(code, preflight.Default())
		require.NoError(t, err)
		outlined(t, code, m)
	}
	_, err = preflight.Outline([]byte("#!/bin/sh"), preflight.Default())
	require.Error(t, err)
	_, err = preflight.Outline(module(section(4, []byte("\xff\xff\xff\xff\x0f"))), preflight.Default())
	require.Error(t, err)
}

// standardGo builds a guest with standard Go.
func standardGo(t *testing.T) string {
	t.Helper()
	build := toolchain.Build{Dir: "../testdata/guests/bench", Output: filepath.Join(t.TempDir(), "guest.wasm"), Debug: true, Log: t.Output()}
	module, err := build.Run(t.Context(), toolchain.Go)
	require.NoError(t, err)
	return module
}

// TestRealGuestsPass checks that guests of real compilers are well within the limits: three times their size would
// still pass.
func TestRealGuestsPass(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("../testdata/*.wasm")
	require.NoError(t, err)
	more, err := filepath.Glob("../../../plugins/*/*.wasm")
	require.NoError(t, err)
	paths = append(append(paths, more...), "../../../test/reference/testdata/probe.tinygo.wasm", "../meter/testdata/scan.rust.wasm", standardGo(t))
	require.GreaterOrEqual(t, len(paths), 7)
	limits := preflight.Default()
	limits.Compile, limits.CompilePerMiB = limits.Compile/3, limits.CompilePerMiB/3
	limits.Body, limits.Nesting, limits.Targets, limits.Locals = limits.Body/3, limits.Nesting/3, limits.Targets/3, limits.Locals/3
	for _, path := range paths {
		code, err := os.ReadFile(path)
		require.NoError(t, err)
		start := time.Now()
		m, err := preflight.Check(code, limits)
		require.NoError(t, err, path)
		require.NotNil(t, m.Memory)
		require.Less(t, time.Since(start), time.Second, "%s", path)
		metered, err := meter.Rewrite(code, m, meter.Options{Table: limits.Table, Globals: true})
		require.NoError(t, err, path)
		_, err = preflight.Check(metered, limits.Metered())
		require.NoError(t, err, "%s, with a meter", path)
	}
}
