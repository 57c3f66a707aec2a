package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	sdk "github.com/agenthost/agenthost/sdk/go"
	"github.com/agenthost/agenthost/sdk/go/sdktest"
)

// The plugin has one configuration at a time, so nothing here is parallel.

func TestNative(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	h := sdktest.New(t)
	h.Say(abi.Human("I am ann@mail.example, from 10.1.2.3"), abi.AI("write to bob@mail.example"))
	out := h.BeforeModel()
	require.Equal(t, "I am [REDACTED_EMAIL], from [REDACTED_IP]", h.Messages[0].Content.Text())
	require.Equal(t, "write to bob@mail.example", h.Messages[1].Content.Text(), "only messages of the user")
	require.Equal(t, `{"redactions":2}`, h.State.Raw().JSON())
	require.Equal(t, "redacted", out.Events[0].Name)
	require.Equal(t, `{"email":1,"ip":1}`, out.Events[0].Data.JSON())

	h.Replies = []sdktest.Reply{sdktest.Answers("mail ann@mail.example"), sdktest.Answers("nothing here")}
	call := abi.Call("1", "t", nil)
	require.Equal(t, "mail [REDACTED_EMAIL]", h.WrapToolCall(call).Answer.Content.Text())
	require.Equal(t, `{"redactions":3}`, h.State.Raw().JSON())
	out = h.WrapToolCall(call)
	require.Nil(t, out.ToolMessage)
	require.Empty(t, out.Events)

	require.Empty(t, h.BeforeModel().Patch, "its own change is new to it, and clean")
	require.Empty(t, h.BeforeModel().Result, "nothing is new")
}

func TestNativeBlocksOfContent(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	h := sdktest.New(t)
	h.Configure(map[string]any{"strategy": "mask"})
	text := abi.BlockOf(abi.TextBlock("card 4111111111111111").Fields().With(wire.Map{{Key: "cited", Value: wire.Bool(true)}}))
	answer := sdktest.Answers("")
	answer.Messages[0].Content = abi.Blocks(text, abi.ImageURLBlock("https://mail.example/ann@mail.example.png"), abi.TextBlock("fine"),
		abi.RefusalBlock("not to ann@mail.example", ""))
	h.Replies = []sdktest.Reply{answer}
	out := h.WrapToolCall(abi.Call("1", "t", nil))
	require.Equal(t, `{"content":[{"cited":true,"text":"card ************1111","type":"text"},`+
		`{"type":"image","url":"https://mail.example/ann@mail.example.png"},{"text":"fine","type":"text"},{"refusal":"not to ann@****.example","type":"refusal"}]}`,
		out.ToolMessage.Keys().Raw().JSON())
}

func TestNativeConfiguration(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	h := sdktest.New(t)
	h.Configure(map[string]any{"apply_to_input": false})
	require.Nil(t, h.Description().Hooks.BeforeModel)
	require.NotNil(t, h.Description().Hooks.WrapToolCall)
	h.Configure(map[string]any{"apply_to_tool_results": false})
	require.NotNil(t, h.Description().Hooks.BeforeModel)
	require.Nil(t, h.Description().Hooks.WrapToolCall)
	require.Error(t, h.TryConfigure(map[string]any{"strategy": "shout"}), "refused by the schema")
	require.Error(t, h.TryConfigure(map[string]any{"types": []any{"iban"}}))

	// A host checks a configuration before the plugin sees it; the plugin does not rely on that.
	_, err := (&redactor{}).Configure(sdk.Map{{Key: "strategy", Value: sdk.String("shout")}})
	require.EqualError(t, err, "config: strategy: shout is unknown")
	types, _ := abi.NameList{"iban"}.MarshalMsg(nil)
	_, err = (&redactor{}).Configure(sdk.Map{{Key: "strategy", Value: sdk.String("mask")}, {Key: "types", Value: types}})
	require.EqualError(t, err, "config: types: iban is unknown")
}
