package openai

import (
	"encoding/json"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/internal/door"
)

// chatTool is a tool of the client.
type chatTool struct {
	Type     string         `json:"type"`
	Function *toolSignature `json:"function"`
}

// toolSignature says how a tool is called.
type toolSignature struct {
	Name        string          `json:"name"`
	Description *string         `json:"description"`
	Parameters  json.RawMessage `json:"parameters" type:"object,null"`
}

// responseTool is a tool of the client in a request for a response.
type responseTool struct {
	Type string `json:"type"`
	toolSignature
}

// chatTools returns the tools of a chat completion.
func chatTools(all []chatTool, choice json.RawMessage) ([]host.ClientTool, error) {
	offered, err := offers(choice)
	if err != nil || !offered {
		return nil, err
	}
	var out []host.ClientTool
	for _, t := range all {
		if t.Type != "function" || t.Function == nil {
			return nil, noHostedTool(t.Type)
		}
		if out, err = t.Function.add(out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// responseTools returns the tools of a request for a response.
func responseTools(all []responseTool, choice json.RawMessage) ([]host.ClientTool, error) {
	offered, err := offers(choice)
	if err != nil || !offered {
		return nil, err
	}
	var out []host.ClientTool
	for i := range all {
		if all[i].Type != "function" {
			return nil, noHostedTool(all[i].Type)
		}
		if out, err = all[i].add(out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func noHostedTool(kind string) error {
	return invalid("tools", "tools has one of the type %.64q; only those of the type function can be the client's, and the agent brings its own", kind)
}

// offers reports whether the agent may call tools of the client.
func offers(choice json.RawMessage) (bool, error) {
	var word string
	if !given(choice) {
		return true, nil
	}
	_ = json.Unmarshal(choice, &word) // an object leaves it empty
	switch word {
	case "auto":
		return true, nil
	case "none":
		return false, nil
	default:
		return false, invalid("tool_choice", "tool_choice is %.100s; an agent decides itself which tools it calls, so use auto or none", choice)
	}
}

func (s *toolSignature) add(to []host.ClientTool) ([]host.ClientTool, error) {
	spec := host.ClientTool{Name: s.Name}
	if s.Description != nil {
		spec.Description = *s.Description
	}
	if given(s.Parameters) {
		value, err := wire.FromJSON(s.Parameters, wire.Limits{})
		if err != nil {
			return nil, invalid("tools", "the parameters of the tool %.64q cannot be used: %v", s.Name, err)
		}
		spec.Parameters = value
	}
	return append(to, spec), nil
}

// onlyResults reports whether messages are results of tools alone.
func onlyResults(messages []abi.Message) bool {
	return len(messages) > 0 && !slices.ContainsFunc(messages, func(m abi.Message) bool { return m.Role != abi.RoleTool })
}

// resultsOf returns the results of tools of the client as answers to the calls that a thread waits for.
func (h *Handler) resultsOf(c *door.Call, t *runs.Thread, results []abi.Message) (out []runs.Answer, err error) {
	s, err := h.Service.Snapshot(c.R.Context(), t, 0)
	if err != nil || s.Snapshot == nil {
		return nil, err
	}
	for i := range results {
		m := &results[i]
		at := slices.IndexFunc(s.Interrupts, func(asked host.Interrupt) bool {
			call, ok := asked.ClientCall()
			return ok && call.ID == m.ToolCallID
		})
		if at < 0 {
			return nil, invalid("messages", "the thread waits for no result of the call %.100q", m.ToolCallID)
		}
		result := host.ClientResult{Content: m.Content, Failed: m.Failed()}
		value, err := result.Answer()
		if err != nil {
			return nil, err
		}
		out = append(out, runs.Answer{Interrupt: s.Interrupts[at].ID, Value: value, By: c.Principal.Name})
	}
	return out, nil
}
