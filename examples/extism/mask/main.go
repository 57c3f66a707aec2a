// Command mask is an agenthost plugin that was built with Extism's PDK for Go. It keeps words away from the model, such as the
// names of customers or projects, in the user's messages and in the results of tools.
package main

import (
	_ "embed"
	"errors"
	"slices"
	"strings"

	"github.com/extism/go-pdk"
)

// The Description is the upper bound of what the plugin may do. Since the Description is JSON, all documents are JSON.
//
//go:embed description.json
var description []byte

//go:wasmexport describe
func describe() int32 {
	pdk.Output(description)
	return 0
}

// words are the words to mask. The host calls configure in every instance before it calls a hook.
var words []string

//go:wasmexport configure
func configure() int32 {
	var config struct {
		Words []string `json:"words"`
		With  string   `json:"with"`
	}
	if err := pdk.InputJSON(&config); err != nil {
		return fail(err)
	}
	for _, word := range config.Words {
		if strings.Contains(config.With, word) {
			return fail(errors.New("the word " + word + " stands in the text that is to take its place"))
		}
	}
	words = config.Words
	return 0
}

// beforeModel masks the user's messages. The view "new" shows each message once, and again when it has changed.
//
//go:wasmexport before_model
func beforeModel() int32 {
	var input struct {
		Messages struct {
			Items []Message `json:"items"`
			Patch []Message `json:"patch"`
		} `json:"messages"`
	}
	if err := pdk.InputJSON(&input); err != nil {
		return fail(err)
	}
	var result Result
	for _, m := range slices.Concat(input.Messages.Items, input.Messages.Patch) {
		if m.Role != "human" {
			continue
		}
		if content, n := masked(m.Content); n > 0 {
			result.Patch = append(result.Patch, Message{ID: m.ID, Content: content})
			result.State.Masked += n
		}
	}
	return result.say()
}

// wrapToolCall lets the tool run, and masks what it returns.
//
//go:wasmexport wrap_tool_call
func wrapToolCall() int32 {
	var reply struct {
		ToolMessage Message `json:"tool_message"`
	}
	if status, err := next(&reply); err != nil {
		return fail(err)
	} else if status != ok {
		return 0 // what went wrong passes on as it is
	}
	var result Result
	if content, n := masked(reply.ToolMessage.Content); n > 0 {
		result.ToolMessage = &Message{Content: content}
		result.State.Masked = n
	}
	return result.say()
}

// fail makes an error the outcome of the hook.
func fail(err error) int32 {
	pdk.SetError(err)
	return 1
}

func main() {}
