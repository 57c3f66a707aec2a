// Command parity is a test guest with all six hooks and a tool. The test has the same middleware as native Go, and
// compares the events of runs with one and the other: change both.
package main

import (
	"github.com/agenthost/agenthost/abi"
	sdk "github.com/agenthost/agenthost/sdk/go"
)

type parity struct{}

func init() {
	sdk.Register(parity{}, sdk.Description{
		Name: "parity", Version: "1.0.0",
		Fields: []sdk.FieldSpec{
			{Name: "seen", Lifetime: "thread", Reducer: "append"},
			{Name: "memory", Lifetime: "thread", Reducer: "append", HideInput: true},
			{Name: "review", Lifetime: "thread"},
			{Name: "count", Lifetime: "run", Reducer: "add", HideInput: true},
			{Name: "tools", Lifetime: "run", Reducer: "add", HideInput: true, HideOutput: true},
			{Name: "mode", Lifetime: "run", Reducer: "last", HideInput: true},
			{Name: "note", Lifetime: "step", HideInput: true},
		},
		Tools: []sdk.ToolSpec{{
			Name: "remember", Description: "Remembers a text.", Idempotent: true,
			Parameters: sdk.Schema(map[string]any{
				"type": "object", "required": []any{"key"},
				"properties": map[string]any{"key": map[string]any{"type": "string"}, "text": map[string]any{"type": "string"}},
			}),
		}},
		Hooks: sdk.HookSpecs{
			BeforeAgent:   &sdk.HookSpec{Messages: sdk.ViewAll()},
			BeforeModel:   &sdk.HookSpec{Messages: sdk.ViewNew(), Reads: []string{"count"}},
			WrapModelCall: &sdk.HookSpec{Messages: sdk.ViewLast(2), Reads: []string{"note", "count"}},
			AfterModel:    &sdk.HookSpec{Messages: sdk.ViewLast(1), CanJumpTo: []string{"model", "end"}},
			WrapToolCall:  &sdk.HookSpec{Messages: sdk.ViewLast(1), Reads: []string{"mode"}},
			AfterAgent:    &sdk.HookSpec{Reads: []string{"count", "memory", "review", "tools"}, Messages: sdk.ViewAll()},
		},
	})
}

func main() {}

// list makes an array of strings.
func list(items ...string) sdk.Raw {
	raw, _ := abi.NameList(items).MarshalMsg(nil)
	return raw
}
