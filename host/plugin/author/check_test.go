package author_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/author"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
)

// twoHooks returns a plugin whose before_model is fine, and whose after_agent has this body.
func twoHooks(afterAgent func(g *guestkit.Module) guestkit.Code) []byte {
	g := guestkit.New(abi.Description{Hooks: abi.HookSpecs{BeforeModel: &abi.HookSpec{}, AfterAgent: &abi.HookSpec{}}})
	return g.On("before_model", guestkit.Nothing).On("after_agent", afterAgent(g)).Bytes()
}

func TestCheckWarnsOfUnknownKeys(t *testing.T) {
	t.Parallel()
	g := guestkit.Hooked(abi.BeforeModel, abi.HookSpec{})
	description := guestkit.MapOf(map[string]any{
		"abi": 1, "name": "g", "version": "1", "hooks": map[string]any{"before_model": map[string]any{"can_jump": []any{"end"}}},
	})
	g.Describe(g.Say(description))
	g.On("before_model", g.Say(guestkit.MapOf(map[string]any{"jumpto": "end\x1b"})))

	findings := author.Check(t.Context(), plugin.Wasm{ID: "g", Bytes: g.Bytes(), Engine: compiled})

	require.Len(t, findings, 2)
	require.True(t, findings[0].OK)
	require.Equal(t, []author.Warning{{
		Code: author.WarnKeys, Text: `unknown key "can_jump" in hooks.before_model; did you mean "can_jump_to"?`,
	}}, findings[0].Warnings)
	require.True(t, findings[1].OK)
	require.Equal(t, []author.Warning{{Code: author.WarnKeys, Text: `unknown key "jumpto"; did you mean "jump_to"?`}}, findings[1].Warnings)

	in := author.Inspect(t.Context(), plugin.Wasm{Bytes: g.Bytes(), Engine: compiled})
	require.Equal(t, []author.Warning{{
		Code: author.WarnKeys, Text: `its Description: unknown key "can_jump" in hooks.before_model; did you mean "can_jump_to"?`,
	}}, in.Warnings)
}

func TestInspectWarnsOfAWrapThatAFaultSwitchesOff(t *testing.T) {
	t.Parallel()
	for guards, warnings := range map[bool]int{false: 1, true: 0} {
		g := guestkit.New(abi.Description{Guards: guards, Hooks: abi.HookSpecs{WrapToolCall: &abi.HookSpec{}}}).On("wrap_tool_call", guestkit.Nothing)
		in := author.Inspect(t.Context(), plugin.Wasm{Bytes: g.Bytes(), Engine: compiled})
		require.True(t, in.OK)
		require.Len(t, in.Warnings, warnings)
		for _, w := range in.Warnings {
			require.Equal(t, author.WarnFailure, w.Code)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	good := twoHooks(func(*guestkit.Module) guestkit.Code { return guestkit.Nothing })
	traps := twoHooks(func(*guestkit.Module) guestkit.Code { return guestkit.Trap })
	fails := twoHooks(func(g *guestkit.Module) guestkit.Code {
		return g.Say(guestkit.Document(&abi.Result{Error: &abi.Error{Type: "t", Message: "not \x1b[2Jtoday"}}))
	})
	loaded := author.Finding{Stage: "configure", OK: true}
	hook := func(name abi.Hook) author.Finding {
		return author.Finding{Stage: author.StageHook, Hook: name, OK: true}
	}
	wrong := func(f author.Finding, kind plugin.Kind, says string) author.Finding {
		f.OK, f.Kind, f.Message = false, kind, says
		return f
	}
	for name, test := range map[string]struct {
		module []byte
		hooks  []abi.Hook
		wanted []author.Finding // whose Message is a part of the one that is found
	}{
		"good plugin":    {good, nil, []author.Finding{loaded, hook(abi.BeforeModel), hook(abi.AfterAgent)}},
		"no hooks":       {guestkit.New(abi.Description{}).Bytes(), nil, []author.Finding{loaded}},
		"hook by name":   {good, []abi.Hook{abi.AfterAgent}, []author.Finding{loaded, hook(abi.AfterAgent)}},
		"order of hooks": {good, []abi.Hook{abi.AfterAgent, abi.BeforeModel}, []author.Finding{loaded, hook(abi.AfterAgent), hook(abi.BeforeModel)}},
		"missing hook": {good, []abi.Hook{abi.AfterModel, abi.BeforeModel}, []author.Finding{
			loaded, wrong(hook(abi.AfterModel), "", "the plugin has no such hook"), hook(abi.BeforeModel),
		}},
		"trap in a hook":      {traps, nil, []author.Finding{loaded, hook(abi.BeforeModel), wrong(hook(abi.AfterAgent), plugin.KindTrap, "unreachable")}},
		"faulty hook unnamed": {traps, []abi.Hook{abi.BeforeModel}, []author.Finding{loaded, hook(abi.BeforeModel)}},
		"error of a hook":     {fails, nil, []author.Finding{loaded, hook(abi.BeforeModel), wrong(hook(abi.AfterAgent), plugin.KindGuest, "not  [2Jtoday")}},
		"trap in describe":    {guestkit.Fine().Describe(guestkit.Trap).Bytes(), nil, []author.Finding{wrong(author.Finding{Stage: "describe"}, plugin.KindTrap, "unreachable")}},
		"no module":           {[]byte("no module"), nil, []author.Finding{wrong(author.Finding{Stage: "preflight"}, plugin.KindMalformed, "Wasm module")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			findings := author.Check(t.Context(), plugin.Wasm{ID: "bad", Path: "p.wasm", Bytes: test.module, Engine: compiled}, test.hooks...)
			require.Len(t, findings, len(test.wanted))
			for i, want := range test.wanted {
				got := &findings[i]
				require.Contains(t, got.Message, want.Message)
				if want.OK {
					require.Empty(t, got.Message)
					require.Positive(t, got.Fuel)
					require.Positive(t, got.Memory)
				}
				require.GreaterOrEqual(t, got.WallMS, 0.0)
				want.File, want.Message, want.Fuel, want.WallMS, want.Memory = "p.wasm", got.Message, got.Fuel, got.WallMS, got.Memory
				require.Equal(t, want, *got)
			}
		})
	}
}

// TestCheckOfAMissingFile checks a file that does not exist: the plugin is not to blame.
func TestCheckOfAMissingFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "gone.wasm")
	findings := author.Check(t.Context(), plugin.Wasm{Path: path, Engine: compiled})
	require.Len(t, findings, 1)
	f := findings[0]
	require.Equal(t, path, f.File)
	require.Equal(t, "read", f.Stage)
	require.False(t, f.OK)
	require.Empty(t, f.Kind)
	require.Contains(t, f.Message, "gone.wasm")
	require.Zero(t, f.Memory)
}
