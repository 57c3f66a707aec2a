package openai

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/server/openai/internal/answer"
)

// The types of items.
const (
	itemMessage   = "message"
	itemReasoning = "reasoning"
	itemCall      = "function_call"
)

// outputItem is an item of the output of a response: a message, reasoning, or a call of a tool of the client.
type outputItem struct {
	ID        string         `json:"id"`
	Type      string         `json:"type" enum:"message,reasoning,function_call"`
	Status    string         `json:"status,omitempty"`
	Role      string         `json:"role,omitempty"`
	Content   *[]outputPart  `json:"content,omitempty"`
	Summary   *[]summaryPart `json:"summary,omitempty"`
	CallID    string         `json:"call_id,omitempty"`
	Name      string         `json:"name,omitempty"`
	Arguments *string        `json:"arguments,omitempty"`
}

// outputPart is a part of a message: a text, or the words in which the model declines to answer.
type outputPart struct {
	Type        string      `json:"type" enum:"output_text,refusal"`
	Text        *string     `json:"text,omitempty"`
	Refusal     *string     `json:"refusal,omitempty"`
	Annotations *[]struct{} `json:"annotations,omitempty"`
	Logprobs    *[]struct{} `json:"logprobs,omitempty"`
}

type summaryPart struct {
	Type string `json:"type" enum:"summary_text"`
	Text string `json:"text"`
}

func textPart(text string) outputPart {
	return outputPart{Type: "output_text", Text: &text, Annotations: &[]struct{}{}, Logprobs: &[]struct{}{}}
}

func messageItem(id, status string, parts ...outputPart) outputItem {
	if parts == nil {
		parts = []outputPart{}
	}
	return outputItem{ID: id, Type: itemMessage, Status: status, Role: "assistant", Content: &parts}
}

func reasoningItem(id, status string, parts ...summaryPart) outputItem {
	if parts == nil {
		parts = []summaryPart{}
	}
	return outputItem{ID: id, Type: itemReasoning, Status: status, Summary: &parts}
}

func callItem(call host.ClientCall, status, arguments string) outputItem {
	return outputItem{ID: callItemID(call), Type: itemCall, Status: status, CallID: call.ID, Name: call.Name, Arguments: &arguments}
}

func callItemID(call host.ClientCall) string { return "fc_" + call.ID }

// The ids of items are those of the agent's messages; a reasoning, and what is not a message of the thread, have others.
const (
	reasoningPrefix = "rs_"
	valuePrefix     = "value_"
	questionPrefix  = "question_"
)

// outputOf returns the items of a response.
func outputOf(v *view, a *answer.Answer) []outputItem {
	out := []outputItem{}
	for i := range a.Messages {
		m := &a.Messages[i]
		if thought := answer.Thought(m); thought != "" && v.shows(showReasoning) {
			out = append(out, reasoningItem(reasoningPrefix+m.ID, statusCompleted, summaryPart{"summary_text", thought}))
		}
		if said := answer.Said(m); said != "" && a.Structured == nil {
			out = append(out, messageItem(m.ID, statusCompleted, partOf(v, m, said)))
		}
	}
	if a.Structured != nil {
		out = append(out, messageItem(valuePrefix+v.run.ID, statusCompleted, textPart(string(a.Structured))))
	}
	for _, call := range a.Calls {
		out = append(out, callItem(call, statusCompleted, call.Args.JSON()))
	}
	if asked := a.Asked(); asked != "" {
		part := textPart(asked)
		if v.wants() {
			part = refusalPart(asked)
		}
		out = append(out, messageItem(questionPrefix+v.run.ID, statusCompleted, part))
	}
	return out
}

// partOf returns what a message says. A text in place of the value that was asked for is a refusal, which clients do not read as JSON.
func partOf(v *view, m *abi.Message, said string) outputPart {
	if v.wants() || m.Content.Text() == "" {
		return refusalPart(said)
	}
	return textPart(said)
}

func refusalPart(said string) outputPart { return outputPart{Type: "refusal", Refusal: &said} }
