package reference

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/test/reference/probe"
	"github.com/agenthost/agenthost/test/reference/strict"
)

// ModelSpec is a model that a vector describes.
type ModelSpec struct {
	Label    string // label in records of requests
	Echo     bool
	Calls    [][]abi.ToolCall // calls of an echo model
	Turns    []turn           // turns of a scripted model
	AfterEnd string
	Provider string
	Info     model.Info // without name and provider

	ProviderTools []wire.Map // definitions of tools that the provider runs
}

// turn is one answer of a scripted model: a message, a failure or a structured value.
type turn struct {
	message    abi.Message
	failure    *abi.Error
	structured wire.Raw
}

func readModel(o *strict.Object, label string) *ModelSpec {
	o.Need("kind")
	m := &ModelSpec{Label: label, Provider: o.TextOrNull("provider")}
	if o.Has("name") {
		m.Label = o.Text("name")
	}
	if profile := o.Object("profile"); profile != nil {
		m.Info = readProfile(profile)
	}
	switch o.OneOf("kind", "scripted", "echo") {
	case "echo":
		m.Echo = true
		for i, list := range o.Items("calls") {
			wrapped := wire.Map{{Key: "calls", Value: list}}
			calls := strict.Open(wrapped.Raw(), fmt.Sprintf("%s.calls[%d]", o.Path(), i))
			m.Calls = append(m.Calls, probe.ToolCalls(calls.Objects("calls")))
			if err := calls.Done(); err != nil {
				o.Fail("calls", err.Error())
			}
		}
	case "scripted":
		o.Need("turns")
		for _, t := range o.Objects("turns") {
			m.Turns = append(m.Turns, readTurn(t))
		}
		m.AfterEnd = o.OneOf("after_end", "error", "repeat_last", "empty")
	}
	_ = o.Done()
	return m
}

func readProfile(o *strict.Object) model.Info {
	info := model.Info{MaxInputTokens: o.Int("max_input_tokens", 1), StructuredOutput: o.Bool("structured_output")}
	for key, flag := range map[string]*model.Support{
		"image_inputs": &info.Images, "audio_inputs": &info.Audio, "video_inputs": &info.Video, "pdf_inputs": &info.Files,
		"image_tool_message": &info.ToolImages, "pdf_tool_message": &info.ToolFiles,
	} {
		if o.Has(key) {
			*flag = model.SupportOf(o.Bool(key))
		}
	}
	_ = o.Done()
	return info
}

func readTurn(o *strict.Object) turn {
	var t turn
	switch {
	case o.Has("error"):
		t.failure = probe.ErrorOf(o.Object("error"))
	case o.Has("structured"):
		t.structured = o.Raw("structured")
		t.message.Role = abi.RoleAI
	default:
		t.message = probe.AIMessage(o)
	}
	_ = o.Done()
	return t
}

// fileModel is a model that answers as its file says and records its requests.
type fileModel struct {
	spec   *ModelSpec
	record *recorder
	calls  atomic.Int64
}

// Info describes the model.
func (m *fileModel) Info() model.Info {
	info := m.spec.Info
	info.Name, info.Provider = m.spec.Label, m.spec.Provider
	return info
}

// Generate gives the next answer.
func (m *fileModel) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	asked := recordOf(m.spec, req)
	m.record.request(asked)
	n := int(m.calls.Add(1)) - 1
	if m.spec.Echo {
		return m.echo(n, asked), nil
	}
	turns := m.spec.Turns
	if n >= len(turns) {
		switch {
		case m.spec.AfterEnd == "empty":
			return model.Reply(abi.Message{}), nil
		case m.spec.AfterEnd == "repeat_last" && len(turns) > 0:
			n = len(turns) - 1
		default:
			return nil, fmt.Errorf("model %q: call %d of %d turns: %w", m.spec.Label, n+1, len(turns), scripted.ErrExhausted)
		}
	}
	t := &turns[n]
	if t.failure != nil {
		return nil, ofProvider(t.failure)
	}
	response := model.Reply(t.message)
	response.Structured = t.structured
	return response, nil
}

// echo answers with the contents of the whole request.
func (m *fileModel) echo(n int, asked *request) *model.Response {
	parts := make([]string, len(asked.messages))
	for i := range asked.messages {
		parts[i] = asked.messages[i].Content.Text()
	}
	answer := abi.AI(strings.Join(parts, "-"))
	answer.ID = strconv.Itoa(n)
	if len(m.spec.Calls) > 0 {
		answer.ToolCalls = m.spec.Calls[n%len(m.spec.Calls)]
	}
	return model.Reply(answer)
}
