package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	sdk "github.com/agenthost/agenthost/sdk/go"
)

// fakeHost answers next with a message and remembers what was emitted.
type fakeHost struct {
	answer  abi.Message
	emitted []abi.EventEmit
}

func (h *fakeHost) Next([]byte) (abi.Status, []byte) {
	reply, _ := (&abi.ToolReply{ToolMessage: h.answer}).MarshalMsg(nil)
	return abi.StatusOK, reply
}

func (h *fakeHost) HostCall(op string, payload []byte) (abi.Status, []byte) {
	if op != abi.OpEventEmit {
		return abi.ENOENT, nil
	}
	var event abi.EventEmit
	if _, err := event.UnmarshalMsg(payload); err != nil {
		return abi.EINVAL, nil
	}
	h.emitted = append(h.emitted, event)
	return abi.StatusOK, nil
}

func (h *fakeHost) Log(abi.LogLevel, string) {}

// configure gives the plugin a configuration in which the host has filled in the defaults.
func configure(t *testing.T, changes map[string]any) (sdk.Description, *abi.Error) {
	t.Helper()
	config, err := wire.MapOf(map[string]any{
		"strategy": "redact", "types": []any{"email", "credit_card", "ip", "api_key", "private_key"},
		"apply_to_input": true, "apply_to_tool_results": true,
	})
	require.NoError(t, err)
	overrides, err := wire.MapOf(changes)
	require.NoError(t, err)
	result, code := sdk.Invoke(abi.ExportConfigure, config.With(overrides).Raw(), &fakeHost{})
	require.Equal(t, abi.ReturnResult, code)
	var refused abi.Result
	if _, err := refused.UnmarshalMsg(result); err == nil && refused.Error != nil {
		return sdk.Description{}, refused.Error
	}
	var d sdk.Description
	_, err = d.UnmarshalMsg(result)
	require.NoError(t, err)
	return d, nil
}

// invoke calls a hook; nil is a hook that has nothing to say.
func invoke(t *testing.T, hook abi.Hook, in abi.HookInput, h *fakeHost) *abi.Result {
	t.Helper()
	input, err := in.MarshalMsg(nil)
	require.NoError(t, err)
	b, code := sdk.Invoke(string(hook), input, h)
	if code == abi.ReturnNothing {
		return nil
	}
	var result abi.Result
	_, err = result.UnmarshalMsg(b)
	require.NoError(t, err)
	return &result
}

// TestNative calls the plugin's hooks without a host. The plugin has one configuration at a time, so nothing is parallel.
func TestNative(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	_, refused := configure(t, nil)
	require.Nil(t, refused)
	human := abi.Human("I am ann@mail.example, from 10.1.2.3")
	human.ID = "h1"
	model := abi.AI("write to bob@mail.example")
	model.ID = "a1"
	view := abi.HookInput{Messages: &abi.View{Items: []abi.Message{human, model}, Total: 2}}
	host := &fakeHost{}
	result := invoke(t, abi.BeforeModel, view, host)
	require.Len(t, result.Patch, 1, "only messages of the user")
	require.Equal(t, `{"content":"I am [REDACTED_EMAIL], from [REDACTED_IP]","id":"h1"}`, result.Patch[0].Keys().Raw().JSON())
	require.Equal(t, `{"redactions":2}`, result.State.Raw().JSON())
	require.Equal(t, "redacted", host.emitted[0].Name)
	require.Equal(t, `{"email":1,"ip":1}`, host.emitted[0].Data.JSON())

	calls := abi.HookInput{Call: &abi.ToolCall{ID: "1", Name: "t", Args: wire.Map(nil).Raw()}, Known: true}
	tool := &fakeHost{answer: abi.ToolResult(*calls.Call, "mail ann@mail.example")}
	result = invoke(t, abi.WrapToolCall, calls, tool)
	require.Equal(t, `{"content":"mail [REDACTED_EMAIL]"}`, result.ToolMessage.Keys().Raw().JSON())

	clean := &fakeHost{answer: abi.ToolResult(*calls.Call, "nothing here")}
	require.Nil(t, invoke(t, abi.WrapToolCall, calls, clean))
	require.Empty(t, clean.emitted)
	require.Nil(t, invoke(t, abi.BeforeModel, abi.HookInput{Messages: &abi.View{}}, clean))
}

func TestNativeBlocksOfContent(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	_, refused := configure(t, map[string]any{"strategy": "mask"})
	require.Nil(t, refused)
	call := abi.ToolCall{ID: "1", Name: "t", Args: wire.Map(nil).Raw()}
	answer := abi.ToolResult(call, "")
	text := abi.BlockOf(abi.TextBlock("card 4111111111111111").Fields().With(wire.Map{{Key: "cited", Value: wire.Bool(true)}}))
	answer.Content = abi.Blocks(text, abi.ImageURLBlock("https://mail.example/ann@mail.example.png"), abi.TextBlock("fine"))
	result := invoke(t, abi.WrapToolCall, abi.HookInput{Call: &call}, &fakeHost{answer: answer})
	require.Equal(t, `{"content":[{"cited":true,"text":"card ************1111","type":"text"},`+
		`{"type":"image","url":"https://mail.example/ann@mail.example.png"},{"text":"fine","type":"text"}]}`,
		result.ToolMessage.Keys().Raw().JSON())
}

func TestNativeConfiguration(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	d, refused := configure(t, map[string]any{"apply_to_input": false})
	require.Nil(t, refused)
	require.Nil(t, d.Hooks.BeforeModel)
	require.NotNil(t, d.Hooks.WrapToolCall)
	d, refused = configure(t, map[string]any{"apply_to_tool_results": false})
	require.Nil(t, refused)
	require.NotNil(t, d.Hooks.BeforeModel)
	require.Nil(t, d.Hooks.WrapToolCall)
	_, refused = configure(t, map[string]any{"strategy": "shout"})
	require.Equal(t, "config: strategy: shout is unknown", refused.Error())
	_, refused = configure(t, map[string]any{"types": []any{"iban"}})
	require.Equal(t, "config: types: iban is unknown", refused.Error())
}
