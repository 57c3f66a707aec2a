package model

import (
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
)

// Ending says whether an answer is complete.
type Ending string

// The ways in which an answer ends.
const (
	Complete Ending = ""         // it is complete, calls tools, or has a stop reason that is not known
	CutOff   Ending = "cut_off"  // it reached the limit of output tokens, or filled the context window
	Filtered Ending = "filtered" // the provider removed the rest, or all of it
	Declined Ending = "declined" // the model declined to answer
	Paused   Ending = "paused"   // the provider paused the turn, and was asked to go on as often as allowed
	Broken   Ending = "broken"   // the provider failed; a middleware may have written the answer in its place
)

// StopError is the stop reason of an answer that reports a failure of the model, such as model_retry's after the last attempt.
const StopError = "error"

// endings are the stop reasons of providers for incomplete answers, in lower case.
var endings = map[Ending][]string{
	CutOff: {
		"length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded", "context_window", "incomplete",
	},
	Filtered: {
		"content_filter", "safety", "recitation", "prohibited_content", "spii", "blocklist", "language", "model_armor", "image_safety",
		"image_prohibited_content", "image_recitation", "content_filtered", "guardrail_intervened",
	},
	Declined: {"refusal"},
	Paused:   {"pause_turn"},
	Broken:   {StopError},
}

// EndingOf classifies the stop reason of a [Response].
func EndingOf(stopReason string) Ending {
	reason := strings.ToLower(stopReason)
	for ending, reasons := range endings {
		if slices.Contains(reasons, reason) {
			return ending
		}
	}
	return Complete
}

// Explain says what happened to an answer and what to do about it, such as "it reached its limit of output tokens; raise max_tokens". It
// returns "" for a complete answer.
func (e Ending) Explain() string {
	switch e {
	case Complete:
		return ""
	case CutOff:
		return "it reached the limit of output tokens or filled the context window; raise max_tokens, or ask for less"
	case Filtered:
		return "the provider's filter stopped it"
	case Declined:
		return "the model declined to answer"
	case Paused:
		return "the provider paused the turn again and again; ask the model to go on"
	case Broken:
		return "the model failed"
	default:
		return string(e)
	}
}

// Says reports whether a message has anything beside reasoning and white space: a text, a call, or another block.
func Says(m *abi.Message) bool {
	if len(m.ToolCalls)+len(m.InvalidToolCalls) > 0 || strings.TrimSpace(m.Content.Text()) != "" {
		return true
	}
	return slices.ContainsFunc(m.Content.Blocks(), func(b abi.Block) bool {
		switch b.Type() {
		case abi.BlockText, abi.BlockReasoning:
			return false
		case abi.BlockRefusal:
			return b.Text() != ""
		default:
			return true
		}
	})
}
