package author

import (
	"context"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/tool"
)

// stage is what stands in for an agent around a plugin that is examined: what its grant names.
type stage struct {
	models map[string]model.Model
	keeps  bool     // threads are kept, because a store has entries of threads
	called []string // the tools that the plugin may call
	fields []string // the fields of other middleware that it may use
}

// done is what models and tools that stand in answer.
const done = "done"

func stageOf(w plugin.Wasm) stage {
	s := stage{keeps: w.Grant.KV != nil, called: w.Grant.ToolCall, fields: slices.Concat(w.Grant.Reads, w.Grant.Writes)}
	if granted := w.Grant.ModelGenerate; granted != nil {
		s.models = map[string]model.Model{granted.Model: &scripted.Turns{
			Name: granted.Model, Script: []scripted.Turn{scripted.Say(done)}, AfterEnd: scripted.EndRepeat,
		}}
	}
	return s
}

// environment returns the environment in which the plugin is loaded.
func environment(w plugin.Wasm) host.Env { return host.Env{Models: stageOf(w).models} }

// around completes the configuration of an agent around the plugin.
func (s stage) around(config host.Config) host.Config {
	config.Models = s.models
	if s.keeps {
		config.Checkpointer = memory.New()
	}
	return config
}

// thread returns the thread of a run in the agent; "": it keeps none.
func (s stage) thread() string {
	if s.keeps {
		return "test"
	}
	return ""
}

// state returns the fields that the plugin uses and does not declare.
func (s stage) state(own *host.Hooks) (fields []host.Field) {
	for i, name := range s.fields {
		same := func(f host.Field) bool { return f.Name == name }
		if !slices.Contains(s.fields[:i], name) && !slices.ContainsFunc(own.State, same) {
			fields = append(fields, host.Field{Name: name})
		}
	}
	return fields
}

// tools returns the tool that the model calls, with its answer, and those that the plugin may call. A tool of the plugin itself is left
// out; the model then calls that.
func (s stage) tools(name string, own []host.Tool, answer string) []host.Tool {
	has := func(tools []host.Tool, name string) bool {
		return slices.ContainsFunc(tools, func(t host.Tool) bool { return t.Spec().Name == name })
	}
	if has(own, name) {
		name = "try_another"
	}
	tools := []host.Tool{anyTool(name, answer)}
	for _, name := range s.called {
		if !has(own, name) && !has(tools, name) {
			tools = append(tools, anyTool(name, done))
		}
	}
	return tools
}

// anyTool returns a tool that always gives the same answer.
func anyTool(name, answer string) host.Tool {
	return tool.Raw(abi.ToolSpec{Name: name, Description: "Answers."}, func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		return host.TextOutput(answer), nil
	})
}
