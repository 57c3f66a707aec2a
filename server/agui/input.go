package agui

import (
	"encoding/json"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/server/agui/internal/protocol"
)

// runAgentInput is what a client sends to run an agent.
type runAgentInput struct {
	Thread    string             `json:"threadId" jsonschema:"The conversation: text of 1 to 512 bytes without control characters."`
	Run       string             `json:"runId" jsonschema:"The run: any text. The id of a run that is not over joins it."`
	Parent    *string            `json:"parentRunId"`
	Version   *string            `json:"protocolVersion" jsonschema:"The version of the protocol that the client speaks; without it, one before 1.0."`
	State     json.RawMessage    `json:"state" jsonschema:"The fields of the agent."`
	Messages  []protocol.Message `json:"messages" jsonschema:"The conversation so far. Those that the thread has are known by their ids."`
	Tools     *[]clientTool      `json:"tools" jsonschema:"Tools that the client performs."`
	Context   *[]contextEntry    `json:"context"`
	Forwarded json.RawMessage    `json:"forwardedProps" jsonschema:"The members command.resume, context and model mean something here."`
	Resume    *[]resumeEntry     `json:"resume" jsonschema:"Answers to the interrupts that the last run ended with."`
}

// clientTool is a tool that the client performs.
type clientTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters" jsonschema:"A JSON Schema."`
}

// contextEntry is something that the client says about its surroundings.
type contextEntry struct {
	Description string `json:"description"`
	Value       string `json:"value"`
}

// resumeEntry is the answer to an interrupt.
type resumeEntry struct {
	Interrupt string          `json:"interruptId"`
	Status    string          `json:"status" enum:"resolved,cancelled"`
	Payload   json.RawMessage `json:"payload"`
}

// forwarded are the members of forwardedProps that mean something here.
type forwarded struct {
	Command *struct {
		Resume json.RawMessage `json:"resume"`
	} `json:"command"`
	Context json.RawMessage `json:"context"`
	Model   *string         `json:"model"`
}

// given reports whether a member is there and not null.
func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// check checks the members that must be there.
func (in *runAgentInput) check() error {
	if in.Thread == "" { // door.ThreadID checks the rest
		return unprocessable("the member threadId is missing or empty")
	}
	if err := checkID("runId", in.Run); err != nil {
		return err
	}
	if in.Messages == nil {
		return unprocessable("the member messages is missing")
	}
	for i := range in.Messages {
		m := &in.Messages[i]
		if m.Role == protocol.RoleActivity || m.Role == protocol.RoleReasoning {
			continue
		}
		if err := checkID("id of message "+m.Role, m.ID); err != nil {
			return err
		}
	}
	return nil
}

// forwarded reads forwardedProps. Whatever is not an object is the application's own.
func (in *runAgentInput) forwarded() (out forwarded, err error) {
	if !given(in.Forwarded) || in.Forwarded[0] != '{' {
		return out, nil
	}
	if err := json.Unmarshal(in.Forwarded, &out); err != nil {
		return out, unprocessable("forwardedProps cannot be used: %v", err)
	}
	return out, nil
}

// tools returns the tools of the client. A description of its parameters that is empty is one of no parameters.
func (in *runAgentInput) tools() (out []host.ClientTool, err error) {
	out = []host.ClientTool{} // not nil: a run that goes on has these and no others
	if in.Tools == nil {
		return out, nil
	}
	for _, t := range *in.Tools {
		tool := host.ClientTool{Name: t.Name, Description: t.Description}
		if given(t.Parameters) {
			if tool.Parameters, err = wire.FromJSON(t.Parameters, wire.Limits{}); err != nil {
				return nil, unprocessable("the parameters of the tool %.64q cannot be used: %v", t.Name, err)
			}
		}
		out = append(out, tool)
	}
	return out, nil
}
